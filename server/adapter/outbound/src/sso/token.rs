//! Whether a token is signed by one of a provider's keys, by an algorithm that is believed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::port::{ProviderError, ProviderKeys, TokenError};
use openidconnect::JsonWebKey as _;
use openidconnect::core::{CoreJsonWebKey, CoreJsonWebKeySet, CoreJwsSigningAlgorithm};
use serde::Deserialize;
use serde_json::Value;

/// Longer tokens are not looked at.
const MOST_TOKEN: usize = 64 * 1024;

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood; none is.
    crit: Option<Value>,
}

/// The keys of a document.
pub(super) fn keys(body: Vec<u8>) -> Result<ProviderKeys, ProviderError> {
    let garbage = || ProviderError::Garbage("its keys are no key set".to_owned());
    let text = String::from_utf8(body).map_err(|_| garbage())?;
    serde_json::from_str::<CoreJsonWebKeySet>(&text).map_err(|_| garbage())?;
    Ok(ProviderKeys(text.into()))
}

/// The claims of a token whose signature is right.
pub(super) fn claims(token: &str, keys: &ProviderKeys) -> Result<Value, TokenError> {
    if token.len() > MOST_TOKEN {
        return Err(TokenError::Malformed);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, payload) = signed.split_once('.').ok_or(TokenError::Malformed)?;
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed);
    let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| TokenError::Malformed)?;
    let algorithm = algorithm(&header.alg).ok_or(TokenError::Algorithm)?;
    if header.crit.is_some() {
        return Err(TokenError::Malformed);
    }
    let claims: Value = serde_json::from_slice(&decode(payload)?).map_err(|_| TokenError::Malformed)?;
    if !claims.is_object() {
        return Err(TokenError::Malformed);
    }
    let signature = decode(signature)?;
    let set: CoreJsonWebKeySet = serde_json::from_str(&keys.0).map_err(|_| TokenError::UnknownKey)?;
    let is_meant = |key: &&CoreJsonWebKey| match &header.kid {
        Some(kid) => key.key_id().is_some_and(|known| known.as_str() == kid),
        None => true,
    };
    let mut meant = set.keys().iter().filter(is_meant).peekable();
    if meant.peek().is_none() {
        return Err(TokenError::UnknownKey);
    }
    // A key says itself for what it may be used; one of another kind verifies nothing.
    let is_right = meant.any(|key| key.verify_signature(&algorithm, signed.as_bytes(), &signature).is_ok());
    if is_right { Ok(claims) } else { Err(TokenError::Signature) }
}

/// Nothing symmetric, nothing unsigned, nothing outdated.
fn algorithm(name: &str) -> Option<CoreJwsSigningAlgorithm> {
    match name {
        "RS256" => Some(CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256),
        "PS256" => Some(CoreJwsSigningAlgorithm::RsaSsaPssSha256),
        "ES256" => Some(CoreJwsSigningAlgorithm::EcdsaP256Sha256),
        "EdDSA" => Some(CoreJwsSigningAlgorithm::EdDsa),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer as _, SigningKey};
    use serde_json::json;

    use super::*;

    fn encoded(value: &Value) -> String {
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    fn key() -> SigningKey {
        SigningKey::from_bytes(&[7; 32])
    }

    fn known(kid: &str) -> ProviderKeys {
        let public = URL_SAFE_NO_PAD.encode(key().verifying_key().to_bytes());
        let own = json!({ "kty": "OKP", "crv": "Ed25519", "x": public, "kid": kid, "use": "sig", "iat": 1 });
        let strange = json!({ "kty": "EC", "crv": "P-999", "alg": "ZZ", "kid": "strange" });
        keys(json!({ "keys": [strange, own] }).to_string().into_bytes()).expect("a key set")
    }

    fn token(header: &Value) -> String {
        let signed = format!("{}.{}", encoded(header), encoded(&json!({ "sub": "ada", "updated_at": 7 })));
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(key().sign(signed.as_bytes()).to_bytes()))
    }

    #[test]
    fn a_token_of_a_known_key_is_read() {
        let good = token(&json!({ "alg": "EdDSA", "kid": "k" }));
        assert_eq!(claims(&good, &known("k")).expect("claims")["sub"], "ada");
        assert!(claims(&token(&json!({ "alg": "EdDSA" })), &known("k")).is_ok(), "without a name all keys are tried");
        assert_eq!(claims(&good, &known("other")), Err(TokenError::UnknownKey));
    }

    #[test]
    fn what_is_unsigned_symmetric_or_altered_is_worth_nothing() {
        for algorithm in ["none", "None", "HS256", "HS512", "RS384", "RS512", "ES384", "PS512", "eddsa", ""] {
            let refused = claims(&token(&json!({ "alg": algorithm, "kid": "k" })), &known("k"));
            assert_eq!(refused, Err(TokenError::Algorithm), "{algorithm}");
        }
        let other_kind = claims(&token(&json!({ "alg": "RS256", "kid": "k" })), &known("k"));
        assert_eq!(other_kind, Err(TokenError::Signature));
        let good = token(&json!({ "alg": "EdDSA", "kid": "k" }));
        let (signed, signature) = good.rsplit_once('.').unwrap();
        let (header, _) = signed.split_once('.').unwrap();
        let altered = format!("{header}.{}.{signature}", encoded(&json!({ "sub": "eve" })));
        assert_eq!(claims(&altered, &known("k")), Err(TokenError::Signature));
        assert_eq!(claims(&format!("{signed}."), &known("k")), Err(TokenError::Signature));
        let critical = token(&json!({ "alg": "EdDSA", "kid": "k", "crit": ["x"] }));
        for malformed in ["", "a.b", "a.b.c", &critical, &format!("{signed}.!"), &"x".repeat(MOST_TOKEN + 1)] {
            assert_eq!(claims(malformed, &known("k")), Err(TokenError::Malformed), "{malformed:.40}");
        }
    }

    #[test]
    fn keys_must_be_a_key_set() {
        for broken in [&b"[]"[..], b"{}", b"\xff", b"{\"keys\":7}"] {
            assert!(keys(broken.to_vec()).is_err());
        }
    }
}
