//! What a provider says in a token whose signature is right, judged purely: from whom, for whom, when, in answer to what.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::failed;
use crate::error::{Error, Result};

/// How far the clocks may be apart.
const SKEW: TimeDelta = TimeDelta::seconds(60);
/// How old the word of a sign-out may be.
const LOGOUT_AGE: TimeDelta = TimeDelta::minutes(5);
/// Characters of a subject, by OpenID Connect.
const MOST_SUBJECT: usize = 255;
/// Groups that are read.
const MOST_GROUPS: usize = 1_000;
/// What makes a token the word of a sign-out.
const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// Whose words are expected, and for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between<'a> {
    /// The provider.
    pub(super) issuer: &'a str,
    /// The client.
    pub(super) client_id: &'a str,
    /// The present time.
    pub(super) now: DateTime<Utc>,
}

/// Who the provider says somebody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) subject: String,
    pub(super) email: Option<String>,
    pub(super) email_verified: bool,
    pub(super) name: Option<String>,
    pub(super) groups: Vec<String>,
    /// The provider's own session.
    pub(super) sid: Option<String>,
    /// When they proved to the provider who they are.
    pub(super) proven_at: Option<DateTime<Utc>>,
}

/// Who signed out, or which of the provider's sessions ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignedOut {
    pub(super) subject: Option<String>,
    pub(super) sid: Option<String>,
    /// The token's own id.
    pub(super) jti: String,
    /// When nobody believes the token any more.
    pub(super) stale_at: DateTime<Utc>,
}

/// Judges an ID token.
pub(super) fn person(claims: &Value, between: Between<'_>, nonce: &str, group_claim: Option<&str>) -> Result<Person> {
    check_parties(claims, between)?;
    let expires_at = moment(claims, "exp").ok_or_else(|| failed("expired", "the token does not say when it ends"))?;
    if between.now >= expires_at + SKEW {
        return Err(failed("expired", "the token's time is over; compare the clocks of soit and the provider"));
    }
    check_not_early(claims, between.now)?;
    if text(claims, "nonce") != Some(nonce) {
        return Err(failed("nonce", "the token answers another sign-in"));
    }
    let subject = subject(claims)?.ok_or_else(|| failed("subject", "the token does not say who somebody is"))?;
    let is_verified = |value: &Value| value.as_bool() == Some(true) || value.as_str() == Some("true");
    Ok(Person {
        subject,
        email: text(claims, "email").map(str::to_owned),
        email_verified: claims.get("email_verified").is_some_and(is_verified),
        name: text(claims, "name").map(str::to_owned),
        groups: group_claim.map(|claim| groups(claims, claim)).unwrap_or_default(),
        sid: text(claims, "sid").filter(|sid| sid.len() <= MOST_SUBJECT).map(str::to_owned),
        proven_at: moment(claims, "auth_time"),
    })
}

/// Whether somebody proved who they are after they were asked to. A provider that does not say when is not believed.
pub(super) fn check_fresh(told: &Person, asked_at: DateTime<Utc>) -> Result<()> {
    let proven_at = told.proven_at;
    let proven_at =
        proven_at.ok_or_else(|| failed("auth_time", "the provider does not say when you signed in to it"))?;
    if proven_at + SKEW < asked_at {
        return Err(failed("auth_time", "the provider did not ask you to sign in again"));
    }
    Ok(())
}

/// Judges the word of a sign-out (OpenID Connect Back-Channel Logout 1.0, 2.6).
pub(super) fn signed_out(claims: &Value, between: Between<'_>) -> Result<SignedOut> {
    check_parties(claims, between)?;
    let issued_at =
        moment(claims, "iat").ok_or_else(|| failed("expired", "the token does not say when it was made"))?;
    let stale_at = issued_at + LOGOUT_AGE;
    let is_over = moment(claims, "exp").is_some_and(|end| between.now >= end + SKEW);
    if is_over || between.now >= stale_at {
        return Err(failed("expired", "the token's time is over"));
    }
    check_not_early(claims, between.now)?;
    let is_logout = claims.get("events").and_then(|events| events.get(LOGOUT_EVENT)).is_some_and(Value::is_object);
    if !is_logout {
        return Err(failed("events", "the token does not tell of a sign-out"));
    }
    if claims.get("nonce").is_some() {
        return Err(failed("nonce", "the token answers a sign-in and tells of no sign-out"));
    }
    let jti = text(claims, "jti").filter(|jti| !jti.is_empty() && jti.len() <= MOST_SUBJECT);
    let jti = jti.ok_or_else(|| failed("jti", "the token has no id of its own"))?.to_owned();
    let (subject, sid) = (subject(claims)?, text(claims, "sid").map(str::to_owned));
    if subject.is_none() && sid.is_none() {
        return Err(failed("subject", "the token says neither who signed out nor which session ended"));
    }
    Ok(SignedOut { subject, sid, jti, stale_at })
}

