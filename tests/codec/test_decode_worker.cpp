#include "core/codec/worker/protocol.h"
#include "core/codec/worker/worker.h"
#include "core/system/child.h"
#include "core/system/sandbox.h"
#include "tests/codec/make_files.h"

#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

using namespace gpupost;

namespace {

std::string message_of(const std::string& path) {
  return error_of([&] { decode_file(path, {}); }, Exit::input);
}

size_t descriptor_count() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace

TEST_CASE("what is no image is refused by what it is") {
  const std::string folder = std::filesystem::temp_directory_path();
  CHECK(message_of(folder) == folder + ": is a folder; expected a file");
  CHECK(message_of("/nowhere/at all.exr") == "/nowhere/at all.exr: cannot be opened: No such file or directory");
  CHECK(message_of("/dev/null") == "/dev/null: is empty");
  CHECK(refusal_of({}) == "2 file: is empty");
  CHECK(refusal_of(file_of("some text that is longer than any header"))
            .starts_with("2 file: is not an image of a known format (exr, png, jpg"));
}

TEST_CASE("a picture is read from a pipe as from a file") {
  const File file = make_exr({.width = 3, .height = 5});
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], file.data(), file.size()) == ssize_t(file.size()));
  close(ends[1]);
  const Decoded decoded = decode(ends[0], "pipe", {});
  CHECK(decoded.picture.size() == Size{3, 5});
  close(ends[0]);

  REQUIRE(pipe2(ends, O_NONBLOCK) == 0);  // as some parents hand it over
  const std::jthread writer([&file, end = ends[1]] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(write(end, file.data(), file.size()) == ssize_t(file.size()));
    close(end);
  });
  CHECK(decode(ends[0], "pipe", {}).picture.size() == Size{3, 5});
  close(ends[0]);
}

