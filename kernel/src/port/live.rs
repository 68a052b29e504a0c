//! What readers see while it happens. Stored events are the truth; this only wakes and carries deltas.

use futures::stream::BoxStream;
use types::id::RunId;
use types::observe::Hint;
use types::run::RunEvent;

use crate::context::Scope;

/// Something live.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveEvent {
    /// A stored event of a run.
    Stored(RunEvent),
    /// Text that is not stored: its characters so far, and the new ones.
    Delta {
        /// The run.
        run_id: RunId,
        /// Characters sent before this delta.
        chars: u64,
        /// The new text.
        text: String,
    },
    /// A run changed in some way.
    RunChanged(Scope, RunId),
    /// Something else of the workspace changed.
    Changed(Scope, Hint),
}

/// What a reader listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// `Stored`, `Delta` and `RunChanged` of one run.
    Run(RunId),
    /// `RunChanged` and `Changed` of a workspace.
    Workspace(Scope),
}

/// What a reader hears.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// An event, in the order of publishing.
    Event(LiveEvent),
    /// The store may hold more of the run than was told.
    More,
    /// The reader was slow and events are lost: the store knows what they were.
    Lagged,
}

/// Fans live events out to whoever listens. Never waits, never fails: a slow reader goes on from the store.
pub trait Live: Send + Sync {
    /// Sends to the readers of this process (and others, where a bus is configured).
    fn publish(&self, event: LiveEvent);
    /// Whether anybody listens here, so that what nobody wants costs nothing.
    fn has_listeners(&self, to: Subject) -> bool;
    /// Hears everything published from this moment on; ends when the process stops. Dropping it ends it.
    fn listen(&self, to: Subject) -> BoxStream<'static, Heard>;
}
