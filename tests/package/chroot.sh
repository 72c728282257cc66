#!/usr/bin/env bash
# Builds the Debian package and the tarball, and runs them in bare systems: the package in Debian 12, the tarball in Debian 12 and
# Debian 13, and in Ubuntu 24.04 where GPUPOST_TEST_UBUNTU_MIRROR is the address of an archive.
# usage: chroot.sh BUILD_FOLDER. Ends with 77 where debootstrap is missing, or this is not root.
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
for tool in debootstrap dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (Debian: debootstrap, dpkg-dev)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: debootstrap needs root"; exit 77; }

place=$(mktemp -d)
finish() {
  umount "$place"/*/proc 2>/dev/null || true
  rm -rf --one-file-system "$place"
}
trap finish EXIT

# Prints the end of the output of a command that fails.
quietly() { "$@" >"$place/log" 2>&1 || { tail "$place/log" >&2; exit 1; }; }

# run_as USER COMMAND...: in the bare system
run_as() {
  env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp DEBIAN_FRONTEND=noninteractive \
    chroot --userspec="$1" "$system" "${@:2}"
}
add_packages() { quietly run_as root apt-get install -y -qq --no-install-recommends "$@"; }

# start_system SUITE [OPTION... MIRROR SCRIPT]: makes a bare system, which is the one of run_as from then on. The options and the
# rest are those of debootstrap.
start_system() {
  system=$place/$1
  local options=() rest=()
  for word in "${@:2}"; do
    case $word in -*) options+=("$word") ;; *) rest+=("$word") ;; esac
  done
  quietly debootstrap --variant=minbase "${options[@]}" "$1" "$system" "${rest[@]}"
  mount -t proc proc "$system/proc"
  cp "$root/testdata/scene.exr" "$system/tmp/in.exr"
}

check_runs() {
  run_as nobody gpupost version --json
  run_as nobody gpupost mips /tmp/in.exr --fp16 --verify --require-sandbox -o /tmp/out.exr
  run_as nobody gpupost /tmp/in.exr gain --value 2 blur --radius 3 --verify -o /tmp/out.exr  # of other versions of the driver too
  run_as nobody gpupost /tmp/in.exr gain --value 2 --verify -o /tmp/out.exr
  run_as nobody gpupost compare /tmp/out.exr /tmp/out.exr >/dev/null
  run_as nobody gpupost /tmp/in.exr -o /tmp/out.tif
  run_as nobody gpupost /tmp/out.tif blur --radius 2 -o /tmp/out.jpg
  run_as nobody gpupost /tmp/out.jpg -o /tmp/out.png
  run_as nobody gpupost /tmp/out.png ocio --display 'sRGB - Display' --view 'ACES 1.0 - SDR Video' -o /tmp/aces.png
}

check_package() {
  cp "$place"/gpupost_*.deb "$system/tmp/gpupost.deb"
  add_packages /tmp/gpupost.deb mesa-vulkan-drivers man-db groff-base
  check_runs
  for file in /usr/share/man/man1/gpupost.1 /usr/share/bash-completion/completions/gpupost \
    /usr/share/zsh/vendor-completions/_gpupost /usr/share/fish/vendor_completions.d/gpupost.fish /usr/share/doc/gpupost/copyright; do
    run_as root test -s "$file" || { echo "$file is missing" >&2; exit 1; }
  done
  run_as root man -l --warnings /usr/share/man/man1/gpupost.1 2>&1 >/dev/null |
    grep -v "cannot adjust line" >"$place/man.log" || true  # words that are too long
  [ ! -s "$place/man.log" ] || { cat "$place/man.log" >&2; exit 1; }
  quietly run_as root apt-get purge -y -qq --autoremove gpupost
  run_as root test ! -e /usr/bin/gpupost
}

# The tarball in a folder whose name has a space, run through a link.
check_tarball() {
  local folder="/opt/a folder"
  mkdir "$system$folder"
  tar -xzf "$build"/gpupost-*-linux-*.tar.gz -C "$system$folder" --strip-components=1
  ln -s "$folder/bin/gpupost" "$system/usr/local/bin/gpupost"
  add_packages mesa-vulkan-drivers
  # All libraries are its own except those that docs/farm.md requires of the machine.
  run_as nobody ldd "$folder/bin/gpupost" >"$place/libraries"
  ! grep -vE "linux-vdso|/ld-linux|/bin/\.\./lib/|=> /lib/[^ ]*/lib(c|m|gcc_s|stdc\+\+|z|zstd|lzma)\.so" "$place/libraries" >&2 || exit 1
  test -s "$system$folder/share/doc/gpupost/licenses/libvulkan1"
  check_runs
}

quietly cpack --config "$build/CPackConfig.cmake" -B "$place"
rm -f "$build"/gpupost-*-linux-*.tar.gz
quietly cmake --build "$build" --target tarball
start_system bookworm
check_package
check_tarball
start_system trixie
check_tarball
if [ -n "${GPUPOST_TEST_UBUNTU_MIRROR:-}" ]; then
  # Debian has neither its keys nor its script, which is the same for all releases
  start_system noble --no-check-gpg --components=main,universe "$GPUPOST_TEST_UBUNTU_MIRROR" gutsy
  check_tarball
fi
echo "the package installs, runs and leaves; the tarball runs"
