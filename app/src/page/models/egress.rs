//! The tab of egress rules: what may leave, and nothing else does.

use leptos::prelude::*;
use types::egress::{EgressPolicy, EgressRule, Scheme};

use crate::component::{
    ButtonForm, Empty, Form, FormActions, FormState, FormSummary, Icon, Look, Place, SelectField, TextField,
};
use crate::function::{ClosePrivateNetwork, CreateEgressRule, DeleteEgressRule};
use crate::text::text;

/// The rules, the open private networks, and the form that adds a rule.
#[component]
pub(super) fn EgressTab(
    place: Place,
    policy: EgressPolicy,
    added: ServerAction<CreateEgressRule>,
    removed: ServerAction<DeleteEgressRule>,
    closed: ServerAction<ClosePrivateNetwork>,
) -> impl IntoView {
    let egress = &text().egress;
    let may = place.may("egress.update");
    let rules = if policy.rules.is_empty() {
        view! { <Empty icon=Icon::Network title=egress.empty text=egress.empty_text /> }.into_any()
    } else {
        view! { <Rules place=place.clone() rules=policy.rules removed=removed /> }.into_any()
    };
    view! {
        <section class="section">
            <p class="muted">{egress.explain}</p>
            <FormSummary form=FormState::of(removed) />
            {rules}
        </section>
        {(!policy.private_networks.is_empty())
            .then(|| view! { <Networks place=place.clone() networks=policy.private_networks closed=closed /> })}
        {may.then(|| view! { <Add place=place.clone() added=added /> })}
    }
    .into_any()
}

#[component]
fn Rules(place: Place, rules: Vec<EgressRule>, removed: ServerAction<DeleteEgressRule>) -> impl IntoView {
    let text = text();
    let egress = &text.egress;
    let row = |rule: EgressRule| {
        let schemes: Vec<&str> = rule.schemes.iter().map(|scheme| scheme.as_str()).collect();
        let ports: Vec<String> = rule.ports.iter().map(ToString::to_string).collect();
        let ports = if ports.is_empty() { egress.own_port.to_owned() } else { ports.join(", ") };
        let remove = place.may("egress.update").then_some(rule.id).flatten().map(|id| {
            let sends = place.sends([("id", id.to_string())]);
            view! { <ButtonForm action=removed sends=sends label=egress.remove look=Look::Small /> }
        });
        view! {
            <tr data-testid="egress-rule">
                <td class="cell-main" data-label=egress.host>
                    <code>{rule.host}</code>
                </td>
                <td data-label=egress.scheme>{schemes.join(", ")}</td>
                <td data-label=egress.ports>{ports}</td>
                <td class="cell-wide" data-label=egress.note>
                    {rule.note}
                </td>
                <td class="cell-actions">{remove}</td>
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards">
                <caption class="sr-only">{egress.rules}</caption>
                <thead>
                    <tr>
                        <th scope="col">{egress.host}</th>
                        <th scope="col">{egress.scheme}</th>
                        <th scope="col">{egress.ports}</th>
                        <th scope="col">{egress.note}</th>
                        <th scope="col">
                            <span class="sr-only">{text.common.edit}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{rules.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Networks(place: Place, networks: Vec<String>, closed: ServerAction<ClosePrivateNetwork>) -> impl IntoView {
    let egress = &text().egress;
    let row = |network: String| {
        let close = place.may("egress.update").then(|| {
            let sends = place.sends([("network", network.clone())]);
            view! { <ButtonForm action=closed sends=sends label=egress.close look=Look::Small /> }
        });
        view! {
            <li>
                <span class="feed-text">
                    <code>{network.clone()}</code>
                </span>
                {close}
            </li>
        }
    };
    view! {
        <section class="section">
            <header class="section-head">
                <h2>{egress.private_networks}</h2>
            </header>
            <p class="muted">{egress.private_networks_text}</p>
            <FormSummary form=FormState::of(closed) />
            <ul class="feed">{networks.into_iter().map(row).collect_view()}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Add(place: Place, added: ServerAction<CreateEgressRule>) -> impl IntoView {
    let egress = &text().egress;
    let schemes = Scheme::ALL.iter().map(|scheme| (scheme.to_string(), scheme.to_string())).collect();
    view! {
        <section class="section">
            <header class="section-head">
                <h2>{egress.add}</h2>
            </header>
            <Form action=added sends=place.sends([])>
                <div class="field-row">
                    <SelectField field="scheme" label=egress.scheme value="https" options=schemes />
                    <TextField field="host" label=egress.host hint=egress.host_hint mono=true />
                    <TextField
                        field="ports"
                        label=egress.ports
                        hint=egress.ports_hint
                        optional=true
                        mono=true
                    />
                </div>
                <TextField field="note" label=egress.note optional=true />
                <FormActions label=egress.add look=Look::Plain />
            </Form>
        </section>
    }
    .into_any()
}
