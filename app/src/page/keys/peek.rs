//! One key beside the list, and the dialogs that rotate or revoke it.

use leptos::prelude::*;
use types::key::KeyStatus;

use super::list::{Binding, KeyState};
use crate::backend::List;
use crate::backend::keys::KeyView;
use crate::component::{
    Away, BudgetMeter, Confirm, ConfirmActions, ConfirmByName, Drawer, Form, Id, LimitMeter, Moment, Over, Place,
    SelectField, over_list, told_action,
};
use crate::error::AppError;
use crate::function::{RevokeKey, RotateKey};
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The names that ask for something over the list.
pub(super) const OVER: &[&str] = &["revoke", "rotate", "peek"];

/// The drawer or dialog the address asks for.
#[component]
pub(super) fn Peek(keys: Resource<Result<List<KeyView>, AppError>>, params: Memo<Params>) -> impl IntoView {
    let show = |place: Place, key: KeyView, over: Over| match over.asked_by {
        "revoke" => view! { <Revoke place=place key=key back=over.close /> }.into_any(),
        "rotate" => view! { <Rotate place=place key=key back=over.close /> }.into_any(),
        _ => view! { <Shown place=place key=key over=over /> }.into_any(),
    };
    over_list(keys, params, OVER, |view| view.key.id.to_string(), show)
}

#[component]
fn Shown(place: Place, key: KeyView, over: Over) -> impl IntoView {
    let text = text();
    let KeyView { key, issuer, principal, limits, budgets, .. } = key;
    let id = key.id.to_string();
    let dialog = |name: &str| over.params.clone().without(&["peek"]).with(name, &id).here();
    let is_active = key.status == KeyStatus::Active;
    let foot = (is_active && (place.may("api_key.rotate") || place.may("api_key.revoke"))).then(|| {
        let rotate = place.may("api_key.rotate").then(|| {
            view! {
                <a class="btn" href=dialog("rotate") data-noscroll="">
                    {text.keys.rotate}
                </a>
            }
        });
        let revoke = place.may("api_key.revoke").then(|| {
            view! {
                <a class="btn btn--danger" href=dialog("revoke") data-noscroll="">
                    {text.keys.revoke}
                </a>
            }
        });
        view! { {rotate} {revoke} }.into_any()
    });
    let scope = key.scopes.iter().max().map(|scope| (text.word.scope)(*scope));
    let list = |values: Option<Vec<String>>, none: &'static str| match values {
        Some(values) if values.is_empty() => text.common.none.to_owned(),
        Some(values) => values.join(", "),
        None => none.to_owned(),
    };
    let labels: Vec<String> = key.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let labels = if labels.is_empty() { text.common.none.to_owned() } else { labels.join(", ") };
    let acts = principal.or_else(|| issuer.clone()).unwrap_or_else(|| text.common.none.to_owned());
    view! {
        <Drawer title=key.name.to_string() close=over.close previous=over.previous next=over.next foot=foot>
            <div class="row">
                <KeyState status=key.status chip=true />
                <Id id=id.clone() copy=true />
            </div>
            <Bindings limits=limits budgets=budgets />
            <dl class="dl">
                <dt>{text.keys.hint}</dt>
                <dd>
                    <code class="id">{key.hint}</code>
                </dd>
                <dt>{text.keys.scope}</dt>
                <dd>{scope}</dd>
                <dt>{text.keys.models}</dt>
                <dd>{list(key.allowed_models, text.keys.any_model)}</dd>
                {key.allowed_tools
                    .map(|tools| {
                        view! {
                            <dt>{text.keys.tools}</dt>
                            <dd>{list(Some(tools), "")}</dd>
                        }
                    })}
                <dt>{text.keys.addresses}</dt>
                <dd>{list(key.ip_allowlist, text.keys.any_address)}</dd>
                <dt>{text.keys.expires}</dt>
                <dd>
                    <Away at=key.expires_at />
                </dd>
                <dt>{text.keys.last_used}</dt>
                <dd>
                    {key.last_used_at.map_or_else(|| text.common.never.into_any(), |at| view! { <Moment at=at /> }.into_any())}
                    {key.last_used_address.map(|address| format!(" · {address}"))}
                </dd>
                <dt>{text.keys.keeps}</dt>
                <dd>{key.content_capture.map_or(text.keys.keeps_workspace, |capture| (text.word.capture)(capture))}</dd>
                <dt>{text.keys.labels}</dt>
                <dd>{labels}</dd>
                <dt>{text.keys.acts}</dt>
                <dd>{acts}</dd>
                <dt>{text.keys.created_by}</dt>
                <dd>{issuer.unwrap_or_else(|| crate::format::short_id(&key.created_by.to_string()))}</dd>
                <dt>{text.common.created}</dt>
                <dd>
                    <Moment at=key.created_at />
                </dd>
            </dl>
            {place
                .may("budget.create")
                .then(|| {
                    let href = Params::default().with("scope", &format!("api_key:{id}")).at(&place.at.new_budget());
                    view! {
                        <a class="link" href=href>
                            {text.keys.set_budget}
                        </a>
                    }
                })}
        </Drawer>
    }
    .into_any()
}

/// Everything that binds the key, the limit that bites first on top.
#[component]
fn Bindings(
    limits: Vec<crate::backend::keys::LimitState>,
    budgets: Vec<crate::backend::budgets::BudgetView>,
) -> impl IntoView {
    let text = text();
    let all = Binding::sorted(limits, budgets);
    if all.is_empty() {
        return view! { <p class="muted">{text.keys.no_limits}</p> }.into_any();
    }
    let meter = |(index, binding): (usize, Binding)| match binding {
        Binding::Limit(limit) => view! { <LimitMeter limit=limit bites=index == 0 /> }.into_any(),
        Binding::Budget(budget) => view! { <BudgetMeter view=budget bites=index == 0 /> }.into_any(),
    };
    view! {
        <section class="stack">
            <h3>{text.keys.limits}</h3>
            {all.into_iter().enumerate().map(meter).collect_view()}
        </section>
    }
    .into_any()
}

#[component]
fn Rotate(place: Place, key: KeyView, back: String) -> impl IntoView {
    let keys = &text().keys;
    let action = ServerAction::<RotateKey>::new();
    let [none, hour, day, week] = keys.overlap_options;
    let options = [("0", none), ("3600", hour), ("86400", day), ("604800", week)];
    let options = options.map(|(seconds, label)| (seconds.to_owned(), label.to_owned())).into();
    view! {
        <Confirm title=(keys.rotate_question)(key.key.name.as_str()) meaning=keys.rotate_text>
            <Form action=action sends=place.sends([("id", key.key.id.to_string())])>
                <SelectField
                    field="overlap_seconds"
                    name="overlap_seconds"
                    label=keys.overlap
                    hint=keys.overlap_hint
                    value="0"
                    options=options
                />
                <ConfirmActions back=back label=keys.rotate />
            </Form>
        </Confirm>
    }
    .into_any()
}

#[component]
fn Revoke(place: Place, key: KeyView, back: String) -> impl IntoView {
    let keys = &text().keys;
    let action = told_action::<RevokeKey>(keys.told_revoked);
    let name = key.key.name.to_string();
    view! {
        <ConfirmByName
            title=(keys.revoke_question)(&name)
            meaning=keys.revoke_text
            name=name
            action=action
            sends=place.sends([("id", key.key.id.to_string())])
            back=back
            label=keys.revoke
        />
    }
    .into_any()
}
