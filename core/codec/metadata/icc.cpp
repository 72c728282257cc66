#include "core/codec/metadata/icc.h"

#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/image/to_working.h"

#include <lcms2.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>

namespace gpupost {

namespace {

template <auto free>
struct Freed {
  void operator()(auto* pointer) const { free(pointer); }
};
using Profile = std::unique_ptr<void, Freed<cmsCloseProfile>>;
using Transform = std::unique_ptr<void, Freed<cmsDeleteTransform>>;
using Curve = std::unique_ptr<cmsToneCurve, Freed<cmsFreeToneCurve>>;
using Texts = std::unique_ptr<cmsMLU, Freed<cmsMLUfree>>;

constexpr float rounding = 1e-5f;  // of numbers that were divided by alpha

double share_of_curve(const cmsToneCurve& curve, double number) {
  return double(cmsEvalToneCurveFloat(&curve, float(number)));
}

// Whether the curve equals this function within the rounding of tables of 16 bits, in dark colors too: some curves begin with a
// line where a power is much darker.
bool is_about(const cmsToneCurve& curve, const std::function<double(double)>& function) {
  constexpr int step_count = 255;
  for (int step = 0; step <= step_count; ++step) {
    const double number = double(step) / step_count;
    const double expected = function(number);
    if (!(std::abs(share_of_curve(curve, number) - expected) < std::min(0.0005, 3e-5 + 0.02 * expected))) return false;
  }
  return true;
}

// The Transfer that all curves match, if any.
bool take_usual_curve(std::span<const cmsToneCurve* const> curves, Colors& colors) {
  const auto are_about = [&](const std::function<double(double)>& function) {
    return std::ranges::all_of(curves, [&](const cmsToneCurve* curve) { return is_about(*curve, function); });
  };
  colors.exponent = 1;
  if (are_about([](double number) { return number; })) colors.transfer = Transfer::linear;
  else if (are_about(srgb_decode)) colors.transfer = Transfer::srgb;
  else {
    const double exponent = cmsEstimateGamma(curves.front(), 0.01);
    if (!(exponent > 0.1 && exponent < 10) || !are_about([&](double number) { return std::pow(number, exponent); }))
      return false;
    colors.transfer = Transfer::power;
    colors.exponent = exponent;
  }
  return true;
}

// Calls change(values) for rows of a raster as floats, and stores the new linear texels. Premultiplied color is divided
// by alpha before and multiplied after; with alpha 0, it does not get the light that the profile gives black.
template <class Change>
void change_floats(Raster& raster, const Limits& limits, const TexelAllocator& lend, const Change& change) {
  TexelBuffer made = lend_texels(raster.size, Depth::f32, limits, lend);
  const auto width = size_t(raster.size.width);
  const bool is_premultiplied =
      raster.alpha == Alpha::premultiplied && raster.channel_count % 2 == 0 && !raster.alpha_is_data && !raster.is_cmyk;
  std::array<float, 4> black{0, 0, 0, 1};
  if (is_premultiplied) change(std::span<float>(black));
  parallel_ranges(raster.size.height, std::max(1, 65536 / raster.size.width), [&](int begin, int end) {
    for (auto y = size_t(begin); y < size_t(end); ++y) {
      const std::byte* from = raster.texels.data() + y * width * 4 * bytes_of(raster.depth);
      const std::span<float> row = made.as<float>().subspan(y * width * 4, width * 4);
      const auto take = [&](const auto* numbers, float unit) {
        for (size_t i = 0; i < row.size(); ++i) row[i] = float(numbers[i]) / unit;
      };
      if (raster.depth == Depth::u8) take(reinterpret_cast<const uint8_t*>(from), 255);
      else if (raster.depth == Depth::u16) take(reinterpret_cast<const uint16_t*>(from), 65535);
      else if (raster.depth == Depth::half)
        floats_from_halves(reinterpret_cast<const uint16_t*>(from), row.data(), row.size());
      else take(reinterpret_cast<const float*>(from), 1);
      const auto scale = [&](bool divides) {
        for (size_t i = 0; i < row.size(); i += 4) {
          const float alpha = std::isfinite(row[i + 3]) ? row[i + 3] : 1;  // as ops count it
          for (size_t c = i; c < i + 3; ++c)
            if (alpha != 0) row[c] = divides ? row[c] / alpha : row[c] * alpha;
            else if (!divides) row[c] -= black[c - i];
        }
      };
      if (is_premultiplied) scale(true);
      change(row);
      if (is_premultiplied) scale(false);
    }
  });
  raster.texels = std::move(made);
  raster.depth = Depth::f32;
  raster.colors.transfer = Transfer::linear;
  raster.colors.exponent = 1;
}

constexpr cmsTagSignature colorant_tags[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};

// Rows from linear R, G and B to X, Y and Z under the profile white, D50. ICC.1:2022, 9.2.
std::optional<Matrix3> colorants_of(cmsHPROFILE profile) {
  Matrix3 rows;
  for (size_t i = 0; i < 3; ++i) {
    const auto* color = static_cast<const cmsCIEXYZ*>(cmsReadTag(profile, colorant_tags[i]));
    if (!color) return std::nullopt;
    rows[0][i] = color->X;
    rows[1][i] = color->Y;
    rows[2][i] = color->Z;
  }
  return rows;
}

// Replaces the colorants of a profile of Rec. 709 by those of X, Y and Z, in which R = G = B = 1 is not white.
bool write_xyz(cmsHPROFILE profile) {
  const std::optional<Matrix3> of_rec709 = colorants_of(profile);
  if (!of_rec709) return false;
  const Matrix3 rows = product(*of_rec709, conversion({.from = cie_xyz, .to = rec709}));
  for (size_t i = 0; i < 3; ++i) {
    const cmsCIEXYZ color{rows[0][i], rows[1][i], rows[2][i]};
    if (!cmsWriteTag(profile, colorant_tags[i], &color)) return false;
  }
  return true;
}

// Known primaries are recognized. Those of a profile are relative to its white, D50.
std::optional<Primaries> primaries_of(cmsHPROFILE profile) {
  const std::optional<Matrix3> colorants = colorants_of(profile);
  const std::optional<Primaries> seen = colorants ? primaries_of_xyz(*colorants, d50) : std::nullopt;
  return seen && !seen->to_xyz ? nearest_named(*seen).value_or(*seen) : seen;
}

// Warns of numbers that curves or tables of a profile do not reach. `count`: how many were clamped.
void warn_of_clamped(Raster& raster, size_t count, std::string_view range) {
  if (count > 0)
    raster.colors.warnings.push_back(fmt::format(
        "number of values beyond {} that were clamped, because the ICC profile has tables: {}", range, count));
}

// Converts ink or color tables to Rec. 709.
bool apply_tables(cmsHPROFILE profile, cmsUInt32Number type, Raster& raster, const Limits& limits,
                  const TexelAllocator& lend) {
  const Curve line(cmsBuildGamma(nullptr, 1));
  cmsToneCurve* const lines[] = {line.get(), line.get(), line.get()};
  const cmsCIExyY white{rec709.white.x, rec709.white.y, 1};
  const cmsCIExyYTRIPLE primaries{
      {rec709.red.x, rec709.red.y, 1}, {rec709.green.x, rec709.green.y, 1}, {rec709.blue.x, rec709.blue.y, 1}};
  const Profile linear(cmsCreateRGBProfile(&white, &primaries, lines));
  const Transform transform(cmsCreateTransform(profile, type, linear.get(), TYPE_RGBA_FLT, INTENT_RELATIVE_COLORIMETRIC,
                                               cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE));
  if (!transform) return false;
  const float most = raster.is_cmyk ? 100 : 1;  // lcms2 counts inks in percent
  std::atomic<size_t> clamped_count = 0;
  change_floats(raster, limits, lend, [&](std::span<float> row) {
    std::vector<float> before(row.begin(), row.end());
    for (size_t i = 0; i < row.size(); ++i)
      if (i % 4 != 3 && (row[i] < -rounding || row[i] > 1 + rounding)) ++clamped_count;
    for (size_t i = 0; i < before.size(); ++i)  // NaN stays
      if (i % 4 != 3 || raster.is_cmyk) before[i] = most * std::clamp(before[i], 0.0F, 1.0F);
    cmsDoTransform(transform.get(), before.data(), row.data(), cmsUInt32Number(row.size() / 4));
    for (size_t i = 0; i < row.size(); i += 4) {
      row[i + 3] = raster.is_cmyk ? 1 : before[i + 3];
      const auto color = std::span(before).subspan(i, 3);
      const auto nan = std::ranges::find_if(color, [](float number) { return std::isnan(number); });
      if (nan != color.end()) std::ranges::fill(row.subspan(i, 3), *nan);
    }
  });
  warn_of_clamped(raster, clamped_count, "0..1");
  if (raster.is_cmyk) raster.channel_count = 3;
  raster.is_cmyk = false;
  raster.colors.chromaticities = std::nullopt;
  return true;
}

// CIE lightness as a share of 100 to the luminance of the white point. CIE 15.
float luminance_of_lightness(float share) {
  const double lightness = 100 * double(share);
  return float(lightness > 8 ? std::pow((lightness + 16) / 116, 3) : lightness * 27 / 24389);
}

bool is_table(const cmsToneCurve& curve) { return cmsGetToneCurveParametricType(&curve) == 0; }

// The curve of a profile. Goes on below 0 as a mirror image. NaN stays NaN, and infinity infinite if no table clamps it.
float through_curve(const cmsToneCurve& curve, float number) {
  if (std::isnan(number) || (std::isinf(number) && !is_table(curve))) return number;
  const float made = cmsEvalToneCurveFloat(&curve, std::abs(number));
  return number < 0 ? 2 * cmsEvalToneCurveFloat(&curve, 0) - made : made;
}

bool apply_curves(cmsHPROFILE profile, bool is_gray_profile, ProfileUse use, Raster& raster, const Limits& limits,
                  const TexelAllocator& lend) {
  constexpr cmsTagSignature tags[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  std::array<const cmsToneCurve*, 3> curves;
  for (size_t i = 0; i < 3; ++i) {
    const cmsTagSignature tag = is_gray_profile ? cmsSigGrayTRCTag : raster.is_gray() ? cmsSigGreenTRCTag : tags[i];
    curves[i] = static_cast<const cmsToneCurve*>(cmsReadTag(profile, tag));
    if (!curves[i]) return false;
  }
  std::optional<Matrix3> to_rec709;  // of primaries that cannot be recorded
  if (!raster.is_gray()) {
    const std::optional<Primaries> primaries = primaries_of(profile);
    if (!primaries) return false;
    if (!primaries->to_xyz) {
      if (!are_same(*primaries, rec709)) raster.colors.chromaticities = chromaticities_of(*primaries);
    } else if (use == ProfileUse::all) {
      to_rec709 = conversion({.from = *primaries, .to = rec709});
    } else if (use == ProfileUse::primaries) {
      raster.colors.warnings.emplace_back(
          "the primaries of the ICC profile are ignored, because R = G = B = 1 is not white in it and --input-transfer "
          "replaces its curves");
    }
  }
  if (use == ProfileUse::primaries) return true;
  // ICC.1:2022, 8.3.4: the curve of a gray profile gives lightness if colors are connected in Lab
  const bool gives_lightness = is_gray_profile && cmsGetPCS(profile) == cmsSigLabData;
  if (!gives_lightness && !to_rec709 && take_usual_curve(curves, raster.colors)) return true;
  std::atomic<size_t> clamped_count = 0;
  change_floats(raster, limits, lend, [&](std::span<float> row) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i % 4 == 3) continue;
      const cmsToneCurve& curve = *curves[i % 4];
      if (is_table(curve) && std::abs(row[i]) > 1 + rounding) ++clamped_count;
      row[i] = through_curve(curve, row[i]);
      if (gives_lightness) row[i] = luminance_of_lightness(row[i]);
    }
    for (size_t i = 0; to_rec709 && i < row.size(); i += 4) {
      const Vector3 light{double(row[i]), double(row[i + 1]), double(row[i + 2])};
      std::ranges::copy(product_of_light(*to_rec709, light), row.begin() + ptrdiff_t(i));
    }
  });
  warn_of_clamped(raster, clamped_count, "-1..1");
  return true;
}

