//! The words soit is spoken in: typed ids, money, problems, commands in and views out.
//!
//! Everything here compiles for the browser too. Invariant: no behaviour beyond parsing, formatting and exact
//! arithmetic; rules live in `kernel`. Start at [`id`], then [`run`].

mod word;

pub mod access;
pub mod account;
pub mod artifact;
pub mod audit;
pub mod budget;
pub mod chain;
pub mod compare;
pub mod cost;
pub mod egress;
pub mod export;
pub mod feedback;
pub mod id;
pub mod identity;
pub mod key;
pub mod member;
pub mod mfa;
pub mod modelhub;
pub mod money;
pub mod name;
pub mod observe;
pub mod outbox;
pub mod page;
mod patch;
pub mod problem;
pub mod replay;
pub mod retention;
pub mod run;
mod run_query;
pub mod search;
pub mod sso;
pub mod task;
pub mod tenant;
pub mod usage;
pub mod view;
