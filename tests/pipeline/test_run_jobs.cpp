// The pipeline in process, without cli: a request goes in, files and a report come out. Files are decoded by a small worker program.
#include "core/base/error.h"
#include "core/base/half.h"
#include "core/base/sha256.h"
#include "core/image/primaries.h"
#include "core/image/to_working.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/pipeline/run_jobs.h"
#include "core/system/child.h"
#include "tests/support/device.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace gpupost;
using namespace gpupost::test;

namespace {

Job job_of(const std::string& input, const std::string& output) {
  return {.inputs = {input}, .output = OutputPath(output), .format = format_of_extension(output)};
}

ChainRequest request_of(std::string_view op, std::string_view options = "") {
  ChainRequest request;
  request.calls.push_back(parse_call(*op_named(op), options));
  return request;
}

// What a caller hears of a run.
struct Heard {
  std::vector<std::string> begun, inputs, warnings;
};

Report run(const ChainRequest& request, const std::vector<Job>& jobs, Heard& heard) {
  use_worker_program(GPUPOST_WORKER);
  DeviceSessions sessions(request.device);
  return run_jobs(request, jobs, sessions,
                  {.on_warning = [&](const std::string& text) { heard.warnings.push_back(text); },
                   .on_start = [&](const Job& job) { heard.begun.push_back(job.name()); },
                   .on_job = [&](JobReport& job) { heard.inputs.push_back(job.input); }});
}

// An image of one row. `name`: "png" with straight alpha, or "exr".
Picture row_of(const char* format, Depth depth, const std::vector<uint32_t>& numbers) {
  const Size size{int(numbers.size() / 4), 1};
  Picture picture{.format = format, .data_window = window_of(size), .display_window = window_of(size)};
  Group& group = picture.groups.emplace_back(Group{.depth = depth, .is_color = true});
  for (size_t c = 0; c < 4; ++c) group.channels[c] = {.name = std::string(1, "RGBA"[c]), .depth = depth};
  Level& level = group.levels.emplace_back(Level{size, TexelBuffer(numbers.size() * bytes_of(depth))});
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (depth == Depth::f32) level.texels.as<float>()[i] = float(numbers[i]) / 65535;
    else if (depth == Depth::half) level.texels.as<uint16_t>()[i] = half_from_float(float(numbers[i]) / 65535);
    else level.texels.as<uint16_t>()[i] = uint16_t(numbers[i]);
  }
  return picture;
}

void write_encoded(const TemporaryFolder& folder, const std::string& name, const Picture& picture,
                   const EncodeOptions& options) {
  folder.write(name, std::string(text_of(encode(*format_of_extension(name), picture, options).bytes.bytes())));
}

// The same straight color with every kind of alpha.
void write_alphas(const TemporaryFolder& folder, const std::string& name, const Primaries& primaries = rec709) {
  std::vector<uint32_t> numbers;
  for (const uint32_t alpha : {0u, 65535u, 257u, 30000u}) numbers.insert(numbers.end(), {51400, 25700, 12850, alpha});
  Picture picture = row_of("png", Depth::u16, numbers);
  picture.transfer = Transfer::srgb;
  picture.alpha = Alpha::straight;
  set_primaries(picture, primaries);
  write_encoded(folder, name, picture, {.depth = Depth::u16});
}

// All texels of level 0 have the color of the first one, which is not black.
std::array<uint32_t, 3> check_one_color(const std::string& path) {
  const Picture made = decode_file(path, {}).picture;
  CHECK(made.alpha == Alpha::straight);
  const Level& level = made.groups.front().levels.front();
  const size_t color_bytes = 3 * bytes_of(made.groups.front().depth), texel_bytes = level.texels.size() / 4;
  const std::string_view texels = text_of(level.texels.bytes());
  CHECK(texels.find_first_not_of('\0') < color_bytes);
  for (size_t at = texel_bytes; at < texels.size(); at += texel_bytes)
    CHECK(texels.substr(at, color_bytes) == texels.substr(0, color_bytes));
  std::array<uint32_t, 3> color{};
  for (size_t c = 0; c < 3; ++c) std::memcpy(&color[c], texels.data() + c * color_bytes / 3, color_bytes / 3);
  return color;
}

}  // namespace

