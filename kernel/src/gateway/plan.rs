//! Checks 4 to 9, in memory: which target, by which rules, at what worst case.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use types::budget::Budget;
use types::egress::EgressSubject;
use types::modelhub::Price;
use types::money::Money;
use types::problem::Code;
use types::run::Capture;

use super::chat::{self, Written};
use super::model::Target;
use super::tokens::{Prompt, size};
use super::wish::Wish;
use super::{Gateway, Operation, embedding, model, price};
use crate::digest::digest;
use crate::ledger::{CounterKey, HoldLine};
use crate::policy::budget::{self, Payer};
use crate::policy::guard::{self, Basis};
use crate::policy::{Decision, egress};
use crate::port::{Snapshot, Wire};
use crate::{Error, OpContext, Result};

/// The cap where neither caller nor model names one.
const DEFAULT_CAP: u64 = 4_096;
/// Limits of an embedding request, in tokens.
const MAX_ITEM_TOKENS: u64 = 8_192;
const MAX_INPUT_TOKENS: u64 = 300_000;

/// A call that may be made: everything decided, nothing written yet.
pub(super) struct Plan {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) target: Target,
    pub(super) capture: Capture,
    /// Those of the key and of the caller.
    pub(super) labels: BTreeMap<String, String>,
    /// The body as it goes out.
    pub(super) body: Map<String, Value>,
    /// What was left out of it.
    pub(super) dropped: Vec<&'static str>,
    pub(super) prompt: Prompt,
    /// Most tokens of all answers together; none for operations that answer in no tokens.
    pub(super) output: Option<u64>,
    /// Whether the provider was told the cap, so that more than it is its mistake.
    pub(super) is_capped: bool,
    pub(super) price: Option<Price>,
    /// The worst case, or why it cannot be said.
    pub(super) worst: std::result::Result<Money, &'static str>,
    pub(super) lines: Vec<HoldLine>,
    /// The counter of the key's calls today, and what it may reach.
    pub(super) requests: Option<(CounterKey, i64)>,
    /// Let out by a rule, refused, or inside this process.
    pub(super) egress: Result<Option<egress::Allowed>>,
    pub(super) decision: Decision,
    /// The digest of what goes out.
    pub(super) digest: String,
    pub(super) timeout: Duration,
}

