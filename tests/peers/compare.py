#!/usr/bin/env python3
"""Prints a table of the largest differences between gpupost and oiiotool, OpenCV and SciPy, op by op.

Usage: tests/peers/compare.py     (the variable GPUPOST names the program; default build/gpupost)
Needs python3-opencv and oiiotool; exits with 77 (skipped) where one is missing. Rows that need SciPy or OpenCV's ximgproc are
left out where these are missing. Exits with 1 if a difference is above the limit of its row.
"""
import os
import shutil
import subprocess
import sys
import tempfile

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"
try:
    import cv2
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not shutil.which("oiiotool"):
    print("skipped: oiiotool is not installed")
    sys.exit(77)
try:
    from scipy import ndimage
except ImportError:
    ndimage = None

GPUPOST = os.path.abspath(os.environ.get("GPUPOST", "build/gpupost"))
WIDTH, HEIGHT = 257, 129

# OpenColorIO's own CDL: raw is the result, and graded is the input.
CONFIG = """ocio_profile_version: 2
roles:
  default: raw
displays:
  d:
    - !<View> {name: v, colorspace: raw}
colorspaces:
  - !<ColorSpace>
    name: raw
  - !<ColorSpace>
    name: graded
    to_scene_reference: !<CDLTransform> {slope: [1.2, 1, 0.9], offset: [-0.02, 0, 0.01], power: [0.9, 1, 1.1], sat: 0.8, style: noclamp}
"""


def write(name, image):
    cv2.imwrite(name, image.astype(np.float32))


def read(name):
    return cv2.imread(name, cv2.IMREAD_UNCHANGED)


def gpupost(words, source="a.exr"):
    subprocess.run([GPUPOST, source, *words.split(), "--storage", "fp32", "-o", "ours.exr"], check=True, stderr=subprocess.DEVNULL)
    return read("ours.exr")


def oiiotool(words):
    subprocess.run(["oiiotool", *words.split(), "-d", "float", "-o", "theirs.exr"], check=True)
    return read("theirs.exr")


def make_images():
    """a and b are opaque colors; a is noise on soft shapes. p and q are premultiplied with alpha, s is straight."""
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    soft = np.stack([0.5 + 0.4 * np.sin(x / (9 + 4 * c) + c) * np.cos(y / (7 + 3 * c)) for c in range(3)], axis=2)
    a = np.clip(soft + random.uniform(-0.1, 0.1, soft.shape), 0, 1)
    b = random.uniform(0, 1, soft.shape)
    alpha = random.uniform(0.1, 1, (HEIGHT, WIDTH, 1))
    write("a.exr", a)
    write("b.exr", b)
    write("soft.exr", soft)
    write("gray.exr", np.repeat(a[:, :, :1], 3, axis=2))
    write("p.exr", np.concatenate([a * alpha, alpha], axis=2))
    write("q.exr", np.concatenate([b * alpha[::-1], alpha[::-1]], axis=2))
    # An ST map that bends the image and stays within it; t is 0 at the bottom.
    s = (x + 0.5) / WIDTH + 0.02 * np.sin(y / 11)
    t = 1 - ((y + 0.5) / HEIGHT + 0.02 * np.sin(x / 13))
    inside = [0.1 + 0.8 * s, 0.1 + 0.8 * t]
    write("st.exr", np.stack([np.zeros_like(s), inside[1], inside[0]], axis=2))
    with open("config.ocio", "w") as file:
        file.write(CONFIG)
    with open("grade.cc", "w") as file:
        file.write(
            '<ColorCorrection id="a"><SOPNode><Slope>1.2 1 0.9</Slope><Offset>-0.02 0 0.01</Offset>'
            "<Power>0.9 1 1.1</Power></SOPNode><SatNode><Saturation>0.8</Saturation></SatNode></ColorCorrection>\n"
        )


def sharpened(image, sigma, width):
    return image + (image - cv2.GaussianBlur(image, (width, width), sigma, borderType=cv2.BORDER_REPLICATE))


def interpolated(image, x, y):
    """Linear interpolation at texels (x, y); black beyond the image."""
    return np.stack([ndimage.map_coordinates(image[:, :, c], [y, x], order=1, mode="constant") for c in range(3)], axis=2)


def rotated_positions(degrees):
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    x, y = x - (WIDTH - 1) / 2, y - (HEIGHT - 1) / 2
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return cosine * x + sine * y + (WIDTH - 1) / 2, cosine * y - sine * x + (HEIGHT - 1) / 2


