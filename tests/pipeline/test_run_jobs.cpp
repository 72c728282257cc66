// The pipeline in process, without cli: a request goes in, files and a report come out. Files are decoded by a small worker program.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/pipeline/run_jobs.h"
#include "core/system/child.h"
#include "tests/support/device.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

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
  std::vector<std::string> inputs, warnings;
};

Report run(const ChainRequest& request, const std::vector<Job>& jobs, Heard& heard) {
  use_worker_program(GPUPOST_WORKER);
  DeviceSession session(request.device, [&](const std::string& text) { heard.warnings.push_back(text); });
  return run_jobs(request, jobs, session, [&](JobReport& job) { heard.inputs.push_back(job.input); });
}

}  // namespace

TEST_CASE("a mip chain is made in process, and the report says how") {
  if (!device()) return;
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

TEST_CASE("a worker that cannot be started is an error that names its program") {
  Heard heard;
  use_worker_program("/nowhere/worker");
  try {
    decode_file("testdata/bars.png", {});
    FAIL("it was decoded");
  } catch (const Error& error) {
    CHECK(error.code() == Exit::limit);
    CHECK(std::string(error.what()).find("/nowhere/worker") != std::string::npos);
  }
}
