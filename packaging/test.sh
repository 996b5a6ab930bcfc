#!/usr/bin/env bash
# Sets up, builds and runs every test. More arguments go to ctest, e.g. -R contract.
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
"$root/packaging/setup.sh"
build_release
# Tests with Torch use two threads each.
jobs=$(($(nproc) / 2))
exec "$ctest" --test-dir "$build" --output-on-failure --parallel "$((jobs > 0 ? jobs : 1))" "$@"
