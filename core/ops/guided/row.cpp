// A guided filter: its row and its passes.
#include "core/base/math.h"
#include "core/op/benchmark.h"
#include "core/ops/blur/passes.h"
#include "core/ops/guided/reference.h"
#include "core/plan/builder.h"

namespace gpupost {

namespace {

Needs needs(const Call& call) {
  Needs made;
  if (!call.word("guide").empty()) made.pictures.push_back({.path = call.word("guide")});
  return made;
}

Output output(const Call& call, std::span<const Output> inputs) {
  check_lies_on_image(call, inputs);
  return inputs[0];
}

// --- the passes -----------------------------------------------------------------------------------------------------

// Images of sums on their way through the passes of a guided filter.
class GuidedPlan {
 public:
  GuidedPlan(const Call& call, PlanBuilder& builder)
      : call_(call), builder_(builder), picture_(builder.current_image()), image_(builder.image(picture_)) {
    if (!call.word("guide").empty())
      guide_ = builder.add_input(second_picture(call, 0, builder.whole_size(), image_.depth));
  }

  void add_passes() {
    const std::array<int, 3> guide_means = add_sums("guided/guide_sums.glsl");
    const std::array<int, 3> color_means = has_guide() ? add_sums("guided/color_sums.glsl") : guide_means;
    std::vector<int> planes;
    for (size_t channel = 0; channel < 3; ++channel) {
      PassSpec pass = pass_of("guided fit", "guided/fit.glsl", guide_means[0]);
      pass.defines.push_back({"CHANNEL", int(channel)});
      pass.values.insert(pass.values.end(), {{"epsilon", float(call_.number("epsilon"))},
                                             {"least_contrast", float(least_guide_contrast)},
                                             {"least_sum", float(least_guide_sum)}});
      pass.second.image = guide_means[1];
      pass.more_sources = {guide_means[2]};
      if (has_guide()) pass.more_sources.push_back(color_means[channel]);
      pass.memory.bytes_read = (2 + pass.more_sources.size()) * bytes_of(sums());
      planes.push_back(pass.target.image = add_image());
      builder_.add(std::move(pass));
    }
    for (int& plane : planes) plane = add_mean(plane);
    PassSpec pass = pass_of("guided", "guided/apply.glsl", picture_);
    pass.second.image = guide_;
    pass.more_sources = planes;
    pass.access.can_be_in_place = builder_.writes_in_place();
    pass.memory.bytes_read = 3 * bytes_of(sums()) + bytes_of_level(image_, 0) * (has_guide() ? 2 : 1);
    builder_.add_result(std::move(pass), {.size = image_.size, .depth = image_.depth});
  }

 private:
  bool has_guide() const { return guide_ >= 0; }
  // Not a color, and not converted: in the space in which kernels get the picture.
  PlanImage sums() const {
    return {.size = image_.size, .depth = Depth::f32, .space = image_.space == Space::rgb ? Space::rgb : Space::xyz};
  }
  int add_image() { return builder_.add_image(sums()); }

  PassSpec pass_of(std::string name, std::string_view kernel, int source) {
    PassSpec pass{.name = std::move(name),
                  .kernel = kernel,
                  .defines = {{"HAS_GUIDE", has_guide()}},
                  .values = straight_weight_values(),
                  .grid = {.count = {div_ceil(image_.size.width, 64), div_ceil(image_.size.height, 16)}},
                  .source = {.image = source}};
    pass.values.insert(pass.values.end(), {{"end_x", image_.size.width}, {"end_y", image_.size.height}});
    return pass;
  }

  // The means of an image over the windows.
  int add_mean(int image) {
    const int first = image + 1;
    builder_.set_current_image(image);
    plan_blur(guided_box(call_), builder_);
    const int made = builder_.current_image();
    builder_.image(image) = sums();
    for (int index = first; index <= made; ++index) builder_.image(index) = sums();
    return made;
  }

  std::array<int, 3> add_sums(std::string_view kernel) {
    PassSpec pass = pass_of("guided sums", kernel, picture_);
    std::array<int, 3> images{add_image(), add_image(), add_image()};
    pass.second.image = guide_;
    pass.target.image = images[0];
    pass.more_targets = {images[1], images[2]};
    pass.memory.bytes_read = bytes_of_level(image_, 0) * (has_guide() ? 2 : 1);
    pass.memory.bytes_written = 3 * bytes_of(sums());
    builder_.add(std::move(pass));
    for (int& image : images) image = add_mean(image);
    return images;
  }

  const Call& call_;
  PlanBuilder& builder_;
  int picture_, guide_ = -1;
  PlanImage image_;
};

}  // namespace

static const Benchmark bench = {.sizes = {{1920, 1080}},
                                .cpu_sizes = {{512, 512}},
                                .depths = {Depth::half, Depth::f32},
                                .settings = {{"radius", 2}, {"radius", 16}, {"radius", 64}},
                                .cpu_settings = {{"radius", 2}, {"radius", 16}}};

extern const Op guided_op;
const Op guided_op{
    .name = "guided",
    .doc =
        {.group = OpGroup::filter,
         .summary = "Smooth areas and keep edges of the image, or of a second image, with a guided filter",
         .description =
             "The guide is the image itself, or --guide. Contrast well below the square root of --epsilon is smoothed; "
             "stronger edges of the guide stay. The filter works in windows of 2R+1 x 2R+1 texels; R is --radius. In "
             "each window, a linear function of the guide's R, G and B approximates each channel of the image. Each "
             "texel lies in several windows. Its result is the mean of their functions, computed for its color in the "
             "guide. The time does not depend on --radius.\n--guide must have the same size and data window as the "
             "image. If its data window is its whole display window, the same size is enough. A gray guide gives the "
             "result of the filter for one channel with a third of --epsilon.\nThe filter works on straight color in "
             "linear light. Means in the windows are weighted by alpha; the mean of the functions is not. Alpha does "
             "not change. Texels beyond the border are left out. Texels that are transparent, NaN, infinite or above "
             "1e15 are left out too, and do not change. Sums are 32-bit floats, so contrast below 1/256 of the local "
             "brightness always counts as flat.",
         .citation =
             "K. He, J. Sun, X. Tang, Guided Image Filtering, 2010 (equations 19 to 21); OpenCV ximgproc guidedFilter "
             "with a color guide",
         .examples = {"", "--radius 2 --epsilon 0.0001", "--radius 3 --guide guide.exr"}},
    .params = {{.name = "radius",
                .help = "Distance in texels from the middle of a window to its edge",
                .kind = ParamKind::integer,
                .default_value = 8,
                .min = 1,
                .max = 256,
                .unit = "texels"},
               {.name = "epsilon",
                .help = "Variance of the guide, in linear light squared, below which areas are smoothed",
                .default_value = 0.01,
                .min = 1e-10,
                .max = 1e9},
               {.name = "guide",
                .help = "Image whose edges are kept, instead of those of the image itself; {frame} in its name is the "
                        "frame number of the input",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE", .matches = [](std::string_view text) { return !text.empty(); }}}},
    .needs = needs,
    .output = output,
    .footprint =
        [](const Call& call, Size) {
          const int margin = 2 * call.integer("radius");
          return Footprint{.kind = Footprint::Kind::around, .margin = {.x = margin, .y = margin}};
        },
    .reference = {.levels = guided_reference, .tolerance = guided_tolerance},
    .plan = [](const Call& call, PlanBuilder& builder) { GuidedPlan(call, builder).add_passes(); },
    .bench = &bench,
};

}  // namespace gpupost
