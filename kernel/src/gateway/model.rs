//! From a name to a target: which account answers, and whether the caller may ask it.

use chrono::{DateTime, Utc};
use types::access::ResourceType;
use types::id::ModelId;
use types::modelhub::{Capability, Model, Provider, ProviderKind, ProviderStatus, Tokenizer};
use types::problem::Code;

use super::wish::Wish;
use crate::policy::guard::{self, Basis};
use crate::port::{BuiltinModels, Snapshot};
use crate::record::Secret;
use crate::{Error, OpContext, Result};

/// The slug of the built-in provider; accounts cannot take it.
pub const BUILTIN_SLUG: &str = "test";
/// Calls at once of the built-in provider: there is nobody behind it who could be overrun.
const BUILTIN_CONCURRENCY: u32 = 4096;
/// Its own retries: an account's default.
const BUILTIN_RETRIES: u32 = 2;

/// How the built-in provider counts.
const BUILTIN_ENCODING: &str = "o200k_base";

/// A model that may be called, with its account.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// None for the built-in provider's.
    id: Option<ModelId>,
    /// `model:{slug}:{id}`.
    pub(super) model_ref: String,
    pub(super) upstream_model: String,
    /// By which name its tokens are counted.
    pub(super) tokenizer: String,
    pub(super) kind: ProviderKind,
    /// None for the built-in provider.
    pub(super) account: Option<Provider>,
    pub(super) capabilities: Vec<Capability>,
    pub(super) context_window: Option<u64>,
    pub(super) max_output_tokens: Option<u64>,
}

impl Target {
    /// Calls at once from this process.
    pub(super) fn max_concurrency(&self) -> u32 {
        self.account.as_ref().map_or(BUILTIN_CONCURRENCY, |account| account.max_concurrency)
    }

    /// Own retries of one call.
    pub(super) fn max_retries(&self) -> u32 {
        self.account.as_ref().map_or(BUILTIN_RETRIES, |account| account.max_retries)
    }

    /// The account's credential.
    pub(super) fn secret<'a>(&self, snapshot: &'a Snapshot) -> Result<Option<&'a Secret>> {
        let Some((account, id)) = self.account.as_ref().and_then(|account| Some((account, account.secret_id?))) else {
            return Ok(None);
        };
        let secret = snapshot.secrets.iter().find(|secret| secret.id == id && secret.released_to == Some(account.id));
        secret.map(Some).ok_or_else(|| {
            let detail = format!("the credential of the account `{}` is missing; set it again", account.slug);
            Error::new(Code::ProviderCredentialMissing, detail)
        })
    }
}

/// Finds the target of a wish and checks that the caller may call it; says by what.
pub(super) fn resolve(
    ctx: &OpContext,
    snapshot: &Snapshot,
    builtin: Option<&dyn BuiltinModels>,
    wish: &Wish,
) -> Result<(Target, Basis)> {
    let (slug, id) = split(&wish.model).ok_or_else(|| not_found(&wish.model))?;
    let target = match slug {
        BUILTIN_SLUG => builtin_target(builtin, &wish.model, id)?,
        _ => account_target(snapshot, &wish.model, slug, id)?,
    };
    let basis = check_access(ctx, &target)?;
    if !on_list(ctx, &target.model_ref) {
        let detail = format!("the key may not call `{}`; its list of models does not name it", shown(&wish.model));
        return Err(Error::new(Code::ModelNotAllowed, detail).with_field("model", "is not on the key's list"));
    }
    check_enabled(snapshot, &target)?;
    match wish.needs.iter().find(|(need, _)| !target.capabilities.contains(need)) {
        Some((need, field)) => {
            let detail = format!("the model `{}` cannot do what `{field}` asks for: `{need}`", target.model_ref);
            Err(Error::new(Code::ModelCapabilityUnavailable, detail).with_field(*field, format!("needs `{need}`")))
        }
        None => Ok((target, basis)),
    }
}

/// The built-in models are nobody's: they are called by role alone.
fn check_access(ctx: &OpContext, target: &Target) -> Result<Basis> {
    match target.id {
        Some(id) => guard::authorize_on(ctx, "model.call", ResourceType::Model, &id.to_string()),
        None => guard::authorize(ctx, "model.call").map(|()| Basis::Role),
    }
}

/// Account slug and model id of a ref; the id is everything behind the second colon.
fn split(model_ref: &str) -> Option<(&str, &str)> {
    model_ref.strip_prefix("model:")?.split_once(':')
}

