// ICC profiles of what is read, held against transforms of lcms2 over the whole way, and of what is written.
#include "core/codec/metadata/icc.h"
#include "core/image/primaries.h"
#include "tests/codec/jpeg_files.h"
#include "tests/codec/make_files.h"

#include <doctest/doctest.h>
#include <lcms2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

using namespace gpupost;

namespace {

std::string bytes_of(cmsHPROFILE profile) {
  cmsUInt32Number count = 0;
  cmsSaveProfileToMem(profile, nullptr, &count);
  std::string bytes(count, '\0');
  cmsSaveProfileToMem(profile, bytes.data(), &count);
  return bytes;
}

cmsHPROFILE rgb_profile(const Primaries& primaries, cmsToneCurve* curve) {
  cmsToneCurve* curves[] = {curve, curve, curve};
  const cmsCIExyY white{primaries.white.x, primaries.white.y, 1};
  const cmsCIExyYTRIPLE places{{primaries.red.x, primaries.red.y, 1},
                               {primaries.green.x, primaries.green.y, 1},
                               {primaries.blue.x, primaries.blue.y, 1}};
  return cmsCreateRGBProfile(&white, &places, curves);
}

cmsToneCurve* srgb_curve() {
  const double numbers[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  return cmsBuildParametricToneCurve(nullptr, 4, numbers);
}

// ISO 22028-2: a power that begins with a line.
cmsToneCurve* romm_curve() {
  const double numbers[] = {1.8, 1, 0, 1 / 16.0, 0.03125};
  return cmsBuildParametricToneCurve(nullptr, 4, numbers);
}

// A curve of no known shape.
cmsToneCurve* odd_curve() {
  std::vector<cmsUInt16Number> table;
  for (int i = 0; i < 4096; ++i)
    table.push_back(cmsUInt16Number(65535 * std::pow(std::sin(i / 4095.0 * 1.5707963), 2)));
  return cmsBuildTabulatedToneCurve16(nullptr, cmsUInt32Number(table.size()), table.data());
}

// A profile of a table alone, of 33 steps a side: what `from` makes of colors in Lab.
cmsHPROFILE table_profile(cmsHPROFILE from) {
  cmsHPROFILE lab = cmsCreateLab4Profile(nullptr);
  cmsHTRANSFORM to_lab = cmsCreateTransform(from, TYPE_RGB_16, lab, TYPE_Lab_16, INTENT_RELATIVE_COLORIMETRIC, 0);
  cmsHPROFILE made = cmsCreateProfilePlaceholder(nullptr);
  cmsSetProfileVersion(made, 4.3);
  cmsSetDeviceClass(made, cmsSigInputClass);
  cmsSetColorSpace(made, cmsSigRgbData);
  cmsSetPCS(made, cmsSigLabData);
  cmsPipeline* pipeline = cmsPipelineAlloc(nullptr, 3, 3);
  cmsStage* table = cmsStageAllocCLut16bit(nullptr, 33, 3, 3, nullptr);
  cmsStageSampleCLut16bit(
      table,
      [](const cmsUInt16Number in[], cmsUInt16Number out[], void* transform) -> cmsInt32Number {
        cmsDoTransform(transform, in, out, 1);
        return TRUE;
      },
      to_lab, 0);
  // the tag's type wants curves before and behind the table
  cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nullptr, 3, nullptr));
  cmsPipelineInsertStage(pipeline, cmsAT_END, table);
  cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nullptr, 3, nullptr));
  cmsWriteTag(made, cmsSigAToB0Tag, pipeline);
  cmsWriteTag(made, cmsSigMediaWhitePointTag, cmsD50_XYZ());
  cmsPipelineFree(pipeline);
  cmsDeleteTransform(to_lab);
  cmsCloseProfile(lab);
  return made;
}

