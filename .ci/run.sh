#!/usr/bin/env bash
# Builds soit and runs it in the foreground; arguments go to it.

source "$(dirname "$0")/lib.sh"

.ci/build.sh quick
exec "$CARGO_TARGET_DIR/quick/soit" "$@"
