// Results of the op `stats`.
#pragma once

#include "core/ops/stats/check.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The result of one `stats` call for one image.
struct StatisticsResult {
  std::string input;
  std::string frame;                // as in the name of the input; empty if it is in no sequence
  std::vector<std::string> before;  // calls before it in the chain
  Measure measure = Measure::all;
  bool is_table = false;  // print as a table
  Size size;
  bool has_alpha = false, is_luminance = false;  // of the color at this place of the chain
  Statistics color;                              // luminance; empty for an image without color
  struct Channel {
    std::string name;
    ChannelStats spread;
  };
  std::vector<Channel> channels;
  std::vector<std::string> not_measured;  // uint channels and Cryptomattes
};

// Makes one result for each `stats` call of the chain. `has_alpha`: of the input's color.
std::vector<StatisticsResult> to_be_measured(std::span<const Call> calls, const std::string& input, Size size,
                                             bool has_alpha);
// Adds the statistics of a group of channels.
void add_group(StatisticsResult& measured, const Group& group, const Statistics& statistics);

// Adds a group with ids that was not measured.
void leave_out(StatisticsResult& measured, const Group& group);

}  // namespace gpupost
