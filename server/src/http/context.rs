//! Who asks: what a request brings, read from its headers, and the extractors that turn it into a context.
//!
//! A bearer is read here and never from a query string; a cookie is never a credential here. Invariant: the checks
//! themselves are `kernel::identity`'s, in its order.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{FromRequestParts, MatchedPath, OriginalUri, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ipnet::IpNet;
use kernel::OpContext;
use kernel::identity::{Client, Place, Presented, TurnedAway};
use kernel::secret::SecretString;
use types::id::WorkspaceId;
use types::problem::Code;
use types::run::Entry;

use super::anonymous::is_anonymous;
use super::idempotency::Keyed;
use super::problem::{Error, Result};
use super::{denial, frame, socket};
use crate::compose::App;
use crate::{session, telemetry};

/// Names the workspace of a request whose path does not.
pub(crate) const WORKSPACE_ID: HeaderName = HeaderName::from_static("x-workspace-id");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Somebody with a valid credential, in a workspace.
#[derive(Clone, Debug)]
pub(crate) struct Authenticated(pub(crate) OpContext);

/// Somebody with a valid credential, perhaps in no workspace: for what concerns the person alone.
#[derive(Clone, Debug)]
pub(crate) struct Person(pub(crate) OpContext);

/// Somebody with a valid credential, in the tenant that the path names.
#[derive(Clone, Debug)]
pub(crate) struct InTenant(pub(crate) OpContext);

/// Somebody, where the request carries a credential. A wrong one is refused, not overlooked.
#[derive(Clone, Debug)]
pub(crate) struct PerhapsPerson(pub(crate) Option<OpContext>);

/// The other end, before anybody is known.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) Client);

impl FromRequestParts<App> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        Ok(Self(client(parts, app)?))
    }
}

fn client(parts: &Parts, app: &App) -> kernel::Result<Client> {
    let request = frame::Request::of(parts)?;
    let path = parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.path(), |uri| uri.0.path());
    let label =
        parts.headers.get(header::USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    Ok(Client {
        address: client_address(request.peer, &parts.headers, &app.config.http.trusted_proxies),
        label: label.unwrap_or_default(),
        device: session::device(&parts.headers).map(str::to_owned),
        entry: entry(path),
        request_id: request.id,
        trace_id: request.trace_id,
    })
}

impl FromRequestParts<App> for Authenticated {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let ctx = authenticate(parts, app, place_of(parts)).await;
        ctx.map(Self).map_err(|turned_away| turned_away.error.into())
    }
}

impl FromRequestParts<App> for Person {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let ctx = person(parts, app).await;
        ctx.map(Self).map_err(|turned_away| turned_away.error.into())
    }
}

impl FromRequestParts<App> for InTenant {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let ctx = authenticate(parts, app, tenant_of(parts)).await;
        ctx.map(Self).map_err(|turned_away| turned_away.error.into())
    }
}

impl FromRequestParts<App> for PerhapsPerson {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        if bearer(&parts.headers)?.is_none() {
            return Ok(Self(None));
        }
        let Person(ctx) = Person::from_request_parts(parts, app).await?;
        Ok(Self(Some(ctx)))
    }
}

/// Who asks, in the workspace the request names; or who was turned away.
pub(crate) async fn authenticated(parts: &mut Parts, app: &App) -> std::result::Result<OpContext, TurnedAway> {
    authenticate(parts, app, place_of(parts)).await
}

/// Who asks, perhaps in no workspace; or who was turned away.
pub(super) async fn person(parts: &mut Parts, app: &App) -> std::result::Result<OpContext, TurnedAway> {
    let place = workspace_header(&parts.headers).map(|header| Place::Person { header });
    authenticate(parts, app, place).await
}

/// The credential is judged before the place: who asks wrongly is known.
async fn authenticate(
    parts: &mut Parts,
    app: &App,
    place: kernel::Result<Place>,
) -> std::result::Result<OpContext, TurnedAway> {
    let client = client(parts, app)?;
    let presented = bearer(&parts.headers)?.map(Presented::Token);
    let of_credential = Place::Person { header: None };
    let ctx = app.identity.authenticate(&client, presented.as_ref(), place.as_ref().unwrap_or(&of_credential)).await?;
    telemetry::note_caller(&ctx);
    denial::known(&parts.extensions, &ctx);
    match place {
        Ok(_) => Ok(OpContext { form_key: parts.extensions.get().map(|Keyed(form_key)| *form_key), ..ctx }),
        Err(error) => Err(TurnedAway { error, known: Some(Box::new(ctx)) }),
    }
}

fn place_of(parts: &Parts) -> kernel::Result<Place> {
    Ok(Place::Workspace { path: workspace_in_path(parts)?, header: workspace_header(&parts.headers)? })
}

/// The tenant of a path like `/api/v1/tenants/{id}/…`. A text that is no id names nothing.
fn tenant_of(parts: &Parts) -> kernel::Result<Place> {
    let path = parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.path(), |uri| uri.0.path());
    let rest = path.strip_prefix("/api/v1/tenants/").unwrap_or_default();
    let id = rest.split('/').next().unwrap_or_default();
    let id = id.parse().map_err(|_| kernel::Error::not_found())?;
    Ok(Place::Tenant { id, header: workspace_header(&parts.headers)? })
}

