#!/usr/bin/env bash
# Everything that can be said about the code without running it.

source "$(dirname "$0")/lib.sh"

# The reader is who works on the code, so private items are part of it.
documentation() {
  RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc "${HOST_CRATES[@]}" --no-deps --document-private-items
}

step "setup" .ci/setup.sh check
step "scripts" shellcheck -x .ci/*.sh .ci/run
step "format" cargo fmt --all --check
step "format, bindgen" cargo fmt --manifest-path frontend/bindgen/Cargo.toml --check
step "clippy, server" cargo clippy --locked "${HOST_CRATES[@]}" --all-targets -- -D warnings
# As `make build` compiles it: with files inside.
SOIT_SITE_DIR="$PWD/public" step "clippy, release features" cargo clippy "${HOST_CRATES[@]}" --features server/embed -- -D warnings
# The profile of the real build, so that both share what runs while compiling.
step "clippy, browser" wasm_cargo clippy --package frontend --target "$WASM_TARGET" --profile wasm -- -D warnings
step "clippy, bindgen" cargo clippy --locked --manifest-path frontend/bindgen/Cargo.toml \
  --target-dir "$CARGO_TARGET_DIR/bindgen" --all-targets -- -D warnings
step "documentation" documentation
step "dependencies" cargo deny --log-level warn check bans licenses sources
step "unused dependencies" cargo machete
step "compose" .ci/compose.sh
