#include "core/codec/worker/protocol.h"

#include <stdexcept>
#include <type_traits>

namespace gpupost {

namespace {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Packing and unpacking use the same list of fields; these two classes are the directions.
class Packer {
 public:
  template <Plain T>
  void plain(const T& value) {
    const size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(&bytes[at], &value, sizeof value);
  }
  template <class List, class Each>
  void list(const List& list, const Each& each) {
    plain(uint64_t(list.size()));
    for (const auto& element : list) each(element);
  }
  std::vector<std::byte> bytes;
};

class Unpacker {
 public:
  explicit Unpacker(Bytes bytes) : bytes_(bytes) {}
  template <Plain T>
  void plain(T& value) {
    if (bytes_.size() - at_ < sizeof value) throw std::out_of_range("wire");
    if constexpr (std::is_same_v<T, bool>) {
      value = bytes_[at_] != std::byte(0);
    } else {
      std::memcpy(&value, bytes_.data() + at_, sizeof value);
    }
    at_ += sizeof value;
  }
  // Grows with each element, so that a length cannot allocate much more memory than the message has.
  template <class List, class Each>
  void list(List& list, const Each& each) {
    uint64_t count = 0;
    plain(count);
    for (uint64_t i = 0; i < count; ++i) {
      list.push_back({});
      each(list.back());
    }
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  Bytes bytes_;
  size_t at_ = 0;
};

// T when reading, const T when writing.
template <class Archive, class T, class Is = std::remove_const_t<T>>
void serialize(Archive& archive, T& value) {
  const auto each = [&](auto&... fields) { (serialize(archive, fields), ...); };
  if constexpr (Plain<Is>) {
    archive.plain(value);
  } else if constexpr (std::is_same_v<Is, Window>) {
    each(value.min_x, value.min_y, value.max_x, value.max_y);
  } else if constexpr (std::is_same_v<Is, Size>) {
    each(value.width, value.height);
  } else if constexpr (std::is_same_v<Is, Channel>) {
    each(value.name, value.depth);
  } else if constexpr (std::is_same_v<Is, Attribute>) {
    each(value.name, value.type, value.value);
  } else if constexpr (std::is_same_v<Is, Level>) {
    each(value.size);
  } else if constexpr (std::is_same_v<Is, Group>) {
    each(value.channels[0], value.channels[1], value.channels[2], value.channels[3], value.depth, value.is_color,
         value.is_luminance, value.levels);
  } else if constexpr (std::is_same_v<Is, Picture>) {
    each(value.format, value.compression, value.file_level_count, value.data_window, value.display_window,
         value.transfer, value.exponent, value.alpha, value.groups, value.attributes);
  } else if constexpr (std::is_same_v<Is, FilePart>) {
    each(value.name, value.size, value.channels, value.is_deep);
  } else if constexpr (std::is_same_v<Is, Decoded>) {
    each(value.picture, value.parts, value.warnings, value.write_warnings, value.others);
  } else if constexpr (std::is_same_v<Is, OtherParts>) {
    each(value.index, value.name, value.names, value.has_long_names, value.has_deep);
  } else if constexpr (std::is_same_v<Is, Reply>) {
    each(value.exit, value.message, value.decoded, value.offsets, value.others_bytes, value.can_go_on);
  } else if constexpr (std::is_same_v<Is, Limits>) {
    each(value.side, value.texel_count, value.channel_count, value.decoded_bytes, value.cpu_seconds,
         value.wall_seconds);
  } else if constexpr (std::is_same_v<Is, DecodeOptions>) {
    each(value.part, value.layer, value.level, value.profile, value.keeps_orientation, value.flattens,
         value.keeps_parts, value.limits, value.thread_count, value.requires_sandbox);
  } else if constexpr (std::is_same_v<Is, DecodeRequest>) {
    each(value.options, value.input_bytes);
  } else {
    archive.list(value, [&](auto& element) { serialize(archive, element); });
  }
}

template <class T>
std::vector<std::byte> packed(const T& value) {
  Packer packer;
  serialize(packer, value);
  return std::move(packer.bytes);
}

template <class T>
T unpacked(Bytes bytes) {
  Unpacker unpacker(bytes);
  T value;
  serialize(unpacker, value);
  if (!unpacker.at_end()) throw std::out_of_range("wire");
  return value;
}

}  // namespace

std::vector<std::byte> pack(const DecodeRequest& request) { return packed(request); }
std::vector<std::byte> pack(const Reply& reply) { return packed(reply); }
DecodeRequest unpack_request(Bytes bytes) { return unpacked<DecodeRequest>(bytes); }
Reply unpack_reply(Bytes bytes) { return unpacked<Reply>(bytes); }

}  // namespace gpupost
