// How busy the cores of this process were, by the counters of the system.
#pragma once

#include <string_view>
#include <vector>

namespace gpupost {

// Shares of a time, 0 to 1. The rest is time without work.
struct CoreShares {
  int core = 0;     // index of the system
  double busy = 0;  // by this process and all others
  double disk = 0;  // without work, because work waits for the disk
};

// Ticks since the system started.
struct CoreTicks {
  int core = 0;
  double busy = 0, disk = 0, idle = 0;
};

// Parses the text of /proc/stat.
std::vector<CoreTicks> core_ticks_of(std::string_view text);
// The shares of the time between two readings of the same cores.
std::vector<CoreShares> shares_between(const std::vector<CoreTicks>& before, const std::vector<CoreTicks>& after);

// Measures from its construction on.
class CoreWatch {
 public:
  CoreWatch();
  // One for each core that the process may use; empty if the system has no counters.
  std::vector<CoreShares> shares() const;

 private:
  std::vector<CoreTicks> before_;
};

}  // namespace gpupost
