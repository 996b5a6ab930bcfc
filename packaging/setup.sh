#!/usr/bin/env bash
# Sets up what is missing: packages through apt, and LibTorch. A second run finds nothing to do.
#   RECEIPTBENCH_LIBTORCH=DIR  use this LibTorch (a pip wheel's torch folder or an unpacked zip) and install none
#   RECEIPTBENCH_PIP_ARGS      more arguments for pip, e.g. an index with CPU-only builds
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

least_torch=2.6

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install PACKAGE...: through apt, with sudo only when not root.
install() {
  local prefix=()
  say "Installing $# packages: $*"
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      fail "these packages are missing and neither root nor sudo is at hand. Have them installed:
  apt-get install --no-install-recommends $*"
    fi
    prefix=(sudo)
  fi
  "${prefix[@]}" apt-get update -qq >&2
  "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >"$root/.deps/apt.log" 2>&1 || {
    tail -n 20 "$root/.deps/apt.log" >&2
    fail "apt could not install the packages above; these are needed:
  apt-get install --no-install-recommends $*"
  }
}

install_packages() {
  local wanted here missing=()
  mapfile -t wanted < <(grep -v '^#' "$root/packaging/debian-packages.txt")
  # It fails when it knows one of them not at all; the others are told nevertheless.
  here=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
  mapfile -t missing < <(printf '%s\n' "${wanted[@]}" | grep -vxF -e "$here" || true)
  if [ ${#missing[@]} -gt 0 ]; then
    install "${missing[@]}"
  fi
}

# Debian 13's own package is new enough, Debian 12's is not.
system_torch_version() {
  if installed libtorch-dev; then
    dpkg-query -W -f='${Version}' libtorch-dev
  else
    LC_ALL=C apt-cache policy libtorch-dev 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" {print $2}'
  fi
}

pip_install() { "$torch_venv/bin/python" -m pip install --quiet ${RECEIPTBENCH_PIP_ARGS:-} "$@" >&2; }

# Only the shared objects and headers are used. The CPU wheel needs none of torch's Python dependencies; a CUDA
# wheel's libraries load NVIDIA's, which come as dependencies.
install_torch_wheel() {
  local marker="$torch_venv/complete-$torch_version"
  if [ -f "$marker" ]; then
    return
  fi
  say "Fetching torch $torch_version into .deps (pip follows your pip configuration)"
  rm -rf "$torch_venv"
  python3 -m venv "$torch_venv"
  pip_install --no-deps "torch==$torch_version" ||
    fail "pip could not install torch==$torch_version. Give a LibTorch folder in RECEIPTBENCH_LIBTORCH instead."
  if compgen -G "$torch_venv/lib/python3*/site-packages/torch/lib/libtorch_cuda.so" >/dev/null; then
    say "It is a CUDA build: fetching the libraries it loads"
    pip_install "torch==$torch_version" || fail "pip could not install the dependencies of torch==$torch_version"
  fi
  touch "$marker"
}

install_libtorch() {
  if [ -n "${RECEIPTBENCH_LIBTORCH:-}" ]; then
    [ -f "$RECEIPTBENCH_LIBTORCH/include/ATen/ATen.h" ] ||
      fail "RECEIPTBENCH_LIBTORCH=$RECEIPTBENCH_LIBTORCH holds no include/ATen/ATen.h. Name the folder that holds include/ and lib/."
    return
  fi
  local version
  version=$(system_torch_version)
  if [ -n "$version" ] && dpkg --compare-versions "$version" ge "$least_torch"; then
    installed libtorch-dev || install libtorch-dev
  else
    install_torch_wheel
  fi
}

command -v apt-get >/dev/null || fail "this set-up knows Debian 12, Debian 13 and Ubuntu 24.04. Elsewhere install the
equivalents of packaging/debian-packages.txt, set RECEIPTBENCH_LIBTORCH, and use the CMake presets (CONTRIBUTING.md)."
mkdir -p "$root/.deps" "$root/build"
install_packages
install_libtorch
