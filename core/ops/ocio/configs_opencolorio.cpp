#include "core/ops/ocio/configs.h"

#include "core/image/primaries.h"

#include <array>
#include <string>
#include <vector>

namespace gpupost {

namespace OCIO = OCIO_NAMESPACE;

namespace {

OCIO::TransformRcPtr built_in(const std::string& style) {
  const OCIO::BuiltinTransformRcPtr transform = OCIO::BuiltinTransform::Create();
  transform->setStyle(style.c_str());
  return transform;
}

OCIO::TransformRcPtr matrix_to_aces(const Primaries& primaries) {
  const auto rows = conversion({.from = primaries, .to = ap0});
  std::array<double, 16> numbers{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column) numbers[4 * row + column] = rows[row][column];
  numbers[15] = 1;
  const OCIO::MatrixTransformRcPtr matrix = OCIO::MatrixTransform::Create();
  matrix->setMatrix(numbers.data());
  return matrix;
}

OCIO::TransformRcPtr power(double gamma) {
  const OCIO::ExponentTransformRcPtr curve = OCIO::ExponentTransform::Create();
  curve->setValue({gamma, gamma, gamma, 1});
  curve->setNegativeStyle(OCIO::NEGATIVE_PASS_THRU);
  return curve;
}

OCIO::TransformRcPtr srgb_curve() {
  const OCIO::ExponentWithLinearTransformRcPtr curve = OCIO::ExponentWithLinearTransform::Create();
  curve->setGamma({2.4, 2.4, 2.4, 1});
  curve->setOffset({0.055, 0.055, 0.055, 0});
  curve->setNegativeStyle(OCIO::NEGATIVE_LINEAR);
  return curve;
}

OCIO::TransformRcPtr group(const std::vector<OCIO::TransformRcPtr>& transforms) {
  const OCIO::GroupTransformRcPtr made = OCIO::GroupTransform::Create();
  for (const OCIO::TransformRcPtr& transform : transforms) made->appendTransform(transform);
  return made;
}

constexpr const char* raw = "Raw";  // a space and a view
constexpr const char* un_tone_mapped = "Un-tone-mapped";

class Builder {
 public:
  explicit Builder(bool is_studio) : config_(OCIO::Config::Create()), is_studio_(is_studio) {
    config_->setMajorVersion(2);
    config_->setMinorVersion(1);
    config_->setName(is_studio ? "studio" : "cg");
    add_spaces();
    add_displays();
    const OCIO::FileRulesRcPtr rules = OCIO::FileRules::Create();
    rules->setDefaultRuleColorSpace("ACES2065-1");
    config_->setFileRules(rules);
    const OCIO::LookRcPtr look = OCIO::Look::Create();
    look->setName("ACES 1.3 Reference Gamut Compression");
    look->setProcessSpace("ACES2065-1");
    look->setTransform(built_in("ACES-LMT - ACES 1.3 Reference Gamut Compression"));
    config_->addLook(look);
    for (const auto& [role, space] : {std::pair("aces_interchange", "ACES2065-1"),
                                      {"cie_xyz_d65_interchange", "CIE-XYZ-D65"},
                                      {"color_picking", "sRGB - Texture"},
                                      {"color_timing", "ACEScct"},
                                      {"compositing_log", "ACEScct"},
                                      {"data", raw},
                                      {"matte_paint", "sRGB - Texture"},
                                      {"scene_linear", "ACEScg"},
                                      {"texture_paint", "sRGB - Texture"}})
      config_->setRole(role, space);
  }

  OCIO::ConstConfigRcPtr finish() const {
    config_->validate();
    return config_;
  }

 private:
  void scene_space(const char* name, const char* encoding, const OCIO::TransformRcPtr& to_aces) {
    const OCIO::ColorSpaceRcPtr space = OCIO::ColorSpace::Create(OCIO::REFERENCE_SPACE_SCENE);
    space->setName(name);
    space->setEncoding(encoding);
    space->setBitDepth(OCIO::BIT_DEPTH_F32);
    if (to_aces) space->setTransform(to_aces, OCIO::COLORSPACE_DIR_TO_REFERENCE);
    space->setIsData(std::string_view(encoding) == "data");
    config_->addColorSpace(space);
  }