// CMYK to RGB: (1 - ink) * (1 - black).
void make_rgb(Raster& raster) {
  const auto change = [&]<class Number>(std::span<Number> numbers) {
    constexpr uint32_t most = Number(-1);
    for (size_t i = 0; i < numbers.size(); i += 4) {
      for (size_t c = i; c < i + 3; ++c)
        numbers[c] = Number(((most - numbers[c]) * (most - numbers[i + 3]) + most / 2) / most);
      numbers[i + 3] = Number(most);
    }
  };
  if (raster.depth == Depth::u8) change(raster.texels.as<uint8_t>());
  else change(raster.texels.as<uint16_t>());
  raster.is_cmyk = false;
  raster.channel_count = 3;
  raster.colors.warnings.push_back("CMYK without a profile is converted to RGB; colors are not exact");
}

// Takes the colors of a file without its profile.
void take_other_chunks(Colors& colors) {
  const std::shared_ptr<const Colors> others = colors.without_profile;
  if (!others) return;
  colors.transfer = others->transfer;
  colors.exponent = others->exponent;
  colors.chromaticities = others->chromaticities;
  std::ranges::copy(others->warnings, std::back_inserter(colors.warnings));
}

// Returns false if the profile cannot be used; `what` is the reason.
bool apply(Raster& raster, ProfileUse use, const Limits& limits, const TexelAllocator& lend, std::string_view& what) {
  const std::vector<std::byte>& bytes = raster.colors.profile;
  const Profile profile(cmsOpenProfileFromMem(bytes.data(), cmsUInt32Number(bytes.size())));
  what = "damaged";
  if (!profile) return false;
  const cmsColorSpaceSignature space = cmsGetColorSpace(profile.get());
  const bool is_gray = space == cmsSigGrayData;
  what = "for another color model";
  if (space != (raster.is_cmyk ? cmsSigCmykData : cmsSigRgbData) && !(is_gray && raster.is_gray())) return false;
  // tables of one intent are used for missing ones: ICC.1:2022, 8.2
  const bool has_tables = cmsIsCLUT(profile.get(), INTENT_RELATIVE_COLORIMETRIC, LCMS_USED_AS_INPUT) ||
                          cmsIsCLUT(profile.get(), INTENT_PERCEPTUAL, LCMS_USED_AS_INPUT);
  if (has_tables && raster.is_gray()) return false;
  if (has_tables && use != ProfileUse::all) {
    raster.colors.warnings.push_back(
        fmt::format("the ICC profile has tables and is ignored, because --input-transfer or --input-primaries replaces "
                    "a part of it{}",
                    raster.colors.without_profile ? "; the other color chunks are taken" : ""));
    take_other_chunks(raster.colors);
    return true;
  }
  what = "damaged";
  if (has_tables)
    return apply_tables(profile.get(), raster.is_cmyk ? TYPE_CMYK_FLT : TYPE_RGBA_FLT, raster, limits, lend);
  return !raster.is_cmyk && apply_curves(profile.get(), is_gray, use, raster, limits, lend);
}

