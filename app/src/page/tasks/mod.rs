//! `/tasks`: work that outlives its request, and one task.

mod detail;
mod list;

use leptos::prelude::*;
use types::task::{Task as Record, TaskStatus};

use crate::component::StateMark;
use crate::format;
use crate::text::text;

pub(crate) use detail::Task;
pub(crate) use list::Tasks;

/// Where a task stands.
#[component]
fn TaskStatusView(
    /// The state.
    status: TaskStatus,
    /// With a soft ground, for heads.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    view! { <StateMark state=status.as_str() label=(text().tasks.status)(status) chip=chip /> }.into_any()
}

/// How far a task is: so many, of so many where that is known.
fn progress_of(task: &Record) -> Option<String> {
    let progress = task.progress.as_ref()?;
    let done = format::count(progress.done);
    Some(progress.total.map_or_else(|| done.clone(), |total| (text().tasks.of)(&done, &format::count(total))))
}

/// Attempts so far, and how many there may be.
fn attempts_of(task: &Record) -> String {
    (text().tasks.of)(&format::count(task.attempts.into()), &format::count(task.max_attempts.into()))
}
