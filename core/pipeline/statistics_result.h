// What `stats` has measured of a picture.
#pragma once

#include "core/ops/stats/check.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// What one call of the op has measured of one picture.
struct StatisticsResult {
  std::string input;
  std::vector<std::string> before;  // the calls that stand before it
  Measure measure = Measure::all;
  bool is_table = false;  // that is how it is to be told
  Size size;
  Statistics color;  // its luminance; of a picture without color nothing
  struct Channel {
    std::string name;
    ChannelStats spread;
  };
  std::vector<Channel> channels;
  std::vector<std::string> not_measured;  // channels of uint
};

// One for each call of `stats` in the chain.
std::vector<StatisticsResult> to_be_measured(std::span<const Call> calls, const std::string& input, Size size);
// Takes in what the device has left of a group of channels.
void add_group(StatisticsResult& measured, const Group& group, const Statistics& statistics);

// Says that a group of channels of uint was left out.
void leave_out(StatisticsResult& measured, const Group& group);

}  // namespace gpupost