impl Gateway {
    /// Decides everything that can be decided in memory.
    pub(super) async fn plan(&self, ctx: &OpContext, wish: &Wish) -> Result<Plan> {
        guard::authorize_some(ctx, "model.call")?;
        let snapshot = self.snapshot(ctx).await?;
        let (target, basis) = model::resolve(ctx, &snapshot, self.ports.builtin.as_deref(), wish)?;
        let labels = labels(ctx, wish)?;
        // What is made from its record alone is let out nowhere and paid by nobody.
        let is_live = wish.script.is_none();
        if is_live {
            target.secret(&snapshot)?;
        }
        let layer = snapshot.egress.as_ref();
        let mut decision = Decision { policy_revision: egress::bundle_id(layer).to_owned(), ..Decision::default() };
        let by = match basis {
            Basis::Role => "model.call".to_owned(),
            Basis::Grant(id) => id.to_string(),
        };
        decision.note("access", "allow", Some(by));
        decision.note("model", "allow", Some(target.model_ref.clone()));

        let tokenizer = self.ports.tokenizer.as_ref();
        let prompt = Prompt::measure(tokenizer, &target.tokenizer, wish).await;
        let decoded = self.decode(&target, wish)?;
        self.check_sizes(&target, wish).await?;
        let room = self.room(&target, &prompt, wish).await?;
        let output = output_bound(&target, room, wish);
        for link in wish.links.iter().filter(|_| is_live) {
            let allowed = egress::Target::parse(&link.url).and_then(|url| egress::allow(layer, subject(&target), url));
            allowed.map_err(|error| error.with_field(&link.field, "may not be fetched"))?;
        }

        let payer = Payer::of(ctx);
        let budgets = if is_live { budget::binding(&snapshot.budgets, &payer) } else { Vec::new() };
        let price = price::resolve(&snapshot.prices, &target.model_ref, ctx.now).filter(|_| is_live).cloned();
        let worst = price::worst_case(price.as_ref(), prompt.bound, output);
        if is_live {
            check_priced(&snapshot, &target, &budgets, worst)?;
        }
        let mut lines = match worst {
            Ok(money) => budget::hold_lines(&budgets, &payer, money.currency, money.amount),
            Err(_) => Vec::new(),
        };
        if is_live {
            lines.extend(token_line(ctx, prompt.bound.saturating_add(output.unwrap_or_default())));
        }
        let must_bind = lines.iter().any(|line| line.limit.is_some());
        for line in &lines {
            decision.note("budget", "allow", Some(line.key.to_string()));
        }

        let of_key = ctx.api_key().and_then(|key| key.content_capture);
        let capture =
            wish.capture(of_key.map_or(snapshot.content_capture(), |most| most.max(snapshot.content_capture())));
        let mut body = wish.body.clone();
        let cap = output.map(|output| output / wish.answers);
        let was_capped = wish.script.as_ref().and_then(|script| script.is_capped());
        let is_capped = was_capped.unwrap_or(wish.cap.is_some() || (must_bind && cap.is_some()));
        let dropped = match wish.operation {
            Operation::Chat => {
                let cap = if is_capped { cap } else { None };
                chat::forward(&mut body, &Written { upstream_model: &target.upstream_model, cap, capture })
            }
            Operation::Embeddings => embedding::forward(&mut body, &target.upstream_model, decoded.as_deref()),
        };
        let egress = self.may_leave(&target, &snapshot, wish.operation, &mut decision);
        let sent = json!({ "target_ref": target.model_ref, "wire": wish.operation.wire().path(), "body": body });
        Ok(Plan {
            digest: digest(&sent),
            timeout: self.timeout(&target, wish),
            requests: request_counter(ctx).filter(|_| is_live),
            snapshot: Arc::clone(&snapshot),
            target,
            capture,
            labels,
            body,
            dropped,
            prompt,
            output,
            is_capped,
            price,
            worst,
            lines,
            egress,
            decision,
        })
    }

    pub(super) async fn snapshot(&self, ctx: &OpContext) -> Result<Arc<Snapshot>> {
        self.ports.catalog.snapshot(ctx.scope).await?.ok_or_else(Error::not_found)
    }

    /// Token ids as texts; names the first id that is none.
    fn decode(&self, target: &Target, wish: &Wish) -> Result<Option<Vec<String>>> {
        if wish.tokens.is_empty() {
            return Ok(None);
        }
        let is_list = wish.tokens.len() > 1 || wish.body.get("input").is_some_and(|input| !input[0].is_number());
        let text = |(index, ids): (usize, &Vec<u32>)| {
            self.ports.tokenizer.decode(&target.tokenizer, ids).map_err(|at| {
                let field = if is_list { format!("input[{index}][{at}]") } else { format!("input[{at}]") };
                Error::invalid(field, "is no token id of the model's vocabulary that stands for text")
            })
        };
        wish.tokens.iter().enumerate().map(text).collect::<Result<_>>().map(Some)
    }

    /// What the prompt leaves of the context to an answer; none where the window is not known. The caller's cap must fit.
    async fn room(&self, target: &Target, prompt: &Prompt, wish: &Wish) -> Result<Option<u64>> {
        let Some(window) = target.context_window.filter(|_| wish.operation == Operation::Chat) else { return Ok(None) };
        let taken = prompt.in_context(self.ports.tokenizer.as_ref(), &target.tokenizer, &wish.texts).await;
        let (room, wanted) = (window.saturating_sub(taken), wish.cap.unwrap_or(1));
        if wanted <= room {
            return Ok(Some(room));
        }
        let detail = format!(
            "the prompt takes {taken} tokens and the answer may take {wanted}, together more than the {window} of \
             `{}`; shorten the prompt or lower the cap",
            target.model_ref
        );
        let newer = wish.body.get("max_completion_tokens").is_some_and(|cap| !cap.is_null());
        let field = match (room, newer) {
            (0, _) => "messages",
            (_, true) => "max_completion_tokens",
            (_, false) => "max_tokens",
        };
        Err(Error::new(Code::ContextLengthExceeded, detail).with_field(field, "does not fit the model's context"))
    }

