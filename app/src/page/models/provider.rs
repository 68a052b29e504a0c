//! `/models/new` and `/models/{id}`: the form of a provider account, what it still lacks to be called, and its models.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::egress::EgressOffer;
use types::id::ProviderId;
use types::modelhub::{Model, Provider as Account, ProviderStatus};
use types::problem::{Code, Problem};

use super::model::{AddModel, EditModel, ModelTable};
use super::providers::ProviderState;
use crate::backend::models::{ModelView, ProviderView};
use crate::component::{
    ButtonForm, DeleteLink, Deletion, Disclosure, Empty, Form, FormActions, FormState, FormSummary, Icon, Notice, Page,
    PageHead, Place, TextField, Tone, Width, changes, params, switch_action, told_action, use_frame,
};
use crate::function::{
    AcceptEgressOffer, CreateModel, CreateProvider, DeleteProvider, SetModelEnabled, SetProviderStatus, UpdateModel,
    UpdateProvider, find_provider,
};
use crate::query::Params;
use crate::text::text;

/// A name and short name to show the form of them.
const EXAMPLE_NAME: &str = "OpenAI";
const EXAMPLE_SLUG: &str = "openai";

/// The form of a new account.
#[component]
pub(crate) fn NewProvider() -> impl IntoView {
    let frame = use_frame();
    let nothing = frame.resource(|| (), |_, ()| async { Ok(()) });
    frame.page(nothing, |place, ()| view! { <Create place=place /> })
}

#[component]
fn Create(place: Place) -> impl IntoView {
    let text = text();
    let action = told_action::<CreateProvider>(text.common.told_created);
    view! {
        <Page width=Width::Narrow>
            <PageHead title=text.models.new_provider above=Some((text.models.title, place.at.models())) />
            <Form action=action sends=place.sends([])>
                <TextField field="name" label=text.common.name placeholder=EXAMPLE_NAME />
                <TextField
                    field="slug"
                    label=text.models.slug
                    hint=text.models.slug_hint
                    placeholder=EXAMPLE_SLUG
                    mono=true
                />
                <Connection account=None />
                <FormActions label=text.models.add_provider back=place.at.models() />
            </Form>
        </Page>
    }
    .into_any()
}

/// Address, credential and limits: the same for a new account and a changed one.
#[component]
fn Connection(account: Option<Account>) -> impl IntoView {
    let models = &text().models;
    let of = |value: Option<String>| value.unwrap_or_default();
    let credential_hint = if account.is_some() { models.credential_keep } else { models.credential_hint };
    view! {
        <TextField
            field="base_url"
            label=models.base_url
            hint=models.base_url_hint
            value=of(account.as_ref().map(|account| account.base_url.clone()))
            mono=true
        />
        <TextField
            field="credential"
            label=models.credential
            hint=credential_hint
            kind="password"
            autocomplete="new-password"
            optional=true
        />
        <fieldset class="form-section">
            <legend>{models.limits}</legend>
            <div class="field-row">
                <TextField
                    field="max_concurrency"
                    label=models.concurrency
                    value=of(account.as_ref().map(|account| account.max_concurrency.to_string()))
                    placeholder="256"
                    optional=true
                    digits=true
                />
                <TextField
                    field="max_retries"
                    label=models.retries
                    value=of(account.as_ref().map(|account| account.max_retries.to_string()))
                    placeholder="2"
                    optional=true
                    digits=true
                />
                <TextField
                    field="timeout_ms"
                    label=models.timeout
                    value=of(account.and_then(|account| account.timeout_ms).map(|time| time.to_string()))
                    optional=true
                    digits=true
                    after=models.milliseconds
                />
            </div>
        </fieldset>
    }
    .into_any()
}

/// What changes an account and its models.
#[derive(Clone, Copy)]
struct Actions {
    accept: ServerAction<AcceptEgressOffer>,
    add_model: ServerAction<CreateModel>,
    set_model: ServerAction<SetModelEnabled>,
    set_status: ServerAction<SetProviderStatus>,
    update: ServerAction<UpdateProvider>,
    update_model: ServerAction<UpdateModel>,
    /// What each has changed, or found changed.
    moves: [Memo<usize>; 6],
}

