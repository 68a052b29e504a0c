//! The binary `soit`.

use std::process::ExitCode;

/// Small objects made on one thread and freed on another are what a call is made of: the C library's allocator spent a
/// third of all time on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    server::command::run()
}
