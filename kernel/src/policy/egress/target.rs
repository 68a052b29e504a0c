//! What counts as a target: the raw text is judged first, then parsed once; rules, DNS and connector see the parsed value.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use types::egress::Scheme;
use types::problem::Code;
use url::Url;

use crate::{Error, Result};

const MAX_URL: usize = 2048;
const MAX_HOST: usize = 253;
const MAX_LABEL: usize = 63;

/// A well-formed target of an outgoing call. Says nothing yet about whether it may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
    scheme: Scheme,
    host: Host,
    port: u16,
}

/// Where a target lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name: lower case, ASCII, no trailing dot.
    Name(String),
    /// An address literal.
    Address(IpAddr),
}

impl Host {
    /// Whether it names this machine without asking anybody.
    pub fn is_localhost(&self) -> bool {
        matches!(self, Self::Name(name) if is_localhost(name))
    }
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

impl Target {
    /// Judges and parses the raw text of a URL.
    pub fn parse(raw: &str) -> Result<Self> {
        parse(raw)
            .map_err(|what| Error::new(Code::EgressInvalidTarget, format!("the target is no acceptable URL: {what}")))
    }

    /// The URL, without fragment and trailing dot.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// How it speaks.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Where it lies.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port, given or the scheme's own.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Scheme, host and port: all that refusals and records say of it.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

type Checked<T> = std::result::Result<T, &'static str>;

fn parse(raw: &str) -> Checked<Target> {
    if raw.len() > MAX_URL {
        return Err("it is longer than 2048 bytes");
    }
    if raw.bytes().any(|byte| byte <= 0x20 || byte == 0x7f || byte == b'\\') {
        return Err("it holds a space, a control character or a backslash");
    }
    let (scheme, rest) = split_scheme(raw)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let path = tail.split('#').next().unwrap_or_default().to_ascii_lowercase();
    if ["%00", "%0a", "%0d"].iter().any(|bad| path.contains(bad)) {
        return Err("its path holds an encoded NUL or line break");
    }
    let (host, port) = split_authority(authority)?;
    let port = port.unwrap_or(match scheme {
        Scheme::Https => 443,
        Scheme::Http => 80,
    });
    let expected = check_host(host)?;
    let mut url = Url::parse(raw).map_err(|_| "it cannot be parsed")?;
    url.set_fragment(None);
    if let Host::Name(name) = &expected {
        url.set_host(Some(name)).map_err(|_| "its host is no name")?;
    }
    // The parser must have understood the host as it was judged.
    let understood = match url.host() {
        Some(url::Host::Domain(name)) => Host::Name(name.to_owned()),
        Some(url::Host::Ipv4(address)) => Host::Address(IpAddr::V4(address)),
        Some(url::Host::Ipv6(address)) => Host::Address(IpAddr::V6(address)),
        None => return Err("it has no host"),
    };
    if understood != expected {
        return Err("its host reads in two ways");
    }
    Ok(Target { url, scheme, host: expected, port })
}

fn split_scheme(raw: &str) -> Checked<(Scheme, &str)> {
    let (scheme, rest) = raw.split_once(':').ok_or("it has no scheme")?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return Err("its scheme is neither https nor http"),
    };
    let rest = rest.strip_prefix("//").ok_or("`//` must follow the scheme")?;
    if rest.starts_with('/') { Err("it has no host") } else { Ok((scheme, rest)) }
}

fn split_authority(authority: &str) -> Checked<(&str, Option<u16>)> {
    if authority.contains('@') {
        return Err("it carries user information");
    }
    if authority.contains('%') {
        return Err("its host holds `%`");
    }
    let split = match authority.rfind(']') {
        Some(bracket) => authority.split_at(bracket + 1),
        None => authority.find(':').map_or((authority, ""), |colon| authority.split_at(colon)),
    };
    let (host, port) = split;
    if port.is_empty() {
        return Ok((host, None));
    }
    let digits = port.strip_prefix(':').ok_or("its host is malformed")?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    match digits.parse::<u16>() {
        Ok(port) if plain => Ok((host, Some(port))),
        _ => Err("its port is not a number from 1 to 65535"),
    }
}

fn check_host(raw: &str) -> Checked<Host> {
    if let Some(inner) = raw.strip_prefix('[') {
        let inner = inner.strip_suffix(']').ok_or("its host is malformed")?;
        let address: Ipv6Addr = inner.parse().map_err(|_| "its host is no IPv6 address")?;
        return Ok(Host::Address(IpAddr::V6(address)));
    }
    if raw.is_ascii() {
        let host = raw.strip_suffix('.').unwrap_or(raw).to_ascii_lowercase();
        if let Some(address) = plain_ipv4(&host) {
            return Ok(Host::Address(IpAddr::V4(address)));
        }
        check_name(&host)?;
        return Ok(Host::Name(host));
    }
    let ascii = idna::domain_to_ascii_strict(raw).map_err(|_| "its host is no valid international name")?;
    let host = ascii.strip_suffix('.').unwrap_or(&ascii).to_ascii_lowercase();
    check_name(&host)?;
    if plain_ipv4(&host).is_some() || is_localhost(&host) {
        return Err("its host becomes an address or a local name");
    }
    Ok(Host::Name(host))
}

fn check_name(host: &str) -> Checked<()> {
    if host.is_empty() || host.len() > MAX_HOST {
        return Err("its host is empty or longer than 253 characters");
    }
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    for label in host.split('.') {
        if label.is_empty() || label.len() > MAX_LABEL {
            return Err("a label of its host is empty or longer than 63 characters");
        }
        if !label.bytes().all(letters) {
            return Err("its host holds a character no name has");
        }
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if hexadecimal || last.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("its host is an address in an unusual form");
    }
    Ok(())
}

/// Four decimal octets without leading zeros, and nothing else.
fn plain_ipv4(host: &str) -> Option<Ipv4Addr> {
    // The standard parser takes exactly this form.
    host.parse().ok()
}

fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}
