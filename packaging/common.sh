# Shared by the scripts beside it: source it. Messages go to stderr, so that stdout stays for results.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/release"
torch_version=2.13.0
torch_venv="$root/.deps/torch-venv"
# The system's own CMake: one from pip or pyenv earlier on the PATH would look for packages elsewhere.
cmake=/usr/bin/cmake
ctest=/usr/bin/ctest

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

# Configures build/release once and builds it. A further call only builds what changed.
build_release() {
  local options=()
  if [ -n "${RECEIPTBENCH_LIBTORCH:-}" ]; then
    options+=("-DRECEIPTBENCH_LIBTORCH=$RECEIPTBENCH_LIBTORCH")
  fi
  (cd "$root" && "$cmake" --preset release "${options[@]}") >"$root/build/configure.log" 2>&1 ||
    { cat "$root/build/configure.log" >&2; fail "cannot configure, see above"; }
  "$cmake" --build "$build" --parallel "$(nproc)" >&2
}
