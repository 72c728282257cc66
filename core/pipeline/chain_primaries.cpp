#include "core/pipeline/chain_primaries.h"

#include "core/op/parse.h"
#include "core/ops/small/row.h"

#include <fmt/ranges.h>

namespace gpupost {

namespace {

Call call_of(const PrimariesChange& change) {
  std::vector<double> numbers;
  for (const auto& row : conversion(change)) numbers.insert(numbers.end(), row.begin(), row.end());
  Call call = parse_call(matrix_op, fmt::format("--rows {}", fmt::join(numbers, ",")));
  call.purpose = "the conversion of primaries";
  return call;
}

// Returns whether R = G = B is gray.
bool has_gray(const Primaries& primaries) { return !primaries.to_xyz && !are_same(primaries, cie_xyz); }

// Walks through a chain and inserts conversions of primaries.
class Walk {
 public:
  explicit Walk(std::optional<Primaries> given) : current_(given) {}

  void convert_to(const Primaries& primaries) {
    if (!current_ || are_same(*current_, primaries)) return;
    made_.calls.push_back(call_of({.from = *current_, .to = primaries}));
    made_.converts = true;
    current_ = primaries;
  }

  // Returns the primaries at the call.
  std::optional<Primaries> take(const Call& call) {
    const Needs needs = call.op->needs(call);
    if (needs.primaries) convert_to(*needs.primaries);
    const std::optional<Primaries> before = current_;
    const bool lacks_gray = needs.luminance && before && !has_gray(*before), converts = made_.converts;
    if (lacks_gray) convert_to(rec709);
    made_.calls.push_back(call);
    const std::optional<Primaries> at_call = made_.calls.back().primaries = current_;
    if (lacks_gray) {
      convert_to(*before);
      made_.converts = converts;  // there and back is no conversion of the result
    }
    const Output output = output_of(call, Output{});
    const std::optional<Primaries>& given = output.primaries;
    if (output.content == Content::numbers) current_ = std::nullopt;
    if (given) {
      made_.is_named = true;
      current_ = given;
    }
    return at_call;
  }

  // Unknown primaries are taken as Rec. 709.
  void make_result(const Primaries& primaries) {
    if (!current_) current_ = rec709;
    made_.converts_result = !are_same(*current_, primaries);
    convert_to(primaries);
  }

  ChainPrimaries finish() {
    made_.result = current_.value_or(rec709);
    return std::move(made_);
  }

 private:
  ChainPrimaries made_;
  std::optional<Primaries> current_;  // empty: unknown
};

// Values of an encoded result are never multiplied by a matrix.
bool is_encoded(std::span<const Call> calls) {
  return makes_content(calls, Content::display) || makes_content(calls, Content::numbers);
}

// The primaries of the last call that sets them; empty if none does.
std::optional<Primaries> named_last(std::span<const Call> calls) {
  std::optional<Primaries> named;
  for (const Call& call : calls) {
    const Output output = output_of(call, Output{});
    if (output.primaries) named = output.primaries;
    if (output.content == Content::luminance) named = std::nullopt;  // a luminance is not converted
  }
  return named;
}

}  // namespace

std::vector<Primaries> primaries_at_calls(std::span<const Call> calls, std::optional<Primaries> given) {
  Walk walk(given);
  std::vector<Primaries> at_calls;
  for (const Call& call : calls) at_calls.push_back(walk.take(call).value_or(rec709));
  return at_calls;
}

ChainPrimaries with_primaries(std::span<const Call> calls, std::optional<Primaries> given,
                              std::optional<Primaries> wanted) {
  Walk walk(given);
  for (const Call& call : calls.first(calls.size() - (makes_levels(calls) ? 1 : 0))) walk.take(call);
  const bool is_light = !is_encoded(calls);
  if (is_light && wanted) walk.make_result(*wanted);
  else if (const std::optional<Primaries> named = is_light ? named_last(calls) : std::nullopt) walk.convert_to(*named);
  if (makes_levels(calls)) walk.take(calls.back());
  return walk.finish();
}

}  // namespace gpupost
