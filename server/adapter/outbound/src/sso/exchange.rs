//! Trading a code for an ID token (RFC 6749 4.1.3, with the verifier of RFC 7636).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use kernel::port::{CodeExchange, ProviderError};
use kernel::record::ClientSecret;
use kernel::secret::SecretString;
use serde::Deserialize;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{OpenidProviders, accepting_json};

/// Characters of an OAuth error that go on.
const MOST_WORD: usize = 60;

#[derive(Deserialize)]
struct Traded {
    id_token: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl OpenidProviders {
    pub(super) async fn trade(&self, exchange: CodeExchange) -> Result<SecretString, ProviderError> {
        let secret = exchange.secret.as_ref().map(|secret| self.open(&exchange, secret)).transpose()?;
        let (headers, body) = request(&exchange, secret.as_ref()).ok_or(ProviderError::Secret)?;
        let (status, answer) = self.post(exchange.tenant_id, &exchange.target, headers, body).await?;
        read(status, &answer)
    }

    fn open(&self, exchange: &CodeExchange, secret: &ClientSecret) -> Result<SecretString, ProviderError> {
        let scope = ClientSecret::scope(exchange.tenant_id);
        self.keyring.open(scope, secret.id, secret.version, &secret.sealed).map_err(|_| ProviderError::Secret)
    }
}

/// The form, and who sends it: without a secret, as a client that the verifier alone protects.
fn request(exchange: &CodeExchange, secret: Option<&SecretString>) -> Option<(HeaderMap, Vec<u8>)> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code")
        .append_pair("code", exchange.code.expose())
        .append_pair("redirect_uri", &exchange.redirect_uri)
        .append_pair("code_verifier", exchange.verifier.expose());
    let mut headers = accepting_json();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    match secret {
        Some(secret) if !exchange.secret_in_body => {
            let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", encoded(&exchange.client_id), encoded(secret.expose()));
            let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Some(secret) => {
            form.append_pair("client_id", &exchange.client_id).append_pair("client_secret", secret.expose());
        }
        None => {
            form.append_pair("client_id", &exchange.client_id);
        }
    }
    Some((headers, form.finish().into_bytes()))
}

fn read(status: u16, answer: &[u8]) -> Result<SecretString, ProviderError> {
    match status {
        200 => {
            let traded: Traded = serde_json::from_slice(answer)
                .map_err(|_| ProviderError::Garbage("its answer to a code is no JSON object".to_owned()))?;
            let token = traded.id_token.filter(|token| !token.is_empty());
            token.map(SecretString::new).ok_or_else(|| ProviderError::Garbage("it gave no `id_token`".to_owned()))
        }
        429 | 500.. => Err(ProviderError::Unreachable(format!("it answered {status}"))),
        _ => {
            let word = serde_json::from_slice::<Refusal>(answer).map(|refusal| refusal.error);
            let word: String =
                word.unwrap_or_default().chars().filter(char::is_ascii_graphic).take(MOST_WORD).collect();
            Err(ProviderError::Refused(if word.is_empty() { status.to_string() } else { word }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pinned;

    async fn exchange(secret_in_body: bool) -> CodeExchange {
        CodeExchange {
            tenant_id: types::id::TenantId::from_uuid(types::id::Uuid::nil()),
            target: pinned("https://idp.test/token").await,
            client_id: "so:it".to_owned(),
            secret: None,
            secret_in_body,
            code: SecretString::new("c&d".to_owned()),
            verifier: SecretString::new("v".to_owned()),
            redirect_uri: "https://soit.test/auth/oidc/x/callback".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_secret_stands_in_the_header_or_in_the_body() {
        let secret = SecretString::new("a b".to_owned());
        let (headers, body) = request(&exchange(false).await, Some(&secret)).expect("a request");
        assert_eq!(headers[AUTHORIZATION], format!("Basic {}", STANDARD.encode("so%3Ait:a+b")));
        let body = String::from_utf8(body).expect("a form");
        assert!(
            body.contains("code=c%26d") && body.contains("code_verifier=v") && !body.contains("client_id"),
            "{body}"
        );
        let (headers, body) = request(&exchange(true).await, Some(&secret)).expect("a request");
        let body = String::from_utf8(body).expect("a form");
        assert!(!headers.contains_key(AUTHORIZATION) && body.contains("client_id=so%3Ait&client_secret=a+b"), "{body}");
        let (headers, body) = request(&exchange(false).await, None).expect("a request");
        assert!(!headers.contains_key(AUTHORIZATION));
        assert!(String::from_utf8(body).expect("a form").ends_with("client_id=so%3Ait"));
    }

    #[test]
    fn an_answer_is_a_token_a_refusal_or_none() {
        assert_eq!(read(200, br#"{"id_token":"t","expires_in":5}"#).expect("a token").expose(), "t");
        for (status, answer, expected) in [
            (200, &br#"{"access_token":"t"}"#[..], ProviderError::Garbage("it gave no `id_token`".to_owned())),
            (400, br#"{"error":"invalid_grant"}"#, ProviderError::Refused("invalid_grant".to_owned())),
            (401, b"<html>", ProviderError::Refused("401".to_owned())),
            (302, b"", ProviderError::Refused("302".to_owned())),
            (503, br#"{"error":"x"}"#, ProviderError::Unreachable("it answered 503".to_owned())),
        ] {
            assert_eq!(read(status, answer).expect_err("no token"), expected);
        }
    }
}