def rows():
    """Yields op, peer, our image, their image, limit of the difference, why the limit is above rounding."""
    a, p, gray = read("a.exr"), read("p.exr"), read("gray.exr")
    exact, rounding = 0, 2e-6

    yield "merge --mode over", "oiiotool", gpupost("merge --with q.exr", "p.exr"), oiiotool("q.exr p.exr --over"), rounding, ""
    yield "merge --mode under", "oiiotool", gpupost("merge --with q.exr --mode under", "p.exr"), oiiotool("p.exr q.exr --over"), rounding, ""
    yield "merge --mode add", "oiiotool", gpupost("merge --with b.exr --mode add"), oiiotool("a.exr b.exr --add"), rounding, ""
    yield "merge --mode multiply", "oiiotool", gpupost("merge --with b.exr --mode multiply"), oiiotool("a.exr b.exr --mul"), rounding, ""

    for mode, words in (
        ("min", "a.exr b.exr --min"),
        ("max", "a.exr b.exr --max"),
        ("difference", "a.exr b.exr --absdiff"),
        ("screen", "a.exr b.exr --add a.exr b.exr --mul --sub"),
        ("mix --opacity 0.3", "a.exr --mulc 0.7 b.exr --mulc 0.3 --add"),
    ):
        yield f"merge --mode {mode}", "oiiotool", gpupost(f"merge --with b.exr --mode {mode}"), oiiotool(words), rounding, ""
    yield "sheet --columns 2 --gap 0", "oiiotool", gpupost("b.exr sheet --columns 2 --gap 0"), oiiotool("a.exr b.exr --mosaic 2x1"), exact, ""

    for ours, theirs in (("lanczos3", "lanczos3"), ("cubic", "bspline"), ("catmull-rom", "catmull-rom"), ("mitchell", "mitchell")):
        ringing = "" if ours == "cubic" else " --ringing keep"  # cubic has no negative weights
        for size in ("100x50", "400x200"):
            words = f"resize --size {size} --filter {ours}{ringing}"
            yield words, f"oiiotool, {theirs}", gpupost(words), oiiotool(f"a.exr --resize:filter={theirs} {size}"), 1e-5, ""
    area = gpupost("resize --size 100x50 --filter box")
    yield "resize --size 100x50 --filter box", "OpenCV, INTER_AREA", area, cv2.resize(a, (100, 50), interpolation=cv2.INTER_AREA), rounding, ""

    yield "rotate 90", "OpenCV", gpupost("rotate 90"), cv2.rotate(a, cv2.ROTATE_90_CLOCKWISE), exact, ""
    yield "rotate 270", "oiiotool", gpupost("rotate 270"), oiiotool("a.exr --rotate270"), exact, ""
    yield "flip x", "OpenCV", gpupost("flip x"), cv2.flip(a, 1), exact, ""
    yield "flip y", "oiiotool", gpupost("flip y"), oiiotool("a.exr --flip"), exact, ""
    yield "transpose", "OpenCV", gpupost("transpose"), cv2.transpose(a), exact, ""
    moved = cv2.warpAffine(a, np.float32([[1, 0, 5], [0, 1, -3]]), (WIDTH, HEIGHT), flags=cv2.INTER_NEAREST)
    yield "shift --x 5 --y -3 crop --to display", "OpenCV", gpupost("shift --x 5 --y -3 crop --to display"), moved, exact, ""

    turned = gpupost("rotate --degrees 12 --filter bilinear --border clamp")
    x, y = rotated_positions(12)
    if ndimage:
        theirs = interpolated(a, np.clip(x, 0, WIDTH - 1), np.clip(y, 0, HEIGHT - 1))
        yield "rotate --degrees 12 --filter bilinear --border clamp", "SciPy", turned, theirs, 5e-5, "positions are rounded to 1/32768 texel"
    theirs = cv2.remap(a, np.float32(x), np.float32(y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    yield "rotate --degrees 12 --filter bilinear --border clamp", "OpenCV", turned, theirs, 0.04, "OpenCV rounds positions to 1/32 texel"

    st = read("st.exr").astype(np.float64)
    x, y = st[:, :, 2] * WIDTH - 0.5, (1 - st[:, :, 1]) * HEIGHT - 0.5
    warped = gpupost("warp --st st.exr --filter bilinear")
    if ndimage:
        yield "warp --filter bilinear", "SciPy", warped, interpolated(a, x, y), 5e-5, "positions are rounded to 1/32768 texel"
    theirs = cv2.remap(a, np.float32(x), np.float32(y), cv2.INTER_LINEAR)
    yield "warp --filter bilinear", "OpenCV", warped, theirs, 0.04, "OpenCV rounds positions to 1/32 texel"

    yield "sharpen --sigma 2", "OpenCV, 13 x 13", gpupost("sharpen --sigma 2"), sharpened(a, 2, 13), rounding, ""
    yield "sharpen --sigma 2", "OpenCV, 17 x 17", gpupost("sharpen --sigma 2"), sharpened(a, 2, 17), 1e-3, "our kernel ends at 3 sigma: 13 x 13"
    yield "median --radius 1", "OpenCV", gpupost("median --radius 1"), cv2.medianBlur(a, 3), exact, ""
    yield "median --radius 2", "OpenCV", gpupost("median --radius 2"), cv2.medianBlur(a, 5), exact, ""
    yield "median --radius 3", "oiiotool", gpupost("median --radius 3")[3:-3, 3:-3], oiiotool("a.exr --median 7x7")[3:-3, 3:-3], exact, "without the border, where oiiotool takes fewer texels"
    box = np.ones((31, 31), np.uint8)
    yield "erode --radius 15", "OpenCV", gpupost("erode --radius 15"), cv2.erode(a, box), exact, ""
    yield "dilate --radius 15", "OpenCV", gpupost("dilate --radius 15"), cv2.dilate(a, box), exact, ""
    weights = np.float32([[1, 2, 3], [4, -5, 6], [7, 8, 9]])
    words = "convolve --rows " + ",".join(str(int(w)) for w in weights.flat)
    theirs = cv2.filter2D(a, -1, weights, borderType=cv2.BORDER_REPLICATE)
    yield words, "OpenCV", gpupost(words), theirs, 3e-5, "sums up to 40"
    # For gray, the distance of two colors is sqrt(3) times the difference. OpenCV's window is a disk.
    theirs = cv2.bilateralFilter(gray[:, :, 0].copy(), 7, 0.2 / np.sqrt(3), 1)[3:-3, 3:-3]
    yield "bilateral --range 0.2", "OpenCV", gpupost("bilateral --range 0.2", "gray.exr")[3:-3, 3:-3, 0], theirs, 5e-3, "OpenCV's window is a disk, ours a square"
    if hasattr(cv2, "ximgproc"):
        theirs = cv2.ximgproc.guidedFilter(a, a, 8, 0.01)
        inside = (slice(16, -16), slice(16, -16))
        yield "guided --radius 8", "OpenCV", gpupost("guided --radius 8")[inside], theirs[inside], 2e-6, "without the border, where OpenCV mirrors the image"
    yield "grade --file grade.cc", "OpenColorIO in oiiotool", gpupost("grade --file grade.cc"), oiiotool("--colorconfig config.ocio a.exr --colorconvert graded raw"), 2e-5, "powers"
    yield "threshold", "OpenCV", gpupost("threshold"), cv2.threshold(a, 0.5, 1, cv2.THRESH_BINARY)[1], exact, ""
    yield "invert", "oiiotool", gpupost("invert"), oiiotool("a.exr --invert"), rounding, ""
    yield "premultiply", "oiiotool", gpupost("premultiply", "p.exr"), oiiotool("p.exr --premult"), rounding, ""
    yield "unpremultiply", "oiiotool", gpupost("unpremultiply", "p.exr"), oiiotool("p.exr --unpremult"), rounding, ""


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_images()
        print("| op | peer | largest difference | limit | reason for the limit |\n|---|---|---|---|---|")
        for op, peer, ours, theirs, limit, reason in rows():
            if ours.ndim == 3 and theirs.ndim == 3:
                count = min(ours.shape[2], theirs.shape[2])
                ours, theirs = ours[:, :, :count], theirs[:, :, :count]
            if ours.shape != theirs.shape:
                print(f"| `{op}` | {peer} | sizes differ: {ours.shape} and {theirs.shape} | {limit:g} | {reason} |")
                failed = True
                continue
            difference = float(np.abs(ours.astype(np.float64) - theirs).max())
            is_above = not difference <= limit
            failed = failed or is_above
            reason = reason or ("bit for bit" if limit == 0 else "rounding")
            print(f"| `{op}` | {peer} | {difference:.2g}{' (above the limit)' if is_above else ''} | {limit:g} | {reason} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
