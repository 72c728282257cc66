#!/usr/bin/env python3
"""Prints a table of the largest differences between gpupost and other programs and libraries, op by op.

Usage: tests/peers/compare.py     (the variable GPUPOST names the program; default build/gpupost)
Needs python3-opencv and oiiotool; exits with 77 (skipped) where one is missing. Rows that need SciPy, OpenCV's ximgproc, lcms2 or
ImageMagick are left out where these are missing. Exits with 1 if a difference is above the limit of its row.
"""
import ctypes
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

try:
    LCMS = ctypes.CDLL("liblcms2.so.2")
except OSError:
    LCMS = None

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


def magick(words):
    """The result of ImageMagick's convert, as colors that are multiplied by alpha. The images have 16 bits."""
    subprocess.run(["convert", *words.split(), "-depth", "16", "png64:theirs.png"], check=True)
    return associated(read("theirs.png") / 65535)


def associated(image):
    """Multiplies colors by alpha, if there is one."""
    return image if image.shape[2] == 3 else np.concatenate([image[:, :, :3] * image[:, :, 3:], image[:, :, 3:]], axis=2)


def in_16_bits(image):
    return np.round(image * 65535) / 65535


def make_images():
    """a and b are opaque colors; a is noise on soft shapes, and m is a from 0.25 to 0.75. p and q have alpha: premultiplied in
    EXR, straight in PNG.

    The values of the PNGs are those of the EXRs, because all are multiples of 1/65535.
    """
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    soft = np.stack([0.5 + 0.4 * np.sin(x / (9 + 4 * c) + c) * np.cos(y / (7 + 3 * c)) for c in range(3)], axis=2)
    a = in_16_bits(np.clip(soft + random.uniform(-0.1, 0.1, soft.shape), 0, 1))
    b = in_16_bits(random.uniform(0, 1, soft.shape))
    alpha = in_16_bits(random.uniform(0.1, 1, (HEIGHT, WIDTH, 1)))
    straight = {"a": a, "b": b, "m": in_16_bits(0.25 + 0.5 * a), "p": np.concatenate([a, alpha], axis=2), "q": np.concatenate([b, alpha[::-1]], axis=2)}
    for name, image in straight.items():
        write(f"{name}.exr", associated(image))
        cv2.imwrite(f"{name}.png", np.round(image * 65535).astype(np.uint16))
    write("soft.exr", soft)
    write("gray.exr", np.repeat(a[:, :, :1], 3, axis=2))
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


class Xyy(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double), ("Y", ctypes.c_double)]


class Xyz(ctypes.Structure):
    _fields_ = [("X", ctypes.c_double), ("Y", ctypes.c_double), ("Z", ctypes.c_double)]