fn builtin_target(builtin: Option<&dyn BuiltinModels>, asked: &str, id: &str) -> Result<Target> {
    let found = builtin.and_then(|builtin| builtin.find(id)).ok_or_else(|| not_found(asked))?;
    Ok(Target {
        id: None,
        model_ref: asked.to_owned(),
        upstream_model: found.name,
        tokenizer: BUILTIN_ENCODING.to_owned(),
        kind: ProviderKind::Test,
        account: None,
        capabilities: found.capabilities.to_vec(),
        context_window: None,
        max_output_tokens: None,
    })
}

fn account_target(snapshot: &Snapshot, asked: &str, slug: &str, id: &str) -> Result<Target> {
    let account = snapshot.providers.iter().find(|account| account.slug.as_str() == slug);
    let account = account.ok_or_else(|| not_found(asked))?;
    let model = snapshot.models.iter().find(|model| model.provider_id == account.id && model.model_id == id);
    let model = model.ok_or_else(|| not_found(asked))?;
    Ok(Target {
        id: Some(model.id),
        model_ref: asked.to_owned(),
        upstream_model: model.model_id.clone(),
        tokenizer: match model.tokenizer {
            Tokenizer::Auto => model.model_id.clone(),
            encoding => encoding.to_string(),
        },
        kind: account.kind,
        account: Some(account.clone()),
        capabilities: model.capabilities.clone(),
        context_window: model.context_window,
        max_output_tokens: model.max_output_tokens,
    })
}

fn check_enabled(snapshot: &Snapshot, target: &Target) -> Result<()> {
    let Some(account) = &target.account else { return Ok(()) };
    if account.status == ProviderStatus::Disabled {
        return Err(Error::new(Code::ProviderDisabled, format!("the account `{}` is switched off", account.slug)));
    }
    let model = snapshot.models.iter().find(|model| model.model_ref == target.model_ref);
    if model.is_some_and(|model| !model.enabled) {
        return Err(Error::new(Code::ModelDisabled, format!("the model `{}` is switched off", target.model_ref)));
    }
    Ok(())
}

fn on_list(ctx: &OpContext, model_ref: &str) -> bool {
    let list = ctx.api_key().and_then(|key| key.allowed_models.as_ref());
    list.is_none_or(|list| list.iter().any(|allowed| allowed == model_ref))
}

fn not_found(asked: &str) -> Error {
    let detail = format!("there is no model `{}`; names look like `model:account:id`, see `/v1/models`", shown(asked));
    Error::new(Code::ModelNotFound, detail).with_field("model", "names no model")
}

fn shown(name: &str) -> String {
    name.chars().take(100).collect()
}

/// A model as `/v1/models` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// `model:{slug}:{id}`.
    pub id: String,
    /// The account's slug.
    pub owned_by: String,
    /// Its name.
    pub display_name: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// One model the caller may call.
pub(super) fn find(
    ctx: &OpContext,
    snapshot: &Snapshot,
    builtin: Option<&dyn BuiltinModels>,
    model_ref: &str,
) -> Result<Listed> {
    let listed = list(ctx, snapshot, builtin)?.into_iter().find(|model| model.id == model_ref);
    let of_family = || {
        let (slug, id) = split(model_ref)?;
        let found = builtin.filter(|_| slug == BUILTIN_SLUG && on_list(ctx, model_ref))?.find(id)?;
        Some(Listed::built_in(found.name))
    };
    listed.or_else(of_family).ok_or_else(|| not_found(model_ref))
}

impl Listed {
    fn built_in(name: String) -> Self {
        Self {
            id: format!("model:{BUILTIN_SLUG}:{name}"),
            owned_by: BUILTIN_SLUG.to_owned(),
            display_name: name,
            created_at: DateTime::UNIX_EPOCH,
        }
    }
}

/// The models the caller may call: accounts' in the order they were made, then the built-in ones.
pub(super) fn list(ctx: &OpContext, snapshot: &Snapshot, builtin: Option<&dyn BuiltinModels>) -> Result<Vec<Listed>> {
    guard::authorize(ctx, "model.list")?;
    let account = |model: &Model| {
        let is_owner =
            |account: &&Provider| account.id == model.provider_id && account.status == ProviderStatus::Active;
        snapshot.providers.iter().find(is_owner)
    };
    let set_up = snapshot.models.iter().filter(|model| model.enabled).filter_map(|model| {
        Some(Listed {
            id: model.model_ref.clone(),
            owned_by: account(model)?.slug.to_string(),
            display_name: model.display_name.clone(),
            created_at: model.created_at,
        })
    });
    let built_in = builtin.map(BuiltinModels::list).unwrap_or_default().into_iter();
    let built_in = built_in.map(|model| Listed::built_in(model.name));
    Ok(set_up.chain(built_in).filter(|model| on_list(ctx, &model.id)).collect())
}
