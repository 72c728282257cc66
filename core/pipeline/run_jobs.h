// Runs a chain on pictures from file to file: decode, upload, passes, download, encode, write. It needs no terminal: what it has
// to say goes to its caller.
#pragma once

#include "core/pipeline/device_session.h"
#include "core/pipeline/job.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <functional>
#include <span>

namespace gpupost {

// What a caller hears while jobs run, all of it in the calling thread.
struct RunEvents {
  std::function<void(const Job&)> on_start;  // the job's images come to the device next, or it is skipped
  std::function<void(JobReport&)> on_job;    // the job has ended; the caller may turn the report into an error
};

// Runs the jobs. While one is on the device the next are decoded and those before it are encoded and written, as far as the
// batch settings allow. Each gets a report, in the order of the jobs; what is wrong with one stops no other, unless
// batch.fails_fast. Throws Error for what concerns all jobs.
Report run_jobs(const ChainRequest& request, std::span<const Job> jobs, DeviceSession& device, const RunEvents& events);

// Of a run: that of its only job, else Exit::batch where a job failed.
Exit exit_of(const Report& report);

// Adds the device to the report, and how fast it copies images, which passes are compared with.
void measure_copies(DeviceSession& device, Report& report);

}  // namespace gpupost