  void add_spaces() {
    scene_space("ACES2065-1", "scene-linear", nullptr);
    scene_space("ACEScc", "log", built_in("ACEScc_to_ACES2065-1"));
    scene_space("ACEScct", "log", built_in("ACEScct_to_ACES2065-1"));
    scene_space("ACEScg", "scene-linear", built_in("ACEScg_to_ACES2065-1"));
    scene_space("Linear P3-D65", "scene-linear", matrix_to_aces(p3_d65));
    scene_space("Linear Rec.2020", "scene-linear", matrix_to_aces(rec2020));
    scene_space("Linear Rec.709 (sRGB)", "scene-linear", matrix_to_aces(rec709));
    scene_space("Gamma 1.8 Rec.709 - Texture", "sdr-video", group({power(1.8), matrix_to_aces(rec709)}));
    scene_space("Gamma 2.2 AP1 - Texture", "sdr-video", group({power(2.2), matrix_to_aces(ap1)}));
    scene_space("Gamma 2.2 Rec.709 - Texture", "sdr-video", group({power(2.2), matrix_to_aces(rec709)}));
    scene_space("Gamma 2.4 Rec.709 - Texture", "sdr-video", group({power(2.4), matrix_to_aces(rec709)}));
    scene_space("sRGB Encoded AP1 - Texture", "sdr-video", group({srgb_curve(), matrix_to_aces(ap1)}));
    scene_space("sRGB Encoded P3-D65 - Texture", "sdr-video", group({srgb_curve(), matrix_to_aces(p3_d65)}));
    scene_space("sRGB - Texture", "sdr-video", group({srgb_curve(), matrix_to_aces(rec709)}));
    scene_space(raw, "data", nullptr);
    if (!is_studio_) return;
    scene_space("Linear AdobeRGB", "scene-linear", matrix_to_aces(adobe_rgb));
    for (const auto& [name, style] : {std::pair("ADX10", "ADX10_to_ACES2065-1"),
                                      {"ADX16", "ADX16_to_ACES2065-1"},
                                      {"ARRI LogC3 (EI800)", "ARRI_ALEXA-LOGC-EI800-AWG_to_ACES2065-1"},
                                      {"CanonLog2 CinemaGamut D55", "CANON_CLOG2-CGAMUT_to_ACES2065-1"},
                                      {"CanonLog3 CinemaGamut D55", "CANON_CLOG3-CGAMUT_to_ACES2065-1"},
                                      {"V-Log V-Gamut", "PANASONIC_VLOG-VGAMUT_to_ACES2065-1"},
                                      {"Log3G10 REDWideGamutRGB", "RED_LOG3G10-RWG_to_ACES2065-1"},
                                      {"S-Log3 S-Gamut3", "SONY_SLOG3-SGAMUT3_to_ACES2065-1"},
                                      {"S-Log3 S-Gamut3.Cine", "SONY_SLOG3-SGAMUT3.CINE_to_ACES2065-1"},
                                      {"S-Log3 Venice S-Gamut3", "SONY_SLOG3-SGAMUT3-VENICE_to_ACES2065-1"},
                                      {"S-Log3 Venice S-Gamut3.Cine", "SONY_SLOG3-SGAMUT3.CINE-VENICE_to_ACES2065-1"}})
      scene_space(name, "log", built_in(style));
  }

  // A display whose space is made from CIE XYZ, and its views; Raw and Un-tone-mapped are views of all.
  void display(const std::string& name, const char* encoding, const std::string& style,
               const std::vector<const char*>& views) {
    const std::string full_name = name + " - Display";
    const OCIO::ColorSpaceRcPtr space = OCIO::ColorSpace::Create(OCIO::REFERENCE_SPACE_DISPLAY);
    space->setName(full_name.c_str());
    space->setEncoding(encoding);
    space->setBitDepth(OCIO::BIT_DEPTH_F32);
    space->setTransform(built_in("DISPLAY - CIE-XYZ-D65_to_" + style), OCIO::COLORSPACE_DIR_FROM_REFERENCE);
    config_->addColorSpace(space);
    for (const char* view : views) config_->addDisplaySharedView(full_name.c_str(), view);
    config_->addDisplaySharedView(full_name.c_str(), un_tone_mapped);
    config_->addDisplaySharedView(full_name.c_str(), raw);  // last: the first view is the default
  }

  // A view that takes ACES to CIE XYZ, and the space of whatever display it is shown on.
  void view(const char* name, const std::string& style) {
    const OCIO::ViewTransformRcPtr transform = OCIO::ViewTransform::Create(OCIO::REFERENCE_SPACE_SCENE);
    transform->setName(name);
    transform->setTransform(built_in(style), OCIO::VIEWTRANSFORM_DIR_FROM_REFERENCE);
    config_->addViewTransform(transform);
    config_->addSharedView(name, name, OCIO::OCIO_VIEW_USE_DISPLAY_NAME, "", "", "");
  }