class WhiteBalance:
    """White balance by lcms2: its Rec. 709, its adaptation to white points and its color temperatures."""

    RGB_DOUBLES, XYZ_DOUBLES = (1 << 22 | space << 16 | 3 << 3 for space in (4, 9))
    D65 = Xyy(0.3127, 0.3290, 1)

    def __init__(self):
        for name in ("cmsBuildGamma", "cmsCreateRGBProfile", "cmsCreateXYZProfile", "cmsCreateTransform", "cmsD50_XYZ"):
            getattr(LCMS, name).restype = ctypes.c_void_p
        LCMS.cmsBuildGamma.argtypes = [ctypes.c_void_p, ctypes.c_double]
        LCMS.cmsWhitePointFromTemp.argtypes = [ctypes.c_void_p, ctypes.c_double]
        curves = (ctypes.c_void_p * 3)(*3 * [LCMS.cmsBuildGamma(None, 1)])
        primaries = (Xyy * 3)(Xyy(0.64, 0.33, 1), Xyy(0.30, 0.60, 1), Xyy(0.15, 0.06, 1))
        rgb = ctypes.c_void_p(LCMS.cmsCreateRGBProfile(ctypes.byref(self.D65), primaries, curves))
        xyz = ctypes.c_void_p(LCMS.cmsCreateXYZProfile())
        relative, unoptimized = 1, 0x0100
        self.to_xyz = LCMS.cmsCreateTransform(rgb, self.RGB_DOUBLES, xyz, self.XYZ_DOUBLES, relative, unoptimized)
        self.to_rgb = LCMS.cmsCreateTransform(xyz, self.XYZ_DOUBLES, rgb, self.RGB_DOUBLES, relative, unoptimized)
        self.d50 = Xyz.from_address(LCMS.cmsD50_XYZ())
        self.d65 = self.xyz_of(self.D65)

    @staticmethod
    def xyz_of(white):
        made = Xyz()
        LCMS.cmsxyY2XYZ(ctypes.byref(made), ctypes.byref(white))
        return made

    @staticmethod
    def transformed(transform, source, made):
        LCMS.cmsDoTransform(ctypes.c_void_p(transform), ctypes.byref(source), ctypes.byref(made), 1)
        return made

    @staticmethod
    def adapted(color, source, target):
        made = Xyz()
        LCMS.cmsAdaptToIlluminant(ctypes.byref(made), ctypes.byref(source), ctypes.byref(target), ctypes.byref(color))
        return made

    @staticmethod
    def daylight(kelvin):
        white = Xyy()
        LCMS.cmsWhitePointFromTemp(ctypes.byref(white), kelvin)
        return white

    @staticmethod
    def temperature(white):
        kelvin = ctypes.c_double()
        LCMS.cmsTempFromWhitePoint(ctypes.byref(kelvin), ctypes.byref(white))
        return kelvin.value

    def white_of(self, rgb):
        """The chromaticity of a color in Rec. 709."""
        made = Xyy()
        color = self.transformed(self.to_xyz, (ctypes.c_double * 3)(*rgb), Xyz())
        LCMS.cmsXYZ2xyY(ctypes.byref(made), ctypes.byref(self.adapted(color, self.d50, self.d65)))
        return made

    def balanced(self, image, white):
        """The image if light of this white becomes D65. Its colors are in the order B, G, R."""
        rows = []
        for unit in np.eye(3):
            color = self.transformed(self.to_xyz, (ctypes.c_double * 3)(*unit), Xyz())
            color = self.adapted(self.adapted(color, self.d50, self.d65), self.xyz_of(white), self.d65)
            rows.append(list(self.transformed(self.to_rgb, self.adapted(color, self.d65, self.d50), (ctypes.c_double * 3)())))
        return (image[:, :, ::-1].astype(np.float64) @ np.array(rows))[:, :, ::-1]


def white_balance_rows():
    """Below 5000 K the op leaves daylight, so the white is found from the result: the op makes it (1, 1, 1)."""
    a = read("a.exr")
    lcms = WhiteBalance()
    for kelvin in (5500, 10000):
        words = f"white-balance --kelvin {kelvin}"
        yield words, "lcms2", gpupost(words), lcms.balanced(a, lcms.daylight(kelvin)), 5e-6, "32-bit float in lcms2"
    for kelvin in (2000, 3500):
        words = f"white-balance --kelvin {kelvin}"
        ours = gpupost(words)
        matrix = np.linalg.lstsq(a.reshape(-1, 3).astype(np.float64), ours.reshape(-1, 3).astype(np.float64), rcond=None)[0]
        white = lcms.white_of((np.ones(3) @ np.linalg.inv(matrix))[::-1])
        yield words, "lcms2, adaptation from the same white", ours, lcms.balanced(a, white), 5e-6, "32-bit float in lcms2"
        error = np.array([lcms.temperature(white) / kelvin - 1])
        yield words, "lcms2, temperature of the white", np.zeros(1), error, 2e-3, "a share of the temperature; both approximate the black body"


def spline_means(image, weights, spacing):
    """Means of the texels of the image, weighted by a B3 spline with this spacing and by an image of weights."""
    kernel = np.zeros(4 * spacing + 1)
    kernel[::spacing] = np.array([1, 4, 6, 4, 1]) / 16

    def smoothed(values):
        return cv2.sepFilter2D(values, cv2.CV_64F, kernel, kernel, borderType=cv2.BORDER_CONSTANT)

    return smoothed(image * weights[:, :, None]) / smoothed(weights)[:, :, None]


