#include "core/passes/blur.h"

#include "core/blur.h"
#include "core/error.h"

namespace gpupost {

namespace {

int groups(int count, int each) { return (count + each - 1) / each; }

enum Order { in_rows, along_z, as_amd };

struct Grouping {
  Order order = in_rows;
  std::array<int, 2> size{16, 16};
};

std::string order_of(const Call& call) { return call.flag("zcurve") ? "z" : std::string(call.choice("order")); }

Grouping grouping_of(const Call& call) {
  const std::string order = order_of(call);
  const std::string_view workgroup = call.choice("workgroup");
  return {.order = order == "rows"  ? in_rows
                   : order == "amd" ? as_amd
                                    : along_z,
          .size = workgroup == "8x8"    ? std::array{8, 8}
                  : workgroup == "32x8" ? std::array{32, 8}
                                        : std::array{16, 16}};
}

// What the kernels of one pass are told of the blur.
Pass pass_of(const PlanBuilder& builder, const Blur& blur, Size size) {
  return {.literals = {{"BORDER", int(blur.border)}, {"HOLDS_HALF", builder.input().storage == Depth::half}},
          .values = {{"width", size.width},
                     {"height", size.height},
                     {"radius_x", blur.radius_x},
                     {"radius_y", blur.radius_y}},
          .table = weight_table(blur)};
}

void plan_direct(PlanBuilder& builder, const Blur& blur, const Grouping& grouping) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const int target = builder.add_image({.size = image.size, .depth = image.depth});
  Pass pass = pass_of(builder, blur, image.size);
  pass.name = "blur direct";
  pass.kernel = "blur_direct.glsl";
  pass.literals.insert(pass.literals.end(),
                       {{"ORDER", grouping.order}, {"GROUP_X", grouping.size[0]}, {"GROUP_Y", grouping.size[1]}});
  pass.group = {grouping.size[0] * grouping.size[1], 1};
  pass.group_count = {groups(image.size.width, grouping.size[0]), groups(image.size.height, grouping.size[1])};
  pass.source_image = source;
  pass.target_image = target;
  builder.add(std::move(pass));
  builder.set_current_image(target);
}

}  // namespace

void check_blur(const Call& call) {
  blur_of(call);
  if (call.flag("zcurve") && call.choice("order") != "auto" && call.choice("order") != "z")
    fail(Exit::usage, "blur: --zcurve is --order z and contradicts --order {}", call.choice("order"));
}

void plan_blur(const Call& call, PlanBuilder& builder) {
  const Blur blur = blur_of(call);
  for (int pass = 0; pass < blur.passes; ++pass) plan_direct(builder, blur, grouping_of(call));
}

}  // namespace gpupost
