#!/usr/bin/env bash
# Checks the criteria of docs/security.md in full: tests/robustness/run.sh [R5 R7 ...]; without arguments, all. Uses the release build
# in build/, or the folder in BUILD. Prints a line for each criterion at the end. Exit code 1 if a criterion is not met.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
export GPUPOST_TRUST_THOROUGH=1 GPUPOST_TEST_REQUIRE_DEVICE=${GPUPOST_TEST_REQUIRE_DEVICE:-1}
bars=("$@")
[ ${#bars[@]} -gt 0 ] || bars=(R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16 R17 R18 cache)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
failed=0

# Runs the test cases of a bar. Each prints its line, "R7 vulkan calls: 312 of 312 injected faults ended rightly".
test_cases() {
  local log
  log=$("$build/tests/test_robustness" --test-case="$1:*" 2>&1) || {
    failed=1
    printf '%s\n' "$log"
  }
  printf '%s\n' "$log" | grep -E "^$1 " >>"$lines" || {
    failed=1
    echo "$1: nothing was tried" >>"$lines"
  }
}

# Fuzzes a target for a minute, from the inputs that are kept; says on standard output what came of it.
fuzz_target() {
  local target=$1 log=$2 found=1
  mkdir "$log/$target"
  GPUPOST_FUZZ_TARGET=$target ASAN_OPTIONS=detect_leaks=0 timeout 300 build-fuzz/tests/fuzzer "$log/$target" \
    "testdata/fuzz/$target" -max_total_time=60 -max_len=2048 -timeout=10 -rss_limit_mb=3000 \
    -artifact_prefix="build-fuzz/$target-" >"$log/$target.log" 2>&1 || found=0
  [ "$found" -eq 1 ] || tail -n 30 "$log/$target.log" >&2
  echo "R6 fuzzing $target: $found of 1 minutes without a finding ($(grep -oE 'Done [0-9]+ runs' "$log/$target.log"))"
}

# All targets, two at a time. Builds with clang, in build-fuzz/.
fuzz() {
  cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -- --quiet || failed=1
  local target log running=0
  log=$(mktemp -d)
  for target in testdata/fuzz/*/; do
    fuzz_target "$(basename "$target")" "$log" >>"$lines" &
    running=$((running + 1))
    [ "$running" -lt 2 ] || { wait -n && running=$((running - 1)); }
  done
  wait
  rm -rf "$log"
}

# Runs the program under the thread sanitizer, with the exit code that it is to have, for as long as `limit` says to `timeout`.
threads_agree() {
  local program=$PWD/build-tsan/gpupost folder=$1 expected=$2 code
  shift 2
  # a program that is interrupted leaves threads behind, which is no race
  (cd "$folder" && TSAN_OPTIONS="exitcode=66 report_thread_leaks=0" XDG_CACHE_HOME=$folder/cache \
    timeout "${limit[@]}" "$program" "$@") >"$folder/said" 2>&1
  code=$?
  [ "$code" -eq "$expected" ] && ! grep -q ThreadSanitizer "$folder/said" && return
  echo "R13: exit $code in the place of $expected: gpupost $*"
  grep -A 20 ThreadSanitizer "$folder/said" | head -n 60
  return 1
}

# Whether the thread sanitizer of the compiler reports a data race.
reports_races() {
  local program=$1/racing
  c++ -std=c++20 -O1 -fsanitize=thread -x c++ - -o "$program" <<'EOF' || return
#include <thread>
int number = 0;
int main() {
  std::jthread other([] { ++number; });
  ++number;
}
EOF
  TSAN_OPTIONS=exitcode=66 "$program" >/dev/null 2>&1
  [ $? -eq 66 ]
}

# Several inputs decoded ahead, good and bad, our own threads, those that verify, those that encode, and the workers; the last
# ones are interrupted, long before they are done. Builds in build-tsan/.
threads() {
  cmake --preset tsan >/dev/null && cmake --build --preset tsan -- --quiet || failed=1
  local folder held=0 all=0 words n limit=(300) batch="s1.exr s2.exr b1.png bad.exr s3.exr b2.png s4.exr b3.png s5.exr"
  folder=$(mktemp -d)
  mkdir "$folder/out"
  reports_races "$folder" || { failed=1 && echo "R13: the thread sanitizer does not report a data race" >&2; }
  for n in {1..30}; do cp testdata/scene.exr "$folder/s$n.exr" && cp testdata/bars.png "$folder/b$n.png"; done
  head -c 2000 testdata/scene.exr >"$folder/bad.exr"
  while read -r words; do
    all=$((all + 1))
    # shellcheck disable=SC2086 # words
    threads_agree "$folder" $words && held=$((held + 1))
  done <<EOF
0 info s1.exr
0 compare s1.exr s2.exr
5 $batch -o out/{stem}.png --jobs 4 --report report.json
5 $batch -o out/{stem}.exr --jobs 2 --compression zip
0 s1.exr s2.exr s3.exr -o out/{stem}.exr --jobs 4
0 b1.png b2.png b3.png b4.png -o out/{stem}.dds --bits 8
0 s1.exr s2.exr s3.exr s4.exr s5.exr --assemble array -o array.ktx2
5 mips $batch -o out/{stem}.exr --jobs 4 --verify --timing
0 blur --sigma 3 s1.exr s2.exr b1.png -o out/ --verify
0 tonemap s1.exr s2.exr -o out/{stem}.png --verify --dither ordered --jobs 3
0 luminance s1.exr s2.exr -o out/ --verify
0 mips b1.png b2.png --method single-pass --fp16 -o out/{stem}.ktx2
0 mips b1.png b2.png s1.exr --compression bc7 --supercompression zstd -o out/{stem}.ktx2
0 stats s1.exr
EOF
  for n in 1.1 1.3 1.5 1.7 1.9; do
    all=$((all + 1))
    limit=(--signal INT --preserve-status "$n")
    threads_agree "$folder" 130 mips s{1..30}.exr b{1..30}.png -o out/{stem}.exr && held=$((held + 1))
  done
  rm -rf "$folder"
  echo "R13 thread sanitizer: $held of $all runs without a finding" >>"$lines"
}

# Runs cases of another test program, which counts them itself: its name, what they are, and its arguments.
counted_cases() {
  local bar=$1 what=$2 log passed failing skipped
  shift 2
  log=$("$build/tests/$@" 2>&1) || printf '%s\n' "$log"
  read -r passed failing skipped < <(printf '%s\n' "$log" |
    sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped of test cases$/\1 \2 \3/p')
  echo "$bar $what: ${passed:-0} of $((${passed:-0} + ${failing:-1})) test cases hold, ${skipped:-0} skipped or not asked for" >>"$lines"
}

corpus() {
  [ -n "${GPUPOST_CORPUS:-}" ] || echo "GPUPOST_CORPUS names no folder with good/ and damaged/: nothing is read of it" >&2
  counted_cases "$1" "files of the corpus" test_codec --source-file="*test_decode_corpus*"
}

# The program on a file that it must not take for a whole one: exit 2, one line, no output, within a second for what is damaged
# as it came, ten for what is cut. 0: it did; 3: it read the file.
refusal() {
  local seconds=$1 file=$2 out=$3 said code
  rm -f "$out"
  said=$(timeout "$seconds" "$build/gpupost" "$file" -o "$out" --quiet 2>&1 >/dev/null)
  code=$?
  [ "$code" -eq 0 ] && return 3
  [ "$code" -eq 2 ] && [ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] && [ ! -e "$out" ]
}

# Files of the corpus that are damaged, which may be read where all their data are there.
damaged_files() {
  local folder file held=0 read=0 all=0
  folder=$(mktemp -d)
  for file in "${GPUPOST_CORPUS:-/nonexistent}"/damaged/*; do
    refusal 1 "$file" "$folder/out.exr"
    case $? in
      0) held=$((held + 1)) ;;
      3) read=$((read + 1)) ;;
      *) echo "$1: $file" ;;
    esac
    all=$((all + 1))
  done
  rm -rf "$folder"
  echo "$1 damaged files: $((held + read)) of $all refused as they must be, or read ($read)" >>"$lines"
}

# Good files of the corpus, each cut at four places.
cut_files() {
  local folder file percent cut held=0 all=0
  folder=$(mktemp -d)
  for file in "${GPUPOST_CORPUS:-/nonexistent}"/good/*; do
    for percent in 10 50 90 99; do
      cut=$folder/cut.${file##*.}
      head -c $(($(stat -c %s "$file") * percent / 100)) "$file" >"$cut"
      if refusal 10 "$cut" "$folder/out.exr"; then held=$((held + 1)); else echo "$1: $file at $percent %"; fi
      all=$((all + 1))
    done
  done
  rm -rf "$folder"
  echo "$1 files that are cut: $held of $all refused as they must be" >>"$lines"
}

for bar in "${bars[@]}"; do
  case $bar in
    R1) corpus "$bar" ;;
    R2)
      corpus "$bar"
      counted_cases "$bar" "features, by files made for them" test_codec --source-file="*test_features*"
      ;;
    R3) damaged_files "$bar" ;;
    R4) cut_files "$bar" ;;
    R6) fuzz ;;
    R9)
      for plain_sets in 0 1; do
        GPUPOST_VALIDATE=1 GPUPOST_PLAIN_SETS=$plain_sets counted_cases "$bar" "validation layers, plain sets $plain_sets" \
          test_gpu --test-suite-exclude=thorough
        GPUPOST_VALIDATE=1 GPUPOST_PLAIN_SETS=$plain_sets counted_cases "$bar" "the same, every op, plain sets $plain_sets" \
          test_gpu_ops --test-suite-exclude=thorough
      done
      test_cases "$bar"
      counted_cases "$bar" "bounds of images and buffers" test_gpu_ops --source-file="*test_bounds_checks*"
      counted_cases "$bar" "a barrier that is missing" test_program --source-file="*test_validation*"
      ;;
    R13) threads ;;
    R12)
      [ -d "$build/readers" ] || { failed=1 && echo "R12: no readers are installed; run ./setup.sh test first" >&2; }
      counted_cases "$bar" "own writers, by other readers" test_codec --source-file="*_write.cpp"
      ;;
    R5 | R7 | R8 | R10 | R11 | R14 | R15 | R16 | R17 | R18 | cache) test_cases "$bar" ;;
    *)
      echo "usage: tests/robustness/run.sh [R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16 R17 R18 cache]" >&2
      exit 1
      ;;
  esac
done

# What is less than all does not hold, whatever the tests have made of it.
awk 'match($0, /: [0-9]+ of [0-9]+ /) {split(substr($0, RSTART + 2), n, " "); if (n[1] != n[3] || n[3] == 0) bad = 1; next}
     {bad = 1} END {exit bad}' "$lines" || failed=1
cat "$lines"
exit "$failed"