    /// The sizes of embedding inputs. A text has at most as many tokens as bytes, so most need no count.
    async fn check_sizes(&self, target: &Target, wish: &Wish) -> Result<()> {
        if wish.operation != Operation::Embeddings {
            return Ok(());
        }
        let too_long = |index: usize| {
            let detail = format!("an input has more than {MAX_ITEM_TOKENS} tokens");
            Error::new(Code::ContextLengthExceeded, detail).with_field(format!("input[{index}]"), "is too long")
        };
        if let Some(index) = wish.tokens.iter().position(|ids| size(ids.len()) > MAX_ITEM_TOKENS) {
            return Err(too_long(index));
        }
        let mut total: u64 = wish.tokens.iter().map(|ids| size(ids.len())).sum();
        for (index, text) in wish.texts.iter().enumerate() {
            let bytes = size(text.len());
            let tokens = if bytes > MAX_ITEM_TOKENS {
                self.ports.tokenizer.count(&target.tokenizer, std::slice::from_ref(text)).await
            } else {
                bytes
            };
            if tokens > MAX_ITEM_TOKENS {
                return Err(too_long(index));
            }
            total = total.saturating_add(tokens);
        }
        if total > MAX_INPUT_TOKENS
            && (wish.texts.is_empty()
                || self.ports.tokenizer.count(&target.tokenizer, &wish.texts).await > MAX_INPUT_TOKENS)
        {
            let detail = format!("the inputs have more than {MAX_INPUT_TOKENS} tokens together");
            return Err(Error::new(Code::ContextLengthExceeded, detail).with_field("input", "is too long"));
        }
        Ok(())
    }

    /// Asks the rules whether the account's URL may be called. A refusal is acted upon where the call would leave.
    fn may_leave(
        &self,
        target: &Target,
        snapshot: &Snapshot,
        operation: Operation,
        decision: &mut Decision,
    ) -> Result<Option<egress::Allowed>> {
        let Some(account) = &target.account else { return Ok(None) };
        let url = format!("{}/{}", account.base_url.trim_end_matches('/'), operation.wire().path());
        let allowed =
            egress::Target::parse(&url).and_then(|url| egress::allow(snapshot.egress.as_ref(), subject(target), url));
        match &allowed {
            Ok(allowed) => decision.note("egress", "allow", allowed.rule_id.map(|id| id.to_string())),
            Err(_) => decision.note("egress", "deny", None),
        }
        allowed.map(Some)
    }

    fn timeout(&self, target: &Target, wish: &Wish) -> Duration {
        let own = target.account.as_ref().and_then(|account| account.timeout_ms).map(Duration::from_millis);
        let longest = own.unwrap_or(self.settings.call_timeout);
        wish.options.timeout.map_or(longest, |asked| asked.min(longest))
    }
}

impl Operation {
    pub(super) const fn wire(self) -> Wire {
        match self {
            Self::Chat => Wire::Chat,
            Self::Embeddings => Wire::Embeddings,
        }
    }
}

/// The most tokens the answers can have: the caller's cap, else the model's, else a usual one, within the context.
fn output_bound(target: &Target, room: Option<u64>, wish: &Wish) -> Option<u64> {
    if wish.operation == Operation::Embeddings {
        return None;
    }
    let own = target.max_output_tokens.or(room).map(|most| room.map_or(most, |room| most.min(room)));
    let cap = wish.cap.or(own).unwrap_or(DEFAULT_CAP);
    Some(cap.saturating_mul(wish.answers))
}