TEST_CASE("decoding leaves no descriptor and no child behind") {
  const File good = make_exr({}), bad = file_of("no image");
  decode_bytes(good);
  const size_t before = descriptor_count();
  for (int i = 0; i < 5; ++i) {
    decode_bytes(good);
    refusal_of(bad);
  }
  CHECK(descriptor_count() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("texels can be written, and outlive what came with them") {
  Level level;
  {
    Decoded decoded = decode_bytes(make_exr({}));
    level = std::move(decoded.picture.groups[0].levels[0]);
  }
  level.texels.as<uint16_t>()[0] = 77;
  CHECK(level.texels.as<uint16_t>()[0] == 77);
}

TEST_CASE("a worker that takes too long is ended, and said to be") {
  // a picture of nothing, which packs well: 16384 x 8192 texels in half a megabyte
  const std::string rows(size_t(8192) * 16385, '\0');
  const File file = make_png({{"IHDR", png_header(16384, 8192, 8, 0)}, {"IDAT", zlib_packed(rows)}, {"IEND", ""}});
  CHECK(refusal_of(file, {.layer = "", .level = 0, .limits = {.wall_seconds = 0}}) ==
        "2 file: took over 0 s to decode (--decode-seconds)");
}

TEST_CASE("a limit on the size of files that the texels reach is an error of the machine, not of the file") {
  const int code = test::in_child([] {
    std::signal(SIGXFSZ, SIG_IGN);                                     // as main does
    const rlimit limit{.rlim_cur = 50 * 1024, .rlim_max = 50 * 1024};  // ulimit -f 50
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = coded_error_of([] { decode_file("testdata/scene.exr", {}); });
    return error.starts_with("7 ") && error.find("ulimit -f") != error.npos ? 0 : 1;
  });
  CHECK(code == 0);
}

TEST_CASE("a limit of the process on CPU time is an error of the machine, not of the file") {
  const int code = test::in_child([] {
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 2000};  // ulimit -t
    setrlimit(RLIMIT_CPU, &limit);
    const auto error = [](const WorkerAnswer& answer, int cpu_seconds) {
      return coded_error_of(
          [&] { throw_worker_failure(answer, {.action = "decode", .worker = "decoder", .cpu_seconds = cpu_seconds}); });
    };
    const std::string own =
        "7 the decoder needs more processor time than this process may use; raise the limit (ulimit -t)";
    if (error({.status = SIGXCPU}, 1001) != own) return 1;
    if (error({.status = SIGXCPU}, 999) != "2 took over 999 s of processor time to decode") return 2;
    if (error({.status = SIGKILL, .cpu_seconds = 2000}, 999) != own) return 3;
    if (error({.status = SIGKILL, .cpu_seconds = 1999}, 999).find("was killed") == std::string::npos) return 4;
    return 0;
  });
  CHECK(code == 0);
}

TEST_CASE("without the status of a child nothing is said of it") {
  const int code = test::in_child([] {
    std::signal(SIGCHLD, SIG_IGN);
    if (sandbox_holds()) return 1;
    Worker worker(decode_worker_word);
    const WorkerAnswer end = worker.ask({}, {}, 1000, std::chrono::seconds(10));
    const std::string error = coded_error_of([&] { throw_worker_failure(end, {.worker = "decoder"}); });
    return end.has_no_status && error.starts_with("7 the decoder ended without a status") ? 0 : 2;
  });
  CHECK(code == 0);
}

TEST_CASE("--max-decoded leaves room for groups that each begin at a huge page") {
  ExrRecipe recipe{.channels = {}};
  for (const char name : std::string("ABCDEFGHIJKLMNOP"))
    recipe.channels.push_back({"layer." + std::string(1, name), Depth::half});
  CHECK(refusal_of(make_exr(recipe), {.limits = {.decoded_bytes = 1 << 20}}) == "");
}

TEST_CASE("a worker without a request ends in an error, and its parent sees it") {
  Worker worker(decode_worker_word);
  const WorkerAnswer end = worker.ask({}, {}, 1000, std::chrono::seconds(10));
  CHECK(end.said.empty());
  CHECK(WIFEXITED(end.status));
  CHECK(WEXITSTATUS(end.status) != 0);
}

TEST_CASE("in the sandbox nothing can be opened, connected or started") {
  if (!has_seccomp() || is_sanitized()) {
    test::skip("no seccomp here");
    return;
  }
  const int code = test::in_child([] {
    if (!enter_sandbox({.memory_bytes = uint64_t(1) << 40, .file_bytes = 1 << 20, .cpu_seconds = 5})) return 1;
    if (open("/dev/null", O_RDONLY) >= 0 || errno != EPERM) return 2;
    if (fork() >= 0) return 3;
    if (execl("/bin/true", "true", nullptr) == 0 || errno != EPERM) return 4;
    if (dup(0) >= 0) return 5;
    return 0;
  });
  CHECK(code == 0);
  CHECK(sandbox_holds());
}

TEST_CASE("a reply comes out of its bytes as it went in") {
  Reply reply;
  reply.message = "none";
  reply.offsets = {0, 1 << 21};
  reply.decoded.warnings = {"one"};
  reply.decoded.picture.format = "exr";
  reply.decoded.picture.data_window = {-1, -2, 3, 4};
  reply.decoded.picture.attributes = {{"owner", "string", {1, 2, 3}}};
  reply.decoded.picture.groups.resize(2);
  reply.decoded.picture.groups[1].channels[2] = {"Z", Depth::u32};
  reply.decoded.picture.groups[1].levels.push_back({.size = {5, 7}, .texels = {}});
  const std::vector<std::byte> bytes = pack(reply);
  const Reply again = unpack_reply(bytes);
  CHECK(pack(again) == bytes);
  CHECK(again.decoded.picture.groups[1].channels[2].name == "Z");
  CHECK(again.decoded.picture.attributes[0].value == std::vector<uint8_t>{1, 2, 3});
  CHECK(again.decoded.picture.groups[1].levels[0].size == Size{5, 7});
}

TEST_CASE("a reply with any byte changed or missing is read within its bounds or not at all") {
  Reply reply;
  reply.decoded.picture.groups.resize(2);
  reply.decoded.picture.attributes = {{"owner", "string", {1, 2, 3}}};
  const std::vector<std::byte> bytes = pack(reply);
  size_t refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at)
    for (const int value : {0, 1, 127, 255}) {
      std::vector<std::byte> changed = bytes;
      changed[at] = std::byte(value);
      try {
        unpack_reply(changed);
      } catch (const std::out_of_range&) {
        ++refused;
      }
      CHECK_THROWS_AS(unpack_reply(Bytes(bytes).first(at)), std::out_of_range);
    }
  CHECK(refused > 0);
}