GPU_TEST_CASE("a mip chain is made in process, and the report says how") {
  const TemporaryFolder folder;
  Heard heard;
  const std::string output = folder.path("scene.exr");
  const Report report = run(request_of("mips"), {job_of("testdata/scene.exr", output)}, heard);
  CHECK(exit_of(report) == Exit::done);
  REQUIRE(report.jobs.size() == 1);
  const JobReport& job = report.jobs.front();
  CHECK(job.error == "");
  CHECK(job.outputs == std::vector{output});
  CHECK(job.passes.size() > 0);
  CHECK(report.chain.front().starts_with("mips"));
  CHECK(heard.inputs == std::vector<std::string>{"testdata/scene.exr"});
  CHECK(heard.warnings.empty());
  DecodeOptions options;
  const Decoded whole = decode_file(output, options);
  CHECK(whole.picture.size() == job.size);
  CHECK(whole.picture.file_level_count == level_count_of(job.size));
  options.level = whole.picture.file_level_count - 1;
  CHECK(decode_file(output, options).picture.size() == Size{1, 1});
}

TEST_CASE("a job that fails stops no other, and jobs are reported in their order") {
  const TemporaryFolder folder;
  folder.write("bad.exr", "no image");
  Heard heard;
  const std::vector<Job> jobs{job_of("testdata/alpha.png", folder.path("a.png")),
                              job_of(folder.path("bad.exr"), folder.path("b.png")),
                              job_of("testdata/bars.png", folder.path("c.png"))};
  const Report report = run({}, jobs, heard);  // no call: a conversion, which needs no device
  CHECK(exit_of(report) == Exit::batch);
  CHECK(heard.inputs == std::vector{jobs[0].name(), jobs[1].name(), jobs[2].name()});
  CHECK(report.jobs[0].exit == Exit::done);
  CHECK(report.jobs[1].exit == Exit::input);
  CHECK(report.jobs[1].error.find("bad.exr") != std::string::npos);
  CHECK(report.jobs[1].outputs.empty());
  CHECK(report.jobs[2].exit == Exit::done);
  CHECK(folder.has("a.png"));
  CHECK(!folder.has("b.png"));
  CHECK(folder.has("c.png"));
}

TEST_CASE("straight color where alpha is 0 is converted as any other if no op runs") {
  const TemporaryFolder folder;
  write_alphas(folder, "in.png");
  struct Conversion {
    const char* output;
    std::optional<Depth> bits;
    std::optional<Transfer> input_transfer, transfer;
    std::optional<Primaries> primaries;
  };
  for (const Conversion& conversion : {Conversion{"out.ktx2"},
                                       {"out.dds"},
                                       {"out.png", Depth::u8, {}, Transfer::linear},
                                       {"out.png", {}, Transfer::linear},
                                       {"out.tga", Depth::u8, Transfer::linear},
                                       {"out.tif", {}, {}, Transfer::linear},
                                       {"out.png", {}, {}, {}, parse_primaries("p3-d65")},
                                       {"out.png", Depth::u8, {}, {}, parse_primaries("p3-d65")}}) {
    CAPTURE(std::string(conversion.output));
    ChainRequest request;
    request.input.transfer = conversion.input_transfer;
    request.output.bits = conversion.bits;
    request.output.transfer = conversion.transfer;
    request.output.primaries = conversion.primaries;
    const std::string output = folder.path(conversion.output);
    Heard heard;
    const Report report = run(request, {job_of(folder.path("in.png"), output)}, heard);
    REQUIRE_MESSAGE(report.jobs.front().exit == Exit::done, report.jobs.front().error);
    check_one_color(output);
    for (const std::string& warning : report.jobs.front().warnings) CHECK(warning.find("alpha") == warning.npos);
  }
}

