#!/usr/bin/env bash
# rootfs.sh BINARY DIR: lays the files of the runtime image into DIR/system and makes its data folder DIR/data.

set -euo pipefail
[[ $# -eq 2 ]] || {
  echo "usage: rootfs.sh BINARY DIR" >&2
  exit 2
}
binary="$1"
system="$2/system"

install -D -m 755 "$binary" "$system/soit"
install -d -m 700 "$2/data"
# Each shared library, the loader included, at the path where the binary looks for it.
ldd "$binary" | grep -o '/[^ ]*' | while read -r library; do
  install -D -m 755 "$(realpath "$library")" "$system$library"
done
python3 "$(dirname "$0")/licences.py" "$system/licences"
