// The Vulkan header, a check of every result, and owning handles.
#pragma once

#include "core/base/error.h"
#include "core/gpu/watch.h"

#include <vulkan/vulkan.h>

#include <utility>

namespace gpupost {

// Throws OutOfDeviceMemory, DeviceLost or another Error(Exit::device) with the call and the result.
void check(VkResult result, const char* call);
const char* name_of(VkResult result);

// An owning handle: Owned<VkImage>(device, image, vkDestroyImage). It does not destroy the object if the driver is
// stuck, because the driver may still use it.
template <class Handle, class Parent = VkDevice>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(Parent, Handle, const VkAllocationCallbacks*);

  Owned() = default;
  Owned(Parent parent, Handle handle, Destroy destroy) : parent_(parent), handle_(handle), destroy_(destroy) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    Owned moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Owned() {
    if (handle_ && !driver_is_stuck()) destroy_(parent_, handle_, nullptr);
  }
  operator Handle() const { return handle_; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(parent_, other.parent_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
  }

  Parent parent_ = nullptr;
  Handle handle_ = nullptr;
  Destroy destroy_ = nullptr;
};

}  // namespace gpupost
