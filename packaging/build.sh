#!/usr/bin/env bash
# Sets up and builds the Release version in build/release.
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
"$root/packaging/setup.sh"
build_release
