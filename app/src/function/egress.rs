//! Server functions of egress rules.

use leptos::prelude::*;
use types::egress::EgressPolicy;
use types::id::{EgressRuleId, FormKey, ProviderId};
use types::name::Slug;

use super::{ask, submit};
use crate::error::AppError;
use crate::form::EgressRuleForm;

/// The workspace's egress rules.
#[server(prefix = "/ui/fn", endpoint = "find_egress_policy")]
pub(crate) async fn find_egress_policy(workspace: Slug) -> Result<EgressPolicy, AppError> {
    ask(|backend| async move { backend.egress.find_egress_policy(&workspace).await }).await
}

/// Adds what a provider account's base URL lacks.
#[server(prefix = "/ui/fn", endpoint = "accept_egress_offer")]
pub(crate) async fn accept_egress_offer(workspace: Slug, provider: ProviderId) -> Result<EgressPolicy, AppError> {
    ask(|backend| async move { backend.egress.accept_egress_offer(&workspace, provider).await }).await
}

/// Adds a rule.
#[server(prefix = "/ui/fn", endpoint = "create_egress_rule")]
pub(crate) async fn create_egress_rule(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: EgressRuleForm,
) -> Result<EgressPolicy, AppError> {
    submit(&form, form.read(), |backend, command| async move {
        backend.egress.create_egress_rule(&workspace, form_key, command).await
    })
    .await
}

/// Removes a rule.
#[server(prefix = "/ui/fn", endpoint = "delete_egress_rule")]
pub(crate) async fn delete_egress_rule(workspace: Slug, id: EgressRuleId) -> Result<EgressPolicy, AppError> {
    ask(|backend| async move { backend.egress.delete_egress_rule(&workspace, id).await }).await
}

/// Closes a private network.
#[server(prefix = "/ui/fn", endpoint = "close_private_network")]
pub(crate) async fn close_private_network(workspace: Slug, network: String) -> Result<EgressPolicy, AppError> {
    ask(|backend| async move { backend.egress.close_private_network(&workspace, &network).await }).await
}
