// The device: what there is, which one is taken, and a plan run on it. The only face of Vulkan to the rest.
#pragma once

#include "core/base/error.h"
#include "core/plan/plan.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

struct DeviceInfo {
  int index = 0;  // as `devices` lists them and `--device` takes them
  DeviceTraits traits;
  std::string uuid;    // 32 hexadecimal digits
  std::string driver;  // name and version, as the driver gives them
  std::string driver_uuid;
  std::string api_version;               // of Vulkan
  size_t memory_bytes = 0;               // of the largest heap that is the device's own
  bool has_host_visible_memory = false;  // the whole of it, or a window larger than 256 MiB
  bool has_timestamps = false;
  int max_allocations = 4096;  // of memory at a time; each image and each buffer is one
  std::string obstacle;        // why gpupost cannot use it; "" where it can
};

std::string_view name_of(DeviceType type);  // "discrete", "integrated", "virtual", "cpu"

// All devices, the order that of the drivers. Throws Error(Exit::device) when Vulkan itself does not start.
std::vector<DeviceInfo> list_devices();

// The device meant by `wanted`: an index, part of a name, a UUID, "cpu" or "gpu"; "": the best, discrete before integrated
// before virtual before CPU. Throws Error(Exit::device) when none suits.
const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& wanted, bool require_gpu);

// What a run took. Times of the device's own clock where it has one, else 0.
struct RunTimes {
  double compile_ms = 0;  // of the pipelines that were not there yet, by the host's clock
  double upload_ms = 0;
  double download_ms = 0;
  std::vector<double> pass_ms;  // as many as the plan has passes
};

struct RunResult {
  std::vector<Level> levels;         // of the result image, from `first_level` on
  std::vector<uint32_t> statistics;  // all of the plan's, where it returns some
  RunTimes times;
};

// Copies of a picture and of the images that plans make of it, for measuring: so many that no cache holds them all.
// Move-only; the device outlives them.
class ImageSets {
 public:
  ImageSets(ImageSets&&) noexcept;
  ImageSets& operator=(ImageSets&&) noexcept;
  ~ImageSets();

  int count() const;
  bool are_for(const Plan& plan) const;  // has the plan the same images?

 private:
  friend class Gpu;
  struct State;
  explicit ImageSets(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// How a measurement is taken: with as many repeats as fit into the budget, within these bounds.
struct MeasureOptions {
  int least_repeats = 20;
  int least_slow_repeats = 5;  // the same of a plan that takes longer than slow_ms
  double slow_ms = 20;
  int most_repeats = 100;
  double budget_ms = 250;
  double warm_up_ms = 60;  // of the same work, directly before
};

struct Measurement {
  std::vector<double> milliseconds;  // of the whole plan, each repeat's
  int set_count = 0;                 // copies of the images that the repeats went round
};

// The device has no memory left.
class OutOfDeviceMemory : public Error {
 public:
  explicit OutOfDeviceMemory(const std::string& message) : Error(Exit::limit, message) {}
};

// The device is gone, and all that was on it; another one that is opened may be there.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(const std::string& message) : Error(Exit::device, message) {}
};

// One open device. Move-only.
class Gpu {
 public:
  struct State;

  explicit Gpu(const DeviceInfo& device);
  Gpu(Gpu&&) noexcept;
  ~Gpu();

  const DeviceInfo& info() const;

  // The longest that one submission may take, 0 for no limit. Without this call 600 s, or 5 s with user GLSL, and 1 s more
  // for each million texels that the passes read. Beyond it a run throws Error(Exit::device) and driver_is_stuck().
  void allow_seconds(double seconds);

  // Compiles what the plans need and has not been compiled yet, on every core. `run` does it by itself; this is to do it
  // early.
  void prepare(std::span<const Plan> plans);

  // Runs the plan on `base`, whose numbers are of the depth of the plan's image 0, and brings back the levels of the
  // result image from `first_level` on.
  RunResult run(const Plan& plan, const Level& base, int first_level);

  // Copies of the plan's images, image 0 of each filled with `base`. Throws Error(Exit::limit) where the device has not the
  // memory for one.
  ImageSets image_sets(const Plan& plan, const Level& base);
  // Runs the plan on the first of such copies; all but the picture itself is overwritten before.
  RunResult run(const Plan& plan, const ImageSets& sets, int first_level);
  // Times the whole plan by the device's clock. Throws Error(Exit::device) where it has none.
  Measurement measure(const Plan& plan, const ImageSets& sets, const MeasureOptions& options);

  // GB/s, read and written together, of the best of a few image-to-image copies of this size and depth by a pass.
  double copy_speed(Size size, Depth depth);

 private:
  std::unique_ptr<State> state_;
};

// True once a submission has outlived its limit: the process must then end with _exit(), since destructors of the driver
// would wait for it.
bool driver_is_stuck();

// SPIR-V of a shader, from what is built in, else the disk cache, else compiled, what a user has written in a process of
// its own. Throws Error(Exit::bug), of a user's Error(Exit::input), "NAME:LINE: what is wrong".
std::vector<uint32_t> spirv_of(const std::string& glsl, const std::string& name, Author author = Author::gpupost);

// Is this process meant to be a compile worker? Then `main` returns compile_worker_main()'s value.
bool is_compile_worker(int argc, char** argv);
int compile_worker_main();

}  // namespace gpupost
