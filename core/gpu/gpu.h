// Lists devices, opens one and runs plans on it. The rest of the program uses Vulkan only through this file.
#pragma once

#include "core/base/error.h"
#include "core/plan/plan.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

struct DeviceInfo {
  int index = 0;  // index of `gpupost devices` and --device
  DeviceTraits traits;
  std::string uuid;    // 32 hexadecimal digits
  std::string driver;  // name and version of the driver
  std::string driver_uuid;
  std::string api_version;               // Vulkan version
  size_t memory_bytes = 0;               // size of the largest device-local heap
  bool has_host_visible_memory = false;  // the host can map all device memory, or more than 256 MiB of it
  bool has_timestamps = false;
  int max_allocations = 4096;  // limit for memory allocations; each image and each buffer needs one
  std::string obstacle;        // why gpupost cannot use it; "" where it can
};

std::string_view name_of(DeviceType type);  // "discrete", "integrated", "virtual", "cpu"

// The error of a Vulkan loader that does not start, for example because it cannot read the manifest of a driver.
struct DamagedManifest : Error {
  using Error::Error;
};

// All devices in the order of the drivers. Throws Error(Exit::device) if Vulkan cannot start.
std::vector<DeviceInfo> list_devices();

// The device that `wanted` selects: an index, part of a name, a UUID, "cpu" or "gpu". "" and "all" select the best:
// discrete, integrated, virtual, then CPU. Throws Error(Exit::device) if no device matches.
const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& wanted, bool require_gpu);
// The same device. For "all", the other usable GPUs follow if it is a GPU.
std::vector<DeviceInfo> choose_devices(const std::vector<DeviceInfo>& devices, const std::string& wanted,
                                       bool require_gpu);

// Times of a run in ms, measured by the device's clock; 0 if it has none.
struct RunTimes {
  double compile_ms = 0;  // time to compile missing pipelines, by the host's clock
  double upload_ms = 0;
  double download_ms = 0;
  std::vector<double> pass_ms;  // one for each pass of the plan
};

struct RunResult {
  std::vector<Level> levels;         // levels of the result image, starting at `first_level`
  std::vector<uint32_t> statistics;  // all statistics of the plan; empty if it returns none
  RunTimes times;
};

// Copies of an image and of a plan's images for measuring, so many that no cache holds them all. Move-only. The device
// must outlive them.
class ImageSets {
 public:
  ImageSets(ImageSets&&) noexcept;
  ImageSets& operator=(ImageSets&&) noexcept;
  ~ImageSets();

  int count() const;
  bool are_for(const Plan& plan) const;  // whether the plan has the same images

 private:
  friend class Gpu;
  struct State;
  explicit ImageSets(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Settings of a measurement: as many repeats as fit in the budget, within these bounds.
struct MeasureOptions {
  int least_repeats = 20;
  int least_slow_repeats = 5;  // minimum for a plan that takes longer than slow_ms
  double slow_ms = 20;
  int most_repeats = 100;
  double budget_ms = 250;
  double warm_up_ms = 60;  // the same work runs directly before
};

struct Measurement {
  std::vector<double> milliseconds;  // time of the whole plan, for each repeat
  int set_count = 0;                 // number of copies that the repeats used
};

// Device memory is exhausted.
class OutOfDeviceMemory : public Error {
 public:
  explicit OutOfDeviceMemory(const std::string& message) : Error(Exit::limit, message) {}
};

// The device was lost with all its objects. Opening a new one may work.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(const std::string& message) : Error(Exit::device, message) {}
};

// An open device. Move-only.
class Gpu {
 public:
  struct State;

  explicit Gpu(const DeviceInfo& device);
  Gpu(Gpu&&) noexcept;
  ~Gpu();

  const DeviceInfo& info() const;

  // Sets the time limit of a submission; 0: no limit. The default is 600 s, or 5 s with user GLSL, plus 1 s for each
  // million texels that the passes read. A run beyond it throws Error(Exit::device), and driver_is_stuck() becomes
  // true.
  void allow_seconds(double seconds);

  // Whether the memory of a run is kept for the next one, which then needs no new memory if its sizes are the same. The default
  // is no.
  void keep_memory(bool is_on);

  // Compiles missing pipelines of the plans on all cores. `run` does this too; call it to compile early.
  void prepare(std::span<const Plan> plans);

  // Runs the plan on `base`, which has the depth of the plan's image 0. Downloads the levels of the result image from
  // `first_level` on.
  RunResult run(const Plan& plan, const Level& base, int first_level);
  // The same for a base that is needed no more: the result may be in its memory. If the run fails before its passes begin, the
  // base is as it was; after that, the error is neither DeviceLost nor OutOfDeviceMemory, since another try would need the base.
  RunResult run(const Plan& plan, Level&& base, int first_level);

  // Makes copies of the plan's images, each with `base` in image 0. Throws Error(Exit::limit) if device memory is too
  // small for one copy.
  ImageSets image_sets(const Plan& plan, const Level& base);
  // Runs the plan on the first copy. All images except image 0 are overwritten before.
  RunResult run(const Plan& plan, const ImageSets& sets, int first_level);
  // Times the whole plan with the device's clock. Throws Error(Exit::device) if it has none.
  Measurement measure(const Plan& plan, const ImageSets& sets, const MeasureOptions& options);

  // Speed in GB/s (reads plus writes) of the fastest of a few copy passes for images of this size and depth.
  double copy_speed(Size size, Depth depth);

 private:
  RunResult run(const Plan& plan, const Level& base, int first_level, Level* given);

  std::unique_ptr<State> state_;
};

// True after a submission has exceeded its limit. The process must then end with _exit(), because destructors of the
// driver would wait for the submission.
bool driver_is_stuck();

// SPIR-V of a shader: built in, else from the disk cache, else compiled. User GLSL is compiled in a sandboxed process.
// Throws Error(Exit::bug); for user GLSL Error(Exit::input) with "NAME:LINE: message".
std::vector<uint32_t> spirv_of(const std::string& glsl, const std::string& name, Author author = Author::gpupost);

// Returns whether this process must act as a compile worker. `main` then returns compile_worker_main().
bool is_compile_worker(int argc, char** argv);
int compile_worker_main();

}  // namespace gpupost
