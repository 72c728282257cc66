// One job: reads its inputs, runs the chain, encodes and writes its outputs. Errors go to the job's report.
#pragma once

#include "core/base/stopwatch.h"
#include "core/pipeline/device_session.h"
#include "core/pipeline/job.h"
#include "core/pipeline/journal.h"
#include "core/pipeline/picture_inputs.h"
#include "core/pipeline/prefetch.h"
#include "core/pipeline/process_image.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <mutex>
#include <string>
#include <vector>

namespace gpupost {

class BlockDevice;

// A job after its chain: it has results, or its report has an error.
struct ProcessedJob {
  const Job* job = nullptr;
  JobReport report;
  std::string journal_key;  // "" without a journal
  ConversionPlan way;
  std::vector<ProcessedImage> parts;
  Stopwatch total;

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const ProcessedImage& part : parts)
      sum += texel_bytes(part.picture) + (part.base ? texel_bytes(part.base->picture) : 0) + part.others.bytes.size();
    return sum;
  }
};

// Returns whether the output of a job can hold the other parts of its input.
bool keeps_parts(const ChainRequest& request, const Job& job);

// Reads the inputs of a job and runs the chain on them. Unlocks `turn` after the last input. Adds the time of waiting
// for decoders to `decode_wait_ms`.
void process(const ChainRequest& request, DeviceSession& device, Prefetch& inputs, std::unique_lock<std::mutex>& turn,
             PictureInputs& others, double& decode_wait_ms, ProcessedJob& made);

// Encodes and writes the results of a job, and adds it to the journal. An interrupt waits for it if it writes files.
JobReport finish(const ChainRequest& request, Journal* journal, BlockDevice& blocks, ProcessedJob& made);

}  // namespace gpupost
