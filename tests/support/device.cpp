#include "tests/support/device.h"

#include "core/base/error.h"
#include "core/gpu/spirv.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace gpupost::test {

static DeviceTraits as_gpu(DeviceTraits traits) {
  traits.type = DeviceType::discrete;
  traits.has_image_buffers = false;
  return traits;
}

static std::optional<Gpu> open_device(std::string& why) {
  try {
    use_built_in_spirv(shaders_of_all_rows());
    const char* wanted = std::getenv("GPUPOST_DEVICE");
    DeviceInfo info = choose_device(list_devices(), wanted ? wanted : "", false);
    info.traits.tuned.clear();  // what the user has measured must not change what is tested
    const char* as_other = std::getenv("GPUPOST_TEST_AS_GPU");
    if (as_other && std::string_view(as_other) == "1") info.traits = as_gpu(info.traits);
    return Gpu(info);
  } catch (const Error& error) {
    why = error.what();
    return {};
  }
}

Gpu* device() {
  static std::string why;
  static std::optional<Gpu> opened = open_device(why);
  if (opened) return &*opened;
  const char* required = std::getenv("GPUPOST_TEST_REQUIRE_DEVICE");
  if (required && std::string_view(required) == "1") FAIL(why);
  skip(why.c_str());
  return nullptr;
}

DeviceTraits as_gpu(const Gpu& gpu) { return as_gpu(gpu.info().traits); }

}  // namespace gpupost::test
