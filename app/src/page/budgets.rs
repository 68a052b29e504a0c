//! Budgets: their table, and the forms that make and change one.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::budget::{Budget, BudgetStatus, Period, ScopeKind};
use types::id::{ApiKeyId, BudgetId};
use types::problem::{Code, Problem};

use crate::backend::List;
use crate::backend::budgets::BudgetView;
use crate::component::{
    BudgetMeter, ButtonForm, DeleteLink, Deletion, Empty, Form, FormActions, FormState, FormSummary, Icon, Page,
    PageHead, Paged, Place, SelectField, StateMark, SwitchField, TextField, Width, changes, params, switch_action,
    told_action, use_frame,
};
use crate::function::{CreateBudget, DeleteBudget, SetBudgetStatus, UpdateBudget, find_budget, list_key_names};
use crate::query::Params;
use crate::text::text;

/// An amount to show the form of one.
const EXAMPLE_AMOUNT: &str = "10";

/// The budgets.
#[component]
pub(super) fn BudgetList(place: Place, budgets: List<BudgetView>, params: Params) -> impl IntoView {
    let text = text();
    if budgets.total == 0 {
        let create = place.may("budget.create").then(|| {
            view! {
                <a class="btn" href=place.at.new_budget()>
                    {text.budgets.new}
                </a>
            }
        });
        return view! {
            <Empty icon=Icon::Wallet title=text.budgets.empty text=text.budgets.empty_text>
                {create}
            </Empty>
        }
        .into_any();
    }
    let rows = |budgets: Vec<BudgetView>| view! { <Table place=place budgets=budgets /> }.into_any();
    view! { <Paged list=budgets params=params rows=rows /> }.into_any()
}

#[component]
fn Table(place: Place, budgets: Vec<BudgetView>) -> impl IntoView {
    let text = text();
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="budgets">
                <caption class="sr-only">{text.budgets.tab}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.common.name}</th>
                        <th scope="col">{text.budgets.scope}</th>
                        <th scope="col">{text.budgets.period}</th>
                        <th scope="col">{text.budgets.spent}</th>
                        <th scope="col" data-priority="2">
                            {text.budgets.at_limit}
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {budgets.into_iter().map(|view| view! { <Row place=place.clone() view=view /> }).collect_view()}
                </tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(place: Place, view: BudgetView) -> impl IntoView {
    let text = text();
    let budget = view.budget.clone();
    let name = budget.name.to_string();
    let title = if place.may("budget.update") {
        let href = place.at.budget(budget.id);
        view! {
            <a class="row-link" href=href>
                {name}
            </a>
        }
        .into_any()
    } else {
        name.into_any()
    };
    view! {
        <tr data-testid="budget" data-state=budget.status.as_str()>
            <td data-label=text.common.status>
                <BudgetState status=budget.status />
            </td>
            <td data-label=text.common.name class="cell-main">
                {title}
            </td>
            <td data-label=text.budgets.scope>{bound(&view)}</td>
            <td data-label=text.budgets.period>{(text.word.period)(budget.period)}</td>
            <td data-label=text.budgets.spent class="cell-limit">
                <BudgetMeter view=view nameless=true />
            </td>
            <td data-label=text.budgets.at_limit data-priority="2">
                {if budget.hard_stop { text.budgets.refuses } else { text.budgets.alerts_only }}
            </td>
        </tr>
    }
    .into_any()
}

/// What a budget binds, in words.
fn bound(view: &BudgetView) -> String {
    let kind = (text().word.budget_scope)(view.budget.scope_kind);
    match &view.scope_name {
        Some(name) => format!("{kind} {name}"),
        None => kind.to_owned(),
    }
}

#[component]
fn BudgetState(status: BudgetStatus) -> impl IntoView {
    let common = &text().common;
    match status {
        BudgetStatus::Active => view! { <StateMark state="succeeded" label=common.enabled /> },
        BudgetStatus::Disabled => view! { <StateMark state="paused" label=common.disabled /> },
    }
}

/// The form of a new budget.
#[component]
pub(crate) fn NewBudget() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let keys = frame.resource(|| (), |slug, ()| list_key_names(slug));
    frame.page(keys, move |place, keys| {
        view! { <Create place=place keys=keys scope=params.with_untracked(|params| params.get("scope").unwrap_or("workspace").to_owned()) /> }
    })
}

