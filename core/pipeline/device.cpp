#include "core/pipeline/device.h"

#include "core/base/error.h"
#include "core/engine/tuning.h"

namespace gpupost {

static DeviceTraits with_tile_side(DeviceTraits traits, const DeviceSettings& settings) {
  traits.is_side_asked_for = settings.tile_side.value_or(traits.max_image_side) < traits.max_image_side;
  if (traits.is_side_asked_for) traits.max_image_side = *settings.tile_side;
  return traits;
}

std::vector<DeviceInfo> devices_for(const DeviceSettings& settings) {
  std::vector<DeviceInfo> devices = choose_devices(list_tuned_devices(), settings.device, settings.require_gpu);
  for (DeviceInfo& device : devices) device.traits = with_tile_side(device.traits, settings);
  return devices;
}

DeviceTraits traits_for(const DeviceSettings& settings) {
  std::vector<DeviceInfo> devices;
  try {
    devices = list_tuned_devices();
  } catch (const Error&) {
  }
  DeviceTraits traits;
  const bool needs_one = !devices.empty() || !settings.device.empty();  // planning needs no device
  if (needs_one) traits = choose_device(devices, settings.device, settings.require_gpu).traits;
  return with_tile_side(traits, settings);
}

// Watchdogs of drivers stop long work on a GPU; a CPU device has none.
ChainOptions chain_options(const DeviceSettings& settings, const DeviceTraits& traits) {
  constexpr double most_ms = 500;
  constexpr size_t most_bytes_at_once = size_t(1) << 30;
  const bool is_cpu = traits.type == DeviceType::cpu;
  if (settings.max_dispatch_ms) return {.most_ms = double(*settings.max_dispatch_ms), .unwatched_reads = 0};
  return {.most_ms = is_cpu ? 0 : most_ms, .most_bytes_at_once = is_cpu ? most_bytes_at_once : 0};
}

}  // namespace gpupost
