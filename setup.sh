#!/usr/bin/env bash
# Installs what a bare Debian 12 lacks, builds, and runs what the first argument says; usage() lists it. May be run again.
set -euo pipefail
cd "$(dirname "$0")"

# what the driver of a CPU device compiles is kept for later runs of the tests
export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-$PWD/build/driver-cache}

build_packages=(cmake ninja-build g++ git libvulkan-dev mesa-vulkan-drivers libshaderc-dev glslang-dev spirv-tools
  libtinyexr-dev libstb-dev libcli11-dev libfmt-dev nlohmann-json3-dev libdeflate-dev zlib1g-dev libseccomp-dev libssl-dev doctest-dev
  libopenexr-dev libjpeg62-turbo-dev liblcms2-dev libtiff-dev libwebp-dev libopencolorio-dev libpng-dev
  libzstd-dev)
demo_packages=(openimageio-tools)
fuzz_packages=(clang libclang-rt-14-dev)
test_packages=(vulkan-validationlayers openimageio-tools pngcheck zstd)
full_packages=(slurm-wlm debootstrap dpkg-dev)

# Installs those of the packages that are missing.
install() {
  local missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET [TARGET...]: in CI warnings are errors, but not under the sanitizers, where g++ 12 sees some in its own headers.
build() {
  local strict=OFF
  [ -n "${CI:-}" ] && [ "$1" = release ] && strict=ON
  cmake --preset "$1" -DGPUPOST_WERROR=$strict >/dev/null
  cmake --build --preset "$1" ${2:+--target "${@:2}"} -- --quiet
}

# The readers of others' making that come from npm. Where its registry cannot be reached, the tests that ask them are skipped, without
# the minutes for which npm tries again by default.
install_readers() {
  command -v node >/dev/null || install nodejs
  command -v npm >/dev/null || install npm
  mkdir -p "$1"
  cp tests/readers/package.json tests/readers/package-lock.json "$1"
  npm ci --prefix "$1" --silent --no-audit --no-fund --prefer-offline \
    --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 ||
    echo "setup.sh: npm cannot install tests/readers/package.json" >&2
}

demo() {
  install "${build_packages[@]}" "${demo_packages[@]}"
  build release gpupost
  mkdir -p build/demo
  build/gpupost mips testdata/scene.exr --fp16 --timing -o build/demo/scene.mips.exr
  oiiotool --info -v build/demo/scene.mips.exr
}

tarball() {
  install "${build_packages[@]}"
  build release tarball
  ls build/gpupost-*-linux-*.tar.gz
}

# run_tests PRESET BUILD_FOLDER [CTEST_OPTION...]
run_tests() {
  install "${build_packages[@]}" "${test_packages[@]}"
  build "$1"
  install_readers "$2/readers"
  GPUPOST_TEST_REQUIRE_DEVICE=${GPUPOST_TEST_REQUIRE_DEVICE:-1} ctest --preset "$1" "${@:3}"
}

quick() {
  install "${build_packages[@]}"
  build release test_unit test_pipeline test_gpu gpupost
  ctest --preset release --label-regex quick
}

# test_program of the release build tests the program of the other one
sanitized() {
  install "${build_packages[@]}"
  build release test_program
  GPUPOST_TEST_ASAN_OPTIONS=quarantine_size_mb=32 run_tests sanitized build-sanitized --label-exclude full
}

threads() {
  install "${build_packages[@]}"
  tests/robustness/run.sh R13
}

fuzz() {
  install "${build_packages[@]}" "${fuzz_packages[@]}"
  tests/robustness/run.sh R6
}

usage() {
  cat >&2 <<'TEXT'
usage: ./setup.sh COMMAND
  demo            build the program and make a mip chain
  tarball         build the program with its libraries, for other distributions
  quick           the tests to run while editing: under a minute after a build
  test            the tests of a change, with the validation layer
  test-sanitized  a part of them under the address and undefined behavior sanitizers
  test-threads    batches under the thread sanitizer
  test-fuzz       a minute of fuzzing for each target
  full            all of these and what they leave out, both descriptor modes, and every criterion of tests/robustness/run.sh
TEXT
  exit 1
}

case "${1:-}" in
  demo) demo ;;
  tarball) tarball ;;
  quick) quick ;;
  test) run_tests release build --label-exclude full ;;
  test-sanitized) sanitized ;;
  test-threads) threads ;;
  test-fuzz) fuzz ;;
  full)
    install "${full_packages[@]}"
    run_tests release build
    build sanitized all test_gpu
    GPUPOST_TRUST_THOROUGH=1 run_tests sanitized build-sanitized
    threads
    fuzz
    tests/robustness/run.sh
    ;;
  *) usage ;;
esac
