//! The types settings have, and how each is read from text.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use kernel::secret::SecretString;
use url::Url;

use super::setting::Setting;

/// A type a setting can have.
pub(super) trait Value: Sized {
    /// Whether the value is never shown, and may be given as a file by `NAME_FILE`.
    const SECRET: bool = false;

    /// What is accepted, for messages and documentation.
    fn form(setting: &Setting) -> String;

    /// Reads the text, or says that it is not of the form.
    fn parse(text: &str, setting: &Setting) -> Option<Self>;

    /// The value when there is neither a setting nor a default; `None` means one is needed.
    fn absent() -> Option<Self> {
        None
    }

    /// The value as `soit config` shows it.
    fn show(&self) -> String;
}

impl<T: Value> Value for Option<T> {
    const SECRET: bool = T::SECRET;

    fn form(setting: &Setting) -> String {
        T::form(setting)
    }

    fn parse(text: &str, setting: &Setting) -> Option<Self> {
        T::parse(text, setting).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn show(&self) -> String {
        self.as_ref().map(T::show).unwrap_or_default()
    }
}

impl Value for bool {
    fn form(_: &Setting) -> String {
        "`true`, `false`".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

fn number_form(setting: &Setting) -> String {
    format!("a whole number from {} to {}", setting.range.0, setting.range.1)
}

fn number(text: &str, setting: &Setting) -> Option<u64> {
    let (least, most) = setting.range;
    text.parse().ok().filter(|number| (least..=most).contains(number))
}

macro_rules! whole_numbers {
    ($($kind:ty),+) => {$(
        impl Value for $kind {
            fn form(setting: &Setting) -> String {
                number_form(setting)
            }

            fn parse(text: &str, setting: &Setting) -> Option<Self> {
                number(text, setting)?.try_into().ok()
            }

            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}
whole_numbers!(u32, usize);

/// A duration in the unit its variable ends with.
impl Value for Duration {
    fn form(setting: &Setting) -> String {
        number_form(setting)
    }

    fn parse(text: &str, setting: &Setting) -> Option<Self> {
        let number = number(text, setting)?;
        let unit = setting.name.rsplit_once('_').map(|(_, unit)| unit);
        match unit {
            Some("MS") => Some(Self::from_millis(number)),
            Some("SECONDS") => Some(Self::from_secs(number)),
            Some("MINUTES") => Some(Self::from_secs(number.checked_mul(60)?)),
            Some("HOURS") => Some(Self::from_secs(number.checked_mul(3_600)?)),
            Some("DAYS") => Some(Self::from_secs(number.checked_mul(86_400)?)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        if self.subsec_millis() == 0 { format!("{} s", self.as_secs()) } else { format!("{} ms", self.as_millis()) }
    }
}

/// A share between 0 and 1.
impl Value for f64 {
    fn form(_: &Setting) -> String {
        "a number from 0 to 1".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        text.parse().ok().filter(|share| (0.0..=1.0).contains(share))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    fn form(_: &Setting) -> String {
        "a text".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        Some(text.to_owned())
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl Value for PathBuf {
    fn form(_: &Setting) -> String {
        "a path".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        Some(text.into())
    }

    fn show(&self) -> String {
        self.display().to_string()
    }
}

impl Value for SecretString {
    const SECRET: bool = true;

    fn form(_: &Setting) -> String {
        "a secret".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        Some(Self::new(text.to_owned()))
    }

    fn show(&self) -> String {
        "set".to_owned()
    }
}

/// An `http` or `https` URL without query and fragment.
impl Value for Url {
    fn form(_: &Setting) -> String {
        "a URL like `https://soit.example.com`".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        let url = Self::parse(text).ok()?;
        let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        (matches!(url.scheme(), "http" | "https") && url.has_host() && plain).then_some(url)
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Where a listener is bound, if it is open at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen(pub Option<SocketAddr>);

impl Value for Listen {
    fn form(_: &Setting) -> String {
        "`ADDRESS:PORT` like `127.0.0.1:5000` or `[::]:5000`, or `off`".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        if text == "off" { Some(Self(None)) } else { text.parse().ok().map(|address| Self(Some(address))) }
    }

    fn show(&self) -> String {
        self.0.map_or_else(|| "off".to_owned(), |address| address.to_string())
    }
}

/// Sites whose scripts may call the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedOrigins {
    /// Every site.
    Any,
    /// These sites: `scheme://host[:port]`.
    These(Vec<String>),
}

impl Value for AllowedOrigins {
    fn form(_: &Setting) -> String {
        "`https://site.example.com`, several with commas, or `*`".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        list(text).map(origin).collect::<Option<_>>().map(Self::These)
    }

    fn absent() -> Option<Self> {
        Some(Self::These(Vec::new()))
    }

    fn show(&self) -> String {
        match self {
            Self::Any => "*".to_owned(),
            Self::These(origins) => origins.join(","),
        }
    }
}

/// An origin as browsers send it: no path, no default port.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (matches!(url.scheme(), "http" | "https") && bare).then(|| url.origin().ascii_serialization())
}

impl Value for Vec<IpNet> {
    fn form(_: &Setting) -> String {
        "networks like `10.0.0.0/8,fd00::/8` without host bits".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        let network = |text: &str| {
            let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
            text.parse::<IpNet>().ok().or_else(address).filter(|network| *network == network.trunc())
        };
        list(text).map(network).collect()
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn show(&self) -> String {
        self.iter().map(IpNet::to_string).collect::<Vec<_>>().join(",")
    }
}

/// Name servers; port 53 unless given.
impl Value for Vec<SocketAddr> {
    fn form(_: &Setting) -> String {
        "addresses like `10.0.0.2` or `10.0.0.2:5353`, several with commas".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        let server = |text: &str| {
            let address = || text.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, 53));
            text.parse().ok().or_else(address)
        };
        list(text).map(server).collect()
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn show(&self) -> String {
        self.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(",")
    }
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Value>(text: &str) -> Option<String> {
        T::parse(text, &Setting::NEW).map(|value| value.show())
    }

    #[test]
    fn listeners_are_an_address_with_a_port_or_off() {
        assert_eq!(read::<Listen>("127.0.0.1:5000").as_deref(), Some("127.0.0.1:5000"));
        assert_eq!(read::<Listen>("[::1]:5000").as_deref(), Some("[::1]:5000"));
        assert_eq!(read::<Listen>("off").as_deref(), Some("off"));
        for wrong in ["9200", "localhost:9200", ":9200", "127.0.0.1:99999", "OFF"] {
            assert_eq!(read::<Listen>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn networks_have_no_host_bits_and_a_lone_address_is_a_network_of_one() {
        assert_eq!(read::<Vec<IpNet>>("10.0.0.0/8, 192.0.2.7").as_deref(), Some("10.0.0.0/8,192.0.2.7/32"));
        for wrong in ["10.0.0.1/8", "10.0.0.0/33", "all", "10.0.0.0/8,,::1"] {
            assert_eq!(read::<Vec<IpNet>>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn origins_are_reduced_to_what_browsers_send() {
        let origins = read::<AllowedOrigins>("https://A.example.com:443,http://localhost:3000");
        assert_eq!(origins.as_deref(), Some("https://a.example.com,http://localhost:3000"));
        for wrong in ["example.com", "https://a.example.com/path", "ftp://a.example.com"] {
            assert_eq!(read::<AllowedOrigins>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations_take_the_unit_of_the_name() {
        let parse = |name, text| Duration::parse(text, &Setting { name, range: (1, 100), ..Setting::NEW });
        assert_eq!(parse("A_MS", "5"), Some(Duration::from_millis(5)));
        assert_eq!(parse("A_HOURS", "2"), Some(Duration::from_secs(7_200)));
        assert_eq!(parse("A_DAYS", "2"), Some(Duration::from_secs(172_800)));
        for wrong in ["0", "101", "-1", "1.5", "5s"] {
            assert_eq!(parse("A_SECONDS", wrong), None, "{wrong}");
        }
    }
}