#[component]
fn Create(place: Place, keys: Vec<(ApiKeyId, String)>, scope: String) -> impl IntoView {
    let text = text();
    let action = told_action::<CreateBudget>(text.common.told_created);
    let key = |(id, name): &(ApiKeyId, String)| (format!("api_key:{id}"), (text.budgets.scope_key)(name));
    let workspace = ("workspace".to_owned(), (text.word.budget_scope)(ScopeKind::Workspace).to_owned());
    let scopes = std::iter::once(workspace).chain(keys.iter().map(key)).collect();
    let periods =
        Period::ALL.iter().map(|period| (period.to_string(), (text.word.period)(*period).to_owned())).collect();
    view! {
        <Page width=Width::Narrow>
            <PageHead title=text.budgets.new above=Some((text.budgets.tab, place.at.budgets())) />
            <Form action=action sends=place.sends([])>
                <TextField field="name" label=text.common.name />
                <SelectField field="scope" label=text.budgets.scope value=scope options=scopes />
                <div class="field-row">
                    <TextField field="amount" label=text.budgets.amount digits=true placeholder=EXAMPLE_AMOUNT />
                    <TextField
                        field="currency"
                        label=text.budgets.currency
                        hint=text.budgets.currency_hint
                        value="USD"
                        mono=true
                    />
                </div>
                <SelectField
                    field="period"
                    label=text.budgets.period
                    hint=text.budgets.period_hint
                    value=Period::Month.as_str()
                    options=periods
                />
                <Limits hard_stop=true thresholds="50, 80, 100".to_owned() />
                <FormActions label=text.budgets.create back=place.at.budgets() />
            </Form>
        </Page>
    }
    .into_any()
}

#[component]
fn Limits(hard_stop: bool, thresholds: String) -> impl IntoView {
    let budgets = &text().budgets;
    view! {
        <SwitchField
            field="hard_stop"
            label=budgets.hard_stop
            hint=budgets.hard_stop_hint
            on=hard_stop
        />
        <TextField
            field="thresholds"
            label=budgets.thresholds
            hint=budgets.thresholds_hint
            value=thresholds
            optional=true
        />
    }
    .into_any()
}

/// The form that changes a budget.
#[component]
pub(crate) fn EditBudget() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let path = use_params_map();
    let id =
        Memo::new(move |_| path.with(|path| path.get_str("budget").and_then(|text| text.parse::<BudgetId>().ok())));
    let slug = frame.slug();
    let status = switch_action::<SetBudgetStatus>(
        |budget| budget.status == BudgetStatus::Active,
        move |budget| {
            let Budget { id, version, status, .. } = *budget;
            let status = match status {
                BudgetStatus::Active => BudgetStatus::Disabled,
                BudgetStatus::Disabled => BudgetStatus::Active,
            };
            slug.get_untracked().map(|workspace| SetBudgetStatus { workspace, id, version, status })
        },
    );
    let action = told_action::<UpdateBudget>(text().common.saved);
    let moves = (changes(status), changes(action));
    let budget = frame.resource(
        move || (id.get(), moves.0.get() + moves.1.get()),
        |slug, (id, _)| async move {
            match id {
                Some(id) => find_budget(slug, id).await,
                None => Err(Problem::new(Code::NotFound, "no such budget").into()),
            }
        },
    );
    frame.page(
        budget,
        move |place, view| view! { <Edit place=place view=view status=status action=action params=params /> },
    )
}

#[component]
fn Edit(
    place: Place,
    view: BudgetView,
    status: ServerAction<SetBudgetStatus>,
    action: ServerAction<UpdateBudget>,
    params: Memo<Params>,
) -> impl IntoView {
    let text = text();
    let budget = view.budget.clone();
    let name = budget.name.to_string();
    let meta = format!("{} · {}", bound(&view), (text.word.period)(budget.period));
    let beside = view! { <BudgetState status=budget.status /> };
    let (next, label) = match budget.status {
        BudgetStatus::Active => (BudgetStatus::Disabled, text.common.disable),
        BudgetStatus::Disabled => (BudgetStatus::Active, text.common.enable),
    };
    let delete = told_action::<DeleteBudget>(text.common.told_deleted);
    let id = ("id", budget.id.to_string());
    let switch = place.sends([id.clone(), ("version", budget.version.to_string()), ("status", next.to_string())]);
    view! {
        <Page width=Width::Narrow>
            <PageHead
                title=name.clone()
                above=Some((text.budgets.tab, place.at.budgets()))
                beside=Some(beside.into_any())
                meta=Some(meta.into_any())
            >
                <ButtonForm action=status sends=switch label=label />
            </PageHead>
            <FormSummary form=FormState::of(status) />
            <BudgetMeter view=view nameless=true />
            <Change place=place.clone() budget=budget action=action params=params />
            <Deletion
                params=params
                title=(text.budgets.delete_question)(&name)
                meaning=text.budgets.delete_text
                name=name
                action=delete
                sends=place.sends([id])
            />
        </Page>
    }
    .into_any()
}

#[component]
fn Change(place: Place, budget: Budget, action: ServerAction<UpdateBudget>, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let thresholds: Vec<String> = budget.thresholds.iter().map(ToString::to_string).collect();
    let sends = place.sends([("id", budget.id.to_string()), ("version", budget.version.to_string())]);
    view! {
        <Form action=action sends=sends>
            <TextField field="name" label=text.common.name value=budget.name.to_string() />
            <TextField
                field="amount"
                label=text.budgets.amount
                value=budget.amount.to_string()
                digits=true
                after=budget.currency.to_string()
            />
            <Limits hard_stop=budget.hard_stop thresholds=thresholds.join(", ") />
            <FormActions label=text.common.save back=place.at.budgets()>
                {place.may("budget.delete").then(|| view! { <DeleteLink params=params /> })}
            </FormActions>
        </Form>
    }
    .into_any()
}
