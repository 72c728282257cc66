#include "core/engine/bands.h"

#include "core/base/math.h"
#include "core/base/threads.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gpupost {

namespace {

class BandsRun {
 public:
  BandsRun(Gpu& gpu, const Stage& stage, const PlanInput& input, Level& image, Bounds& bounds, RunTotals& totals)
      : gpu_(gpu), stage_(stage), input_(input), image_(image), bounds_(bounds), totals_(totals) {
    input_.size = image.size;
    input_.whole = {};
    input_.gives_input = true;
    alignment_ = tile_alignment_of(plan_of(stage_, input_, gpu_.info().traits));
  }

  // Returns whether it did.
  bool run() {
    int rows = rows_of_band();
    for (int y = 0; y < image_.size.height;) {
      const Tile band = band_at(y, rows);
      const bool is_first = y == 0;
      if (is_first && !over_limit(band.plan, gpu_.info().traits).empty()) return false;
      try {
        run_band(band);
        y += band.region.size.height;
      } catch (const OutOfDeviceMemory&) {
        if (bytes_of(band.plan) < least_bytes) throw;
        bounds_.most_bytes = bytes_of(band.plan) / 2;
        const int fewer = fewer_than(rows);
        if (is_first && !is_worth(fewer, rows)) return false;
        if (fewer >= rows) throw;
        rows = fewer;
      }
    }
    totals_.check_guards();
    return true;
  }

 private:
  Tile band_at(int y, int rows) const {
    const Region region{{0, y}, {image_.size.width, std::min(rows, image_.size.height - y)}};
    return tile_for(region, stage_, input_, alignment_, gpu_.info().traits);
  }

  Tile band_in_the_middle(int rows) const {
    const int y = (image_.size.height - rows) / 2;
    return band_at(y - y % alignment_[1], rows);
  }

  int fewer_than(int rows) const { return round_up(rows / 2, alignment_[1]); }

  // Returns whether bands of `fewer` rows read at most a quarter of the rows twice.
  bool is_worth(int fewer, int rows) const {
    constexpr double most_repeated = 0.25;
    return fewer < rows && band_in_the_middle(fewer).needed.size.height <= (1 + most_repeated) * fewer;
  }

  // The largest number of rows within the bounds that is worth it.
  int rows_of_band() const {
    int rows = image_.size.height;
    for (Tile band = band_in_the_middle(rows); is_too_large(band.plan); band = band_in_the_middle(rows)) {
      const int fewer = fewer_than(rows);
      if (!is_worth(fewer, rows)) break;
      rows = fewer;
    }
    return rows;
  }

  bool is_too_large(const Plan& plan) const {
    const bool is_in_place = plan.images.size() == 1;  // fewer rows save no memory
    return (!is_in_place && bytes_of(plan) > bounds_.most_bytes) || !over_limit(plan, gpu_.info().traits).empty();
  }

  void run_band(const Tile& band) {
    const auto& [region, needed, plan] = band;
    if (region == whole_region(image_.size)) {
      RunResult result = gpu_.run(plan, std::move(image_), 0);
      image_ = std::move(result.levels.front());
      totals_.add(plan, result);
      return;
    }
    const int end = region.corner.y + region.size.height;
    Level rows{needed.size, pages_for(needed.size)};
    copy_input(needed.corner.y, rows);
    // the next band reads these rows too
    const Region next_row{{0, end}, {image_.size.width, 1}};
    const int next = end < image_.size.height ? needed_for(next_row, image_.size, stage_, alignment_).corner.y : end;
    Level kept{{image_.size.width, end - next}, TexelBuffer(bytes_of_rows(end - next))};
    copy_input(next, kept);
    const RunResult result = gpu_.run(plan, std::move(rows), 0);
    place_part(result.levels.front(), {0, region.corner.y - needed.corner.y}, region, image_, input_.storage);
    kept_ = std::move(kept);
    first_kept_ = next;
    first_input_ = end;
    totals_.count_part();
    totals_.add(plan, result);
  }

  size_t bytes_of_rows(int rows) const { return texel_count({image_.size.width, rows}) * 4 * bytes_of(input_.storage); }

  // Memory for the input of a band, which is reused if large enough. Some CPU drivers need a multiple of four rows.
  TexelBuffer pages_for(Size size) {
    const size_t bytes = bytes_of_rows(round_up(size.height, 4));
    if (pages_.size() < bytes) pages_ = TexelBuffer(bytes);
    return {pages_.data(), pages_.size(), {}};
  }

  // Copies input rows. Rows that are already replaced come from kept_.
  void copy_input(int first, Level& rows) const {
    const int replaced = std::clamp(first_input_ - first, 0, rows.size.height);
    parallel_ranges(rows.size.height, 64, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) {
        const std::byte* from = y < replaced ? kept_.texels.data() + bytes_of_rows(first + y - first_kept_)
                                             : image_.texels.data() + bytes_of_rows(first + y);
        std::memcpy(rows.texels.data() + bytes_of_rows(y), from, bytes_of_rows(1));
      }
    });
  }

  Gpu& gpu_;
  const Stage& stage_;
  PlanInput input_;
  Level& image_;
  Bounds& bounds_;
  RunTotals& totals_;
  std::array<int, 2> alignment_{};
  TexelBuffer pages_;  // input rows of the current band
  Level kept_;         // rows of the input from first_kept_ to first_input_, which the image no longer has
  int first_kept_ = 0;
  int first_input_ = 0;  // first row that is not replaced yet
};

}  // namespace

bool run_bands(Gpu& gpu, const Stage& stage, const PlanInput& input, Level& image, Bounds& bounds, RunTotals& totals) {
  return BandsRun(gpu, stage, input, image, bounds, totals).run();
}

}  // namespace gpupost