/// From the provider, for soit; and where it is for others too, given to soit.
fn check_parties(claims: &Value, between: Between<'_>) -> Result<()> {
    if text(claims, "iss") != Some(between.issuer) {
        return Err(failed("issuer", "the token is of another provider"));
    }
    let for_us = |audience: &Value| audience.as_str() == Some(between.client_id);
    let (is_ours, is_ours_alone) = match claims.get("aud") {
        Some(Value::Array(audiences)) => (audiences.iter().any(for_us), audiences.iter().all(for_us)),
        Some(audience) => (for_us(audience), true),
        None => (false, false),
    };
    if !is_ours {
        return Err(failed("audience", "the token is for another client"));
    }
    match claims.get("azp") {
        Some(party) if !for_us(party) => Err(failed("azp", "the token was given to another client")),
        None if !is_ours_alone => {
            Err(failed("azp", "the token is for several clients and does not say to whom it was given"))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_not_early(claims: &Value, now: DateTime<Utc>) -> Result<()> {
    let is_early = |name| moment(claims, name).is_some_and(|at| now + SKEW < at);
    if is_early("iat") || is_early("nbf") || is_early("auth_time") {
        return Err(failed("early", "the token is of the future; compare the clocks of soit and the provider"));
    }
    Ok(())
}

/// The subject; one that is no text of a bearable length is none.
fn subject(claims: &Value) -> Result<Option<String>> {
    let is_fine = |subject: &str| !subject.is_empty() && subject.chars().count() <= MOST_SUBJECT;
    match claims.get("sub") {
        None => Ok(None),
        Some(Value::String(subject)) if is_fine(subject) => Ok(Some(subject.clone())),
        Some(_) => Err(failed("subject", "the token names somebody in a way that cannot be kept")),
    }
}

fn groups(claims: &Value, claim: &str) -> Vec<String> {
    match claims.get(claim) {
        Some(Value::String(group)) => vec![group.clone()],
        Some(Value::Array(groups)) => {
            groups.iter().filter_map(Value::as_str).take(MOST_GROUPS).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn text<'a>(claims: &'a Value, name: &str) -> Option<&'a str> {
    claims.get(name).and_then(Value::as_str)
}

/// Seconds since 1970, with or without a fraction.
fn moment(claims: &Value, name: &str) -> Option<DateTime<Utc>> {
    let number = claims.get(name)?.as_number()?.to_string();
    let seconds: i64 = number.split('.').next()?.parse().ok()?;
    DateTime::from_timestamp(seconds, 0)
}

/// The error of a token that is worth nothing, in the words of this module.
pub(super) fn doubt(error: &crate::port::TokenError) -> Error {
    use crate::port::TokenError as T;
    let reason = match error {
        T::Malformed => "malformed",
        T::Algorithm => "algorithm",
        T::UnknownKey => "key",
        T::Signature => "signature",
    };
    failed(reason, &error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://idp.example.com";

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    fn between() -> Between<'static> {
        Between { issuer: ISSUER, client_id: "soit", now: now() }
    }

    /// The claims of a good token, with others in their place; null takes one away.
    fn with(base: &Value, others: &Value) -> Value {
        let mut claims = base.as_object().unwrap().clone();
        for (name, value) in others.as_object().unwrap() {
            if value.is_null() { drop(claims.remove(name)) } else { drop(claims.insert(name.clone(), value.clone())) }
        }
        Value::Object(claims)
    }

    fn id_token(others: &Value) -> Result<Person> {
        let good = json!({
            "iss": ISSUER, "aud": "soit", "sub": "ada", "exp": 1_700_000_300, "iat": 1_700_000_000, "nonce": "n",
            "email": "ada@example.com", "email_verified": true, "groups": ["a", 7, "b"], "sid": "s",
        });
        person(&with(&good, others), between(), "n", Some("groups"))
    }

    fn logout_token(others: &Value) -> Result<SignedOut> {
        let good = json!({
            "iss": ISSUER, "aud": ["soit"], "sub": "ada", "iat": 1_700_000_000, "jti": "j", "sid": "s",
            "events": { LOGOUT_EVENT: {} },
        });
        signed_out(&with(&good, others), between())
    }

    fn reason<T: std::fmt::Debug>(judged: Result<T>) -> &'static str {
        judged.expect_err("a doubt").reason().expect("a reason")
    }

    #[test]
    fn a_good_token_says_who_somebody_is() {
        let ada = id_token(&json!({})).expect("a person");
        assert_eq!((ada.subject.as_str(), ada.email_verified), ("ada", true));
        assert_eq!((ada.groups, ada.sid.as_deref()), (vec!["a".to_owned(), "b".to_owned()], Some("s")));
        assert!(!id_token(&json!({ "email_verified": "yes" })).unwrap().email_verified);
        assert!(id_token(&json!({ "email_verified": "true" })).unwrap().email_verified);
        assert_eq!(id_token(&json!({ "groups": "one" })).unwrap().groups, ["one"]);
        assert!(id_token(&json!({ "groups": { "a": 1 } })).unwrap().groups.is_empty());
    }

    #[test]
    fn a_token_of_or_for_somebody_else_is_not_believed() {
        for (others, expected) in [
            (json!({ "iss": "https://idp.example.com/" }), "issuer"),
            (json!({ "iss": null }), "issuer"),
            (json!({ "aud": "other" }), "audience"),
            (json!({ "aud": ["other"] }), "audience"),
            (json!({ "aud": null }), "audience"),
            (json!({ "aud": ["soit", "other"] }), "azp"),
            (json!({ "aud": ["soit", "other"], "azp": "other" }), "azp"),
            (json!({ "azp": "other" }), "azp"),
            (json!({ "sub": null }), "subject"),
            (json!({ "sub": "" }), "subject"),
            (json!({ "sub": 7 }), "subject"),
            (json!({ "sub": "x".repeat(256) }), "subject"),
            (json!({ "nonce": "other" }), "nonce"),
            (json!({ "nonce": null }), "nonce"),
        ] {
            assert_eq!(reason(id_token(&others)), expected, "{others}");
        }
        assert!(id_token(&json!({ "aud": ["soit", "other"], "azp": "soit" })).is_ok());
    }

    #[test]
    fn a_proof_is_fresh_if_it_was_given_after_it_was_asked_for() {
        let at = |auth_time: Value| check_fresh(&id_token(&json!({ "auth_time": auth_time })).unwrap(), now());
        assert!(at(json!(1_700_000_000)).is_ok() && at(json!(1_699_999_940)).is_ok());
        for stale in [json!(1_699_999_939), json!("1700000000"), json!(null)] {
            assert_eq!(reason(at(stale.clone())), "auth_time", "{stale}");
        }
        assert_eq!(reason(id_token(&json!({ "auth_time": 1_700_000_061 }))), "early");
    }

    #[test]
    fn clocks_may_be_a_minute_apart() {
        for (others, expected) in [
            (json!({ "exp": 1_699_999_940 }), "expired"),
            (json!({ "exp": null }), "expired"),
            (json!({ "exp": "1700000300" }), "expired"),
            (json!({ "iat": 1_700_000_061 }), "early"),
            (json!({ "nbf": 1_700_000_061 }), "early"),
        ] {
            assert_eq!(reason(id_token(&others)), expected, "{others}");
        }
        for others in
            [json!({ "exp": 1_699_999_941 }), json!({ "iat": 1_700_000_060 }), json!({ "exp": 1_700_000_000.5 })]
        {
            assert!(id_token(&others).is_ok(), "{others}");
        }
    }

    #[test]
    fn the_word_of_a_sign_out_is_none_of_a_sign_in() {
        let told = logout_token(&json!({})).expect("a sign-out");
        assert_eq!((told.subject.as_deref(), told.sid.as_deref(), told.jti.as_str()), (Some("ada"), Some("s"), "j"));
        for (others, expected) in [
            (json!({ "nonce": "n" }), "nonce"),
            (json!({ "events": null }), "events"),
            (json!({ "events": { "http://other": {} } }), "events"),
            (json!({ "events": { LOGOUT_EVENT: "yes" } }), "events"),
            (json!({ "jti": null }), "jti"),
            (json!({ "sub": null, "sid": null }), "subject"),
            (json!({ "iat": null }), "expired"),
            (json!({ "iat": 1_699_999_700 }), "expired"),
            (json!({ "exp": 1_699_999_900 }), "expired"),
            (json!({ "aud": "other" }), "audience"),
            (json!({ "iss": "https://other" }), "issuer"),
        ] {
            assert_eq!(reason(logout_token(&others)), expected, "{others}");
        }
        assert!(logout_token(&json!({ "sub": null })).is_ok() && logout_token(&json!({ "sid": null })).is_ok());
        assert_eq!(reason(id_token(&json!({ "nonce": null, "events": { LOGOUT_EVENT: {} } }))), "nonce");
    }
}
