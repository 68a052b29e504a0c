//! The runs that go on in this process, and the way to tell one of them to end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::Shared;
use types::id::RunId;

use super::Gateway;

/// Resolves when the run is to end.
pub(super) type Canceled = Shared<oneshot::Receiver<()>>;

/// The runs that go on in this process.
#[derive(Clone, Debug, Default)]
pub(super) struct Flights(Arc<Mutex<HashMap<RunId, oneshot::Sender<()>>>>);

impl Flights {
    /// A run is about to go on here; it may be told to end from now on.
    pub(super) fn enter(&self, id: RunId) -> (InFlight, Canceled) {
        let (cancel, canceled) = oneshot::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, cancel);
        (InFlight { flights: self.clone(), id }, canceled.shared())
    }

    /// Tells a run to end, if it goes on here.
    fn cancel(&self, id: RunId) {
        let flight = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        // One that is over at this moment needs no telling.
        let _ = flight.map(|flight| flight.send(()));
    }
}

/// A run that goes on here; dropping it says that it does not any more.
#[derive(Debug)]
pub(super) struct InFlight {
    flights: Flights,
    id: RunId,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.flights.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

impl Gateway {
    /// Cuts a run that goes on in this process; nothing where it does not. Its end says that it was canceled.
    pub fn cut(&self, id: RunId) {
        self.flights.cancel(id);
    }
}
