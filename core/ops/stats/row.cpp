// What a picture's numbers are like: the row. The definition is in core/ops/stats/reference.cpp, the passes in
// core/ops/stats/passes.cpp.
#include "core/ops/stats/row.h"
#include "core/op/benchmark.h"
#include "core/ops/stats/passes.h"

namespace gpupost {

// The picture itself goes through.
static std::vector<Planes> reference(const Call&, Planes base) {
  std::vector<Planes> levels;
  levels.push_back(std::move(base));
  return levels;
}

static Footprint footprint(const Call& call, Size) {
  return {.kind = Footprint::Kind::texel, .measure = [call] { return call; }, .reads_once = true};
}

static void plan_stats(const Call& call, PlanBuilder& builder) {
  if (measure_of(call) == Measure::extremes) return plan_extremes(builder);
  const bool has_deviations = call.purpose.empty();  // only a call of the command line prints them
  builder.return_statistics(plan_statistics(builder, has_deviations), statistics_size * sizeof(uint32_t));
}

static const Benchmark bench = {.variants =
                                    [] {
                                      return std::vector<std::string>{"--measure extremes", "--measure all"};
                                    },
                                .floor = Floor::read,
                                .sizes = {{1920, 1080}, {3840, 2160}, {4096, 4096}},
                                .cpu_sizes = {{1024, 1024}},
                                .depths = {Depth::half, Depth::f32}};

const Op stats_op{
    .name = "stats",
    .doc = {.group = OpGroup::measure,
            .summary = "Print statistics: mean, extremes, standard deviation, percentiles, histogram",
            .description =
                "Prints one line of JSON on standard output for each input and each `stats` in the chain. An image "
                "with other primaries is first converted to Rec. 709; docs/color.md says which primaries the output "
                "has. Otherwise the image passes through unchanged. A chain with `stats` stores 8-bit inputs as "
                "floats, so that "
                "other ops may round differently. If `stats` is the last op, the image is written "
                "only with -o; -o FILE.json writes the lines to that file. An image of a sequence has its frame "
                "number.\nFor "
                "luminance: mean, log average, minimum, maximum, standard deviation, percentiles and a histogram. For "
                "each channel: mean, minimum, maximum and standard deviation; uint channels and Cryptomattes are left "
                "out, and in a chain with `luminance` or "
                "`sheet` all channels other than color. Luminance is 0.2126390 R + "
                "0.7151687 G + 0.0721923 B "
                "of linear, premultiplied color; `luminance` uses the rounded weights of Rec. 709.\nNaN and infinite "
                "values are counted and left out of everything else. A texel has a luminance only if R, G and B are "
                "finite. The log average, the histogram and the percentiles use only luminances above 0. There, "
                "denormal luminances count as 2^-126 (1.2e-38), because devices may flush them to 0. Histogram bins "
                "are 1/8 stop wide. The histogram covers 2^-16 to 2^16, and more if the image has luminances "
                "outside of that. Percentiles are interpolated in the histogram. The same image gives the same bits on "
                "every run. The error of a mean is less than a millionth of the mean of the absolute values. "
                "The standard deviation divides the sum of squares by the number of values, not by one less. It is "
                "right also for small noise on a large value, and takes a second reading of the image.",
            .citation =
                "E. Reinhard et al., Photographic Tone Reproduction for Digital Images, 2002, eq. 1 (log average, "
                "of values above 0); ITU-R BT.709 (luminance)",
            .examples = {"", "--measure extremes"}},
    .params = {{.name = "measure",
                .help = "all, or extremes: only mean, minimum and maximum of the luminance, which is faster",
                .kind = ParamKind::choice,
                .choices = {"all", "extremes"}},
               {.name = "table", .help = "Print a table instead of JSON", .kind = ParamKind::flag}},
    .makes = Makes::statistics,
    .channels = Channels::all,
    .needs = needs_exact_rec709,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = exact_tolerance},
    .plan = plan_stats,
    .bench = &bench,
};

}  // namespace gpupost
