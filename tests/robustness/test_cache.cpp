// The cache folder is not trusted: whatever is odd there is ignored and written anew.
#include "core/gpu/cache.h"
#include "core/gpu/compile.h"
#include "core/gpu/gpu.h"
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <glslang/Public/ShaderLang.h>
#include <spirv-tools/libspirv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

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
  Criterion bar("cache bytes", "files that differ in a byte were ignored and written anew");
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
  Criterion bar("cache kinds", "things in the place of a file were ignored and replaced");
  const Cache cache;
  const std::string other = cache.path() + ".other";
  const auto in_its_place = [&](const char* what, const std::function<int()>& make, const char* expected = "") {
    fs::copy_file(cache.path(), other, fs::copy_options::overwrite_existing);
    fs::remove(cache.path());
    REQUIRE_MESSAGE(make() == 0, std::string(what));
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

TEST_CASE("cache: without XDG_CACHE_HOME and HOME no file of the root folder is taken for one of the cache") {
  const Cache cache;
  const std::string name = fmt::format("gpupost-test-{}.spv", getpid());
  if (access("/", W_OK) != 0) return skip("the root folder cannot be written to");
  fs::copy_file(cache.path(), "/" + name);
  const char* home = std::getenv("HOME");
  const std::string old_home = home ? home : "";
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  CHECK(cache_folder() == "");
  CHECK_FALSE(read_cached(name, key));
  if (home) setenv("HOME", old_home.c_str(), 1);
  fs::remove("/" + name);
}

TEST_CASE("cache: the oldest shaders go where all of them are too large, and nothing else does") {
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const auto put = [&](const std::string& name, int hours_ago) {
    folder.write("gpupost/" + name, std::string(1000, 'x'));
    fs::last_write_time(folder.path("gpupost/" + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  };
  put("1.spv", 1);
  put("4.spv", 4);
  put("3.spv", 3);
  put(".2.spv.77", 2);  // what a killed run has left
  put("pipelines-0", 9);
  put("tuned-0", 9);
  fs::create_directory(folder.path("gpupost/folder.spv"));
  fs::create_symlink("/etc/passwd", folder.path("gpupost/link.spv"));
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path("gpupost"))) found.insert(entry.path().filename());
    return found;
  };
  std::set<std::string> expected = names();
  trim_cache(4000);
  CHECK(names() == expected);
  trim_cache(3999);
  expected.erase("4.spv");
  CHECK(names() == expected);
  trim_cache(1000);
  expected.erase("3.spv");
  expected.erase(".2.spv.77");
  CHECK(names() == expected);
  trim_cache(0);
  expected.erase("1.spv");
  CHECK(names() == expected);
}

TEST_CASE("cache: what is written keeps all shaders below the cap") {
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const std::vector<std::byte> large(most_cached_bytes / 8);
  for (int number = 0; number < 12; ++number) write_cached(fmt::format("{}.spv", number), key, large);
  uint64_t sum = 0;
  for (const auto& entry : fs::directory_iterator(folder.path("gpupost"))) sum += entry.file_size();
  CHECK(sum <= most_cached_bytes);
  CHECK(sum > most_cached_bytes / 2);
  CHECK(read_cached("11.spv", key));
  CHECK_FALSE(read_cached("0.spv", key));
}

TEST_CASE("cache: SPIR-V of another compiler is not taken") {
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  CHECK(compiler_version().find(spvSoftwareVersionString()) != std::string::npos);
  CHECK(compiler_version().find(fmt::format("glslang {}", glslang::GetVersion().major)) != std::string::npos);
  const std::string glsl = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
  const std::vector<uint32_t> compiled = spirv_of(glsl, "test", Author::gpupost);
  REQUIRE(compiled.size() > 5);
  std::string name;
  for (const auto& entry : fs::directory_iterator(folder.path("gpupost"))) name = entry.path().filename();
  const std::vector<uint32_t> other{1, 2, 3};
  const auto keep_as_of = [&](const std::string& compiler) {
    write_cached(name, hash_of(compiler + glsl), std::as_bytes(std::span(other)));
  };
  keep_as_of("shaderc 2023.2, vulkan 1.2, performance");  // as it once was, whatever the compiler
  CHECK(spirv_of(glsl, "test", Author::gpupost) == compiled);
  keep_as_of(compiler_version() + " ");
  CHECK(spirv_of(glsl, "test", Author::gpupost) == compiled);
  keep_as_of(compiler_version());
  CHECK(spirv_of(glsl, "test", Author::gpupost) == other);
}

DEVICE_TEST_CASE("cache: a program with a damaged cache makes the same as without") {
  Criterion bar("cache runs", "runs with a damaged cache made the same");
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
