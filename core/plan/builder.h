// How ops add their passes to a plan.
#pragma once

#include "core/plan/plan.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpupost {

// Collects the passes of a plan. Plan functions of ops use it.
class PlanBuilder {
 public:
  PlanBuilder(const PlanInput& input, const DeviceTraits& traits);

  const PlanInput& input() const { return input_; }
  const DeviceTraits& traits() const { return traits_; }
  // For Access::can_be_in_place. On a GPU it would gain nothing.
  bool writes_in_place() const { return traits_.type == DeviceType::cpu && traits_.has_image_buffers; }
  // Size of the whole image, of which the current image may be a tile.
  Size whole_size() { return input_.whole == Size{} ? image(current_image()).size : input_.whole; }
  // Region of a result of this size that must be made.
  Region made_of(Size size) const { return input_.made == Region{} ? whole_region(size) : input_.made; }
  int current_image() const { return plan_.result_image; }  // input of the next op, at level 0
  PlanImage& image(int index) { return plan_.images[size_t(index)]; }
  // Depth for images between the passes of one op. Half can hold the Y of bright light, but not always its X and Z, so
  // in XYZ such images are float.
  Depth depth_of_light() const {
    return input_.storage == Depth::half && !stays_rgb(input_) ? Depth::f32 : input_.storage;
  }
  // Begins the passes of the next call. The current image is its input.
  void begin_call(const Call& call) {
    current_op_ = call.purpose.empty() ? call.op->name : call.purpose;
    begin_op();
  }
  // Begins other results: earlier ones are not light between the passes of the current op.
  void begin_op() { own_result_ = -1; }
  // Adds an image and returns its index.
  int add_image(const PlanImage& image);
  int image_count() const { return int(plan_.images.size()); }
  // Keeps images from index `first` on in R, G and B, also with --space yxy. In XYZ, an infinite R would make all three
  // infinite, and NaN on the way back.
  void keep_in_rgb(int first);
  // Adds an image that the host uploads, with one value per texel and the current image's size. Returns its index. For
  // a tile, it gets the corresponding values.
  int add_source(std::shared_ptr<const Plane> numbers);
  // Adds an image for a second input of a call. Returns its index. If both images have the same size, a tile of the
  // current image gets the corresponding tile of the other; otherwise the image is whole.
  int add_input(const InputPicture& input);
  // Adds a region of a second input as an image. Returns its index.
  int add_region(const InputPicture& input, const Region& region);
  // Makes another image the result of the op. Only the last result of an op is stored as Yxy or B10G11R11: --verify allows for
  // that loss between ops, not within one. A result before it becomes light between passes.
  void set_current_image(int index);
  // Sets the depth of images that later ops make.
  void set_result_depth(Depth depth) { input_.storage = depth; }
  void add(PassSpec spec);
  // Appends a pass that writes a new image, and makes that image the result of the op. Returns the image.
  int add_result(PassSpec spec, const PlanImage& image);
  // Appends a point op. It is fused into the stores of the previous pass if that pass made the current image and
  // nothing else reads it. Otherwise it waits for the next pass.
  void fuse_point(FusedPoint point);
  // Can the next pass apply the waiting point ops when it loads texels?
  bool fuses_into_load() const;
  // Adds a pass for waiting point ops, before an op that reads texels more than once.
  void flush();
  // Appends a pass that copies the current image. `ops`: see Pass::ops.
  void add_copy(std::string name, Depth depth, std::vector<std::string_view> ops = {});
  // Allocates a range of the statistics; the size is in units of 4 bytes. It is set to 0 unless a pass writes all
  // values that others read.
  int reserve_statistics(size_t bytes, bool is_zeroed = true);
  // Puts the next of PlanInput::measured into the statistics and returns its offset; empty if there is none.
  std::optional<int> take_measured();
  // Makes the host read back a range of the statistics.
  void return_statistics(int offset, size_t bytes) { plan_.results.push_back({offset, bytes}); }
  // Adds a count that must stay 0, with an error message in which {} is the count. Returns its offset.
  int guard(Exit code, std::string message);
  // Adds a line for `--explain` about a choice and its reason, unless it repeats the last line.
  void note(std::string choice) {
    if (plan_.choices.empty() || plan_.choices.back() != choice) plan_.choices.push_back(std::move(choice));
  }
  Plan finish();

 private:
  void prepare_result(int index);
  // Stores an earlier result of the op as light between its passes: not packed, and R, G and B instead of Yxy.
  void keep_as_light(PlanImage& image) const;
  // Stores the current image as floats of R, G and B, because the next point op would get it in registers if it were fused.
  void keep_for_point();
  void add_points_pass(std::vector<FusedPoint> points, Depth depth);
  bool wants_own_pass(std::span<const FusedPoint> points) const;
  // The rule of half storage, which no op repeats: for each pass, what its targets hold and what it does to numbers that do not
  // fit. A target of four halves gets the bits of halves, rounded to nearest, in the space of that image. Finite numbers over
  // the largest half become it and are counted. A pass needs no clamp if it is bounded, has no point ops, and reads RGB that
  // came from halves; a raw copy stores what it reads.
  void decide_stores();
  // Counts the traffic of a pass where its op has not, because only now the depth of each image is known.
  void count_bytes(Pass& pass);
  // Which images between two passes hold only some rows.
  void decide_strips();
  // Which images a pass accesses as words.
  void decide_words(Pass& pass);
  void count_clamped(Pass& pass);

  PlanInput input_;
  DeviceTraits traits_;
  Plan plan_;
  size_t measured_count_ = 0;        // number of PlanInput::measured that ops have taken
  std::string_view current_op_;      // as Pass::ops names it
  int own_result_ = -1;              // image that the passes of the current op made last as its result; -1: none
  std::vector<FusedPoint> waiting_;  // point ops on the current image that are not in a pass yet
};

}  // namespace gpupost
