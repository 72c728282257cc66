// Runs a chain on image files: decode, upload, passes, download, encode, write. It prints nothing; callers get
// callbacks.
#pragma once

#include "core/pipeline/device_session.h"
#include "core/pipeline/job.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <functional>
#include <span>

namespace gpupost {

// Callbacks while jobs run, one at a time, from any thread.
struct RunEvents {
  std::function<void(const std::string&)> on_warning = {};  // about the whole run
  std::function<void(const Job&)> on_start;                 // the job starts on the device, or is skipped
  std::function<void(JobReport&)> on_job;  // the job has ended; the caller may change the report to an error
};

// Runs the jobs. While some are on devices, the next ones are decoded and the previous ones encoded and written, within
// the batch settings. Each job gets a report, in order. An error of one job does not stop others, unless
// batch.fails_fast is set or the device cannot be opened; then the report lacks those that were not started,
// except those that an earlier run has finished. Throws Error if all jobs are affected.
Report run_jobs(const ChainRequest& request, std::span<const Job> jobs, DeviceSessions& devices,
                const RunEvents& events);

// Exit code of a run: that of a device that could not be opened, or of its only job. Else Exit::batch if a job failed, but
// Exit::device or Exit::limit if all that failed have this code.
Exit exit_of(const Report& report);
// Returns whether another machine may do what this one did not.
inline bool is_of_machine(Exit exit) { return exit == Exit::device || exit == Exit::limit; }

// Adds the copy speed of each job's device to the report.
void measure_copies(DeviceSessions& devices, Report& report);

}  // namespace gpupost
