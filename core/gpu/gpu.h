// The device: what there is, which one is taken, and a plan run on it. The only face of Vulkan to the rest.
#pragma once

#include "core/plan.h"

#include <memory>
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
  std::string obstacle;  // why gpupost cannot use it; "" where it can
};

std::string_view name_of(DeviceType type);  // "discrete", "integrated", "virtual", "cpu"

// All devices, the order that of the drivers. Throws Error(Exit::device) when Vulkan itself does not start.
std::vector<DeviceInfo> list_devices();

// The device meant by `wanted`: an index, part of a name, a UUID, "cpu" or "gpu"; "": the best, discrete before integrated
// before virtual before CPU. Throws Error(Exit::device) when none suits.
const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& wanted, bool require_gpu);

// What a run took. Times of the device's own clock where it has one, else 0.
struct RunTimes {
  double upload_ms = 0;
  double download_ms = 0;
  std::vector<double> pass_ms;  // as many as the plan has passes
};

struct RunResult {
  std::vector<Level> levels;  // of the result image, from `first_level` on
  RunTimes times;
};

// One open device. Move-only.
class Gpu {
 public:
  explicit Gpu(const DeviceInfo& device);
  Gpu(Gpu&&) noexcept;
  ~Gpu();

  const DeviceInfo& info() const;

  // Compiles what the plan needs and has not been compiled yet. `run` does it by itself; this is to do it early.
  void prepare(const Plan& plan);

  // Runs the plan on `base`, whose numbers are of the depth of the plan's image 0, and brings back the levels of the
  // result image from `first_level` on.
  RunResult run(const Plan& plan, const Level& base, int first_level);

  // GB/s, read and written together, of the best of a few image-to-image copies of this size and depth by a pass.
  double copy_speed(Size size, Depth depth);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// SPIR-V of a shader, from what is built in, else the disk cache, else compiled here.
std::vector<uint32_t> spirv_of(const std::string& glsl, const std::string& name);
// Compiles, whatever is stored. Throws Error(Exit::bug) with the compiler's message.
std::vector<uint32_t> compile_glsl(const std::string& glsl, const std::string& name);

}  // namespace gpupost
