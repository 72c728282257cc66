#include "cli/report/device_json.h"

#include <nlohmann/json.hpp>

namespace gpupost {

nlohmann::ordered_json device_json(const DeviceInfo& device) {
  return {{"name", device.traits.name},
          {"type", name_of(device.traits.type)},
          {"driver", device.driver},
          {"uuid", device.uuid},
          {"driver_uuid", device.driver_uuid},
          {"vulkan", device.api_version},
          {"subgroup_size", device.traits.subgroup.size}};
}

}  // namespace gpupost