/// Who a call to a target is made for, as egress rules name it.
fn subject(target: &Target) -> EgressSubject {
    let account = target.account.as_ref().map(|account| account.id.to_string());
    EgressSubject { provider: account.unwrap_or_else(|| target.kind.to_string()) }
}

/// What the workspace's rule says of a call whose worst case cannot be priced.
fn check_priced(
    snapshot: &Snapshot,
    target: &Target,
    budgets: &[&Budget],
    worst: std::result::Result<Money, &'static str>,
) -> Result<()> {
    use types::identity::UnpricedPolicy as P;
    let Err(reason) = worst else { return Ok(()) };
    let refused = match snapshot.workspace.unpriced_call_policy {
        P::Allow => false,
        P::RefuseWhenBudgeted => budgets.iter().any(|budget| budget::is_hard(budget)),
        P::Refuse => true,
    };
    if !refused && reason != "amount_out_of_range" {
        return Ok(());
    }
    let (model_ref, policy) = (&target.model_ref, snapshot.workspace.unpriced_call_policy);
    let detail = if reason == "amount_out_of_range" {
        format!(
            "what a call of `{model_ref}` could cost at worst is more than an amount can say; lower its cap or price"
        )
    } else {
        format!("`{model_ref}` has no usable price and the workspace refuses such calls (`{policy}`); add a price")
    };
    Err(Error::new(Code::PricingNotConfigured, detail).with_reason(reason).with_unpriced(model_ref, policy))
}

/// The hold on the key's tokens of the day.
fn token_line(ctx: &OpContext, worst: u64) -> Option<HoldLine> {
    let key = ctx.api_key()?;
    let limit = signed(key.daily_token_quota?);
    Some(HoldLine { key: CounterKey::key_tokens(key.id, ctx.now), amount: signed(worst), limit: Some(limit) })
}

/// The key's calls of the day.
fn request_counter(ctx: &OpContext) -> Option<(CounterKey, i64)> {
    let key = ctx.api_key()?;
    Some((CounterKey::key_requests(key.id, ctx.now), signed(key.daily_request_quota?)))
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Plan {
    /// What is known of the call when it starts: ids, enums and numbers.
    pub(super) fn metrics(&self, wish: &Wish) -> Map<String, Value> {
        let mut metrics = Map::new();
        metrics.insert("model_ref".to_owned(), json!(wish.model));
        metrics.insert("target_ref".to_owned(), json!(self.target.model_ref));
        metrics.insert("provider".to_owned(), json!(self.target.kind));
        metrics.insert("provider_id".to_owned(), json!(self.target.account.as_ref().map(|account| account.id)));
        metrics.insert("upstream_model".to_owned(), json!(self.target.upstream_model));
        metrics.insert("stream".to_owned(), json!(wish.stream.is_some()));
        metrics.insert("hold".to_owned(), json!(self.worst.ok()));
        metrics.insert("prompt_bound".to_owned(), json!(self.prompt.bound));
        metrics.insert("output_bound".to_owned(), json!(self.output));
        if !self.dropped.is_empty() {
            metrics.insert("dropped".to_owned(), json!(self.dropped));
        }
        metrics
    }
}

/// The labels of a call: those fixed on the key, and the caller's own beside them.
pub(super) fn labels(ctx: &OpContext, wish: &Wish) -> Result<BTreeMap<String, String>> {
    let mut labels = wish.options.labels.clone();
    for (key, value) in ctx.api_key().into_iter().flat_map(|own| &own.labels) {
        match labels.insert(key.clone(), value.clone()) {
            Some(other) if other != *value => {
                let detail = format!("the label `{key}` is fixed as `{value}` by the key, leave it out");
                return Err(Error::new(Code::LabelConflict, detail).with_field("x-soit-labels", "names a fixed label"));
            }
            _ => {}
        }
    }
    Ok(labels)
}
