//! A provider's description of itself (OpenID Connect Discovery 1.0).

use kernel::port::{Described, ProviderError};
use serde::Deserialize;

/// The members that matter here. What they lead to is judged before it is called.
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    backchannel_logout_supported: bool,
}

pub(super) fn described(body: &[u8]) -> Result<Described, ProviderError> {
    let document: Document =
        serde_json::from_slice(body).map_err(|error| ProviderError::Garbage(format!("its description: {error}")))?;
    // Where nothing is said it is `client_secret_basic`.
    let methods = document.token_endpoint_auth_methods_supported.unwrap_or_default();
    let takes = |method: &str| methods.iter().any(|known| known == method);
    Ok(Described {
        issuer: document.issuer,
        authorization_endpoint: document.authorization_endpoint,
        token_endpoint: document.token_endpoint,
        jwks_uri: document.jwks_uri,
        wants_secret_in_body: takes("client_secret_post") && !takes("client_secret_basic"),
        names_itself: document.authorization_response_iss_parameter_supported,
        tells_logout: document.backchannel_logout_supported,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_has_its_default() {
        let bare = br#"{"issuer":"i","authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"k","scopes_supported":[1]}"#;
        let read = described(bare).expect("a description");
        assert_eq!((read.issuer.as_str(), read.wants_secret_in_body, read.names_itself), ("i", false, false));
        let post = br#"{"issuer":"i","authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"k",
            "token_endpoint_auth_methods_supported":["client_secret_post"],"backchannel_logout_supported":true}"#;
        let read = described(post).expect("a description");
        assert!(read.wants_secret_in_body && read.tells_logout);
        for broken in [&b"{}"[..], b"<html>", br#"{"issuer":7}"#] {
            assert!(matches!(described(broken), Err(ProviderError::Garbage(_))));
        }
    }
}
