//! Samples of controls: buttons, forms, filters, tabs.

use leptos::context::Provider;
use leptos::prelude::*;

use super::Theme;
use super::data::refusal;
use crate::component::{
    Choice, ChoiceField, Facet, FilterBar, FormState, FormSummary, Icon, IconView, Look, RangePicker, SelectField,
    Submit, SwitchField, Tab, Tabs, TextField,
};
use crate::query::{Params, RUN_FILTERS, Range, Span};
use crate::text::text;

pub(super) fn buttons(_: Theme) -> AnyView {
    let text = text();
    let looks = [
        (Look::Primary, text.keys.create),
        (Look::Plain, text.common.cancel),
        (Look::Small, text.common.disable),
        (Look::Danger, text.keys.revoke),
    ];
    view! {
        {looks.map(|(look, label)| view! { <Submit label=label look=look /> }).collect_view()}
        <button class="btn btn--danger" type="button">
            {text.common.delete}
        </button>
        <button class="btn btn--quiet" type="button">
            {text.common.back}
        </button>
        <button class="btn btn--icon" type="button" aria-label=text.common.copy>
            <IconView icon=Icon::Copy />
        </button>
        <button class="btn" type="button" disabled=true>
            {text.common.save}
        </button>
        <span class="reason">{text.settings.read_only}</span>
        <button class="btn" type="button" aria-busy="true">
            {text.common.save}
        </button>
        <a class="link" href="#main">
            {text.home.all_runs}
        </a>
    }
    .into_any()
}

pub(super) fn form(theme: Theme) -> AnyView {
    let text = text();
    let refused = FormState::refused(refusal().into());
    // Ids on the two sides must differ: fields are told apart by their own names.
    let [name, amount, period, scope, stop] = match theme {
        Theme("light") => ["name", "amount", "period", "scope", "stop"],
        _ => ["dark-name", "dark-amount", "dark-period", "dark-scope", "dark-stop"],
    };
    let choices = vec![
        ("read".to_owned(), (text.word.scope)(types::identity::Scope::Read).to_owned(), text.keys.limits.to_owned()),
        ("write".to_owned(), (text.word.scope)(types::identity::Scope::Write).to_owned(), text.keys.models.to_owned()),
    ];
    let periods =
        types::budget::Period::ALL.iter().map(|period| (period.to_string(), (text.word.period)(*period).to_owned()));
    view! {
        <div class="form">
            <FormSummary form=refused />
            <Provider value=refused>
                <TextField field=name label=text.common.name hint=text.keys.name_hint />
            </Provider>
            <div class="field-row">
                <TextField field=amount label=text.budgets.amount value="10" digits=true after="USD" />
                <SelectField field=period label=text.budgets.period value="day" options=periods.collect() />
            </div>
            <ChoiceField field=scope label=text.keys.scope value="write" options=choices />
            <SwitchField field=stop label=text.budgets.hard_stop hint=text.budgets.hard_stop_hint on=true />
        </div>
    }
    .into_any()
}

pub(super) fn filters(_: Theme) -> AnyView {
    let text = text();
    let statuses = types::run::RunStatus::ALL.iter().zip([Some("12"), Some("1,204"), None].into_iter().cycle());
    let statuses = statuses.map(|(status, count)| {
        Choice::new(status.as_str(), (text.word.run_status)(*status)).counted(count.map(str::to_owned))
    });
    let facets = vec![Facet { name: "f.status", label: text.common.status, options: statuses.collect() }];
    let params = Params::parse("f.status=!failed,running");
    let range =
        view! { <RangePicker path=String::new() params=params.clone() range=Range::default() spans=&Span::ALL /> };
    let tab = |label: &'static str, current: bool, count: Option<&str>| Tab {
        label,
        href: "#main".to_owned(),
        current,
        count: count.map(str::to_owned),
    };
    let tabs = vec![
        tab(text.run.view_tree, true, Some("7")),
        tab(text.run.view_timeline, false, None),
        tab(text.run.view_log, false, Some("1,204")),
    ];
    view! {
        <FilterBar path=String::new() params=params facets=facets names=RUN_FILTERS end=range.into_any() />
        <Tabs label=text.run.views tabs=tabs />
    }
    .into_any()
}
