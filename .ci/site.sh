#!/usr/bin/env bash
# Builds what browsers load into $CARGO_TARGET_DIR/site: the browser half of the console, its styles, the public files.

source "$(dirname "$0")/lib.sh"

wasm="$CARGO_TARGET_DIR/$WASM_TARGET/wasm/frontend.wasm"
bindgen="$CARGO_TARGET_DIR/site-bindgen"

# With names and relocations: `soit-bindgen` cuts the parts along them, and leaves neither in what browsers load.
wasm_cargo rustc --package frontend --lib --target "$WASM_TARGET" --profile wasm -- -Clink-arg=--emit-relocs -Cstrip=none

key="$(digest "$wasm" "$TOOLS/bin/soit-bindgen")"
if [[ ! -f $bindgen.key || $(<"$bindgen.key") != "$key" ]]; then
  rm -rf "$bindgen" "$bindgen.key"
  soit-bindgen Cargo.lock "$wasm" "$bindgen" soit
  printf '%s' "$key" >"$bindgen.key"
fi

python3 .ci/site.py "$bindgen" "$SITE"
