//! What the domain needs from the world: one trait a file, each fulfilled by an adapter and by a fake of the test kit.

mod audits;
mod catalog;
mod claims;
mod clock;
mod directory;
mod egress;
mod ledger;
mod lifecycle;
mod limits;
mod live;
mod outbox;
mod password;
mod process;
mod provider;
mod runs;
mod safety;
mod seal;
mod tokenizer;

pub use audits::Audits;
pub use catalog::{Catalog, Snapshot};
pub use claims::{Claims, DeadClaim};
pub use clock::{Clock, Ids, Spawner};
pub use directory::{Account, Directory, KeyLookup, SessionLookup};
pub use egress::{ResolveError, Resolver};
pub use ledger::{CommitObserver, Committed, Ledger};
pub use lifecycle::Lifecycle;
pub use limits::{LimitDecision, Limits};
pub use live::{Heard, Live, LiveEvent, Subject};
pub use outbox::{Delivery, FoundDelivery, Lag, Outbox};
pub use password::{HashError, PasswordHasher};
pub use process::{DeadWork, OpenCall, ProcessRow, Processes};
pub use provider::{Answer, BuiltinModel, BuiltinModels, ModelCall, ModelProvider, UpstreamError, UpstreamKind, Wire};
pub use runs::{EventRange, RunGroup, RunTally, Runs, StoreError, bucket_seconds, empty_buckets};
pub use safety::{ContentSafety, SafetyVerdict};
pub use seal::{SealError, Sealer};
pub use tokenizer::Tokenizer;
