// Owned memory: pages from the system, a shared mapping, or mapped device memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

namespace gpupost {

// Move-only. New memory is zero.
class TexelBuffer {
 public:
  TexelBuffer() = default;
  // Allocates pages, huge ones if possible. Throws Error(Exit::limit) if memory runs out.
  explicit TexelBuffer(size_t bytes);
  // Wraps memory of another owner, which `release` returns.
  TexelBuffer(std::byte* data, size_t bytes, std::function<void()> release)
      : data_(data), size_(bytes), release_(std::move(release)) {}
  TexelBuffer(TexelBuffer&& other) noexcept { swap(other); }
  TexelBuffer& operator=(TexelBuffer&& other) noexcept {
    TexelBuffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~TexelBuffer() {
    if (release_ && !is_all_kept_) release_();
  }
  // From now on no memory is returned, because a driver that no longer answers may still use it.
  static void keep_all() { is_all_kept_ = true; }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  // The memory as an array of T.
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_), size_ / sizeof(T)};
  }

 private:
  void swap(TexelBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }

  std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::function<void()> release_;
  static inline std::atomic<bool> is_all_kept_{false};
};

// The first bytes of a buffer; the rest is kept but not seen.
TexelBuffer first_part(TexelBuffer whole, size_t bytes);

}  // namespace gpupost
