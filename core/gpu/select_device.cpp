// Selects a device.
#include "core/base/text.h"
#include "core/gpu/gpu.h"
#include "core/gpu/instance.h"

#include <algorithm>
#include <cctype>

namespace gpupost {

std::string_view name_of(DeviceType type) {
  switch (type) {
    case DeviceType::cpu: return "cpu";
    case DeviceType::virtual_gpu: return "virtual";
    case DeviceType::integrated: return "integrated";
    case DeviceType::discrete: return "discrete";
  }
  return "?";
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  for (VkPhysicalDevice device : physical_devices()) devices.push_back(describe(device, int(devices.size())));
  return devices;
}

static bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

constexpr std::string_view every_device = "all";

static bool is_meant(const DeviceInfo& device, const std::string& wanted) {
  if (wanted.empty() || wanted == every_device) return true;
  if (wanted == "cpu") return device.traits.type == DeviceType::cpu;
  if (wanted == "gpu") return device.traits.type != DeviceType::cpu;
  if (is_number(wanted)) return device.index == std::stoi(wanted);
  std::string digits = lower_case(wanted);
  std::erase(digits, '-');
  return digits == device.uuid || lower_case(device.traits.name).find(lower_case(wanted)) != std::string::npos;
}

static std::string list_of_names(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices)
    text += fmt::format("{}{}: {} ({})", text.empty() ? "" : ", ", device.index, device.traits.name,
                        name_of(device.traits.type));
  return text.empty() ? "none" : text;
}

const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& wanted, bool require_gpu) {
  const DeviceInfo* best = nullptr;
  const DeviceInfo* unusable = nullptr;
  for (const DeviceInfo& device : devices) {
    if (!is_meant(device, wanted)) continue;
    if (!device.obstacle.empty()) unusable = &device;
    else if (!best || device.traits.type > best->traits.type) best = &device;
  }
  if (!best && unusable)
    fail(Exit::device, "the device {} cannot be used: {}", unusable->traits.name, unusable->obstacle);
  if (!best && devices.empty()) fail_without_driver("Vulkan lists no device");
  if (!best) fail(Exit::device, "no device matches --device {}; available: {}", wanted, list_of_names(devices));
  if (require_gpu && best->traits.type == DeviceType::cpu)
    fail(Exit::device,
         "--require-gpu: {} is not a GPU; available: {}; choose a GPU with --device, or leave --require-gpu out",
         best->traits.name, list_of_names(devices));
  return *best;
}

std::vector<DeviceInfo> choose_devices(const std::vector<DeviceInfo>& devices, const std::string& wanted,
                                       bool require_gpu) {
  std::vector<DeviceInfo> chosen{choose_device(devices, wanted, require_gpu)};
  if (wanted != every_device || chosen.front().traits.type == DeviceType::cpu) return chosen;
  for (const DeviceInfo& device : devices)
    if (device.obstacle.empty() && device.traits.type != DeviceType::cpu && device.index != chosen.front().index)
      chosen.push_back(device);
  return chosen;
}

}  // namespace gpupost
