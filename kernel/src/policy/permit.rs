//! A permit: one authorised effect, taken by value.

use serde::Serialize;

/// The record of a decision: which gates it passed and by which rules. Ids, enums and numbers only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Decision {
    /// The policy bundle in force.
    pub policy_revision: String,
    /// Gates in the order they were passed.
    pub gates: Vec<Gate>,
}

/// One gate of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// `access`, `model`, `limits`, `budget`, `egress`, `safety` …
    pub gate: &'static str,
    /// `allow` or `deny`, or what was recorded instead (`not_configured`).
    pub verdict: &'static str,
    /// The rule, budget or limit that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl Decision {
    /// Notes a gate.
    pub fn note(&mut self, gate: &'static str, verdict: &'static str, rule: Option<String>) {
        self.gates.push(Gate { gate, verdict, rule });
    }

    /// The decision as the step keeps it.
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// One authorised effect. Only this module's crate can build one, nobody can change what is inside, and the effect
/// consumes it: one permit, one effect.
pub struct Permit<T> {
    call: T,
}

impl<T> Permit<T> {
    /// Authorises a call whose decision is recorded in a durable batch.
    pub(crate) fn grant(call: T) -> Self {
        Self { call }
    }

    /// What is authorised.
    pub fn call(&self) -> &T {
        &self.call
    }

    /// Spends the permit.
    pub fn into_call(self) -> T {
        self.call
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Permit<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Permit").field(&self.call).finish()
    }
}