GPU_TEST_CASE("straight color where alpha is 0 is converted as any other by moves, and in level 0 of mips") {
  const TemporaryFolder folder;
  write_alphas(folder, "in.png");
  write_alphas(folder, "wide.png", p3_d65);  // read with its profile, as floats
  for (const auto& [op, options] : {std::pair("flip", "x"), {"crop", "--to display"}, {"mips", ""}})
    for (const auto& [input, name] : {std::pair("in.png", "out.ktx2"),
                                      {"in.png", "out.dds"},
                                      {"wide.png", "out.ktx2"},
                                      {"wide.png", "out.{level}.png"}}) {
      CAPTURE(op);
      CAPTURE(name);
      Job job = job_of(folder.path(input), folder.path(name));
      if (std::string_view(name).find("{level}") != std::string_view::npos) {
        job.output = OutputPath(folder.path("out."));
        job.output.add_level();
        job.output.add(".png");
      }
      Heard heard;
      const Report report = run(request_of(op, options), {job}, heard);
      REQUIRE_MESSAGE(report.jobs.front().exit == Exit::done, report.jobs.front().error);
      const std::array<uint32_t, 3> color = check_one_color(report.jobs.front().outputs.front());
      // that of the same conversion without an op
      const std::string plain = folder.path(std::string_view(name).ends_with("png") ? "plain.png" : name);
      const Report without = run({}, {job_of(folder.path(input), plain)}, heard);
      REQUIRE_MESSAGE(without.jobs.front().exit == Exit::done, without.jobs.front().error);
      CHECK(color == check_one_color(plain));
    }
}

TEST_CASE("a gray image gets R, G and B in a file whose primaries do not make R = G = B gray") {
  const TemporaryFolder folder;
  Picture gray = row_of("exr", Depth::f32, std::vector<uint32_t>(8, 32768));
  Group& group = gray.groups.front();
  group.channels = {{{.name = "Y", .depth = Depth::f32}, {}, {}, {}}};
  group.is_luminance = true;
  set_primaries(gray, cie_xyz);
  write_encoded(folder, "in.exr", gray, {.depth = Depth::f32});
  Heard heard;
  const std::string output = folder.path("out.png");
  const Report report = run({}, {job_of(folder.path("in.exr"), output)}, heard);
  REQUIRE_MESSAGE(report.jobs.front().exit == Exit::done, report.jobs.front().error);
  Picture made = decode_file(output, {}).picture;
  CHECK(!made.groups.front().is_luminance);
  make_working(made, Depth::f32);
  convert_primaries(made, {.from = other_primaries(made).value_or(rec709), .to = rec709});
  const Vector3 expected = product(conversion({.from = cie_xyz, .to = rec709}), Vector3{0.5, 0.5, 0.5});
  for (size_t c = 0; c < 3; ++c)
    CHECK(double(made.groups.front().levels[0].texels.as<float>()[c]) == doctest::Approx(expected[c]).epsilon(0.02));
}

TEST_CASE("a second lossy compression is told from the depths of the input and the output") {
  struct Conversion {
    Depth depth;
    Compression before;
    Depth bits;
    Compression after;
    bool is_second;
  };
  for (const Conversion& conversion :
       {Conversion{Depth::half, Compression::pxr24, Depth::f32, Compression::pxr24, false},
        {Depth::f32, Compression::b44, Depth::half, Compression::b44, false},
        {Depth::half, Compression::b44, Depth::f32, Compression::pxr24, true},
        {Depth::half, Compression::b44, Depth::f32, Compression::dwaa, true},
        {Depth::f32, Compression::pxr24, Depth::half, Compression::b44, true}}) {
    CAPTURE(int(conversion.after));
    const TemporaryFolder folder;
    write_encoded(folder, "in.exr", row_of("exr", conversion.depth, {1, 2, 3, 4}),
                  {.keep_depths = true, .compression = conversion.before});
    ChainRequest request;
    request.output.bits = conversion.bits;
    request.output.compression = conversion.after;
    Heard heard;
    const Report report = run(request, {job_of(folder.path("in.exr"), folder.path("out.exr"))}, heard);
    REQUIRE_MESSAGE(report.jobs.front().exit == Exit::done, report.jobs.front().error);
    const bool is_told = std::ranges::any_of(report.jobs.front().warnings, [](const std::string& warning) {
      return warning.find("second") != warning.npos;
    });
    CHECK(is_told == conversion.is_second);
    CHECK(decode_file(folder.path("out.exr"), {}).picture.groups[0].channels[0].depth == conversion.bits);
  }
}

