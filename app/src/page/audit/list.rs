//! The list.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use types::audit::{AuditEntry, AuditFilter, AuditQuery, Outcome};
use types::run::CallerKind;
use types::view::ViewPage;

use super::chain::{Chain, asks, without_check};
use crate::backend::audit::{AuditList, ChainView};
use crate::backend::set_status;
use crate::component::{
    AddressNotices, Choice, Empty, ExportMenu, Facet, FilterBar, Icon, Loading, Moment, NoMatch, Page, PageHead, Pager,
    RangePages, RangePicker, StateMark, Views, ViewsMenu, callers, counted, params, use_frame,
};
use crate::format;
use crate::function::{find_chain, list_audit};
use crate::query::{AUDIT_FILTERS, Params, Range, Span, TimeQuery};
use crate::route::{self, At};
use crate::text::text;
use crate::visit::visit;

/// Who did what.
#[component]
pub(crate) fn Audit() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let visit = visit();
    let query = Memo::new(move |_| TimeQuery::read_audit(&params.get(), &visit.zone));
    if query.with_untracked(|query| !query.beyond.is_empty()) {
        set_status(400);
    }
    let list = frame.resource(
        move || query.with(|query| (query.range, query.query.clone())),
        |slug, (range, query)| list_audit(slug, range, query),
    );
    let chain = frame.resource(move || params.with(asks), find_chain);
    let views = Views::of(frame, ViewPage::Audit, params);
    views.page(frame, list, move |menu, list| {
        view! {
            <Shown menu=menu list=list query=query.get_untracked() params=params.get_untracked() chain=chain />
        }
        .into_any()
    })
}

#[component]
fn Shown(
    menu: ViewsMenu,
    list: AuditList,
    query: TimeQuery<AuditQuery>,
    params: Params,
    chain: Loading<ChainView>,
) -> impl IntoView {
    let params = without_check(params);
    let at = menu.place().at.clone();
    let path = at.audit();
    let filtered = query.is_filtered() || query.query.cursor.is_some();
    let TimeQuery { range, wrong, beyond, .. } = query;
    let cursor = list.page.next_cursor.as_deref();
    let RangePages { anew, newest, older } =
        RangePages::new(&path, params.clone(), range, (list.from, list.to), cursor);
    let shown = counted(list.page.items.len());
    let place = menu.place();
    let export = place.may("export.audit").then(|| {
        let slug = place.shell.workspace.slug.to_string();
        view! { <ExportMenu path=route::AUDIT_EXPORT slug=slug params=anew.clone() /> }
    });
    // Whoever may take all of it out may read all of it.
    let proof = place.may("export.audit").then(|| route::chain_proof(&place.shell.workspace.slug));
    let callers = callers(&list.names);
    let rows = if list.page.items.is_empty() {
        view! { <Nothing at=at filtered=filtered /> }.into_any()
    } else {
        view! {
            <Table at=at entries=list.page.items names=list.names />
            <Pager info=shown newest=newest older=older />
        }
        .into_any()
    };
    view! {
        <Page>
            <PageHead title=text().audit.title>{menu.menu()} {export}</PageHead>
            <AddressNotices wrong=wrong beyond=beyond most=AuditFilter::MOST_VALUES cursor_refused=list.cursor_refused />
            <Chain chain=chain params=params proof=proof />
            <Filters path=path params=anew range=range callers=callers />
            {rows}
        </Page>
    }
    .into_any()
}

#[component]
fn Filters(path: String, params: Params, range: Range, callers: Vec<Choice>) -> impl IntoView {
    let text = text();
    let outcome = |outcome: &Outcome| Choice::new(outcome.as_str(), (text.word.outcome)(*outcome));
    let kind = |kind: &CallerKind| Choice::new(kind.as_str(), (text.word.caller)(*kind));
    let facet = |name, label, options| Facet { name, label, options };
    let facets = vec![
        facet("f.outcome", text.audit.outcome, Outcome::ALL.iter().map(outcome).collect()),
        facet("f.kind", text.audit.actor_kind, CallerKind::ALL.iter().map(kind).collect()),
        facet("f.actor", text.audit.actor, callers),
        // What has too many values for a menu is chosen on a row.
        facet("f.type", text.audit.resource_type, Vec::new()),
        facet("f.object", text.audit.resource, Vec::new()),
        facet("f.action", text.audit.operation, Vec::new()),
        facet("f.event", text.audit.event, Vec::new()),
        facet("f.address", text.audit.address, Vec::new()),
        facet("f.run", text.audit.run, Vec::new()),
    ];
    let picker = view! { <RangePicker path=path.clone() params=params.clone() range=range spans=&Span::ALL /> };
    view! { <FilterBar path=path params=params facets=facets names=AUDIT_FILTERS end=picker.into_any() /> }.into_any()
}