def denoise_rows():
    """No peer has this op. With few different normals or albedos, it is a sum of convolutions: one for each of them.

    Then the weights depend only on the neighbor. At the border, the sum of the weights is divided out.
    """
    a = read("a.exr").astype(np.float64)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    border = 14  # texels reached by three passes
    inside = np.zeros((HEIGHT, WIDTH), bool)
    inside[border:-border, border:-border] = True

    def denoised(values, labels, levels, spread, passes):
        for number in range(passes):
            made = np.empty_like(values)
            for label, level in enumerate(levels):
                distances = ((levels[labels] - level) ** 2).sum(axis=2)
                means = spline_means(values, np.exp(-distances / (2 * spread**2)), 1 << number)
                made[labels == label] = means[labels == label]
            values = made
        return values

    def pair(words, peer, theirs, limit):
        ours = gpupost(words)
        for place, where in (("interior", inside), ("border", ~inside)):
            yield words, f"{peer}, {place}", ours[where], theirs[where], limit, "rounding"

    one = np.zeros((HEIGHT, WIDTH), int)
    write("albedo.exr", np.full((HEIGHT, WIDTH, 3), 0.5))
    theirs = denoised(a, one, np.full((1, 3), 0.5), 100, 3)
    yield from pair("denoise --albedo albedo.exr --passes 3", "OpenCV, convolution", theirs, 2e-6)

    labels = (x // 11 + y // 7) % 4
    normals = np.array([[0, 0, 1], [0, 0.6, 0.8], [0.6, 0, 0.8], [0, -1, 0]])
    write("normals.exr", normals[labels])
    theirs = denoised(a, labels, normals, 0.5, 3)
    yield from pair("denoise --normals normals.exr --normals-range 0.5", "our script, OpenCV convolutions", theirs, 5e-6)

    albedos = np.array([[0.2, 0.4, 0.6], [0.3, 0.35, 0.5], [0.8, 0.7, 0.1], [0.25, 0.5, 0.75]])
    write("albedos.exr", albedos[labels])
    theirs = denoised(a / albedos[labels], labels, albedos, 0.2, 3) * albedos[labels]
    yield from pair("denoise --albedo albedos.exr --albedo-range 0.2", "our script, OpenCV convolutions", theirs, 1e-5)


def rows():
    """Yields op, peer, our image, their image, limit of the difference, why the limit is above rounding."""
    a, p, gray = read("a.exr"), read("p.exr"), read("gray.exr")
    exact, rounding = 0, 2e-6

    yield "merge --mode over", "oiiotool", gpupost("merge --with q.exr", "p.exr"), oiiotool("q.exr p.exr --over"), rounding, ""
    yield "merge --mode under", "oiiotool", gpupost("merge --with q.exr --mode under", "p.exr"), oiiotool("p.exr q.exr --over"), rounding, ""
    yield "merge --mode add", "oiiotool", gpupost("merge --with b.exr --mode add"), oiiotool("a.exr b.exr --add"), rounding, ""
    yield "merge --mode multiply", "oiiotool", gpupost("merge --with b.exr --mode multiply"), oiiotool("a.exr b.exr --mul"), rounding, ""

    for mode, words in (
        ("subtract", "a.exr b.exr --sub"),
        ("divide", "a.exr b.exr --div"),
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


def magick_rows():
    """Rows with ImageMagick. Its results are integers of 16 bits, between 0 and 1."""
    exact, one_step, two_steps = 2e-7, 1e-5, 2e-5
    rounding, bits = "rounding", "16 bits"
    inside = (slice(8, -8), slice(8, -8))

    for mode, compose in (
        ("over", "over"),
        ("under", "dst-over"),
        ("multiply", "multiply"),
        ("screen", "screen"),
        ("min", "darken"),
        ("max", "lighten"),
        ("difference", "difference"),
    ):
        if mode not in ("over", "under"):
            yield f"merge --mode {mode}", "ImageMagick", gpupost(f"merge --with b.exr --mode {mode}"), magick(f"a.png b.png -compose {compose} -composite"), one_step, bits
        theirs = magick(f"p.png q.png -compose {compose} -composite")
        yield f"merge --mode {mode}, with alpha", "ImageMagick", gpupost(f"merge --with q.exr --mode {mode}", "p.exr"), theirs, two_steps, "16 bits of color and alpha"
    words = "merge --with b.exr --mode add clamp --max 1"
    yield "merge --mode add clamp --max 1", "ImageMagick", gpupost(words), magick("a.png b.png -compose plus -composite"), exact, rounding
    theirs = magick("a.png b.png -compose blend -define compose:args=30 -composite")
    yield "merge --mode mix --opacity 0.3", "ImageMagick", gpupost("merge --with b.exr --mode mix --opacity 0.3"), theirs, one_step, bits
    yield "sheet --columns 2 --gap 0", "ImageMagick", gpupost("b.exr sheet --columns 2 --gap 0"), magick("a.png b.png +append"), exact, rounding

    for words, theirs in (
        ("rotate 90", "-rotate 90"),
        ("rotate 180", "-rotate 180"),
        ("flip x", "-flop"),
        ("flip y", "-flip"),
        ("transpose", "-transpose"),
        ("crop --window 100x50+30+20", "-crop 100x50+30+20 +repage"),
        ("pad --size 301x201 --color 0,1,0", "-background #0f0 -gravity center -extent 301x201"),
        ("channels --list B,G,R", "-separate -swap 0,2 -combine"),
        ("median --radius 1", "-statistic median 3x3"),
        ("median --radius 2", "-statistic median 5x5"),
        ("erode --radius 3", "-statistic minimum 7x7"),
        ("dilate --radius 3", "-statistic maximum 7x7"),
        ("erode --radius 15", "-morphology erode square:15"),
        ("dilate --radius 15", "-morphology dilate square:15"),
        ("invert", "-negate"),
        ("threshold", "-channel RGB -threshold 50%"),
    ):
        yield words, "ImageMagick", gpupost(words), magick(f"a.png {theirs}"), exact, rounding
    for words, theirs in (
        ("gain --value 0.7", "-evaluate multiply 0.7"),
        ("offset --value 0.1 clamp --max 1", "-evaluate add 10%"),
        ("gamma --value 2.2", "-gamma 2.2"),
        ("matrix --rows 0.4,0.5,0.1,0.2,0.7,0.1,0,0.3,0.7", "-color-matrix 0.4,0.5,0.1,0.2,0.7,0.1,0,0.3,0.7"),
        ("convolve --rows 1,2,3,4,5,6,7,8,9 --normalize", "-define convolve:scale=! -morphology correlate 3x3:1,2,3,4,5,6,7,8,9"),
        ("convolve --rows 0,-1,0,-1,5,-1,0,-1,0 clamp --max 1", "-morphology correlate 3x3:0,-1,0,-1,5,-1,0,-1,0"),
        ("blur --radius 3", "-define convolve:scale=! -morphology convolve square:3"),
        ("blur --sigma 2", "-morphology convolve gaussian:6x2"),
    ):
        yield words, "ImageMagick", gpupost(words), magick(f"a.png {theirs}"), one_step, bits
    words = "rotate --degrees 12 --filter bilinear --border clamp"
    theirs = magick("a.png -virtual-pixel edge -filter point -interpolate bilinear -distort SRT 12")
    yield words, "ImageMagick", gpupost(words), theirs, 5e-5, "positions are rounded to 1/32768 texel"

    # Without rings below 0 or above 1, which its 16 bits cannot hold.
    for ours, theirs in (("lanczos3", "lanczos"), ("cubic", "spline"), ("catmull-rom", "catrom"), ("mitchell", "mitchell")):
        ringing = "" if ours == "cubic" else " --ringing keep"
        for size in ("100x50", "400x200"):
            words = f"resize --size {size} --filter {ours}{ringing}"
            resized = magick(f"m.png -filter {theirs} -resize {size}!")
            yield words, f"ImageMagick, {theirs}", gpupost(words, "m.exr")[inside], resized[inside], two_steps, "16 bits in both passes; without the border, where ImageMagick takes fewer texels"


def all_rows():
    yield from rows()
    if LCMS:
        yield from white_balance_rows()
    yield from denoise_rows()
    if shutil.which("convert"):
        yield from magick_rows()


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_images()
        print("| op | peer | largest difference | limit | reason for the limit |\n|---|---|---|---|---|")
        for op, peer, ours, theirs, limit, reason in all_rows():
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