impl Actions {
    fn new() -> Self {
        let common = &text().common;
        let slug = use_frame().slug();
        let (accept, add_model) = (told_action(common.told_added), told_action(common.told_added));
        let set_model = switch_action(
            |model: &Model| model.enabled,
            move |model: &Model| {
                let (id, version, enabled) = (model.id, model.version, !model.enabled);
                slug.get_untracked().map(|workspace| SetModelEnabled { workspace, id, version, enabled })
            },
        );
        let set_status = switch_action(
            |account: &Account| account.status == ProviderStatus::Active,
            move |account: &Account| {
                let (id, version, status) = (account.id, account.version, other(account.status));
                slug.get_untracked().map(|workspace| SetProviderStatus { workspace, id, version, status })
            },
        );
        let (update, update_model) = (told_action(common.saved), told_action(common.saved));
        let moves = [
            changes(accept),
            changes(add_model),
            changes(set_model),
            changes(set_status),
            changes(update),
            changes(update_model),
        ];
        Self { accept, add_model, set_model, set_status, update, update_model, moves }
    }

    /// Moves with each of them.
    fn version(self) -> usize {
        self.moves.iter().map(|moves| moves.get()).sum()
    }
}

/// One account.
#[component]
pub(crate) fn Provider() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let path = use_params_map();
    let id =
        Memo::new(move |_| path.with(|path| path.get_str("provider").and_then(|text| text.parse::<ProviderId>().ok())));
    let actions = Actions::new();
    let provider = frame.resource(
        move || (id.get(), actions.version()),
        |slug, (id, _)| async move {
            match id {
                Some(id) => find_provider(slug, id).await,
                None => Err(Problem::new(Code::NotFound, "no such provider").into()),
            }
        },
    );
    frame.page(provider, move |place, view| view! { <Shown place=place view=view actions=actions params=params /> })
}

#[component]
fn Shown(place: Place, view: ProviderView, actions: Actions, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let ProviderView { provider, models, egress } = view;
    let name = provider.name.to_string();
    let meta = format!("model:{}:… · {}", provider.slug, (text.word.provider)(provider.kind));
    let may = place.may("provider.update");
    let id = provider.id.to_string();
    let beside = view! { <ProviderState status=provider.status /> };
    let label = match provider.status {
        ProviderStatus::Active => text.common.disable,
        ProviderStatus::Disabled => text.common.enable,
    };
    let sends = |status: ProviderStatus| {
        place.sends([("id", id.clone()), ("version", provider.version.to_string()), ("status", status.to_string())])
    };
    let switch =
        may.then(|| view! { <ButtonForm action=actions.set_status sends=sends(other(provider.status)) label=label /> });
    let offer = egress
        .filter(|offer| !offer.allowed)
        .map(|offer| view! { <Offer place=place.clone() provider=id.clone() offer=offer action=actions.accept /> });
    let models =
        view! { <ModelSection place=place.clone() provider=id.clone() models=models actions=actions params=params /> };
    let edit =
        may.then(|| view! { <Edit place=place.clone() account=provider.clone() actions=actions params=params /> });
    let delete = told_action::<DeleteProvider>(text.common.told_deleted);
    view! {
        <Page width=Width::Detail>
            <PageHead
                title=name.clone()
                above=Some((text.models.title, place.at.models()))
                beside=Some(beside.into_any())
                meta=Some(meta.into_any())
            >
                {switch}
            </PageHead>
            <FormSummary form=FormState::of(actions.set_status) />
            {offer}
            {models}
            {edit}
            <Deletion
                params=params
                title=(text.models.delete_question)(&name)
                meaning=text.models.delete_text
                name=name
                action=delete
                sends=place.sends([("id", id)])
            />
        </Page>
    }
    .into_any()
}