TEST_CASE("decoders live on from file to file, and a refused file costs one of them") {
  for (const int job_count : {1, 2, 4}) {
    CAPTURE(job_count);
    const TemporaryFolder folder;
    folder.write("bad.exr", "no image");
    ChainRequest request;
    request.batch.job_count = job_count;
    std::vector<Job> jobs;
    for (int index = 0; index < 30; ++index)
      jobs.push_back(job_of(index == 11 ? folder.path("bad.exr") : "testdata/bars.png",
                            folder.path("out" + std::to_string(index) + ".png")));
    Heard heard;
    const Report report = run(request, jobs, heard);
    for (int index = 0; index < 30; ++index) {
      const JobReport& job = report.jobs[size_t(index)];
      CHECK(job.exit == (index == 11 ? Exit::input : Exit::done));
      if (index != 11) CHECK(folder.read("out" + std::to_string(index) + ".png") == folder.read("out0.png"));
    }
    // the first file has one, since nothing is decoded ahead of it
    CHECK(report.decoder_count <= (job_count > 1 ? 1 + job_count : 1) + 1);
    CHECK(report.decoder_count >= 2);
  }
}

GPU_TEST_CASE("the second pictures of frames have one decoder") {
  const TemporaryFolder folder;
  ChainRequest request = request_of("merge", "--with " + folder.path("b.{frame}.png"));
  std::vector<Job> jobs;
  for (int frame = 0; frame < 6; ++frame) {
    std::filesystem::copy_file("testdata/bars.png", folder.path("b." + std::to_string(frame) + ".png"));
    jobs.push_back(job_of("testdata/bars.png", folder.path("out" + std::to_string(frame) + ".png")));
    jobs.back().frames = {std::to_string(frame)};
  }
  Heard heard;
  const Report report = run(request, jobs, heard);
  for (const JobReport& job : report.jobs) CHECK_MESSAGE(job.exit == Exit::done, job.error);
  CHECK(report.decoder_count == 2);                               // one for the inputs, one for the second pictures
  CHECK(run(request, {jobs.front()}, heard).decoder_count == 2);  // a batch of one image too
}

GPU_TEST_CASE("several sessions on a device make the same files, and reports keep their order") {
  const char* const inputs[] = {"testdata/bars.png", "testdata/alpha.png", "testdata/scene.exr"};
  ChainRequest request = request_of("merge", "--with testdata/bars.png");
  request.calls.push_back(parse_call(*op_named("blur"), "--radius 3"));
  for (const uint64_t max_memory_bytes : {uint64_t(1), uint64_t(1) << 30}) {
    CAPTURE(max_memory_bytes);
    const TemporaryFolder folder;
    folder.write("bad.exr", "no image");
    std::vector<Job> jobs;
    for (int index = 0; index < 20; ++index)
      jobs.push_back(job_of(index == 9 ? folder.path("bad.exr") : inputs[index % 3],
                            folder.path("out" + std::to_string(index) + ".exr")));
    request.batch = {.job_count = 4, .max_memory_bytes = max_memory_bytes};
    request.device.session_count = 3;
    Heard heard;
    const Report report = run(request, jobs, heard);
    REQUIRE(report.jobs.size() == 20);
    CHECK(heard.begun == heard.inputs);
    std::set<size_t> sessions;
    for (size_t index = 0; index < 20; ++index) {
      CAPTURE(index);
      CHECK(heard.inputs[index] == jobs[index].name());
      CHECK_MESSAGE(report.jobs[index].exit == (index == 9 ? Exit::input : Exit::done), report.jobs[index].error);
      if (index == 9) continue;
      sessions.insert(report.jobs[index].device.session);
      const std::string name = "out" + std::to_string(index) + ".exr";
      CHECK(folder.read(name) == folder.read("out" + std::to_string(index % 3) + ".exr"));
    }
    CHECK(sessions.size() > 1);
    REQUIRE(report.devices.size() == 1);
    CHECK(report.devices.front().job_count == 19);
    CHECK(report.devices.front().busy_ms > 0);
  }
}

GPU_TEST_CASE("an exception of a callback ends all sessions and comes out") {
  ChainRequest request = request_of("blur", "--radius 3");
  request.batch.job_count = 4;
  request.device.session_count = 3;
  for (const bool is_at_start : {true, false}) {
    const TemporaryFolder folder;
    std::vector<Job> jobs;
    for (int index = 0; index < 20; ++index)
      jobs.push_back(job_of("testdata/bars.png", folder.path("out" + std::to_string(index) + ".png")));
    DeviceSessions sessions(request.device);
    int count = 0;
    const auto end_at = [&](bool is_meant) {
      if (is_meant && ++count == 5) throw std::runtime_error("enough");
    };
    CHECK_THROWS_WITH_AS(run_jobs(request, jobs, sessions,
                                  {.on_start = [&](const Job&) { end_at(is_at_start); },
                                   .on_job = [&](JobReport&) { end_at(!is_at_start); }}),
                         "enough", std::runtime_error);
  }
}

