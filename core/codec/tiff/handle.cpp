#include "core/codec/tiff/handle.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace gpupost {

namespace {

std::string text_of(const char* module, const char* format, va_list arguments) {
  std::array<char, 400> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  return module ? std::string(module) + ": " + text.data() : text.data();
}

}  // namespace

TiffHandle::TiffHandle(Bytes file, const Limits& limits) : file_(file) {
  open("rm", limits.decoded_bytes);
  if (!tiff_) fail(Exit::input, "{}", error_.empty() ? "cannot be opened as TIFF" : error_);
}

TiffHandle::TiffHandle(bool is_big) {
  open(is_big ? "w8" : "w", 0);
  if (!tiff_) fail(Exit::limit, "out of memory: {}", error_);
}

void TiffHandle::open(const char* mode, uint64_t most_memory) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) fail(Exit::limit, "out of memory");
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), take_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), take_warning, this);
  if (most_memory > 0) TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), tmsize_t(most_memory));
  const auto size = [](thandle_t self) -> toff_t {
    const auto& handle = *static_cast<TiffHandle*>(self);
    return std::max(handle.file_.size(), handle.written_.size());
  };
  tiff_.reset(TIFFClientOpenExt(
      "TIFF", mode, this, read, write, seek, [](thandle_t) { return 0; }, size, nullptr, nullptr, options.get()));
}

std::vector<std::byte> TiffHandle::finish() {
  const bool is_flushed = TIFFFlush(get()) == 1;
  tiff_.reset();
  if (!is_flushed || !error_.empty()) fail(Exit::output, "tiff: libtiff cannot encode the image: {}", error_);
  return std::move(written_);
}

tmsize_t TiffHandle::read(thandle_t self, void* to, tmsize_t count) {
  auto& handle = *static_cast<TiffHandle*>(self);
  const Bytes file = handle.file_.empty() ? Bytes(handle.written_) : handle.file_;
  if (handle.at_ >= file.size() || count <= 0) return 0;
  const size_t got = std::min<uint64_t>(uint64_t(count), file.size() - handle.at_);
  std::memcpy(to, file.data() + handle.at_, got);
  handle.at_ += got;
  return tmsize_t(got);
}

tmsize_t TiffHandle::write(thandle_t self, void* from, tmsize_t count) {
  auto& handle = *static_cast<TiffHandle*>(self);
  if (!handle.file_.empty() || count <= 0) return 0;
  std::vector<std::byte>& to = handle.written_;
  if (handle.at_ + uint64_t(count) > to.size()) to.resize(handle.at_ + uint64_t(count));
  std::memcpy(&to[handle.at_], from, size_t(count));
  handle.at_ += uint64_t(count);
  return count;
}

toff_t TiffHandle::seek(thandle_t self, toff_t offset, int from) {
  auto& handle = *static_cast<TiffHandle*>(self);
  const uint64_t end = std::max(handle.file_.size(), handle.written_.size());
  handle.at_ = offset + (from == SEEK_SET ? 0 : from == SEEK_CUR ? handle.at_ : end);
  return handle.at_;
}

int TiffHandle::take_error(TIFF*, void* self, const char* module, const char* format, va_list arguments) {
  auto& handle = *static_cast<TiffHandle*>(self);
  if (handle.error_.empty()) handle.error_ = text_of(module, format, arguments);
  return 1;
}

// For JPEG in TIFF, damage is a warning; other warnings are about irrelevant tags.
int TiffHandle::take_warning(TIFF* tiff, void* self, const char* module, const char* format, va_list arguments) {
  const std::string text = text_of(module, format, arguments);
  if (text.find("JPEG") == std::string::npos) return 1;
  auto& handle = *static_cast<TiffHandle*>(self);
  if (handle.error_.empty()) handle.error_ = text;
  (void)tiff;
  return 1;
}

}  // namespace gpupost
