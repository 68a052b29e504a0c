//! Giving a key a new secret. The one before may live on for a while; the ones before that die at once.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use types::id::{ApiKeyId, KeySecretId};
use types::key::RotateApiKey;
use types::problem::Code;

use super::create::no_wider_than_own;
use super::issue::Issued;
use super::limits::Limits;
use super::owner::{ISSUE, check_not_lowered};
use super::read::view;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::{Identity, TokenKind, token};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::{authorize, authorize_own};
use crate::record::{ApiKey, KeySecret, Row};

const MAX_OVERLAP_SECONDS: u32 = 604_800;

impl Identity {
    /// Gives a key a new secret, shown this once. Id, limits, counters and expiry stay.
    pub async fn rotate_key(&self, ctx: &OpContext, id: ApiKeyId, command: &RotateApiKey) -> Result<Issued> {
        let (key, owner) = self.visible_key(ctx, id).await?;
        let is_principals = key.principal_id.is_some();
        let decide = |ctx: &OpContext| {
            authorize_own(ctx, "api_key.rotate", owner)?;
            check_not_lowered(ctx, is_principals)?;
            let is_own = ctx.principal.is_some() && owner.is(ctx);
            if is_principals && !is_own { authorize(ctx, ISSUE) } else { Ok(()) }
        };
        decide(ctx)?;
        no_wider_than_own(ctx, &key.scopes, &Limits::of(&key))?;
        if command.overlap_seconds > MAX_OVERLAP_SECONDS {
            return Err(Error::invalid("overlap_seconds", "must be 0 to 604800"));
        }
        if key.revoked_at.is_some() || ctx.now >= key.expires_at {
            return Err(Error::new(Code::InvalidTransition, "the key is revoked or expired, make a new one"));
        }
        let secret_id: KeySecretId = ctx.new_id(&*self.ports.ids, "api_key.rotate", &(id, command))?;
        let secrets = self.ports.directory.list_key_secrets(ctx.scope, id).await?;
        if secrets.iter().any(|secret| secret.id == secret_id) {
            return Ok(Issued::before(view(&key, ctx.now)));
        }
        let ends = ctx.now + TimeDelta::seconds(i64::from(command.overlap_seconds));
        let retired = retire(secrets, ctx.now, ends).map(|secret| Op::RowPut(Arc::new(Row::KeySecret(secret))));

        let (token, digest) = token::mint(TokenKind::ApiKey, &*self.ports.ids);
        let secret = KeySecret { id: secret_id, scope: ctx.scope, key_id: id, digest, expires_at: None, version: 1 };
        let rotated = ApiKey { hint: token::hint(&token), version: key.version + 1, ..key };
        let item = view(&rotated, ctx.now);
        let audit = Audit::done(ctx, &*self.ports.ids, "key.rotated", "api_key.rotate", ("api_key", id))
            .with_payload(json!({ "overlap_seconds": command.overlap_seconds }));
        let rows = [Row::ApiKey(rotated), Row::KeySecret(secret)].map(|row| Op::RowPut(Arc::new(row)));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with(retired)
            .with(rows)
            .with([audit.into(), Op::EpochRaise(ctx.scope.tenant_id)]);
        self.commit(ctx, batch, decide).await?;
        Ok(Issued::new(item, token))
    }
}

/// The live secrets of a key, newest first, with their new ends: the newest at `ends`, all others now.
fn retire(secrets: Vec<KeySecret>, now: DateTime<Utc>, ends: DateTime<Utc>) -> impl Iterator<Item = KeySecret> {
    let live = secrets.into_iter().filter(move |secret| secret.expires_at.is_none_or(|end| now < end));
    live.enumerate().map(move |(age, secret)| {
        let limit = if age == 0 { ends } else { now };
        let expires_at = Some(secret.expires_at.map_or(limit, |end| end.min(limit)));
        KeySecret { expires_at, version: secret.version + 1, ..secret }
    })
}
