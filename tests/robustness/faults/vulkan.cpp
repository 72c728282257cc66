// A Vulkan layer of the tests' own: the n-th call that can fail does, and the driver never hears of it.
//   GPUPOST_FAIL_VULKAN=n:result      the n-th call gives this result, like 12:-4
//   GPUPOST_FAIL_VULKAN=n:result:on   that call and all that follow it
//   GPUPOST_MOST_MEMORY=bytes         the device has no memory for more at once
//   GPUPOST_VULKAN_CALLS=file         the names of all calls go there, a line each
#include <fcntl.h>
#include <unistd.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Fault {
  int number = 0, result = 0;
  bool stays = false;
};

Fault wanted_fault() {
  Fault fault;
  char on[3] = "";
  const char* text = std::getenv("GPUPOST_FAIL_VULKAN");
  if (text) fault.stays = std::sscanf(text, "%d:%d:%2s", &fault.number, &fault.result, on) == 3;
  return fault;
}

void keep_name(const char* name) {
  static const char* const path = std::getenv("GPUPOST_VULKAN_CALLS");
  if (!path) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const std::string line = std::string(name) + "\n";
  if (file < 0 || write(file, line.data(), line.size()) != ssize_t(line.size())) std::abort();
  close(file);
}

// What the next call of this name gives in the driver's place; VK_SUCCESS: it is the driver's.
VkResult result_of_fault(const char* name) {
  static const Fault fault = wanted_fault();
  static std::atomic<int> call_count = 0;
  keep_name(name);
  const int number = ++call_count;
  const bool fails = number == fault.number || (fault.stays && number > fault.number);
  return fails ? VkResult(fault.result) : VK_SUCCESS;
}

bool is_too_much(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*, VkDeviceMemory*) {
  static const char* const most = std::getenv("GPUPOST_MOST_MEMORY");
  return most && info->allocationSize > std::strtoull(most, nullptr, 10);
}
template <class... Args>
bool is_too_much(const Args&...) {
  return false;
}

// A function of Vulkan in which faults can be, and the one that is next in line.
template <auto function>
struct Failing;
template <class... Args, VkResult(VKAPI_PTR* function)(Args...)>
struct Failing<function> {
  static inline const char* name = nullptr;
  static inline decltype(function) next = nullptr;
  static VKAPI_ATTR VkResult VKAPI_CALL call(Args... args) {
    const VkResult result = is_too_much(args...) ? VK_ERROR_OUT_OF_DEVICE_MEMORY : result_of_fault(name);
    return result == VK_SUCCESS ? next(args...) : result;
  }
};

struct Hook {
  const char* name;
  PFN_vkVoidFunction call;
  void (*set_next)(const char* name, PFN_vkVoidFunction next);
};

template <auto function>
Hook hook(const char* name) {
  return {.name = name,
          .call = reinterpret_cast<PFN_vkVoidFunction>(Failing<function>::call),
          .set_next = [](const char* own_name, PFN_vkVoidFunction next) {
            Failing<function>::name = own_name;
            Failing<function>::next = reinterpret_cast<decltype(Failing<function>::next)>(next);
          }};
}
#define HOOK(function) hook<&function>(#function)

const Hook instance_hooks[] = {HOOK(vkEnumeratePhysicalDevices), HOOK(vkEnumerateDeviceExtensionProperties)};
const Hook device_hooks[] = {HOOK(vkAllocateCommandBuffers),
                             HOOK(vkAllocateDescriptorSets),
                             HOOK(vkAllocateMemory),
                             HOOK(vkBeginCommandBuffer),
                             HOOK(vkBindBufferMemory),
                             HOOK(vkBindImageMemory),
                             HOOK(vkCreateBuffer),
                             HOOK(vkCreateCommandPool),
                             HOOK(vkCreateComputePipelines),
                             HOOK(vkCreateDescriptorPool),
                             HOOK(vkCreateDescriptorSetLayout),
                             HOOK(vkCreateFence),
                             HOOK(vkCreateImage),
                             HOOK(vkCreateImageView),
                             HOOK(vkCreatePipelineCache),
                             HOOK(vkCreatePipelineLayout),
                             HOOK(vkCreateQueryPool),
                             HOOK(vkCreateSampler),
                             HOOK(vkCreateShaderModule),
                             HOOK(vkEndCommandBuffer),
                             HOOK(vkFlushMappedMemoryRanges),
                             HOOK(vkGetMemoryHostPointerPropertiesEXT),
                             HOOK(vkGetPipelineCacheData),
                             HOOK(vkGetQueryPoolResults),
                             HOOK(vkInvalidateMappedMemoryRanges),
                             HOOK(vkMapMemory),
                             HOOK(vkQueueSubmit),
                             HOOK(vkResetCommandPool),
                             HOOK(vkResetFences),
                             HOOK(vkWaitForFences)};

PFN_vkGetInstanceProcAddr next_instance_function = nullptr;
PFN_vkGetDeviceProcAddr next_device_function = nullptr;
VkInstance made_instance = nullptr;

// The loader's note for the layers in a chain of structures; each layer takes its own off.
template <class Info>
Info* link_info(const void* chain, VkStructureType type) {
  auto* info = static_cast<Info*>(const_cast<void*>(chain));
  while (info && (info->sType != type || info->function != VK_LAYER_LINK_INFO))
    info = static_cast<Info*>(const_cast<void*>(info->pNext));
  return info;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
  if (const VkResult result = result_of_fault("vkCreateInstance")) return result;
  auto* link = link_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  next_instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto next = reinterpret_cast<PFN_vkCreateInstance>(next_instance_function(nullptr, "vkCreateInstance"));
  const VkResult result = next(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  made_instance = *instance;
  for (const Hook& each : instance_hooks) each.set_next(each.name, next_instance_function(*instance, each.name));
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  if (const VkResult result = result_of_fault("vkCreateDevice")) return result;
  auto* link = link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const PFN_vkGetInstanceProcAddr instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  next_device_function = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto next = reinterpret_cast<PFN_vkCreateDevice>(instance_function(made_instance, "vkCreateDevice"));
  const VkResult result = next(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  for (const Hook& each : device_hooks) each.set_next(each.name, next_device_function(*device, each.name));
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(device_function);
  for (const Hook& each : device_hooks)
    if (std::strcmp(name, each.name) == 0) return next_device_function(device, name) ? each.call : nullptr;
  return next_device_function(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(instance_function);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(device_function);
  if (std::strcmp(name, "vkCreateInstance") == 0) return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
  if (std::strcmp(name, "vkCreateDevice") == 0) return reinterpret_cast<PFN_vkVoidFunction>(create_device);
  for (const Hook& each : instance_hooks)
    if (std::strcmp(name, each.name) == 0) return each.call;
  for (const Hook& each : device_hooks)
    if (std::strcmp(name, each.name) == 0) return each.call;
  return instance ? next_instance_function(instance, name) : nullptr;
}

}  // namespace

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = instance_function;
  interface->pfnGetDeviceProcAddr = device_function;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
