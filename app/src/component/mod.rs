//! What pages are made of. Each component keeps to the markup of `style/README.md`, says its state in `data-state`, and is
//! shown in every state on `/ui/kit`.
//!
//! Components know texts, formats and routes, but no backend: what they show is handed to them.

mod chart;
mod clock;
mod code;
mod confirm;
mod content;
mod drawer;
mod empty;
mod failure;
mod field;
mod filter;
mod form;
mod frame;
mod icon;
mod id;
mod live;
mod meter;
mod money;
mod notice;
mod page;
mod pager;
mod palette;
mod panel;
mod session_ended;
mod shell;
mod snippet;
mod status;
mod step_up;
mod tabs;
mod toast;
mod tree;
mod unsent;

pub(crate) use chart::{OutcomeChart, OutcomeLegend, OutcomeTable};
pub(crate) use clock::{Away, Elapsed, Moment, RunDuration, now, provide_clock};
pub(crate) use code::Code;
pub(crate) use confirm::{Confirm, ConfirmActions, ConfirmByName, DeleteLink, Deletion};
pub(crate) use content::{ContentView, ErrorNotice};
pub(crate) use drawer::{Drawer, opens_list};
pub(crate) use empty::Empty;
pub(crate) use failure::{Failure, NotFound, Nowhere};
pub(crate) use field::{ChecksField, ChoiceField, SelectField, SwitchField, TextField};
pub(crate) use filter::{Choice, Facet, FilterBar, HiddenParams, RangePicker};
pub(crate) use form::{ButtonForm, Disclosure, Form, FormActions, FormState, FormSummary, Look, Sent, Submit, changes};
pub(crate) use frame::{Frame, Place, params, use_frame};
pub(crate) use icon::{BrandMark, Icon, IconView};
pub(crate) use id::{CopyButton, Id};
pub(crate) use live::{LiveIndicator, StreamIndicator, provide_live, use_live};
pub(crate) use meter::{BudgetMeter, LimitMeter};
pub(crate) use money::{Cost, MoneyList};
pub(crate) use notice::{Banner, Notice, Tone};
pub(crate) use page::{Page, PageHead, Width};
pub(crate) use pager::{Paged, Pager};
pub(crate) use palette::Palette;
pub(crate) use panel::{Loading, panel};
pub(crate) use shell::ShellView;
pub(crate) use snippet::Snippets;
pub(crate) use status::{RunStatusView, StateMark, StepStatusView, Verdict, VerdictView};
pub(crate) use step_up::StepUpForm;
pub(crate) use tabs::{Tab, Tabs};
pub(crate) use toast::{ToastList, provide_toasts, switch_action, told_action};
pub(crate) use tree::{StepTree, step_icon, step_subject};
pub(crate) use unsent::UnsentGuard;
