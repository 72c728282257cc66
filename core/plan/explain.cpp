#include "core/plan/explain.h"

#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace gpupost {

std::string explain(const Plan& plan, std::span<const Call> calls) {
  std::string text;
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    text += fmt::format("{:<8} {}\n", index == 0 ? "chain" : "",
                        call.purpose.empty() ? call.text() : fmt::format("{} ({})", call.op->name, call.purpose));
  }
  for (const std::string& choice : plan.choices) text += fmt::format("choice   {}\n", choice);
  for (size_t index = 0; index < plan.images.size(); ++index) {
    const PlanImage& image = plan.images[index];
    text += fmt::format("image {}  {} x {}, {} level{}, {}{}, {:.1f} MiB\n", index, image.size.width, image.size.height,
                        image.level_count, image.level_count == 1 ? "" : "s", format_name(image),
                        image.space == Space::yxy   ? " of CIE Yxy"
                        : image.space == Space::xyz ? " of CIE XYZ"
                                                    : "",
                        double(bytes_of(image)) / (1 << 20));
  }
  for (size_t index = 0; index < plan.passes.size(); ++index) {
    const Pass& pass = plan.passes[index];
    std::vector<std::string> defines;
    for (const Define& literal : pass.defines) defines.push_back(fmt::format("{}={}", literal.name, literal.value));
    text += fmt::format("pass {}   {}: {} [{}], {}x{} groups of {}x{}, reads {:.1f} MiB, writes {:.1f} MiB\n", index,
                        pass.name, pass.kernel, fmt::join(defines, " "), pass.grid.count[0], pass.grid.count[1],
                        pass.grid.group[0], pass.grid.group[1], double(pass.memory.bytes_read) / (1 << 20),
                        double(pass.memory.bytes_written) / (1 << 20));
    constexpr std::string_view indent = "         ";
    if (!pass.points.on_load.empty())
      text += fmt::format("{}loads through {}\n", indent, names_of(pass.points.on_load));
    if (!pass.points.on_store.empty())
      text += fmt::format("{}stores through {}\n", indent, names_of(pass.points.on_store));
    if (pass.target_ring > 0)
      text += fmt::format("{}in strips, in turn with the next pass: image {} holds {} rows at a time\n", indent,
                          pass.target.image, pass.target_ring);
  }
  return text;
}

}  // namespace gpupost