TEST_CASE("a worker that cannot be started is an error that names its program") {
  Heard heard;
  use_worker_program("/nowhere/worker");
  const std::string message = error_of([&] { decode_file("testdata/bars.png", {}); }, Exit::limit);
  CHECK(message.find("/nowhere/worker") != message.npos);
}

namespace {

// Five conversions, the second of a file that is no image.
std::vector<Job> five_jobs(const TemporaryFolder& folder) {
  folder.write("bad.exr", "no image");
  std::vector<Job> jobs;
  for (int index = 0; index < 5; ++index)
    jobs.push_back(job_of(index == 1 ? folder.path("bad.exr") : "testdata/bars.png",
                          folder.path("out" + std::to_string(index) + ".png")));
  return jobs;
}

std::vector<Exit> exits_of(const Report& report) {
  std::vector<Exit> exits;
  for (const JobReport& job : report.jobs) exits.push_back(job.exit);
  return exits;
}

ChainRequest journaled(const TemporaryFolder& folder, bool resumes) {
  ChainRequest request;
  request.batch = {.journal = folder.path("journal"), .resumes = resumes, .options = "--bits=8\n"};
  return request;
}

std::vector<bool> skipped_of(const Report& report) {
  std::vector<bool> skipped;
  for (const JobReport& job : report.jobs) skipped.push_back(job.journal.is_skipped);
  return skipped;
}

}  // namespace

TEST_CASE("the order of reports does not depend on how much is in work at once") {
  for (const int job_count : {1, 2, 5, 64})
    for (const uint64_t max_memory_bytes : {uint64_t(1), uint64_t(100'000), uint64_t(1) << 30}) {
      CAPTURE(job_count);
      CAPTURE(max_memory_bytes);
      const TemporaryFolder folder;
      const std::vector<Job> jobs = five_jobs(folder);
      ChainRequest request;
      request.batch = {.job_count = job_count, .max_memory_bytes = max_memory_bytes};
      Heard heard;
      const Report report = run(request, jobs, heard);
      CHECK(exits_of(report) == std::vector{Exit::done, Exit::input, Exit::done, Exit::done, Exit::done});
      CHECK(heard.begun == heard.inputs);
      REQUIRE(heard.inputs.size() == 5);
      CHECK(heard.inputs[1] == folder.path("bad.exr"));
      for (const int index : {0, 2, 3, 4}) CHECK(folder.has("out" + std::to_string(index) + ".png"));
      CHECK(!folder.has("out1.png"));
    }
}

TEST_CASE("fail-fast starts no job after the first failure") {
  for (const int job_count : {1, 4}) {
    const TemporaryFolder folder;
    ChainRequest request;
    request.batch = {.job_count = job_count, .fails_fast = true};
    Heard heard;
    const Report report = run(request, five_jobs(folder), heard);
    CHECK(exits_of(report) == std::vector{Exit::done, Exit::input});
    CHECK(report.job_count == 5);
    CHECK(exit_of(report) == Exit::batch);
    CHECK(!folder.has("out2.png"));
  }
}

TEST_CASE("a resumed run skips names that are not UTF-8, and no other name that is shown alike") {
  const TemporaryFolder folder;
  std::filesystem::copy_file("testdata/bars.png", folder.path("in\xff.png"));
  std::vector<Job> jobs{job_of(folder.path("in\xff.png"), folder.path("out\xfe\n.png"))};
  Heard heard;
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{false});
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true});
  jobs.push_back(job_of(folder.path("in\xff.png"), folder.path("out\\xfe\\x0a.png")));
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, false});
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, true});
  std::filesystem::remove(folder.path("out\xfe\n.png"));
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{false, true});
}