// A profile of four inks whose lightness is 100 times (1 - cyan) times (1 - black).
cmsHPROFILE ink_profile() {
  cmsHPROFILE made = cmsCreateProfilePlaceholder(nullptr);
  cmsSetProfileVersion(made, 4.3);
  cmsSetDeviceClass(made, cmsSigOutputClass);
  cmsSetColorSpace(made, cmsSigCmykData);
  cmsSetPCS(made, cmsSigLabData);
  cmsPipeline* pipeline = cmsPipelineAlloc(nullptr, 4, 3);
  cmsStage* table = cmsStageAllocCLut16bit(nullptr, 2, 4, 3, nullptr);
  cmsStageSampleCLut16bit(
      table,
      [](const cmsUInt16Number in[], cmsUInt16Number out[], void*) -> cmsInt32Number {
        out[0] = in[0] > 0 || in[3] > 0 ? 0 : 65535;
        out[1] = out[2] = 0x8080;
        return TRUE;
      },
      nullptr, 0);
  cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nullptr, 4, nullptr));
  cmsPipelineInsertStage(pipeline, cmsAT_END, table);
  cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nullptr, 3, nullptr));
  cmsWriteTag(made, cmsSigAToB0Tag, pipeline);
  cmsWriteTag(made, cmsSigMediaWhitePointTag, cmsD50_XYZ());
  cmsPipelineFree(pipeline);
  return made;
}

// A curve that gives 0.1 to the power of 2.2 for black.
cmsToneCurve* light_black_curve() {
  const double numbers[] = {2.2, 0.9, 0.1};
  return cmsBuildParametricToneCurve(nullptr, 2, numbers);
}

// A profile whose colorants do not add up to the white of profiles, D50.
cmsHPROFILE camera_profile(cmsToneCurve* curve) {
  cmsHPROFILE made = rgb_profile(rec709, curve);
  const cmsCIEXYZ red{0.45, 0.24, 0.02}, green{0.35, 0.70, 0.08}, blue{0.10, 0.06, 0.60};
  cmsWriteTag(made, cmsSigRedColorantTag, &red);
  cmsWriteTag(made, cmsSigGreenColorantTag, &green);
  cmsWriteTag(made, cmsSigBlueColorantTag, &blue);
  return made;
}

// A raster of one row with this profile applied.
template <class Number>
Raster applied(const std::string& profile, const std::vector<Number>& numbers, Raster raster,
               ProfileUse use = ProfileUse::all) {
  raster.format = "tiff";
  raster.size = {int(numbers.size() / 4), 1};
  raster.texels = TexelBuffer(numbers.size() * sizeof(Number));
  std::ranges::copy(numbers, raster.texels.as<Number>().begin());
  const auto bytes = std::as_bytes(std::span(profile));
  raster.colors.profile.assign(bytes.begin(), bytes.end());
  apply_profile(raster, use, {}, [](size_t count) { return TexelBuffer(count); });
  return raster;
}

std::vector<float> floats_of(const Raster& raster) {
  const auto numbers = raster.texels.as<const float>();
  return {numbers.begin(), numbers.end()};
}

// A PNG of 8 bits with all mixtures of six steps, and this profile.
File png_with(const std::string& profile, bool is_gray = false) {
  std::string rows(1, '\0');
  for (int i = 0; i < 216; ++i)
    for (const int number : {i % 6, i / 6 % 6, i / 36})
      if (!is_gray || number == i % 6) {
        rows += char(51 * number);
        if (is_gray) break;
      }
  return make_png({{"IHDR", png_header(216, 1, 8, is_gray ? 0 : 2)},
                   {"iCCP", std::string("profile\0\0", 9) + zlib_packed(profile)},
                   {"IDAT", zlib_packed(rows)},
                   {"IEND", ""}});
}

// Linear Rec. 709 of what was read.
std::vector<float> light_of(Picture picture) {
  const std::optional<Primaries> primaries = other_primaries(picture);
  make_working(picture, Depth::f32);
  if (primaries) convert_primaries(picture, {.from = *primaries, .to = rec709});
  const auto numbers = picture.groups.at(0).levels.at(0).texels.as<float>();
  return {numbers.begin(), numbers.end()};
}

