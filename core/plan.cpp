#include "core/plan.h"

#include "core/error.h"

#include <fmt/ranges.h>

namespace gpupost {

size_t bytes_of_level(const PlanImage& image, int level) {
  return texel_count(level_size(image.size, level)) * 4 * bytes_of(image.depth);
}

size_t bytes_of(const PlanImage& image) {
  size_t bytes = 0;
  for (int level = 0; level < image.level_count; ++level) bytes += bytes_of_level(image, level);
  return bytes;
}

std::string_view format_name(Depth depth) {
  return depth == Depth::u8 ? "RGBA8" : depth == Depth::half ? "RGBA16F" : "RGBA32F";
}

PlanBuilder::PlanBuilder(const PlanInput& input, const DeviceTraits& traits) : input_(input), traits_(traits) {
  add_image({.size = input.size, .depth = input.storage, .space = input.space});
  if (!input.half_arithmetic || traits.has_float16) return;
  input_.half_arithmetic = false;
  note("--fp16: half storage, but float arithmetic, since the device has no other");
}

int PlanBuilder::add_image(const PlanImage& image) {
  if (std::max(image.size.width, image.size.height) > traits_.max_image_side)
    fail(Exit::limit, "the picture is {} x {} texels; {} takes at most {} a side", image.size.width, image.size.height,
         traits_.name, traits_.max_image_side);
  plan_.images.push_back(image);
  return int(plan_.images.size()) - 1;
}

void PlanBuilder::set_current_image(int index) {
  image(index).space = input_.space;
  plan_.result_image = index;
  plan_.base_is_input = false;
}

void PlanBuilder::add(Pass pass) {
  if (pass.bytes_read == 0) pass.bytes_read = bytes_of_level(image(pass.source_image), pass.source_level);
  if (pass.bytes_written == 0)
    for (int level = pass.target_level; level < pass.target_level + pass.target_count; ++level)
      pass.bytes_written += bytes_of_level(image(pass.target_image), level);
  plan_.passes.push_back(std::move(pass));
}

Plan PlanBuilder::finish() {
  for (Pass& pass : plan_.passes) {
    if (pass.moves) continue;
    // llvmpipe stores halves cut off towards zero: an alpha of 1 that a sum of weights makes 1 - 2^-24 would not be 1
    pass.rounds_to_half = traits_.type == DeviceType::cpu && image(pass.target_image).depth == Depth::half;
    pass.source_space = image(pass.source_image).space;
    pass.target_space = image(pass.target_image).space;
  }
  return std::move(plan_);
}

Plan plan(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits) {
  PlanBuilder builder(input, traits);
  for (const Call& call : calls) call.op->plan(call, builder);
  return builder.finish();
}

std::string explain(const Plan& plan, std::span<const Call> calls, const DeviceTraits& traits) {
  std::string text = fmt::format("device   {}\n", traits.name);
  for (size_t index = 0; index < calls.size(); ++index)
    text += fmt::format("{:<8} {}\n", index == 0 ? "chain" : "", calls[index].text());
  for (const std::string& choice : plan.choices) text += fmt::format("choice   {}\n", choice);
  for (size_t index = 0; index < plan.images.size(); ++index) {
    const PlanImage& image = plan.images[index];
    text += fmt::format("image {}  {} x {}, {} level{}, {}{}, {:.1f} MiB\n", index, image.size.width, image.size.height,
                        image.level_count, image.level_count == 1 ? "" : "s", format_name(image.depth),
                        image.space == Space::yxy ? " of CIE Yxy" : "", double(bytes_of(image)) / (1 << 20));
  }
  for (size_t index = 0; index < plan.passes.size(); ++index) {
    const Pass& pass = plan.passes[index];
    std::vector<std::string> literals;
    for (const Literal& literal : pass.literals) literals.push_back(fmt::format("{}={}", literal.name, literal.value));
    text += fmt::format("pass {}   {}: {} [{}], {}x{} groups of {}x{}, reads {:.1f} MiB, writes {:.1f} MiB\n", index,
                        pass.name, pass.kernel, fmt::join(literals, " "), pass.group_count[0], pass.group_count[1],
                        pass.group[0], pass.group[1], double(pass.bytes_read) / (1 << 20),
                        double(pass.bytes_written) / (1 << 20));
  }
  return text;
}

}  // namespace gpupost
