//! Refusals, by the gate that refused.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use types::problem::Code;

use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refusal {
    gate: &'static str,
    code: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Verdict {
    verdict: &'static str,
}

/// Refusals, by the gate that refused.
#[derive(Debug)]
pub(crate) struct Gates {
    refusals: Family<Refusal, Counter>,
    egress: Family<Verdict, Counter>,
}

impl Gates {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        let labels = &["gate", "code"];
        Self {
            refusals: catalog.add("soit_gate_refusals_total", labels, "Requests a gate refused", Family::default()),
            egress: catalog.add(
                "soit_egress_decisions_total",
                &["verdict"],
                "Decisions whether a call may leave",
                Family::default(),
            ),
        }
    }

    /// A request was refused.
    pub(crate) fn refused(&self, code: Code) {
        let Some(gate) = gate(code) else { return };
        self.refusals.get_or_create(&Refusal { gate, code: code.as_str() }).inc();
        if gate == "egress" {
            self.egress.get_or_create(&Verdict { verdict: "deny" }).inc();
        }
    }

    /// A call was let out.
    pub(super) fn let_out(&self) {
        self.egress.get_or_create(&Verdict { verdict: "allow" }).inc();
    }
}

/// The gate a code comes from; none for codes that are no refusals of a rule.
fn gate(code: Code) -> Option<&'static str> {
    match code {
        Code::Unauthenticated
        | Code::InvalidCredentials
        | Code::InvalidCode
        | Code::ChallengeExpired
        | Code::CredentialsExpired
        | Code::CredentialsAmbiguous
        | Code::LoginThrottled
        | Code::AuthThrottled => Some("credentials"),
        Code::RoleRequired
        | Code::ScopeRequired
        | Code::StepUpRequired
        | Code::MfaRequired
        | Code::SubjectDisabled
        | Code::AddressNotAllowed
        | Code::CsrfFailed
        | Code::OriginNotAllowed => Some("access"),
        Code::ModelNotAllowed | Code::ModelDisabled | Code::ProviderDisabled => Some("model"),
        Code::RateLimited | Code::QuotaExceeded | Code::LimitsUnavailable => Some("limits"),
        Code::BudgetExhausted | Code::PricingNotConfigured | Code::TooManyBudgets => Some("budget"),
        Code::EgressDenied | Code::EgressInvalidTarget | Code::EgressDnsFailed => Some("egress"),
        Code::ContentBlocked | Code::ContentSafetyUnavailable => Some("safety"),
        _ => None,
    }
}
