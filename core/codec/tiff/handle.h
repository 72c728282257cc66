// A TIFF in memory as libtiff opens it. Errors and warnings of libtiff are kept, for callers to throw or to tell.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <tiffio.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

class TiffHandle {
 public:
  TiffHandle(Bytes file, const Limits& limits);  // to be read
  explicit TiffHandle(bool is_big);              // to be written; of more than 4 GiB if `is_big`
  TiffHandle(const TiffHandle&) = delete;
  TiffHandle& operator=(const TiffHandle&) = delete;

  TIFF* get() const { return tiff_.get(); }
  const std::string& error() const { return error_; }  // the first; "" for none
  // What was written, whole. Throws Error(Exit::output).
  std::vector<std::byte> finish();
  // The value of a tag, or its default; empty: the file has none.
  template <class Value>
  std::optional<Value> tag(uint32_t name) const {
    Value value{};
    return TIFFGetFieldDefaulted(get(), name, &value) ? std::optional(value) : std::nullopt;
  }

 private:
  struct Closed {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  void open(const char* mode, uint64_t most_memory);
  static tmsize_t read(thandle_t self, void* to, tmsize_t count);
  static tmsize_t write(thandle_t self, void* from, tmsize_t count);
  static toff_t seek(thandle_t self, toff_t offset, int from);
  static int take_error(TIFF*, void* self, const char* module, const char* format, va_list arguments);
  static int take_warning(TIFF*, void* self, const char* module, const char* format, va_list arguments);

  Bytes file_;
  std::vector<std::byte> written_;
  uint64_t at_ = 0;
  std::string error_;
  std::unique_ptr<TIFF, Closed> tiff_;  // the last: it writes as it closes
};

}  // namespace gpupost