// The same by lcms2 in one transform of floats.
std::vector<float> light_by_lcms2(const std::string& profile) {
  cmsHPROFILE from = cmsOpenProfileFromMem(profile.data(), cmsUInt32Number(profile.size()));
  cmsToneCurve* line = cmsBuildGamma(nullptr, 1);
  cmsHPROFILE to = rgb_profile(rec709, line);
  cmsHTRANSFORM transform = cmsCreateTransform(from, TYPE_RGB_FLT, to, TYPE_RGB_FLT, INTENT_RELATIVE_COLORIMETRIC,
                                               cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE);
  std::vector<float> light;
  for (int i = 0; i < 216; ++i) {
    const float in[] = {float(i % 6) / 5, float(i / 6 % 6) / 5, float(i / 36) / 5};
    float out[3];
    cmsDoTransform(transform, in, out, 1);
    light.insert(light.end(), {out[0], out[1], out[2], 1});
  }
  cmsDeleteTransform(transform);
  cmsCloseProfile(to);
  cmsFreeToneCurve(line);
  cmsCloseProfile(from);
  return light;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double(a[i]) - double(b[i])));
  return largest;
}

}  // namespace

TEST_CASE("a profile of primaries and a curve is applied as lcms2 applies it, and known curves leave the integers") {
  struct Row {
    const char* name;
    cmsToneCurve* curve;
    Transfer transfer;
    Depth depth;
  };
  for (const Row& row : {Row{"srgb", srgb_curve(), Transfer::srgb, Depth::u8},
                         {"2.2", cmsBuildGamma(nullptr, 2.19921875), Transfer::power, Depth::u8},
                         {"1", cmsBuildGamma(nullptr, 1), Transfer::linear, Depth::u8},
                         {"romm", romm_curve(), Transfer::linear, Depth::f32},
                         {"odd", odd_curve(), Transfer::linear, Depth::f32}}) {
    for (const NamedPrimaries& named : named_primaries) {
      INFO(std::string(row.name), " ", named.name);
      cmsHPROFILE profile = rgb_profile(named.primaries, row.curve);
      const std::string bytes = bytes_of(profile);
      const Decoded decoded = decode_bytes(png_with(bytes));
      CHECK(decoded.warnings.empty());
      CHECK(decoded.picture.transfer == row.transfer);
      CHECK(decoded.picture.groups[0].depth == row.depth);
      const Primaries read = other_primaries(decoded.picture).value_or(rec709);
      CHECK(are_same(read, named.primaries));
      CHECK(largest_difference(light_of(decode_bytes(png_with(bytes)).picture), light_by_lcms2(bytes)) < 3e-4);
      cmsCloseProfile(profile);
    }
    cmsFreeToneCurve(row.curve);
  }
}

TEST_CASE("a profile of tables is applied as lcms2 applies it") {
  cmsToneCurve* curve = srgb_curve();
  cmsHPROFILE wide = rgb_profile(parse_primaries("p3-d65").value(), curve);
  cmsHPROFILE tables = table_profile(wide);
  const std::string bytes = bytes_of(tables);
  const Decoded decoded = decode_bytes(png_with(bytes));
  REQUIRE(decoded.warnings == std::vector<std::string>{});
  CHECK(decoded.picture.groups[0].depth == Depth::f32);
  CHECK(decoded.picture.groups[0].channels[0].depth == Depth::u8);  // of the file
  CHECK(decoded.picture.attributes.empty());
  CHECK(largest_difference(light_of(decode_bytes(png_with(bytes)).picture), light_by_lcms2(bytes)) < 1e-5);
  cmsCloseProfile(tables);
  cmsCloseProfile(wide);
  cmsFreeToneCurve(curve);
}

