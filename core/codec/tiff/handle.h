// A TIFF in memory, opened with libtiff. Errors and warnings of libtiff are stored for the caller.
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
  TiffHandle(Bytes file, const Limits& limits);  // opens a file for reading
  explicit TiffHandle(bool is_big);              // creates a file for writing; BigTIFF for more than 4 GiB
  TiffHandle(const TiffHandle&) = delete;
  TiffHandle& operator=(const TiffHandle&) = delete;

  TIFF* get() const { return tiff_.get(); }
  const std::string& error() const { return error_; }  // the first; "" for none
  // Returns the written file. Throws Error(Exit::output).
  std::vector<std::byte> finish();
  // The value of a tag, or its default; empty if the file has neither.
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
  std::unique_ptr<TIFF, Closed> tiff_;  // must be the last member, because closing writes
};

}  // namespace gpupost
