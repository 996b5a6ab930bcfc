#!/usr/bin/env bash
# packaging/run.sh [--headless] [arguments of `receiptbench demo`]
# Sets up what is missing, builds Release, and shows the example experiment: in the window where there is a display, else (or
# with --headless, or with other arguments of `receiptbench demo`) on the terminal, and says where its report is. Without --out
# the project goes into a fresh folder below build/.
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

arguments=() out= headless=
while [ $# -gt 0 ]; do
  case $1 in
    --headless) headless=yes ;;
    --out) [ $# -ge 2 ] || fail "--out needs a folder"; out=$2; shift ;;
    --out=*) out=${1#--out=} ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ ${#arguments[@]} -gt 0 ]; then
  headless=yes  # the window's example takes no settings
fi

"$root/packaging/setup.sh"
build_release
if [ -z "$out" ]; then
  number=1
  while [ -e "$root/build/demo-$number" ]; do number=$((number + 1)); done
  out="$root/build/demo-$number"
fi
if [ -z "$headless" ] && [ -x "$build/app/receiptbench-gui" ]; then
  exec "$build/app/receiptbench-gui" --example "$out"
fi
status=0
"$build/app/receiptbench" demo --out "$out" "${arguments[@]}" || status=$?
if [ -f "$out/report/report.md" ]; then
  say ""
  say "Report: $out/report/report.md (and report.json)"
fi
if [ "$status" = 10 ]; then  # all of it ran: what it found is in the verdict
  say "A mode did not preserve the result: a finding, not a failure (receiptbench demo itself exits with 10)."
  status=0
fi
exit "$status"
