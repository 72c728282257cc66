// Messages between parent and worker, as bytes. They are flat lists of numbers, texts and lists. The reader trusts nothing, because a
// hostile file may have taken control of the worker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

namespace gpupost {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Packer {
 public:
  template <Plain T>
  void plain(const T& value) {
    append(&value, 1);
  }
  template <class List, class Each>
  void list(const List& list, const Each& each) {
    plain(uint64_t(list.size()));
    if constexpr (Plain<typename List::value_type>) append(list.data(), list.size());
    else std::ranges::for_each(list, each);
  }
  std::vector<std::byte> bytes;

 private:
  template <class T>
  void append(const T* values, size_t count) {
    const auto added = std::as_bytes(std::span(values, count));
    bytes.insert(bytes.end(), added.begin(), added.end());
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <Plain T>
  void plain(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      take(&byte, 1);
      value = byte != 0;
    } else {
      take(&value, 1);
    }
  }
  // A length cannot allocate much more memory than the message has: a list of structs grows with each element.
  template <class List, class Each>
  void list(List& list, const Each& each) {
    uint64_t count = 0;
    plain(count);
    if constexpr (Plain<typename List::value_type>) {
      if (rest_.size() / sizeof list[0] < count) throw std::out_of_range("message");
      list.resize(count);
      take(list.data(), count);
    } else {
      for (uint64_t i = 0; i < count; ++i) each(list.emplace_back());
    }
  }
  bool at_end() const { return rest_.empty(); }

 private:
  template <class T>
  void take(T* values, size_t count) {
    const auto taken = std::as_writable_bytes(std::span(values, count));
    if (rest_.size() < taken.size()) throw std::out_of_range("message");
    std::ranges::copy(rest_.first(taken.size()), taken.begin());
    rest_ = rest_.subspan(taken.size());
  }
  std::span<const std::byte> rest_;
};

// T is const when writing. For each struct, its namespace has a function members(const T&) that returns pointers to the members that a
// message has.
template <class Archive, class T, class Is = std::remove_const_t<T>>
void serialize(Archive& archive, T& value) {
  const auto each = [&](auto& element) { serialize(archive, element); };
  if constexpr (Plain<Is>) archive.plain(value);
  else if constexpr (requires(Is list) { list.resize(0); }) archive.list(value, each);
  else if constexpr (requires { std::tuple_size<Is>::value; }) std::ranges::for_each(value, each);  // std::array
  else std::apply([&](auto... member) { (each(value.*member), ...); }, members(value));
}

template <class T>
std::vector<std::byte> packed(const T& value) {
  Packer packer;
  serialize(packer, value);
  return std::move(packer.bytes);
}

// Throws std::out_of_range for invalid bytes.
template <class T>
T unpacked(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  T value;
  serialize(unpacker, value);
  if (!unpacker.at_end()) throw std::out_of_range("message");
  return value;
}

}  // namespace gpupost
