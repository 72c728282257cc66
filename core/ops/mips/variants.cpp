#include "core/ops/mips/variants.h"

#include <algorithm>

namespace gpupost {

namespace {

struct TexelAccess {
  std::string_view name;
  bool rows;
  int each;
};
constexpr TexelAccess accesses[] = {
    {"rows-2x2", true, 2}, {"rows-4x4", true, 4}, {"amd-4x4", false, 4}, {"amd-2x2", false, 2}};

constexpr auto exchange_names = [] {
  std::array<std::string_view, std::size(mips_exchanges)> names;
  for (size_t index = 0; index < names.size(); ++index) names[index] = mips_exchanges[index].name;
  return names;
}();

constexpr std::string_view fetches[] = {"load", "linear"};
// How four texels become their mean. llvmpipe's sampler takes differences: of infinities, or numbers too far apart, there are
// none, so that what it makes is checked.
enum Linear { loaded, sampled, sampled_and_checked };
constexpr std::string_view linear_names[] = {"loaded", "sampled", "checked"};

// In rows four neighboring threads are no quad of texels: there is nothing to exchange directly.
constexpr bool makes_sense(const TexelAccess& access, const MipsExchange& exchange) {
  return !access.rows || exchange.subgroup_size == 0;
}

// All variants, those of the talk first, in the order of its slides.
const std::vector<MipsVariant>& all_variants() {
  static const std::vector<MipsVariant> variants = [] {
    std::vector<MipsVariant> made;
    for (const bool linear : {false, true})
      for (const TexelAccess& access : accesses)
        for (int exchange = 0; exchange < int(std::size(mips_exchanges)); ++exchange)
          if (makes_sense(access, mips_exchanges[exchange]))
            made.push_back({.rows = access.rows, .each = access.each, .exchange = exchange, .linear = linear});
    return made;
  }();
  return variants;
}

}  // namespace

const std::vector<std::string>& mips_variant_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const MipsVariant& variant : all_variants()) made.push_back(name_of(variant));
    return made;
  }();
  return names;
}

std::string name_of(const MipsVariant& variant) {
  const auto access = std::ranges::find_if(
      accesses, [&](const TexelAccess& row) { return row.rows == variant.rows && row.each == variant.each; });
  return fmt::format("{}+{}+{}", access->name, mips_exchanges[variant.exchange].name, fetches[variant.linear]);
}

MipsVariant mips_variant(std::string_view name) {
  const std::vector<std::string>& names = mips_variant_names();
  return all_variants()[size_t(std::ranges::find(names, name) - names.begin())];
}

void add_variant(PassSpec& pass, const MipsVariant& variant, const DeviceTraits& traits) {
  const bool is_cpu = traits.type == DeviceType::cpu;
  pass.defines.insert(pass.defines.end(), {{"ROWS", variant.rows},
                                           {"EACH", variant.each},
                                           {"EXCHANGE", variant.exchange, exchange_names},
                                           {"LINEAR",
                                            !variant.linear ? loaded
                                            : is_cpu        ? sampled_and_checked
                                                            : sampled,
                                            linear_names}});
  pass.arithmetic.subgroup_size = mips_exchanges[variant.exchange].subgroup_size;
  pass.access.samples_at_corners = variant.linear;
}

}  // namespace gpupost
