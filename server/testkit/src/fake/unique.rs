//! The unique constraints of the schema, as the fake checks them.

use kernel::record::{Row, Session};

use super::store::Rows;

/// The constraint that the row would violate.
pub(super) fn violated(rows: &Rows, row: &Row) -> Option<&'static str> {
    let others = || rows.records.iter().filter(|(key, _)| key.table == row.table() && key.key != row.key());
    let taken = |same: &dyn Fn(&Row) -> bool| others().any(|(_, other)| same(other));
    let names: [(&'static str, bool); 2] = match row {
        Row::Tenant(row) => {
            one("tenants_slug_key", taken(&|other| matches!(other, Row::Tenant(other) if other.slug == row.slug)))
        }
        Row::Workspace(row) => one(
            "workspaces_tenant_id_slug_key",
            taken(
                &|other| matches!(other, Row::Workspace(other) if (other.tenant_id, &other.slug) == (row.tenant_id, &row.slug)),
            ),
        ),
        Row::User(row) => one(
            "users_email_key_key",
            taken(&|other| matches!(other, Row::User(other) if other.email_key == row.email_key)),
        ),
        Row::Session(row) => [
            ("sessions_token_key", taken(&|other| session(other).is_some_and(|other| other.token == row.token))),
            (
                "sessions_refresh_key",
                row.refresh.is_some()
                    && taken(&|other| session(other).is_some_and(|other| other.refresh == row.refresh)),
            ),
        ],
        Row::Invitation(row) => one(
            "invitations_digest_key",
            taken(&|other| matches!(other, Row::Invitation(other) if other.digest == row.digest)),
        ),
        Row::MfaChallenge(row) => one(
            "mfa_challenges_digest_key",
            taken(&|other| matches!(other, Row::MfaChallenge(other) if other.digest == row.digest)),
        ),
        Row::KeySecret(row) => one(
            "api_key_secrets_digest_key",
            taken(&|other| matches!(other, Row::KeySecret(other) if other.digest == row.digest)),
        ),
        Row::Secret(row) => one(
            "secrets_workspace_id_name_key",
            taken(&|other| matches!(other, Row::Secret(other) if (other.scope, &other.name) == (row.scope, &row.name))),
        ),
        Row::Provider { scope, provider, archived: false } => one(
            "providers_workspace_id_slug_key",
            taken(&|other| {
                matches!(other, Row::Provider { scope: of, provider: other, archived: false }
                    if (of, &other.slug) == (scope, &provider.slug))
            }),
        ),
        Row::Model(_, row) => one(
            "models_provider_id_model_id_key",
            taken(
                &|other| matches!(other, Row::Model(_, other) if (other.provider_id, &other.model_id) == (row.provider_id, &row.model_id)),
            ),
        ),
        Row::Price(scope, row) => one(
            "prices_workspace_id_match_ref_valid_from_key",
            taken(&|other| {
                matches!(other, Row::Price(of, other)
                    if (of, &other.match_ref, other.valid_from) == (scope, &row.match_ref, row.valid_from))
            }),
        ),
        Row::ServicePrincipal(row) => one(
            "service_principals_workspace_id_name_key_key",
            taken(&|other| {
                matches!(other, Row::ServicePrincipal(other)
                    if (other.scope, &other.name_key) == (row.scope, &row.name_key))
            }),
        ),
        Row::Group(row) if row.deleted_at.is_none() => one(
            "workspace_groups_workspace_id_name_key_key",
            taken(&|other| {
                matches!(other, Row::Group(other)
                    if other.deleted_at.is_none() && (other.scope, &other.name_key) == (row.scope, &row.name_key))
            }),
        ),
        Row::Mail(row) if row.digest.is_some() => {
            one("mails_digest_key", taken(&|other| matches!(other, Row::Mail(other) if other.digest == row.digest)))
        }
        Row::SavedView(row) if row.deleted_at.is_none() => one(
            "saved_views_workspace_id_owner_id_page_name_key_key",
            taken(&|other| {
                matches!(other, Row::SavedView(other) if other.deleted_at.is_none()
                    && (other.scope, other.owner_id, other.page, &other.name_key)
                        == (row.scope, row.owner_id, row.page, &row.name_key))
            }),
        ),
        Row::SsoLink(row) if row.removed_at.is_none() => one(
            "sso_links_issuer_subject_key",
            taken(&|other| {
                matches!(other, Row::SsoLink(other) if other.removed_at.is_none()
                    && (&other.issuer, &other.subject) == (&row.issuer, &row.subject))
            }),
        ),
        Row::Feedback(row) => one(
            "feedback_run_id_user_id_key",
            taken(
                &|other| matches!(other, Row::Feedback(other) if (other.run_id, other.user_id) == (row.run_id, row.user_id)),
            ),
        ),
        _ => return None,
    };
    names.into_iter().find(|(_, taken)| *taken).map(|(name, _)| name)
}

fn one(name: &'static str, taken: bool) -> [(&'static str, bool); 2] {
    [(name, taken), ("", false)]
}

fn session(row: &Row) -> Option<&Session> {
    match row {
        Row::Session(session) => Some(session),
        _ => None,
    }
}
