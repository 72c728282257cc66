// The report of a run as JSON and as a table.
#pragma once

#include "core/pipeline/report.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gpupost {

std::string to_json(const Report& report);
std::string to_table(const Report& report);

// A device, for reports and measurements.
nlohmann::ordered_json device_json(const DeviceInfo& device);

// Version and commit of this build.
std::string version_text();

}  // namespace gpupost