/// Around the doors of `/api/v1`: no route but the anonymous ones is reached without a credential, whatever its handler asks.
pub(super) async fn require(
    State(app): State<App>,
    route: MatchedPath,
    request: axum::extract::Request,
    next: Next,
) -> Response {
    if is_anonymous(request.method(), route.as_str()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    // Which workspace is meant, and whether that may be, is asked by the handler.
    match authenticate(&mut parts, &app, Ok(Place::Person { header: None })).await {
        Ok(_) => next.run(axum::extract::Request::from_parts(parts, body)).await,
        Err(turned_away) => Error::from(turned_away.error).into_response(),
    }
}

/// The credential in `Authorization: Bearer`, `X-API-Key` or the subprotocol of a WebSocket; the same one twice is fine.
fn bearer(headers: &HeaderMap) -> kernel::Result<Option<SecretString>> {
    let scheme = |value: &str| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    };
    let bearers = headers.get_all(header::AUTHORIZATION).iter().filter_map(|value| scheme(value.to_str().ok()?));
    let keys = headers.get_all(API_KEY).iter().filter_map(|value| Some(value.to_str().ok()?.trim().to_owned()));
    let mut found = bearers.chain(keys).chain(socket::bearer(headers).map(str::to_owned));
    let Some(first) = found.next() else {
        return Ok(None);
    };
    if found.any(|other| other != first) {
        return Err(kernel::Error::new(
            Code::CredentialsAmbiguous,
            "the request carries two different credentials, send one",
        ));
    }
    Ok(Some(SecretString::new(first)))
}

fn workspace_header(headers: &HeaderMap) -> kernel::Result<Option<WorkspaceId>> {
    let mut found = None;
    for value in headers.get_all(WORKSPACE_ID) {
        let id = value.to_str().ok().and_then(|text| text.trim().parse().ok());
        let id: WorkspaceId =
            id.ok_or_else(|| kernel::Error::invalid("X-Workspace-Id", "is no workspace id like `wsp_01j…`"))?;
        if found.is_some_and(|other| other != id) {
            return Err(kernel::Error::new(
                Code::WorkspaceConflict,
                "the request names two different workspaces, name one",
            ));
        }
        found = Some(id);
    }
    Ok(found)
}

/// The workspace of a path like `/api/v1/workspaces/{id}/…`. A text that is no id names nothing.
fn workspace_in_path(parts: &Parts) -> kernel::Result<Option<WorkspaceId>> {
    let path = parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.path(), |uri| uri.0.path());
    let Some(rest) = path.strip_prefix("/api/v1/workspaces/") else {
        return Ok(None);
    };
    let id = rest.split('/').next().unwrap_or_default();
    id.parse().map(Some).map_err(|_| kernel::Error::not_found())
}

fn entry(path: &str) -> Entry {
    match path {
        _ if path.starts_with("/v1/messages") => Entry::Anthropic,
        _ if path == "/v1" || path.starts_with("/v1/") => Entry::Openai,
        _ if path.starts_with("/api/") => Entry::Api,
        _ => Entry::Console,
    }
}

/// The peer, or whom trusted proxies vouch for: `X-Forwarded-For` is read from the right, as long as the one who wrote an entry
/// is trusted.
pub(crate) fn client_address(peer: Option<SocketAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> Option<IpAddr> {
    let mut address = peer?.ip().to_canonical();
    let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    for hop in hops.into_iter().rev() {
        if !trusted.iter().any(|network| network.contains(&address)) {
            break;
        }
        let Some(before) = parse_hop(hop) else { break };
        address = before;
    }
    Some(address)
}

/// An address with or without a port.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        headers
    }

    fn address(peer: &str, forwarded: &[(&'static str, &'static str)]) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let address = client_address(Some(peer.parse().unwrap()), &headers(forwarded), &trusted);
        address.unwrap().to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let spoofed = [("x-forwarded-for", "203.0.113.7")];
        assert_eq!(address("198.51.100.1:9", &spoofed), "198.51.100.1");
        assert_eq!(address("10.0.0.1:9", &spoofed), "203.0.113.7");
        assert_eq!(address("10.0.0.1:9", &[("x-forwarded-for", "1.1.1.1, 203.0.113.7, 10.0.0.2")]), "203.0.113.7");
        assert_eq!(
            address("10.0.0.1:9", &[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.7")]),
            "203.0.113.7"
        );
        assert_eq!(address("10.0.0.1:9", &[("x-forwarded-for", "garbage, 10.0.0.2")]), "10.0.0.2");
        assert_eq!(address("[::ffff:10.0.0.1]:9", &[("x-forwarded-for", "[2001:db8::1]:443")]), "2001:db8::1");
        assert_eq!(address("10.0.0.1:9", &[]), "10.0.0.1");
    }

    #[test]
    fn one_credential_may_come_twice_but_not_two() {
        let token = |pairs: &[(&'static str, &'static str)]| {
            bearer(&headers(pairs)).map(|found| found.map(|token| token.expose().to_owned()))
        };
        assert_eq!(token(&[]).unwrap(), None);
        assert_eq!(token(&[("authorization", "Basic x")]).unwrap(), None);
        assert_eq!(token(&[("authorization", "bEaReR sk_1")]).unwrap().as_deref(), Some("sk_1"));
        assert_eq!(token(&[("authorization", "Bearer sk_1"), ("x-api-key", "sk_1")]).unwrap().as_deref(), Some("sk_1"));
        let refused = token(&[("authorization", "Bearer sk_1"), ("x-api-key", "sk_2")]).unwrap_err();
        assert_eq!(refused.code(), Code::CredentialsAmbiguous);
    }
}
