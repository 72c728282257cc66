#include "core/engine/tuning.h"

#include "core/base/error.h"
#include "core/base/version.h"
#include "core/gpu/cache.h"
#include "core/op/benchmark.h"
#include "core/ops/registry.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace gpupost {

static std::string file_name(const DeviceInfo& device) { return fmt::format("tuned-{}", device.uuid); }

static uint64_t key_of(const DeviceInfo& device) {
  return hash_of(
      fmt::format("{} {} {} {} {}", device.uuid, device.driver_uuid, device.driver, version_number(), commit_name()));
}

// "mips RGBA16F float 1920 1080 --method per-level"
static std::string line_of(const Tuned& tuned) {
  return fmt::format("{} {} {} {} {} {}\n", tuned.op, format_name(tuned.depth),
                     tuned.half_arithmetic ? "half" : "float", tuned.size.width, tuned.size.height, tuned.arguments);
}

static Depth depth_named(std::string_view name) {
  for (const Depth depth : {Depth::u8, Depth::half})
    if (format_name(depth) == name) return depth;
  return Depth::f32;
}

// Returns nothing if the line is not one that line_of() writes for an existing variant.
static std::optional<Tuned> tuned_of(const std::string& line) {
  Tuned tuned;
  std::string format, arithmetic;
  std::istringstream stream(line);
  stream >> tuned.op >> format >> arithmetic >> tuned.size.width >> tuned.size.height;
  stream.get();
  std::getline(stream, tuned.arguments);
  tuned.depth = depth_named(format);
  tuned.half_arithmetic = arithmetic == "half";
  const Op* op = op_named(tuned.op);
  if (!op || !op->bench || !op->bench->variants || tuned.size.width < 1 || tuned.size.height < 1 ||
      line_of(tuned) != line + "\n")
    return {};
  const std::vector<std::string> variants = op->bench->variants();
  if (std::ranges::find(variants, tuned.arguments) == variants.end()) return {};
  return tuned;
}

std::vector<Tuned> read_tuning(const DeviceInfo& device) {
  const auto bytes = read_cached(file_name(device), key_of(device));
  if (!bytes) return {};
  std::istringstream stream(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  std::vector<Tuned> all;
  for (std::string line; std::getline(stream, line);) {
    const std::optional<Tuned> tuned = tuned_of(line);
    if (!tuned) return {};
    all.push_back(*tuned);
  }
  return all;
}

std::vector<DeviceInfo> list_tuned_devices() {
  std::vector<DeviceInfo> devices = list_devices();
  for (DeviceInfo& device : devices) device.traits.tuned = read_tuning(device);
  return devices;
}

void keep_tuning_text(const DeviceInfo& device, std::string_view text) {
  write_cached(file_name(device), key_of(device), std::as_bytes(std::span(text)));
}

[[noreturn]] static void fail_to_keep_tuning() {
  fail(Exit::output, "{}: cannot be written; set XDG_CACHE_HOME to a writable folder",
       cache_folder().empty() ? "no cache folder" : cache_folder());
}

void check_can_keep_tuning() {
  make_cache_folder();
  if (access(cache_folder().c_str(), W_OK | X_OK) != 0) fail_to_keep_tuning();
}

void keep_tuning(const DeviceInfo& device, const std::vector<Tuned>& tuned) {
  std::string text;
  for (const Tuned& each : tuned) text += line_of(each);
  keep_tuning_text(device, text);
  if (read_tuning(device) != tuned) fail_to_keep_tuning();
}

bool forget_tuning(const DeviceInfo& device) { return remove_cached(file_name(device)); }

}  // namespace gpupost
