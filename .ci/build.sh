#!/usr/bin/env bash
# build.sh [release|quick]: builds the binary with the console inside, at $CARGO_TARGET_DIR/PROFILE/soit.

source "$(dirname "$0")/lib.sh"

profile="${1:-release}"

step "setup" .ci/setup.sh build
step "console" .ci/site.sh
# Read while compiling, by the feature that puts the folder into the binary.
SOIT_SITE_DIR="$SITE" step "server" cargo build --package server --features embed --profile "$profile"
say "built $CARGO_TARGET_DIR/$profile/soit"