TEST_CASE("what replaces a part of a profile leaves the values as they are") {
  cmsToneCurve* curve = odd_curve();
  cmsHPROFILE wide = rgb_profile(rec2020, curve);
  cmsHPROFILE tables = table_profile(wide);
  const auto read = [](cmsHPROFILE profile, ProfileUse use) {
    return decode_bytes(png_with(bytes_of(profile)), {.profile = use});
  };
  for (const ProfileUse use : {ProfileUse::all_but_tables, ProfileUse::primaries, ProfileUse::nothing}) {
    const Decoded with_curves = read(wide, use), with_tables = read(tables, use);
    CHECK(with_curves.picture.groups[0].depth == (use == ProfileUse::all_but_tables ? Depth::f32 : Depth::u8));
    CHECK(other_primaries(with_curves.picture).has_value() == (use != ProfileUse::nothing));
    CHECK(with_curves.warnings.empty());
    CHECK(with_tables.picture.groups[0].depth == Depth::u8);
    CHECK(!other_primaries(with_tables.picture));
    CHECK(with_tables.warnings.empty() == (use == ProfileUse::nothing));
  }
  cmsCloseProfile(tables);
  cmsCloseProfile(wide);
  cmsFreeToneCurve(curve);
}

TEST_CASE("a gray picture takes the curve of its profile, and none of another kind of color") {
  cmsToneCurve* curve = cmsBuildGamma(nullptr, 1.8);
  const cmsCIExyY white{0.3127, 0.3290, 1};
  cmsHPROFILE gray = cmsCreateGrayProfile(&white, curve);
  cmsHPROFILE color = rgb_profile(rec709, curve);
  for (cmsHPROFILE profile : {gray, color}) {
    const Decoded decoded = decode_bytes(png_with(bytes_of(profile), true));
    CHECK(decoded.warnings.empty());
    CHECK(decoded.picture.transfer == Transfer::power);
    CHECK(decoded.picture.exponent == doctest::Approx(1.8).epsilon(1e-4));
    CHECK(decoded.picture.groups[0].is_luminance);
  }
  CHECK(decode_bytes(png_with(bytes_of(gray))).warnings ==
        std::vector<std::string>{"the ICC profile is for another color model and ignored; without --input-transfer and "
                                 "--input-primaries, the image is taken as sRGB"});
  cmsCloseProfile(gray);
  cmsCloseProfile(color);
  cmsFreeToneCurve(curve);
}

TEST_CASE("a gray profile connected in Lab gives lightness") {
  cmsToneCurve* line = cmsBuildGamma(nullptr, 1);
  cmsHPROFILE profile = cmsCreateGrayProfile(cmsD50_xyY(), line);
  cmsSetPCS(profile, cmsSigLabData);
  const std::string bytes = bytes_of(profile);
  const std::vector<float> light = light_of(decode_bytes(png_with(bytes, true)).picture);
  // of 0, 0.2, 0.4, 0.6, 0.8 and 1 times 100: ((L + 16) / 116)^3
  const double expected[] = {0, 0.029891, 0.112512, 0.281233, 0.566813, 1};
  REQUIRE(light.size() >= 4 * 6);
  for (size_t i = 0; i < 6; ++i) CHECK(double(light[4 * i]) == doctest::Approx(expected[i]).epsilon(2e-4));
  // a lightness up to 8 is a straight line
  const File dark = make_png({{"IHDR", png_header(1, 1, 8, 0)},
                              {"iCCP", std::string("profile\0\0", 9) + zlib_packed(bytes)},
                              {"IDAT", zlib_packed(std::string("\0\15", 2))},
                              {"IEND", ""}});
  CHECK(light_of(decode_bytes(dark).picture)[0] == doctest::Approx(100 * 13.0 / 255 * 27 / 24389).epsilon(1e-5));
  // lcms2 takes the same way
  cmsHPROFILE from = cmsOpenProfileFromMem(bytes.data(), cmsUInt32Number(bytes.size()));
  cmsHPROFILE to = rgb_profile(rec709, line);
  cmsHTRANSFORM transform = cmsCreateTransform(from, TYPE_GRAY_FLT, to, TYPE_RGB_FLT, INTENT_RELATIVE_COLORIMETRIC,
                                               cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE);
  for (size_t i = 0; i < 6; ++i) {
    const float in = float(i) / 5;
    float out[3];
    cmsDoTransform(transform, &in, out, 1);
    CHECK(light[4 * i] == doctest::Approx(out[0]).epsilon(1e-3));
  }
  cmsDeleteTransform(transform);
  cmsCloseProfile(to);
  cmsCloseProfile(from);
  cmsCloseProfile(profile);
  cmsFreeToneCurve(line);
}

