#include "core/codec/worker/protocol.h"

#include "core/system/serialize.h"

namespace gpupost {

constexpr auto members(const Window&) {
  return std::tuple(&Window::min_x, &Window::min_y, &Window::max_x, &Window::max_y);
}
constexpr auto members(const Size&) { return std::tuple(&Size::width, &Size::height); }
constexpr auto members(const Channel&) { return std::tuple(&Channel::name, &Channel::depth); }
constexpr auto members(const Attribute&) { return std::tuple(&Attribute::name, &Attribute::type, &Attribute::value); }
constexpr auto members(const Level&) { return std::tuple(&Level::size); }
constexpr auto members(const Group&) {
  return std::tuple(&Group::channels, &Group::depth, &Group::is_color, &Group::is_data, &Group::is_luminance,
                    &Group::levels);
}
constexpr auto members(const Picture&) {
  return std::tuple(&Picture::format, &Picture::compression, &Picture::file_level_count, &Picture::data_window,
                    &Picture::display_window, &Picture::transfer, &Picture::exponent, &Picture::alpha, &Picture::groups,
                    &Picture::attributes);
}
constexpr auto members(const FilePart&) {
  return std::tuple(&FilePart::name, &FilePart::size, &FilePart::channels, &FilePart::is_deep);
}
constexpr auto members(const OtherParts&) {
  return std::tuple(&OtherParts::index, &OtherParts::name, &OtherParts::names, &OtherParts::has_long_names,
                    &OtherParts::has_deep);
}
constexpr auto members(const Decoded&) {
  return std::tuple(&Decoded::picture, &Decoded::parts, &Decoded::warnings, &Decoded::write_warnings, &Decoded::others);
}
constexpr auto members(const Reply&) {
  return std::tuple(&Reply::exit, &Reply::message, &Reply::decoded, &Reply::offsets, &Reply::others_bytes,
                    &Reply::can_go_on);
}
constexpr auto members(const Limits&) {
  return std::tuple(&Limits::side, &Limits::texel_count, &Limits::channel_count, &Limits::decoded_bytes,
                    &Limits::cpu_seconds, &Limits::wall_seconds);
}
constexpr auto members(const DecodeOptions&) {
  return std::tuple(&DecodeOptions::part, &DecodeOptions::layer, &DecodeOptions::level, &DecodeOptions::profile,
                    &DecodeOptions::alpha, &DecodeOptions::keeps_orientation, &DecodeOptions::flattens,
                    &DecodeOptions::keeps_parts, &DecodeOptions::checks_all, &DecodeOptions::limits,
                    &DecodeOptions::thread_count, &DecodeOptions::requires_sandbox);
}
constexpr auto members(const DecodeRequest&) {
  return std::tuple(&DecodeRequest::options, &DecodeRequest::input_bytes);
}

std::vector<std::byte> pack(const DecodeRequest& request) { return packed(request); }
std::vector<std::byte> pack(const Reply& reply) { return packed(reply); }
DecodeRequest unpack_request(Bytes bytes) { return unpacked<DecodeRequest>(bytes); }
Reply unpack_reply(Bytes bytes) { return unpacked<Reply>(bytes); }

}  // namespace gpupost
