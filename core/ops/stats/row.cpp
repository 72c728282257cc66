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

static Footprint footprint(const Call&, Size) { return {.reads_once = true}; }

static void plan_stats(const Call& call, PlanBuilder& builder) {
  if (measure_of(call) == Measure::extremes) return plan_extremes(builder);
  builder.return_statistics(plan_statistics(builder), statistics_size * sizeof(uint32_t));
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
    .doc = {.summary = "what the numbers of the picture are like, on standard output",
            .description =
                "Mean, log average, minimum, maximum, percentiles and a histogram of the luminance, and of each "
                "channel its mean, minimum and maximum, as JSON, one object a line for each time that the op stands in "
                "the chain and each input. The picture goes through unchanged, and at the end of a chain it is written "
                "with -o alone. Luminance is 0.2126390 R + 0.7151687 G + 0.0721923 B, which the op luminance rounds as "
                "Rec. 709 does, of linear, premultiplied color, of texels where all three are finite. Numbers that are "
                "not-a-number or infinite are counted and left out of all else. The log average, the histogram and the "
                "percentiles are of luminances above 0. The histogram has bins of an eighth of a stop from 2^-16 to "
                "2^16, and to whole stops beyond where there is light; percentiles are interpolated in it. Channels "
                "beside the color are measured too, but for those of uint. Sums are made in a fixed order: the same "
                "picture gives the same bits on every run, and a mean is off by less than a millionth of the mean of "
                "the absolute values.",
            .citation = "E. Reinhard et al., Photographic Tone Reproduction for Digital Images, 2002, eq. 1 (the log "
                        "average, of what is above 0); Rec. ITU-R BT.709 (luminance)",
            .examples = {"", "--measure extremes"}},
    .params = {{.name = "measure",
                .help = "all, or the luminance's mean, minimum and maximum alone, which is the fastest",
                .kind = ParamKind::choice,
                .choices = {"all", "extremes"}},
               {.name = "table", .help = "a table to read in place of JSON", .kind = ParamKind::flag}},
    .makes = Makes::statistics,
    .channels = Channels::all,
    .needs = needs_rec709,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = exact_tolerance},
    .plan = plan_stats,
    .bench = &bench,
};

}  // namespace gpupost
