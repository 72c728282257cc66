// The cache folder is not trusted: whatever is odd there is ignored and written anew.
#include "core/gpu/cache.h"
#include "tests/cli/place.h"
#include "tests/trust/trial.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

using namespace gpupost;
using namespace gpupost::test;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t key = 0x123456789abcdef0;
constexpr size_t header_bytes = 32;

std::string flipped(std::string bytes, size_t at) {
  bytes[at] = char(bytes[at] ^ 0x10);
  return bytes;
}

// A cache folder with one file, "kept".
class Cache {
 public:
  Cache() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    keep();
  }
  void keep() const { write_cached("kept", key, std::as_bytes(std::span(text_))); }
  std::string bytes() const { return folder_.read("gpupost/kept"); }
  std::string path() const { return folder_.path("gpupost/kept"); }
  void put(const std::string& bytes) const { folder_.write("gpupost/kept", bytes); }
  bool is_read(uint64_t with_key = key) const {
    const auto read = read_cached("kept", with_key);
    return read && std::ranges::equal(*read, std::as_bytes(std::span(text_)));
  }
  // Is what stands there ignored, and right again once it is written anew?
  std::string wrong() const {
    if (read_cached("kept", key)) return "it is read";
    keep();
    return is_read() ? "" : "it is not written anew";
  }

 private:
  TemporaryFolder folder_;
  std::string text_ = std::string(300, 'x') + "the end";
};

}  // namespace

TEST_CASE("cache: a file that differs in any byte is ignored and written anew") {
  Bar bar("cache bytes", "files that differ in a byte were ignored and written anew");
  const Cache cache;
  REQUIRE(cache.is_read());
  CHECK_FALSE(cache.is_read(key + 1));
  const std::string sound = cache.bytes();
  for (size_t at = 0; at < sound.size(); at += at < header_bytes || is_thorough() ? 1 : 13) {
    cache.put(flipped(sound, at));
    bar.count(cache.wrong(), fmt::format("byte {} differs", at));
    cache.put(sound.substr(0, at));
    bar.count(cache.wrong(), fmt::format("cut to {} bytes", at));
  }
  cache.put(sound + "x");
  bar.count(cache.wrong(), "a byte more");
}

TEST_CASE("cache: what is no plain file of ours is ignored and replaced") {
  Bar bar("cache kinds", "things in the place of a file were ignored and replaced");
  const Cache cache;
  const std::string other = cache.path() + ".other";
  const auto in_its_place = [&](const char* what, const std::function<int()>& make, const char* expected = "") {
    fs::copy_file(cache.path(), other, fs::copy_options::overwrite_existing);
    fs::remove(cache.path());
    REQUIRE_MESSAGE(make() == 0, what);
    const std::string wrong = cache.wrong();
    bar.count(wrong == expected ? "" : "\"" + wrong + "\"", what);
    fs::remove_all(cache.path());
    cache.keep();
  };
  in_its_place("a symbolic link", [&] { return symlink(other.c_str(), cache.path().c_str()); });
  in_its_place("a pipe", [&] { return mkfifo(cache.path().c_str(), 0600); });
  in_its_place(
      "a folder", [&] { return mkdir(cache.path().c_str(), 0700); }, "it is not written anew");
  in_its_place("an empty file", [&] { return mknod(cache.path().c_str(), S_IFREG | 0600, 0); });
  if (geteuid() == 0)
    in_its_place("somebody else's file", [&] {
      fs::copy_file(other, cache.path());
      return chown(cache.path().c_str(), 65534, 65534);
    });
}

TEST_CASE("cache: a program with a damaged cache makes the same as without") {
  if (!has_device()) return;
  Bar bar("cache runs", "runs with a damaged cache made the same");
  const Trial trial({"blur", "--sigma", "1.7", "mips"});
  for (const auto& entry : fs::directory_iterator(trial.cache() + "/gpupost")) {
    const std::string name = entry.path().filename();
    const std::string sound = trial.cached(name);
    for (size_t at = 0; at < sound.size(); at += std::max<size_t>(sound.size() / (is_thorough() ? 50 : 3), 1)) {
      trial.put_cached(name, flipped(sound, at));
      bar.count(trial.wrong(trial.run(), {}), fmt::format("{}, byte {} differs", name, at));
    }
  }
  for (const char* folder : {"/dev/null", "/nonexistent/folder"}) {
    const Environment environment{{"XDG_CACHE_HOME", folder}};
    bar.count(trial.wrong(trial.run(environment), {}), fmt::format("no cache can be in {}", folder));
  }
}
