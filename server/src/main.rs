//! The binary `soit`.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::command::run()
}