#[component]
fn Nothing(at: At, filtered: bool) -> impl IntoView {
    let audit = &text().audit;
    if filtered {
        return view! { <NoMatch title=audit.no_match hint=audit.no_match_text all=at.audit() /> }.into_any();
    }
    let wider = Range::Last(Span::QUARTER).write(Params::default()).at(&at.audit());
    view! {
        <Empty icon=Icon::Audit title=audit.empty text=audit.empty_text>
            <a class="btn" href=wider>
                {audit.wider}
            </a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Table(at: At, entries: Vec<AuditEntry>, names: BTreeMap<String, String>) -> impl IntoView {
    let audit = &text().audit;
    let names = Arc::new(names);
    let row = |entry: AuditEntry| view! { <Row at=at.clone() entry=entry names=names.clone() /> };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="audit">
                <caption class="sr-only">{audit.title}</caption>
                <thead>
                    <tr>
                        <th scope="col">{audit.outcome}</th>
                        <th scope="col">{audit.event}</th>
                        <th scope="col">{audit.actor}</th>
                        <th scope="col">{audit.resource}</th>
                        <th scope="col" data-priority="3">
                            {audit.address}
                        </th>
                        <th scope="col" class="num">
                            {audit.when}
                        </th>
                    </tr>
                </thead>
                <tbody>{entries.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(at: At, entry: AuditEntry, names: Arc<BTreeMap<String, String>>) -> impl IntoView {
    let audit = &text().audit;
    let actor = actor(&entry, names.get(&entry.actor.id));
    let object = object(&entry, &names);
    view! {
        <tr data-testid="audit-entry" data-state=entry.outcome.as_str()>
            <td data-label=audit.outcome>
                <OutcomeMark outcome=entry.outcome />
            </td>
            <td data-label=audit.event class="cell-main">
                <a class="row-link" href=at.audit_entry(entry.seq)>
                    {entry.event_type}
                </a>
            </td>
            <td data-label=audit.actor>{actor}</td>
            <td data-label=audit.resource>
                {(audit.object)(&entry.resource.kind).to_owned()} " " {object}
            </td>
            <td data-label=audit.address data-priority="3">
                {entry.address}
            </td>
            <td data-label=audit.when class="num">
                <Moment at=entry.occurred_at />
            </td>
        </tr>
    }
    .into_any()
}

/// Who did it: a name where one is known, else the id; of soit itself, which part of it.
pub(in crate::page) fn actor(entry: &AuditEntry, name: Option<&String>) -> String {
    let text = text();
    let kind = (text.word.caller)(entry.actor.kind);
    match (name, entry.actor.kind) {
        (Some(name), _) => name.clone(),
        (None, CallerKind::System) => format!("{kind} {}", (text.audit.part)(&entry.actor.id)),
        (None, _) => format!("{kind} {}", format::short_id(&entry.actor.id)),
    }
}

/// To what it was done: its name where one is known, else its id.
fn object(entry: &AuditEntry, names: &BTreeMap<String, String>) -> AnyView {
    let id = entry.resource.id.clone();
    match names.get(&id).cloned() {
        Some(name) => view! { <span title=id>{name}</span> }.into_any(),
        None => {
            let short = format::short_id(&id);
            view! {
                <code class="id" title=id>
                    {short}
                </code>
            }
            .into_any()
        }
    }
}

/// What it came to.
#[component]
pub(super) fn OutcomeMark(
    /// The outcome.
    outcome: Outcome,
    /// With a soft ground, for heads.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    let state = match outcome {
        Outcome::Allowed | Outcome::Done => "succeeded",
        Outcome::Denied => "canceled",
        Outcome::Failed => "failed",
    };
    view! { <StateMark state=state label=(text().word.outcome)(outcome) chip=chip /> }.into_any()
}