TEST_CASE("a profile that is cut off or has flipped bytes does no harm") {
  cmsToneCurve* curve = odd_curve();
  cmsHPROFILE profile = rgb_profile(rec2020, curve);
  const std::string bytes = bytes_of(profile);
  for (size_t count = 0; count < bytes.size(); count += 97) {
    const Decoded decoded = decode_bytes(png_with(bytes.substr(0, count)));
    CHECK(decoded.picture.size() == Size{216, 1});
  }
  for (size_t at = 0; at < 400; at += 7) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 0x5a);
    CHECK(decode_bytes(png_with(damaged)).picture.size() == Size{216, 1});
  }
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
}

TEST_CASE("a profile in several segments of a JPEG is one, whichever stands first") {
  cmsToneCurve* curve = srgb_curve();
  cmsHPROFILE profile = rgb_profile(parse_primaries("adobe").value(), curve);
  const std::string bytes = bytes_of(profile);
  const auto segment = [&](int number, const std::string& piece) {
    const std::string data = std::string("ICC_PROFILE\0", 12) + char(number) + char(2) + piece;
    return "\xff\xe2" + std::string{char((data.size() + 2) >> 8), char(data.size() + 2)} + data;
  };
  const std::string first = segment(1, bytes.substr(0, 200)), second = segment(2, bytes.substr(200));
  for (const std::string& segments : {first + second, second + first}) {
    File file = make_jpeg({});
    const File inserted = file_of(segments);
    file.insert(file.begin() + 2, inserted.begin(), inserted.end());
    const Decoded decoded = decode_bytes(file);
    CHECK(decoded.warnings.empty());
    const std::optional<Primaries> read = other_primaries(decoded.picture);
    REQUIRE(read);
    CHECK(are_same(*read, parse_primaries("adobe").value()));
  }
  File incomplete = make_jpeg({});
  const File inserted = file_of(first);
  incomplete.insert(incomplete.begin() + 2, inserted.begin(), inserted.end());
  const Decoded decoded = decode_bytes(incomplete);
  CHECK(decoded.warnings == std::vector<std::string>{"the ICC profile is damaged and ignored; without --input-transfer "
                                                     "and --input-primaries, the image is taken as sRGB"});
  CHECK(decode_bytes(incomplete, {.profile = ProfileUse::nothing}).warnings.empty());
  const TexelBuffer& texels = decoded.picture.groups[0].levels[0].texels;
  CHECK(text_of(texels.bytes()) == text_of(decode_bytes(make_jpeg({})).picture.groups[0].levels[0].texels.bytes()));
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
}

TEST_CASE("PNG and JPEG say their primaries and curve, and are read back as that") {
  for (const NamedPrimaries& named : named_primaries)
    for (const std::string format : {"png", "jpg"})
      for (const Transfer transfer : {Transfer::srgb, Transfer::linear}) {
        INFO(named.name, " ", format);
        Picture picture = decode_bytes(png_with("")).picture;
        set_primaries(picture, named.primaries);
        make_working(picture, Depth::f32);
        const Encoded encoded =
            encode(*format_named(format), picture, {.depth = Depth::u8, .transfer = transfer, .quality = 100});
        const File file(encoded.bytes.bytes().begin(), encoded.bytes.bytes().end());
        const Decoded decoded = decode_bytes(file);
        CHECK(decoded.warnings.empty());
        CHECK(are_same(other_primaries(decoded.picture).value_or(rec709), named.primaries));
        CHECK(decoded.picture.transfer == transfer);
      }
}