/// What an account is switched to.
fn other(status: ProviderStatus) -> ProviderStatus {
    match status {
        ProviderStatus::Active => ProviderStatus::Disabled,
        ProviderStatus::Disabled => ProviderStatus::Active,
    }
}

/// What calls to the account still lack to leave, and the one click that adds it.
#[component]
fn Offer(place: Place, provider: String, offer: EgressOffer, action: ServerAction<AcceptEgressOffer>) -> impl IntoView {
    let egress = &text().egress;
    let schemes: Vec<&str> = offer.rule.schemes.iter().map(|scheme| scheme.as_str()).collect();
    let ports: Vec<String> = offer.rule.ports.iter().map(|port| format!(":{port}")).collect();
    let rule = format!("{}://{}{}", schemes.join("|"), offer.rule.host, ports.join("|"));
    let networks = offer.private_networks.join(", ");
    let (sentence, can) = match (networks.is_empty(), offer.openable) {
        (true, true) => ((egress.missing)(&rule), true),
        (true, false) => ((egress.never_openable)(&offer.rule.host), false),
        (false, true) => ((egress.missing_private)(&rule, &networks), true),
        (false, false) => ((egress.not_openable)(&networks), false),
    };
    let accept = (can && place.may("egress.update")).then(|| {
        view! {
            <ButtonForm action=action sends=place.sends([("provider", provider)]) label=egress.accept />
        }
    });
    view! {
        <FormSummary form=FormState::of(action) />
        <Notice tone=Tone::Deny text=sentence>
            {accept}
        </Notice>
    }
    .into_any()
}

#[component]
fn ModelSection(
    place: Place,
    provider: String,
    models: Vec<ModelView>,
    actions: Actions,
    params: Memo<Params>,
) -> impl IntoView {
    let text = text();
    let may = place.may("model.update");
    let switch = may.then(|| (actions.set_model, place.clone()));
    let table = if models.is_empty() {
        view! { <Empty icon=Icon::Models title=text.models.no_models text=text.models.no_models_text /> }.into_any()
    } else {
        view! { <ModelTable models=models.clone() switch=switch /> }.into_any()
    };
    let back = params.get_untracked().without(&["edit"]).here();
    let form = move || {
        let edited = params.with(|params| params.get("edit").map(str::to_owned)).filter(|_| may);
        let model = edited
            .and_then(|id| models.iter().find(|view| view.model.id.to_string() == id).map(|view| view.model.clone()));
        let (place, provider, back) = (place.clone(), provider.clone(), back.clone());
        match model {
            Some(model) => {
                let title = model.model_ref.clone();
                let form = view! { <EditModel place=place model=model action=actions.update_model back=back /> };
                view! { <Titled title=title>{form}</Titled> }.into_any()
            }
            None if place.may("model.create") => {
                let open = models.is_empty() || FormState::of(actions.add_model).was_refused();
                let form = view! { <AddModel place=place provider=provider action=actions.add_model /> };
                view! { <Disclosure label=text.models.add_model open=open>{form}</Disclosure> }.into_any()
            }
            None => ().into_any(),
        }
    };
    view! {
        <Titled title=text.models.models>
            <FormSummary form=FormState::of(actions.set_model) />
            {table}
        </Titled>
        {form}
    }
    .into_any()
}

/// A section with its heading.
#[component]
fn Titled(#[prop(into)] title: String, children: Children) -> impl IntoView {
    view! {
        <section class="section">
            <header class="section-head">
                <h2>{title}</h2>
            </header>
            {children()}
        </section>
    }
    .into_any()
}

#[component]
fn Edit(place: Place, account: Account, actions: Actions, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let sends = place.sends([("id", account.id.to_string()), ("version", account.version.to_string())]);
    view! {
        <Titled title=text.models.settings>
            <Form action=actions.update sends=sends>
                <TextField field="name" label=text.common.name value=account.name.to_string() />
                <Connection account=Some(account) />
                <FormActions label=text.common.save>
                    {place.may("provider.delete").then(|| view! { <DeleteLink params=params /> })}
                </FormActions>
            </Form>
        </Titled>
    }
    .into_any()
}