TEST_CASE("a resumed run skips what is done, and does again what has changed") {
  const TemporaryFolder folder;
  std::filesystem::copy_file("testdata/bars.png", folder.path("in.png"));
  const std::vector<Job> jobs{job_of("testdata/alpha.png", folder.path("a.png")),
                              job_of(folder.path("in.png"), folder.path("b.png"))};
  Heard heard;
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{false, false});
  const std::string a = folder.read("a.png"), b = folder.read("b.png");
  CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, true});
  SUBCASE("an output that has other bytes of the same number") {
    folder.write("b.png", std::string(b.size(), 'x'));
    CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, false});
  }
  SUBCASE("an output that is gone") {
    std::filesystem::remove(folder.path("a.png"));
    CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{false, true});
  }
  SUBCASE("an input with other content") {
    std::filesystem::copy_file("testdata/gray16.png", folder.path("in.png"),
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, false});
    CHECK(folder.read("b.png") != b);
    CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, true});
  }
  SUBCASE("another format under the same name") {
    std::vector<Job> others = jobs;
    others[1].format = format_named("tiff");
    CHECK(skipped_of(run(journaled(folder, true), others, heard)) == std::vector{true, false});
  }
  SUBCASE("a job that writes no image has no output to check, so it is never skipped") {
    std::vector<Job> others = jobs;
    others[1] = job_of(folder.path("in.png"), folder.path("c.png"));
    others[1].writes_picture = false;
    for (int round = 0; round < 2; ++round)
      CHECK(skipped_of(run(journaled(folder, true), others, heard)) == std::vector{true, false});
  }
  SUBCASE("other options") {
    ChainRequest request = journaled(folder, true);
    request.batch.options = "--bits=16\n";
    CHECK(skipped_of(run(request, jobs, heard)) == std::vector{false, false});
  }
  SUBCASE("a last line that is torn, and lines that are none") {
    const std::string journal = folder.read("journal");
    const size_t last = journal.rfind('\n', journal.size() - 2) + 1;
    for (const size_t length : {last, last + 1, last + 40, journal.size() - 2}) {
      CAPTURE(length);
      folder.write("journal", "{}\n[1]\nnull\n\n" + journal.substr(0, length));
      CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, false});
      CHECK(skipped_of(run(journaled(folder, true), jobs, heard)) == std::vector{true, true});
    }
  }
  SUBCASE("without --resume all is done, and the journal is kept") {
    const size_t before = folder.read("journal").size();
    CHECK(skipped_of(run(journaled(folder, false), jobs, heard)) == std::vector{false, false});
    CHECK(folder.read("journal").size() > before);
  }
  CHECK(folder.read("a.png") == a);
}

TEST_CASE("a job that failed is not in the journal") {
  const TemporaryFolder folder;
  const std::vector<Job> jobs = five_jobs(folder);
  Heard heard;
  run(journaled(folder, true), jobs, heard);
  const Report report = run(journaled(folder, true), jobs, heard);
  CHECK(skipped_of(report) == std::vector{true, false, true, true, true});
  CHECK(exit_of(report) == Exit::batch);
}

TEST_CASE("a line that could not be written whole does not spoil the next line of the journal") {
  const TemporaryFolder folder;
  ChainRequest request;
  request.batch.journal = folder.path("journal");
  const JournalEntry entry{.input_sha256 = {"0"}, .outputs = {{.path = "out", .byte_count = 1, .sha256 = "0"}}};
  Journal journal(request);
  journal.add("first", job_of("a.exr", "out.exr"), entry);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit full{.rlim_cur = std::filesystem::file_size(request.batch.journal) + 20, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &full) == 0);
  const std::string error = error_of([&] { journal.add("second", job_of("b.exr", "out.exr"), entry); }, Exit::output);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK_MESSAGE(error.starts_with("b.exr: the output is written, but not its line in the journal "), error);
  journal.add("third", job_of("c.exr", "out.exr"), entry);
  std::ifstream lines(request.batch.journal);
  std::vector<std::string> starts;
  for (std::string line; std::getline(lines, line);) starts.push_back(line.substr(0, 14));
  REQUIRE(starts.size() == 3);
  CHECK(starts[0] == R"({"job":"first")");
  CHECK(starts[2] == R"({"job":"third")");
}

TEST_CASE("a journal that cannot be written is an error before any work") {
  const TemporaryFolder folder;
  ChainRequest request = journaled(folder, true);
  for (const std::string& path : {folder.path("none/journal"), folder.path()}) {
    request.batch.journal = path;
    Heard heard;
    CHECK_THROWS_AS(run(request, five_jobs(folder), heard), Error);
    CHECK(heard.begun.empty());
  }
}

TEST_CASE("SHA-256 is that of FIPS 180-4") {
  CHECK(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const TemporaryFolder folder;
  folder.write("empty", "");
  CHECK(sha256_of_file(folder.path("empty")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of_file(folder.path("none")) == "");
  CHECK(sha256_of_file(folder.path()) == "");
}
