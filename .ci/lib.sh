# shellcheck shell=bash disable=SC2034 # its variables are read by the scripts that source it
# Shared by the scripts of this folder: where things lie, how messages look, what is undone at the end.
# Source it first: it stops at errors and moves to the root of the checkout.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/soit"
# Outside the checkout, so that every clone shares one set of compiled dependencies.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$CACHE/target}"
TOOLS="$CACHE/tools"
VENV="$TOOLS/python"
SITE="$CARGO_TARGET_DIR/site"
# The browser half has its own build: its features must never meet those of the server.
HOST_CRATES=(--workspace --exclude frontend)
WASM_TARGET=wasm32-unknown-unknown

SYSTEM_PATH="$PATH:$HOME/.cargo/bin"
export PATH="$TOOLS/bin:$VENV/bin:$SYSTEM_PATH"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "error: $*"
  exit 1
}

# step NAME COMMAND…: runs the command between two lines that name it and tell its time.
STEP=""
step() {
  local started=$SECONDS
  STEP="$1"
  say "==> $STEP"
  shift
  "$@"
  say "<== $STEP: $((SECONDS - started)) s"
  STEP=""
}

# at_exit FUNCTION: called when the script ends, however it ends; the last one named goes first.
CLEANUP=()
at_exit() { CLEANUP=("$1" "${CLEANUP[@]}"); }
finish() {
  local status=$? function
  trap - EXIT
  for function in "${CLEANUP[@]}"; do "$function" || true; done
  [[ $status -eq 0 || -z $STEP ]] || say "failed: $STEP"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

case "${WASM_STD:=auto}" in
  auto | rustup | debian) ;;
  *) fail "WASM_STD is \`$WASM_STD\`: use auto, rustup or debian" ;;
esac

# A digest of files, to tell whether what was made from them is still current.
digest() { sha256sum "$@" | sha256sum | cut -c1-16; }

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

rustup_std() {
  compgen -G "$(rustc --print sysroot)/lib/rustlib/$WASM_TARGET/lib/libstd-*.rlib" >/dev/null
}
debian_std() {
  [[ -x /usr/bin/rustc ]] && compgen -G "/usr/lib/rustlib/$WASM_TARGET/lib/libstd-*.rlib" >/dev/null
}

# Where the standard library for WebAssembly comes from: `rustup` or `debian`.
wasm_std() {
  if [[ $WASM_STD != auto ]]; then
    echo "$WASM_STD"
  elif ! rustup_std && debian_std; then
    echo debian
  else
    echo rustup
  fi
}

# wasm_cargo ARGUMENT…: the cargo that can build for the browser.
wasm_cargo() {
  if [[ $(wasm_std) == debian ]]; then cargo +debian-web "$@"; else cargo "$@"; fi
}
