// Which device is meant, among made-up ones.
#include "core/base/error.h"
#include "core/gpu/gpu.h"

#include <doctest/doctest.h>

using namespace gpupost;

namespace {

DeviceInfo made(int index, const char* name, DeviceType type, const char* obstacle = "") {
  DeviceInfo device{.index = index, .uuid = std::string(31, '0') + std::to_string(index), .obstacle = obstacle};
  device.traits.name = name;
  device.traits.type = type;
  return device;
}

const std::vector<DeviceInfo> devices{
    made(0, "llvmpipe", DeviceType::cpu),
    made(1, "Virtio", DeviceType::virtual_gpu),
    made(2, "Iris Xe", DeviceType::integrated),
    made(3, "GeForce A", DeviceType::discrete),
    made(4, "GeForce B", DeviceType::discrete),
    made(5, "Old Card", DeviceType::discrete, "it supports Vulkan 1.0; 1.2 is needed")};

// The index of the chosen device, or what is said instead.
std::string chosen(const std::vector<DeviceInfo>& from, const std::string& wanted, bool require_gpu = false) {
  try {
    return std::to_string(choose_device(from, wanted, require_gpu).index);
  } catch (const Error& error) {
    CHECK(error.code() == Exit::device);
    return error.what();
  }
}

std::vector<DeviceInfo> first(size_t count) { return {devices.begin(), devices.begin() + long(count)}; }

}  // namespace

TEST_CASE("without a wish a discrete device is taken before an integrated, a virtual and a CPU one") {
  CHECK(chosen(devices, "") == "3");
  CHECK(chosen(first(3), "") == "2");
  CHECK(chosen(first(2), "") == "1");
  CHECK(chosen(first(1), "") == "0");
}

TEST_CASE("a device is named by index, part of its name, UUID, cpu or gpu") {
  CHECK(chosen(devices, "1") == "1");
  CHECK(chosen(devices, "iris") == "2");
  CHECK(chosen(devices, "GeForce B") == "4");
  CHECK(chosen(devices, "00000000-0000-0000-0000-000000000004") == "4");
  CHECK(chosen(devices, "cpu") == "0");
  CHECK(chosen(devices, "gpu") == "3");
}

TEST_CASE("all devices are all usable GPUs, the best one first, else the CPU device") {
  const auto all_of = [](const std::vector<DeviceInfo>& from, const std::string& wanted) {
    std::vector<int> indices;
    for (const DeviceInfo& device : choose_devices(from, wanted, false)) indices.push_back(device.index);
    return indices;
  };
  CHECK(all_of(devices, "all") == std::vector{3, 1, 2, 4});
  CHECK(all_of(first(1), "all") == std::vector{0});
  CHECK(all_of(devices, "") == std::vector{3});
  CHECK(all_of(devices, "gpu") == std::vector{3});
  CHECK(all_of(devices, "cpu") == std::vector{0});
  CHECK(chosen(devices, "all") == "3");
  CHECK(chosen(first(1), "all", true).find("--require-gpu: llvmpipe is not a GPU") == 0);
  CHECK(chosen({}, "all").find("Vulkan lists no device") == 0);
}

TEST_CASE("a device that is not there, or cannot be used, is refused with what there is") {
  CHECK(chosen(devices, "9").find("no device matches --device 9; available: 0: llvmpipe (cpu)") == 0);
  CHECK(chosen(devices, "old") == "the device Old Card cannot be used: it supports Vulkan 1.0; 1.2 is needed");
  CHECK(chosen(first(1), "gpu").find("no device matches --device gpu") == 0);
  CHECK(chosen(first(1), "", true).find("--require-gpu: llvmpipe is not a GPU") == 0);
  CHECK(chosen({}, "").find("Vulkan lists no device") == 0);
}
