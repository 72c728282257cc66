// `gpupost devices` and `gpupost doctor`.
#include "cli/commands/commands.h"
#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/engine/tuning.h"
#include "core/gpu/cache.h"
#include "core/gpu/gpu.h"
#include "core/gpu/spirv.h"
#include "core/system/sandbox.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace gpupost {

using json = nlohmann::ordered_json;

static json to_json(const DeviceInfo& device) {
  const DeviceTraits& traits = device.traits;
  return {{"index", device.index},
          {"name", traits.name},
          {"type", name_of(traits.type)},
          {"uuid", device.uuid},
          {"driver", device.driver},
          {"vulkan", device.api_version},
          {"memory_bytes", device.memory_bytes},
          {"host_visible_memory", device.has_host_visible_memory},
          {"max_image_side", traits.max_image_side},
          {"max_group_invocations", traits.max_group_invocations},
          {"shared_bytes", traits.shared_bytes},
          {"max_storage_images", traits.max_storage_images},
          {"subgroup_size", traits.subgroup.size},
          {"quad_operations", traits.subgroup.has_quad},
          {"half_arithmetic", traits.half.has_arithmetic},
          {"memory_model", traits.has_memory_model},
          {"timestamps", device.has_timestamps},
          {"obstacle", device.obstacle}};
}

static const char* yes_no(bool is_so) { return is_so ? "yes" : "no"; }

static std::string to_text(const DeviceInfo& device) {
  const DeviceTraits& traits = device.traits;
  std::string text = fmt::format("{}: {} ({})\n", device.index, traits.name, name_of(traits.type));
  text += fmt::format("   driver {}, Vulkan {}, UUID {}\n", device.driver, device.api_version, device.uuid);
  text += fmt::format("   memory {:.1f} GiB, visible to the host: {}; images up to {} per side\n",
                      double(device.memory_bytes) / (1 << 30), yes_no(device.has_host_visible_memory),
                      traits.max_image_side);
  text += fmt::format(
      "   workgroups of {}, {} KiB shared, subgroups of {}; quads {}, half arithmetic {}, single pass {}\n",
      traits.max_group_invocations, traits.shared_bytes / 1024, traits.subgroup.size, yes_no(traits.subgroup.has_quad),
      yes_no(traits.half.has_arithmetic), yes_no(traits.has_memory_model && traits.max_group_invocations >= 256));
  if (!device.obstacle.empty()) text += fmt::format("   cannot be used: {}\n", device.obstacle);
  return text;
}

static Exit run_devices(const CommandCall& call) {
  const std::vector<DeviceInfo> devices = list_tuned_devices();
  json list = json::array();
  std::string text;
  for (const DeviceInfo& device : devices) {
    list.push_back(to_json(device));
    text += to_text(device);
  }
  print_out(call.has("--json") ? json_text(list, 2) : printable_lines(text));
  if (devices.empty()) fail(Exit::device, "Vulkan lists no device; `gpupost doctor` says what is missing");
  return Exit::done;
}

const CommandRow devices_verb{
    .name = "devices",
    .summary = "List the Vulkan devices and what each can do",
    .usage = "devices [--json]",
    .description =
        "Prints the index, name, type, driver, memory and limits of each device. --device takes the index, part "
        "of the name, or the UUID.",
    .options = {{"--json", "", "Print JSON", {}}},
    .examples = {"devices", "devices --json"},
    .run = run_devices,
};

// Prints one check: name, result, and how to fix a failure.
static void tell(bool is_well, std::string_view what, std::string_view how, std::string_view remedy) {
  print_out(fmt::format("{:<8}{:<16}{}\n", is_well ? "ok" : "missing", what, printable(how)));
  if (!is_well && !remedy.empty()) print_out(fmt::format("{:<24}to fix: {}\n", "", remedy));
}

constexpr const char* driver_variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LOADER_DRIVERS_SELECT"};

static void tell_environment() {
  for (const char* name : driver_variables)
    if (const char* value = std::getenv(name))
      print_out(fmt::format("{:<8}{:<16}{}={} selects the drivers\n", "note", "environment", name, printable(value)));
}