TEST_CASE("a profile is named after its primaries and its curve") {
  const auto name_of_profile = [](const Primaries& primaries, Transfer transfer, bool is_gray) {
    const std::vector<std::byte> bytes = profile_of(primaries, transfer, is_gray);
    const cmsHPROFILE profile = cmsOpenProfileFromMem(bytes.data(), cmsUInt32Number(bytes.size()));
    REQUIRE(profile);
    std::array<char, 80> name{};
    cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", name.data(), name.size());
    cmsCloseProfile(profile);
    return std::string(name.data());
  };
  CHECK(name_of_profile(rec709, Transfer::srgb, false) == "rec709, sRGB curve");
  CHECK(name_of_profile(p3_d65, Transfer::linear, false) == "p3-d65, linear");
  CHECK(name_of_profile({{0.6, 0.3}, {0.3, 0.5}, {0.2, 0.1}, {0.3, 0.3}}, Transfer::linear, false) ==
        "other primaries, linear");
  CHECK(name_of_profile(rec709, Transfer::srgb, true) == "gray, sRGB curve");
}

TEST_CASE("PQ and HLG of 16 bits come back as the light they were, and cICP says so") {
  for (const Transfer transfer : {Transfer::pq, Transfer::hlg}) {
    Picture picture = decode_bytes(png_with("")).picture;
    set_primaries(picture, rec2020);
    make_working(picture, Depth::f32);
    for (float& number : picture.groups[0].levels[0].texels.as<float>()) number *= 3;  // over the reference white
    const Encoded encoded = encode(*format_named("png"), picture, {.depth = Depth::u16, .transfer = transfer});
    const File file(encoded.bytes.bytes().begin(), encoded.bytes.bytes().end());
    CHECK(text_of(file).find(std::string("cICP\x09", 5) + char(transfer == Transfer::pq ? 16 : 18) +
                             std::string("\0\1", 2)) != std::string_view::npos);
    Decoded decoded = decode_bytes(file);
    CHECK(decoded.picture.transfer == transfer);
    make_working(decoded.picture, Depth::f32);
    const auto before = picture.groups[0].levels[0].texels.as<float>(),
               after = decoded.picture.groups[0].levels[0].texels.as<float>();
    for (size_t i = 0; i < before.size(); ++i)
      if (i % 4 != 3) CHECK(after[i] == doctest::Approx(before[i]).epsilon(1e-3));
  }
  // ITU-R BT.2408: reference white is 58 % of PQ and 75 % of HLG; BT.2100: 10,000 cd/m2 is all of PQ
  CHECK(pq_encode(1) == doctest::Approx(0.5807).epsilon(1e-3));
  CHECK(pq_encode(10000.0 / 203) == doctest::Approx(1));
  CHECK(hlg_encode(1) == doctest::Approx(0.75));
  for (double share = 0; share <= 1; share += 1.0 / 64) {
    CHECK(pq_encode(pq_decode(share)) == doctest::Approx(share).epsilon(1e-6));
    CHECK(hlg_encode(hlg_decode(share)) == doctest::Approx(share).epsilon(1e-6));
  }
}

TEST_CASE("a curve of a profile is applied to the color that --input-alpha says is there") {
  cmsToneCurve* curve = odd_curve();
  cmsHPROFILE profile = rgb_profile(rec709, curve);
  const File file = make_png({{"IHDR", png_header(1, 1, 8, 6)},
                              {"iCCP", std::string("profile\0\0", 9) + zlib_packed(bytes_of(profile))},
                              {"IDAT", zlib_packed(std::string("\0\x20\x40\x60\x80", 5))},
                              {"IEND", ""}});
  const auto red = [&](AlphaUse alpha) {
    return decode_bytes(file, {.alpha = alpha}).picture.groups[0].levels[0].texels.as<float>()[0];
  };
  const auto light = [&](double number) { return double(cmsEvalToneCurveFloat(curve, float(number))); };
  const double number = 32 / 255.0, alpha = 128 / 255.0;
  for (const AlphaUse use : {AlphaUse::as_recorded, AlphaUse::straight, AlphaUse::data})
    CHECK(red(use) == doctest::Approx(light(number)).epsilon(1e-4));
  CHECK(red(AlphaUse::premultiplied) == doctest::Approx(light(number / alpha) * alpha).epsilon(1e-4));
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
}

