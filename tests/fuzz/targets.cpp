#include "tests/fuzz/targets.h"

#include "cli/options/command_line.h"
#include "core/base/error.h"
#include "core/codec/common/reader.h"
#include "core/codec/exr/header.h"
#include "core/codec/metadata/checked_file.h"
#include "core/codec/worker/protocol.h"
#include "core/codec/worker/reply_check.h"
#include "core/engine/tuning.h"
#include "core/gpu/cache.h"
#include "core/ops/lut/cube_file.h"
#include "core/ops/registry.h"
#include "core/ops/user_point/file.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gpupost::test {

namespace {

// Small enough for thousands of tries a second.
constexpr Limits limits{.side = 4096, .texel_count = 1 << 20, .channel_count = 16, .decoded_bytes = 1 << 24};

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void expect(bool is_kept, const char* promise) {
  if (!is_kept) throw std::logic_error(promise);
}

// Calls what may throw errors of these codes, and memory that ends, which limits end in.
template <class Call>
void allow_errors(std::initializer_list<Exit> codes, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    expect(std::ranges::find(codes, error.code()) != codes.end(), "an error has a code of its kind");
    expect(*error.what() != '\0', "an error says something");
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
}

void check_exr(Bytes file, const Limits& most) {
  for (const ExrHeader& part : parse_exr_headers(file, most)) check_exr_chunks(file, part);
}

// The checks that stand before the libraries, whatever the first bytes say.
void run_checks(Bytes bytes) {
  const auto checked = [&](const auto& check) {
    allow_errors({Exit::input, Exit::limit}, [&] { check(bytes, limits); });
  };
  checked(check_exr);
  checked(check_bmp);
  checked(check_tga);
  checked(check_hdr);
}

// All that a decode worker does with a file.
void process_image(Bytes bytes) {
  allow_errors({Exit::input, Exit::limit}, [&] {
    try {
      const Decoded decoded = read_picture(bytes, {.limits = limits}, [](size_t size) { return TexelBuffer(size); });
      const Picture& picture = decoded.picture;
      expect(!picture.groups.empty(), "a picture has channels");
      for (const Group& group : picture.groups) {
        expect(group.levels.size() == 1 && group.levels[0].size == picture.size(), "a picture has one size");
        expect(group.levels[0].texels.size() == texel_count(picture.size()) * 4 * bytes_of(group.depth),
               "a level has all its texels");
      }
    } catch (const Error&) {
      throw;
    } catch (const std::logic_error&) {
      throw;
    } catch (const std::exception&) {  // of a library: the worker says of it that the file is damaged
    }
  });
}

// What the parent unpacks of a worker that was taken over, and the worker of the parent.
void run_wire(Bytes bytes) {
  try {
    const Reply reply = unpack_reply(bytes);
    expect(pack(reply).size() == bytes.size(), "what was unpacked is packed in as many bytes");
  } catch (const std::out_of_range&) {
  }
  try {
    unpack_request(bytes);
  } catch (const std::out_of_range&) {
  }
}

// What the parent believes of a worker that was taken over, and where it finds the texels.
void run_reply(Bytes bytes) {
  constexpr uint64_t memory_bytes = 1 << 26, page_bytes = 4096;
  Reply reply;
  try {
    reply = unpack_reply(bytes);
  } catch (const std::out_of_range&) {
    return;
  }
  if (!is_sensible(reply, limits) || reply.exit != Exit::done) return;
  const Picture& picture = reply.decoded.picture;
  for (const Window& window : {picture.data_window, picture.display_window}) {
    const Size size = size_of(window);
    expect(size.width >= 1 && size.height >= 1, "a window has sides that fit an int");
  }
  expect(texel_count(picture.size()) <= limits.texel_count, "a picture is within the limits");
  const auto ranges = texel_ranges(reply, memory_bytes, page_bytes);
  if (!ranges) return;
  expect(ranges->size() == picture.groups.size(), "each group has texels");
  uint64_t end = 0;
  for (size_t index = 0; index < ranges->size(); ++index) {
    const auto& [offset, size] = (*ranges)[index];
    expect(offset >= end && offset + size <= memory_bytes, "texels lie within the memory, and do not overlap");
    expect(size == texel_count(picture.size()) * 4 * bytes_of(picture.groups[index].depth),
           "a level has all its texels");
    end = offset + size;
  }
}

// A word a line.
void run_command_line(Bytes bytes) {
  std::vector<std::string> words;
  std::istringstream stream(text_of(bytes));
  for (std::string word; std::getline(stream, word);) words.push_back(word.c_str());  // as the system hands them over
  allow_errors({Exit::usage, Exit::input, Exit::output}, [&] { parse_request(words); });
}

void run_cube_file(Bytes bytes) {
  allow_errors({Exit::input}, [&] { parse_cube(text_of(bytes), "fuzz.cube"); });
}

void run_point_file(Bytes bytes) {
  allow_errors({Exit::input}, [&] { parse_point_file(text_of(bytes), "fuzz.glsl"); });
}

// The bytes as a file of the cache, then as what a sound file holds.
void run_cache(Bytes bytes) {
  static const TemporaryFolder folder;
  static const bool is_set = setenv("XDG_CACHE_HOME", folder.path().c_str(), 1) == 0;
  expect(is_set, "the cache is in a folder of its own");
  constexpr uint64_t key = 1;
  folder.write("gpupost/raw", text_of(bytes));
  if (const auto read = read_cached("raw", key)) expect(read->size() < bytes.size(), "a header stands before all");
  const DeviceInfo device;
  keep_tuning_text(device, text_of(bytes));
  for (const Tuned& tuned : read_tuning(device)) expect(op_named(tuned.op), "what is kept is of an op");
}

constexpr FuzzTarget targets[] = {
    {"checks", run_checks},       {"picture", process_image},         {"wire", run_wire},
    {"reply", run_reply},         {"command_line", run_command_line}, {"cache", run_cache},
    {"cube_file", run_cube_file}, {"point_file", run_point_file}};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() { return targets; }

const FuzzTarget* fuzz_target_named(std::string_view name) {
  const auto* found = std::ranges::find(targets, name, &FuzzTarget::name);
  return found == std::end(targets) ? nullptr : found;
}

}  // namespace gpupost::test