static void tell_failure(const Error& error, std::string remedy) {
  const std::string_view what = error.what();
  for (const char* name : driver_variables)
    if (std::getenv(name)) remedy += fmt::format(", or unset {}", name);
  tell(false, "Vulkan", what.substr(0, what.find("; `gpupost doctor`")), remedy);  // because this is `gpupost doctor`
}

// Returns whether a run without --device has a device.
static bool examine_devices(const std::string& wanted) {
  std::vector<DeviceInfo> devices;
  try {
    devices = list_tuned_devices();
  } catch (const DamagedManifest& error) {
    tell_failure(error, "repair or remove the manifest, or reinstall its package");
    return false;
  } catch (const Error& error) {
    tell_failure(error, "apt-get install mesa-vulkan-drivers (a CPU device), or the driver of the GPU");
    return false;
  }
  bool is_usable = false, has_gpu = false;
  for (const DeviceInfo& device : devices) {
    tell(device.obstacle.empty(), "device",
         fmt::format("{}: {} ({}){}{}", device.index, device.traits.name, name_of(device.traits.type),
                     device.obstacle.empty() ? "" : ": ", device.obstacle),
         "a newer driver");
    is_usable = is_usable || device.obstacle.empty();
    has_gpu = has_gpu || (device.obstacle.empty() && device.traits.type != DeviceType::cpu);
  }
  if (devices.empty())
    tell(false, "device", "Vulkan lists no device", "apt-get install mesa-vulkan-drivers, or the driver of the GPU");
  if (is_usable && !has_gpu)
    print_out(fmt::format("{:<8}{:<16}{}\n", "note", "device", "no GPU: the CPU device runs all ops"));
  if (!is_usable || wanted.empty()) return is_usable;
  try {
    const DeviceInfo& chosen = choose_device(devices, wanted, false);
    print_out(fmt::format("{:<8}{:<16}GPUPOST_DEVICE={} selects device {}\n", "note", "environment", printable(wanted),
                          chosen.index));
    return true;
  } catch (const Error&) {
    tell(false, "environment", fmt::format("GPUPOST_DEVICE={} selects no device that can be used", wanted),
         "set GPUPOST_DEVICE to an index, part of a name or a UUID from above, or unset it");
    return false;
  }
}

static Exit run_doctor(const CommandCall& call) {
  const bool is_sandboxed = sandbox_holds();  // must run before drivers start threads
  const bool is_usable = examine_devices(device_of(call));
  tell_environment();
  const std::string folder = cache_folder();
  if (!folder.empty()) make_cache_folder();
  const bool has_cache = !folder.empty() && access(folder.c_str(), W_OK) == 0;
  tell(has_cache, "cache", folder.empty() ? "neither XDG_CACHE_HOME nor HOME is set" : folder,
       "export XDG_CACHE_HOME=/a/folder/that/can/be/written");
  tell(!built_in_spirv().empty(), "shaders", fmt::format("{} built in", built_in_spirv().size()), "");
  for (const auto& [name, version, package] : libraries_of_build())
    tell(!version.empty(), name, version.empty() ? "not in this build; what needs it is refused" : version,
         fmt::format("apt-get install {}, then build gpupost again", package));
  tell(is_sandboxed, "seccomp",
       is_sandboxed ? "active: decoders cannot open files, start programs or use the network"
                    : "decoders run in a process with limits, but without a system call filter",
       "use a kernel or container that allows seccomp filters");
  return is_usable ? Exit::done : Exit::device;
}

const CommandRow doctor_verb{
    .name = "doctor",
    .summary = "Check this machine and print what to install",
    .usage = "doctor",
    .description =
        "Checks Vulkan, the cache folder, the built-in shaders, the format libraries and the sandbox of the decoders. "
        "Exit code 4 if no device can be used, or none that GPUPOST_DEVICE names.",
    .examples = {"doctor"},
    .run = run_doctor,
};

}  // namespace gpupost
