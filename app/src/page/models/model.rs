//! Models of an account: their table, and the form that adds one.

use leptos::prelude::*;
use types::modelhub::{Capability, Model, Price, Tokenizer};
use types::money::Amount;
use types::run::UsageClass;

use crate::backend::models::ModelView;
use crate::component::{
    ButtonForm, ChecksField, CopyButton, Form, FormActions, Look, Place, SelectField, StateMark, TextField,
};
use crate::format;
use crate::function::{CreateModel, SetModelEnabled, UpdateModel};
use crate::query::Params;
use crate::text::text;

/// The models, with what they can do and cost.
#[component]
pub(super) fn ModelTable(
    /// The models.
    models: Vec<ModelView>,
    /// What switches one on or off, and the workspace, for those who may.
    #[prop(optional_no_strip)]
    switch: Option<(ServerAction<SetModelEnabled>, Place)>,
) -> impl IntoView {
    let text = text();
    let changeable = switch.is_some();
    let row = |view: ModelView| {
        let ModelView { model, price } = view;
        let can: Vec<&str> = model.capabilities.iter().map(|capability| (text.word.capability)(*capability)).collect();
        let state = if model.enabled { ("succeeded", text.common.enabled) } else { ("paused", text.common.disabled) };
        let tokens = |count: Option<u64>| match count {
            Some(count) => format::count(count).into_any(),
            None => view! { <span class="none" title=text.common.unknown>"—"</span> }.into_any(),
        };
        let name = model.display_name.clone();
        let shown_name = (name != model.model_id).then_some(name);
        let switch = switch.clone().map(|(action, place)| {
            view! {
                <td class="cell-actions">
                    <div class="row">
                        <a class="btn btn--sm" href=Params::default().with("edit", &model.id.to_string()).here() data-noscroll="">
                            {text.common.edit}
                        </a>
                        <Switch action=action place=place model=model.clone() />
                    </div>
                </td>
            }
        });
        view! {
            <tr data-testid="model" data-state=state.0>
                <td data-label=text.common.status>
                    <StateMark state=state.0 label=state.1 />
                </td>
                <td data-label=text.models.reference class="cell-main">
                    <code class="id">{model.model_ref.clone()}</code>
                    <CopyButton text_to_copy=model.model_ref.clone() />
                    {shown_name.map(|name| view! { <span class="cell-sub">{name}</span> })}
                </td>
                <td data-label=text.models.can data-priority="3">
                    {can.join(", ")}
                </td>
                <td data-label=text.models.context class="num" data-priority="2">
                    {tokens(model.context_window)}
                </td>
                <td data-label=text.models.price class="num">
                    <PriceLine price=price />
                </td>
                {switch}
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards">
                <caption class="sr-only">{text.models.models}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.models.reference}</th>
                        <th scope="col" data-priority="3">
                            {text.models.can}
                        </th>
                        <th scope="col" class="num" data-priority="2">
                            {text.models.context}
                        </th>
                        <th scope="col" class="num">
                            {text.models.price}
                        </th>
                        {changeable
                            .then(|| {
                                view! {
                                    <th scope="col">
                                        <span class="sr-only">{text.common.edit}</span>
                                    </th>
                                }
                            })}
                    </tr>
                </thead>
                <tbody>{models.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Input and output rate of a price; without one, that it is unpriced.
#[component]
fn PriceLine(price: Option<Price>) -> impl IntoView {
    let models = &text().models;
    let Some(price) = price else {
        return view! {
            <span class="chip" data-tone="ask" title=models.unpriced_text>
                {models.unpriced}
            </span>
        }
        .into_any();
    };
    let rate = |class: UsageClass| {
        let rate = price.rates.get(&class).map(|rate| format::exact(price.currency, Amount::from(*rate)));
        rate.unwrap_or_else(|| "—".to_owned())
    };
    let title = format!("{}, {}: {}", models.input, models.output, models.per_million);
    view! { <span title=title>{format!("{} / {}", rate(UsageClass::Input), rate(UsageClass::Output))}</span> }
        .into_any()
}

#[component]
fn Switch(action: ServerAction<SetModelEnabled>, place: Place, model: Model) -> impl IntoView {
    let common = &text().common;
    let label = if model.enabled { common.disable } else { common.enable };
    let sends = place.sends([
        ("id", model.id.to_string()),
        ("version", model.version.to_string()),
        ("enabled", (!model.enabled).to_string()),
    ]);
    view! { <ButtonForm action=action sends=sends label=label look=Look::Small /> }.into_any()
}

/// The form that adds a model, with its price.
#[component]
pub(super) fn AddModel(
    /// The workspace.
    place: Place,
    /// The account, by its id.
    provider: String,
    /// What adds it.
    action: ServerAction<CreateModel>,
) -> impl IntoView {
    let text = text();
    view! {
        <Form action=action sends=place.sends([("provider", provider)])>
            <TextField
                field="model_id"
                label=text.models.model_id
                hint=text.models.model_id_hint
                mono=true
            />
            <Abilities present=None />
            <Rates inside="form[price]" optional=true />
            <FormActions label=text.models.add_model look=Look::Plain />
        </Form>
    }
    .into_any()
}

/// The form that changes a model. Its price is changed by adding a newer one.
#[component]
pub(super) fn EditModel(
    /// The workspace.
    place: Place,
    /// The model as it is.
    model: Model,
    /// What changes it.
    action: ServerAction<UpdateModel>,
    /// The page without the form.
    back: String,
) -> impl IntoView {
    let text = text();
    let sends = place.sends([("id", model.id.to_string()), ("version", model.version.to_string())]);
    view! {
        <Form action=action sends=sends>
            <Abilities present=Some(model) />
            <FormActions label=text.common.save look=Look::Plain back=back />
        </Form>
    }
    .into_any()
}

/// Name to show, what it can do, how much it takes: the same for a new model and a changed one.
#[component]
fn Abilities(present: Option<Model>) -> impl IntoView {
    let text = text();
    let capabilities = present.as_ref().map_or_else(
        || vec![Capability::Chat, Capability::Stream, Capability::Tools],
        |model| model.capabilities.clone(),
    );
    let all = Capability::ALL
        .iter()
        .map(|capability| (capability.to_string(), (text.word.capability)(*capability).to_owned()));
    let tokenizers = Tokenizer::ALL.iter().map(|tokenizer| match tokenizer {
        Tokenizer::Auto => (tokenizer.to_string(), text.models.tokenizer_auto.to_owned()),
        _ => (tokenizer.to_string(), tokenizer.to_string()),
    });
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    view! {
        <TextField
            field="display_name"
            label=text.models.display_name
            value=present.as_ref().map(|model| model.display_name.clone()).unwrap_or_default()
            optional=true
        />
        <ChecksField
            field="capabilities"
            label=text.models.can
            value=capabilities.iter().map(ToString::to_string).collect()
            options=all.collect()
        />
        <div class="field-row">
            <TextField
                field="context_window"
                label=text.models.context_window
                value=number(present.as_ref().and_then(|model| model.context_window))
                optional=true
                digits=true
                after=text.models.tokens
            />
            <TextField
                field="max_output_tokens"
                label=text.models.max_output
                value=number(present.as_ref().and_then(|model| model.max_output_tokens))
                optional=true
                digits=true
                after=text.models.tokens
            />
            <SelectField
                field="tokenizer"
                label=text.models.tokenizer
                hint=text.models.tokenizer_hint
                value=present.map_or(Tokenizer::Auto, |model| model.tokenizer).to_string()
                options=tokenizers.collect()
            />
        </div>
    }
    .into_any()
}

/// Currency and rates.
#[component]
pub(super) fn Rates(
    /// What holds the fields: `form` or a form inside it.
    #[prop(default = "form")]
    inside: &'static str,
    /// Whether input and output may stay empty.
    #[prop(optional)]
    optional: bool,
) -> impl IntoView {
    let text = text();
    let models = &text.models;
    let name = |field: &str| format!("{inside}[{field}]");
    view! {
        <fieldset class="form-section">
            <legend>{models.price}</legend>
            <p class="field-hint">{models.price_hint}</p>
            <div class="field-row">
                <TextField field="currency" name=name("currency") label=text.budgets.currency value="USD" mono=true optional=optional />
                <TextField field="input" name=name("input") label=models.input digits=true optional=optional />
                <TextField field="output" name=name("output") label=models.output digits=true optional=optional />
                <TextField field="cache_read" name=name("cache_read") label=models.cache_read digits=true optional=true />
                <TextField field="reasoning" name=name("reasoning") label=models.reasoning digits=true optional=true />
            </div>
        </fieldset>
    }
    .into_any()
}
