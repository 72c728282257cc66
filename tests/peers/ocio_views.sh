#!/bin/sh
# Prints the largest error of each view of the built-in configurations against OpenColorIO's CPU processor, as a share of the
# tolerance of --verify. Usage: tests/peers/ocio_views.sh IMAGE...   (GPUPOST names the program; default build/gpupost)
set -eu
gpupost=${GPUPOST:-build/gpupost}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo '| config | display | view | largest share of the tolerance | largest error |'
echo '|---|---|---|---|---|'
for config in cg studio; do
  "$gpupost" info --ocio "$config" | sed -n 's/^display  //p; s/^  view   /@/p' | while IFS= read -r line; do
    case $line in
      @*) view=${line#@} ;;
      *) display=$line && continue ;;
    esac
    "$gpupost" "$@" ocio --config "$config" --display "$display" --view "$view" --storage fp32 --verify \
      -o "$out/{stem}.exr" </dev/null 2>"$out/messages" || { cat "$out/messages" >&2; exit 1; }
    sed -n 's/.*largest error \([^ ]*\) .*, \([^ ]*\) times the tolerance.*/\2 \1/p' "$out/messages" | sort -g | tail -1 |
      { read -r share error && echo "| $config | $display | $view | $share | $error |"; }
  done
done