TEST_CASE("black ink is no alpha") {
  cmsHPROFILE profile = ink_profile();
  const std::string bytes = bytes_of(profile);
  const std::vector<uint8_t> inks{0, 0, 0, 128, 51, 0, 0, 102};
  const auto light = [&](Alpha alpha) {
    return floats_of(applied(bytes, inks, {.is_cmyk = true, .depth = Depth::u8, .alpha = alpha}));
  };
  CHECK(light(Alpha::premultiplied) == light(Alpha::straight));
  CHECK(double(light(Alpha::straight)[0]) == doctest::Approx(0.182).epsilon(0.01));
  cmsCloseProfile(profile);
}

TEST_CASE("transparent black stays black if a profile makes black light") {
  cmsToneCurve* curve = light_black_curve();
  cmsHPROFILE profile = rgb_profile(rec709, curve);
  const Raster raster = applied(bytes_of(profile), std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0},
                                {.depth = Depth::f32, .alpha = Alpha::premultiplied});
  const std::vector<float> light = floats_of(raster);
  const auto black = float(std::pow(0.1, 2.2));
  CHECK(light[0] == 0);
  CHECK(light[4] == doctest::Approx(black / 2));
  CHECK(light[8] == doctest::Approx(float(std::pow(0.55, 2.2)) - black));  // light without coverage
  CHECK(light[9] == 0);
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
}

TEST_CASE("a profile takes alpha that is not finite as 1, and negative alpha as it is") {
  cmsToneCurve* curve = light_black_curve();
  cmsHPROFILE profile = rgb_profile(rec709, curve);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Raster raster = applied(bytes_of(profile), std::vector<float>{0.5f, 0, 0, infinity, -0.25f, 0, 0, -0.5f},
                                {.depth = Depth::f32, .alpha = Alpha::premultiplied});
  const std::vector<float> light = floats_of(raster);
  const auto gray = float(std::pow(0.55, 2.2));
  CHECK(light[0] == doctest::Approx(gray));
  CHECK(light[4] == doctest::Approx(gray * -0.5f));
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
}

TEST_CASE("NaN stays NaN in the curves and tables of a profile, and infinity stays infinite in a parametric curve") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> numbers{nan, 0.5f, 0.25f, 1, infinity, -infinity, 0.5f, 1};
  cmsToneCurve* parametric = light_black_curve();
  cmsToneCurve* table = odd_curve();
  for (cmsToneCurve* curve : {parametric, table}) {
    cmsHPROFILE profile = rgb_profile(rec709, curve);
    const Raster raster = applied(bytes_of(profile), numbers, {.depth = Depth::f32});
    const std::vector<float> light = floats_of(raster);
    CHECK(std::isnan(light[0]));
    CHECK(std::isfinite(light[1]));
    CHECK((curve == parametric ? light[4] == infinity : light[4] == doctest::Approx(1).epsilon(1e-4)));
    CHECK((curve == parametric ? light[5] == -infinity : light[5] == doctest::Approx(-1).epsilon(1e-4)));
    CHECK(std::isfinite(light[6]));
    CHECK(raster.colors.warnings.size() == (curve == parametric ? 0 : 1));
    cmsCloseProfile(profile);
  }
  cmsHPROFILE wide = rgb_profile(rec2020, parametric);
  cmsHPROFILE tables = table_profile(wide);
  const std::vector<float> light = floats_of(applied(bytes_of(tables), numbers, {.depth = Depth::f32}));
  const std::vector<float> clamped =
      floats_of(applied(bytes_of(tables), std::vector{1.0f, 0.0f, 0.5f, 1.0f}, {.depth = Depth::f32}));
  for (size_t c = 0; c < 3; ++c) {
    CHECK(std::isnan(light[c]));
    CHECK(light[4 + c] == clamped[c]);
  }
  CHECK(light[3] == 1);
  cmsCloseProfile(tables);
  cmsCloseProfile(wide);
  cmsFreeToneCurve(table);
  cmsFreeToneCurve(parametric);
}

