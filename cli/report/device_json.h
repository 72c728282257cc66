// A device as JSON, for reports and measurements.
#pragma once

#include "core/gpu/gpu.h"

#include <nlohmann/json_fwd.hpp>

namespace gpupost {

nlohmann::ordered_json device_json(const DeviceInfo& device);

}  // namespace gpupost