// Replaces a profile that cannot be used. `what`: the reason.
void ignore_profile(Colors& colors, std::string_view what) {
  const std::string_view substitute = colors.without_profile                ? "the other color chunks are taken"
                                      : colors.transfer == Transfer::linear ? taken_as_linear
                                                                            : taken_as_srgb;
  colors.warnings.push_back(fmt::format("the ICC profile is {} and ignored; {}", what, substitute));
  take_other_chunks(colors);
}

}  // namespace

void apply_profile(Raster& raster, ProfileUse use, const Limits& limits, const TexelAllocator& lend) {
  std::string_view what;
  const bool has_use = !raster.colors.profile.empty() && use != ProfileUse::nothing;
  if (has_use && !apply(raster, use, limits, lend, what)) ignore_profile(raster.colors, what);
  if (raster.is_cmyk) make_rgb(raster);
}

// The name of a profile, as programs show it: "p3-d65, sRGB curve".
static std::string description_of(const Primaries& primaries, Transfer transfer, bool is_gray) {
  const std::string_view colors = is_gray ? "gray" : name_of(primaries);
  return fmt::format("{}, {}", colors, transfer == Transfer::srgb ? "sRGB curve" : "linear");
}

std::vector<std::byte> profile_of(const Primaries& primaries, Transfer transfer, bool is_gray) {
  constexpr double srgb_curve[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  const Curve curve(transfer == Transfer::srgb ? cmsBuildParametricToneCurve(nullptr, 4, srgb_curve)
                                               : cmsBuildGamma(nullptr, 1));
  cmsToneCurve* const curves[] = {curve.get(), curve.get(), curve.get()};
  const auto place = [](Chromaticity c) { return cmsCIExyY{c.x, c.y, 1}; };
  const bool is_xyz = !is_gray && are_same(primaries, cie_xyz);
  const Primaries& base = is_xyz ? rec709 : primaries;
  const cmsCIExyY white = place(base.white);
  const cmsCIExyYTRIPLE colorants{place(base.red), place(base.green), place(base.blue)};
  const Profile profile(is_gray ? cmsCreateGrayProfile(&white, curve.get())
                                : cmsCreateRGBProfile(&white, &colorants, curves));
  const Texts description(cmsMLUalloc(nullptr, 1));
  cmsUInt32Number count = 0;
  if (!profile || !description || (is_xyz && !write_xyz(profile.get())) ||
      !cmsMLUsetASCII(description.get(), "en", "US", description_of(primaries, transfer, is_gray).c_str()) ||
      !cmsWriteTag(profile.get(), cmsSigProfileDescriptionTag, description.get()) ||
      !cmsSaveProfileToMem(profile.get(), nullptr, &count))
    fail(Exit::limit, "out of memory");
  std::vector<std::byte> bytes(count);
  if (!cmsSaveProfileToMem(profile.get(), bytes.data(), &count)) fail(Exit::limit, "out of memory");
  // lcms2 writes the time of day as the profile's date: year, month, day, hour, minute and second of two bytes each
  constexpr std::array<uint8_t, 12> date{0x07, 0xe8, 0, 1, 0, 1};
  std::memcpy(&bytes.at(24), date.data(), date.size());
  return bytes;
}

}  // namespace gpupost