TEST_CASE("floats with a damaged profile are taken as linear") {
  const Raster raster =
      applied("damaged", std::vector<float>(4), {.depth = Depth::f32, .colors = {.transfer = Transfer::linear}});
  CHECK(raster.colors.transfer == Transfer::linear);
  CHECK(raster.colors.warnings ==
        std::vector<std::string>{"the ICC profile is damaged and ignored; without --input-transfer and "
                                 "--input-primaries, the image is taken as linear Rec. 709"});
}

TEST_CASE("the other color chunks replace a profile with tables that is ignored") {
  cmsToneCurve* curve = odd_curve();
  cmsHPROFILE wide = rgb_profile(rec2020, curve);
  cmsHPROFILE tables = table_profile(wide);
  std::string chromaticities;
  for (const int number : {31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000})
    chromaticities += {0, char(number >> 16), char(number >> 8), char(number)};
  const File file = make_png({{"IHDR", png_header(1, 1, 8, 2)},
                              {"iCCP", std::string("profile\0\0", 9) + zlib_packed(bytes_of(tables))},
                              {"gAMA", std::string("\0\1\x86\xa0", 4)},
                              {"cHRM", chromaticities},
                              {"IDAT", zlib_packed(std::string("\0\x20\x40\x60", 4))},
                              {"IEND", ""}});
  for (const ProfileUse use : {ProfileUse::all_but_tables, ProfileUse::primaries}) {
    const Decoded decoded = decode_bytes(file, {.profile = use});
    CHECK(decoded.picture.transfer == Transfer::linear);
    CHECK(are_same(other_primaries(decoded.picture).value_or(rec709), p3_d65));
    CHECK(decoded.warnings ==
          std::vector<std::string>{"the ICC profile has tables and is ignored, because --input-transfer or "
                                   "--input-primaries replaces a part of it; the other color chunks are taken"});
  }
  cmsCloseProfile(tables);
  cmsCloseProfile(wide);
  cmsFreeToneCurve(curve);
}

TEST_CASE("a profile whose colorants do not add up to D50 keeps the color of its white") {
  for (cmsToneCurve* curve : {cmsBuildGamma(nullptr, 2.2), odd_curve()}) {
    cmsHPROFILE profile = camera_profile(curve);
    const std::string bytes = bytes_of(profile);
    Decoded decoded = decode_bytes(png_with(bytes));
    CHECK(decoded.warnings.empty());
    CHECK(!other_primaries(decoded.picture));
    CHECK(largest_difference(light_of(std::move(decoded.picture)), light_by_lcms2(bytes)) < 1e-4);
    const Decoded with_transfer = decode_bytes(png_with(bytes), {.profile = ProfileUse::primaries});
    CHECK(!other_primaries(with_transfer.picture));
    CHECK(with_transfer.picture.groups[0].depth == Depth::u8);
    CHECK(with_transfer.warnings ==
          std::vector<std::string>{"the primaries of the ICC profile are ignored, because R = G "
                                   "= B = 1 is not white in it and --input-transfer replaces "
                                   "its curves"});
    CHECK(decode_bytes(png_with(bytes), {.profile = ProfileUse::all_but_tables}).warnings.empty());
    cmsCloseProfile(profile);
    cmsFreeToneCurve(curve);
  }
}

TEST_CASE("the profile of CIE XYZ has their white, D65, and is read back as that") {
  const std::vector<std::byte> made = profile_of(cie_xyz, Transfer::linear, false);
  const std::string bytes(reinterpret_cast<const char*>(made.data()), made.size());
  const std::vector<float> white = light_by_lcms2(bytes);
  const Vector3 expected = product(conversion({.from = cie_xyz, .to = rec709}), Vector3{1, 1, 1});
  for (size_t c = 0; c < 3; ++c)
    CHECK(double(white[white.size() - 4 + c]) == doctest::Approx(expected[c]).epsilon(2e-4));
  const Decoded decoded = decode_bytes(png_with(bytes));
  CHECK(decoded.warnings.empty());
  CHECK(are_same(other_primaries(decoded.picture).value_or(rec709), cie_xyz));
  CHECK(decoded.picture.groups[0].depth == Depth::u8);
}
