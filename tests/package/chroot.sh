#!/usr/bin/env bash
# Builds the Debian package, installs it into a bare Debian 12 and runs it there.
# usage: chroot.sh BUILD_FOLDER. Ends with 77 where debootstrap is missing, or this is not root.
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
for tool in debootstrap dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (Debian: debootstrap, dpkg-dev)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: debootstrap needs root"; exit 77; }

place=$(mktemp -d)
system=$place/system
finish() {
  umount "$system/proc" 2>/dev/null || true
  rm -rf --one-file-system "$place"
}
trap finish EXIT

(cd "$build" && cpack -B "$place") >"$place/cpack.log" || { cat "$place/cpack.log" >&2; exit 1; }
debootstrap --variant=minbase bookworm "$system" >"$place/debootstrap.log" || { tail "$place/debootstrap.log" >&2; exit 1; }
mount -t proc proc "$system/proc"
cp "$place"/gpupost_*.deb "$system/tmp/gpupost.deb"
cp "$root/testdata/scene.exr" "$system/tmp/in.exr"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp DEBIAN_FRONTEND=noninteractive chroot "$system" "$@"; }
inside apt-get install -y -qq --no-install-recommends /tmp/gpupost.deb mesa-vulkan-drivers man-db groff-base >"$place/apt.log" ||
  { tail "$place/apt.log" >&2; exit 1; }

inside gpupost version --json
inside gpupost mips /tmp/in.exr --fp16 --verify -o /tmp/out.exr
inside gpupost compare /tmp/out.exr /tmp/out.exr >/dev/null
for file in /usr/share/man/man1/gpupost.1 /usr/share/bash-completion/completions/gpupost \
  /usr/share/zsh/vendor-completions/_gpupost /usr/share/fish/vendor_completions.d/gpupost.fish /usr/share/doc/gpupost/copyright; do
  inside test -s "$file" || { echo "$file is missing" >&2; exit 1; }
done
inside man -l --warnings /usr/share/man/man1/gpupost.1 2>&1 >/dev/null |
  grep -v "cannot adjust line" >"$place/man.log" || true  # words that are too long
[ ! -s "$place/man.log" ] || { cat "$place/man.log" >&2; exit 1; }
inside dpkg --purge gpupost >/dev/null
inside test ! -e /usr/bin/gpupost
echo "the package installs, runs and leaves"
