//! Budgets: what may be spent in a period, and how much of it is.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{BudgetId, HoldId, RunId, StepId};
use crate::money::{Amount, Currency};
use crate::name::Name;
use crate::word::words;

words! {
    /// What a budget binds.
    pub enum ScopeKind {
        /// The whole workspace.
        Workspace = "workspace",
        /// One API key.
        ApiKey = "api_key",
        /// One member.
        User = "user",
    }
}
words! {
    /// How long a budget counts before it starts anew, in UTC.
    pub enum Period {
        /// A day.
        Day = "day",
        /// An ISO week, from Monday.
        Week = "week",
        /// A calendar month.
        Month = "month",
        /// For ever.
        Total = "total",
    }
}
words! {
    /// Whether a budget binds.
    pub enum BudgetStatus {
        /// It binds.
        Active = "active",
        /// It does not, but goes on counting, so that it is right when it binds again.
        Disabled = "disabled",
    }
}

/// A budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Budget {
    /// The budget's id.
    pub id: BudgetId,
    /// Its name.
    pub name: Name,
    /// Whether it binds.
    pub status: BudgetStatus,
    /// What it binds.
    pub scope_kind: ScopeKind,
    /// Which one; null for the workspace.
    pub scope_id: Option<String>,
    /// How long it counts.
    pub period: Period,
    /// Which money; calls priced in another are not bound.
    pub currency: Currency,
    /// What may be spent in a period; above zero.
    pub amount: Amount,
    /// Refuses (true) or only alerts (false).
    pub hard_stop: bool,
    /// Whole percents that announce themselves.
    pub thresholds: Vec<u16>,
    /// For `If-Match`.
    pub version: u64,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

fn default_thresholds() -> Vec<u16> {
    vec![50, 80, 100]
}

/// Makes a budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateBudget {
    /// 1–80 characters.
    pub name: Name,
    /// What it binds.
    pub scope_kind: ScopeKind,
    /// Which one; absent for the workspace.
    #[serde(default)]
    pub scope_id: Option<String>,
    /// How long it counts.
    pub period: Period,
    /// ISO 4217 code.
    pub currency: Currency,
    /// Above zero.
    pub amount: Amount,
    /// Default false: alerts only.
    #[serde(default)]
    pub hard_stop: bool,
    /// At most 10 whole percents of 1–1000.
    #[serde(default = "default_thresholds")]
    pub thresholds: Vec<u16>,
}

/// Changes a budget; absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateBudget {
    /// A new name.
    pub name: Option<Name>,
    /// Active or disabled.
    pub status: Option<BudgetStatus>,
    /// A new amount; binds at once.
    pub amount: Option<Amount>,
    /// Refuse or only alert.
    pub hard_stop: Option<bool>,
    /// New thresholds.
    pub thresholds: Option<Vec<u16>>,
}

/// Where a budget stands in its present period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BudgetState {
    /// The budget's id.
    pub budget_id: BudgetId,
    /// Which money.
    pub currency: Currency,
    /// What may be spent.
    pub amount: Amount,
    /// What is spent.
    pub spent: Amount,
    /// What running calls hold.
    pub held: Amount,
    /// amount − spent − held; negative only on soft budgets.
    pub remaining: Amount,
    /// (spent + held) ÷ amount in percent, rounded down to two decimals.
    pub percent: Percent,
    /// Start of the period.
    pub period_start: DateTime<Utc>,
    /// End of the period; null for `total`.
    pub resets_at: Option<DateTime<Utc>>,
}

/// A percentage with two decimals, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent {
    /// Hundredths of a percent.
    pub hundredths: i64,
}

impl Serialize for Percent {
    #[expect(clippy::cast_precision_loss, reason = "a number of JSON is read as a float by everybody")]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.hundredths as f64 / 100.0)
    }
}

impl<'de> Deserialize<'de> for Percent {
    #[expect(clippy::cast_possible_truncation, reason = "a float beyond an integer becomes the largest one")]
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let percent = f64::deserialize(deserializer)?;
        Ok(Self { hundredths: (percent * 100.0).round() as i64 })
    }
}

impl utoipa::PartialSchema for Percent {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        f64::schema()
    }
}

impl utoipa::ToSchema for Percent {}

/// What a running call holds of a budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BudgetHold {
    /// The hold's id.
    pub id: HoldId,
    /// The run that holds.
    pub run_id: RunId,
    /// The step that holds.
    pub step_id: StepId,
    /// How much.
    pub amount: Amount,
    /// Since when.
    pub placed_at: DateTime<Utc>,
}
