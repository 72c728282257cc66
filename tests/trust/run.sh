#!/usr/bin/env bash
# The bars of docs/trust.md, each in full: tests/trust/run.sh [R5 R7 ...], all of them without a word. Works on the release build
# in build/, or the one that BUILD names. Ends with the lines of all bars, and with exit code 1 where one does not hold.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
export GPUPOST_TRUST_THOROUGH=1 GPUPOST_TEST_REQUIRE_DEVICE=${GPUPOST_TEST_REQUIRE_DEVICE:-1}
bars=("$@")
[ ${#bars[@]} -gt 0 ] || bars=(R7 R8)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
failed=0

# Runs the test cases of a bar. Each prints its line, "R7 vulkan calls: 312 of 312 injected faults ended rightly".
test_cases() {
  local log
  log=$("$build/tests/test_trust" --test-case="$1:*" 2>&1) || {
    failed=1
    printf '%s\n' "$log"
  }
  printf '%s\n' "$log" | grep -E "^$1 " >>"$lines" || {
    failed=1
    echo "$1: nothing was tried" >>"$lines"
  }
}

for bar in "${bars[@]}"; do
  case $bar in
    R7 | R8) test_cases "$bar" ;;
    *)
      echo "usage: tests/trust/run.sh [R7 R8 ...]" >&2
      exit 1
      ;;
  esac
done

# What is less than all does not hold, whatever the tests have made of it.
awk 'match($0, /: [0-9]+ of [0-9]+ /) {split(substr($0, RSTART + 2), n, " "); if (n[1] != n[3] || n[3] == 0) bad = 1; next}
     {bad = 1} END {exit bad}' "$lines" || failed=1
cat "$lines"
exit "$failed"