  void add_displays() {
    const OCIO::ColorSpaceRcPtr xyz = OCIO::ColorSpace::Create(OCIO::REFERENCE_SPACE_DISPLAY);
    xyz->setName("CIE-XYZ-D65");
    xyz->setEncoding("display-linear");
    config_->addColorSpace(xyz);
    const std::string output = "ACES-OUTPUT - ACES2065-1_to_CIE-XYZ-D65 - ";
    config_->addSharedView(raw, "", raw, "", "", "");
    view(un_tone_mapped, "UTILITY - ACES-AP0_to_CIE-XYZ-D65_BFD");
    const char* sdr = "ACES 1.0 - SDR Video";
    const char* p3 = "ACES 1.1 - SDR Video (P3 lim)";
    const char* hdr_2020 = "ACES 1.1 - HDR Video (1000 nits & Rec.2020 lim)";
    const char* hdr_p3 = "ACES 1.1 - HDR Video (1000 nits & P3 lim)";
    view(sdr, output + "SDR-VIDEO_1.0");
    view(p3, output + "SDR-VIDEO-P3lim_1.1");
    view(hdr_2020, output + "HDR-VIDEO-1000nit-15nit-REC2020lim_1.1");
    view(hdr_p3, output + "HDR-VIDEO-1000nit-15nit-P3lim_1.1");
    if (!is_studio_) {
      display("sRGB", "sdr-video", "sRGB", {sdr});
      display("Rec.1886 Rec.709", "sdr-video", "REC.1886-REC.709", {sdr});
      display("Rec.2100-PQ", "hdr-video", "REC.2100-PQ", {hdr_2020});
      display("ST2084-P3-D65", "hdr-video", "ST2084-P3-D65", {hdr_p3});
      display("P3-D65", "sdr-video", "G2.6-P3-D65", {p3});
      return;
    }
    const char* sdr_d60 = "ACES 1.0 - SDR Video (D60 sim on D65)";
    const char* sdr_709 = "ACES 1.1 - SDR Video (Rec.709 lim)";
    const char* cinema = "ACES 1.0 - SDR Cinema";
    const char* cinema_709 = "ACES 1.1 - SDR Cinema (Rec.709 lim)";
    const char* cinema_d60 = "ACES 1.1 - SDR Cinema (D60 sim on D65)";
    const char* dci_d60 = "ACES 1.0 - SDR Cinema (D60 sim on DCI)";
    const char* dci_d65 = "ACES 1.1 - SDR Cinema (D65 sim on DCI)";
    const char* hdr_cinema = "ACES 1.1 - HDR Cinema (108 nits & P3 lim)";
    view(sdr_d60, output + "SDR-VIDEO-D60sim-D65_1.0");
    view(sdr_709, output + "SDR-VIDEO-REC709lim_1.1");
    view(cinema, output + "SDR-CINEMA_1.0");
    view(cinema_709, output + "SDR-CINEMA-REC709lim_1.1");
    view(cinema_d60, output + "SDR-CINEMA-D60sim-D65_1.1");
    view(dci_d60, output + "SDR-CINEMA-D60sim-DCI_1.0");
    view(dci_d65, output + "SDR-CINEMA-D65sim-DCI_1.1");
    view(hdr_cinema, output + "HDR-CINEMA-108nit-7.2nit-P3lim_1.1");
    const char* brighter[] = {"ACES 1.1 - HDR Video (2000 nits & Rec.2020 lim)",
                              "ACES 1.1 - HDR Video (4000 nits & Rec.2020 lim)",
                              "ACES 1.1 - HDR Video (2000 nits & P3 lim)", "ACES 1.1 - HDR Video (4000 nits & P3 lim)"};
    view(brighter[0], output + "HDR-VIDEO-2000nit-15nit-REC2020lim_1.1");
    view(brighter[1], output + "HDR-VIDEO-4000nit-15nit-REC2020lim_1.1");
    view(brighter[2], output + "HDR-VIDEO-2000nit-15nit-P3lim_1.1");
    view(brighter[3], output + "HDR-VIDEO-4000nit-15nit-P3lim_1.1");
    display("sRGB", "sdr-video", "sRGB", {sdr, sdr_d60});
    display("Rec.1886 Rec.709", "sdr-video", "REC.1886-REC.709", {sdr, sdr_d60});
    display("Rec.1886 Rec.2020", "sdr-video", "REC.1886-REC.2020", {sdr, p3, sdr_709});
    display("Rec.2100-HLG", "hdr-video", "REC.2100-HLG-1000nit", {hdr_2020});
    display("Rec.2100-PQ", "hdr-video", "REC.2100-PQ", {hdr_2020, brighter[0], brighter[1]});
    display("ST2084-P3-D65", "hdr-video", "ST2084-P3-D65", {hdr_p3, brighter[2], brighter[3], hdr_cinema});
    display("P3-D60", "sdr-video", "G2.6-P3-D60-BFD", {cinema});
    display("P3-D65", "sdr-video", "G2.6-P3-D65", {cinema, cinema_709, cinema_d60});
    display("P3-DCI", "sdr-video", "G2.6-P3-DCI-BFD", {dci_d60, dci_d65});
  }

  OCIO::ConfigRcPtr config_;
  bool is_studio_;
};

}  // namespace

OCIO::ConstConfigRcPtr built_in_config(bool is_studio) { return Builder(is_studio).finish(); }

}  // namespace gpupost
