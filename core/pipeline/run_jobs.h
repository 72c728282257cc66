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

// Runs the jobs in their order. What is wrong with one of them is in its report and stops no other. Calls `on_job` once for each,
// in the same order and by the calling thread; that may turn the report into an error. Throws Error for what concerns all jobs.
Report run_jobs(const ChainRequest& request, std::span<const Job> jobs, DeviceSession& device,
                const std::function<void(JobReport&)>& on_job);

// Of a run: that of its only job, else Exit::batch where a job failed.
Exit exit_of(const Report& report);

// Adds the device to the report, and how fast it copies images, which passes are compared with.
void measure_copies(DeviceSession& device, Report& report);

}  // namespace gpupost
