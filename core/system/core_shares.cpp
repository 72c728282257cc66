#include "core/system/core_shares.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace gpupost {

std::vector<CoreTicks> core_ticks_of(std::string_view text) {
  std::vector<CoreTicks> cores;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream words(line.substr(3));
    CoreTicks core;
    // user, nice, system, idle, iowait, irq, softirq, steal; the times of guests are in those of users
    double ticks[8] = {};
    words >> core.core;
    for (double& one : ticks) words >> one;
    core.idle = ticks[3];
    core.disk = ticks[4];
    core.busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    cores.push_back(core);
  }
  return cores;
}

std::vector<CoreShares> shares_between(const std::vector<CoreTicks>& before, const std::vector<CoreTicks>& after) {
  std::vector<CoreShares> shares;
  for (const CoreTicks& end : after) {
    const auto start = std::ranges::find(before, end.core, &CoreTicks::core);
    if (start == before.end()) continue;
    const double busy = end.busy - start->busy, disk = end.disk - start->disk;
    const double all = busy + disk + end.idle - start->idle;
    shares.push_back({.core = end.core, .busy = all > 0 ? busy / all : 0, .disk = all > 0 ? disk / all : 0});
  }
  return shares;
}

static std::vector<CoreTicks> read_ticks() {
  std::ifstream file("/proc/stat");
  std::vector<CoreTicks> cores = core_ticks_of(std::string(std::istreambuf_iterator<char>(file), {}));
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  std::erase_if(cores,
                [&](const CoreTicks& core) { return core.core >= CPU_SETSIZE || !CPU_ISSET(core.core, &allowed); });
  return cores;
}

CoreWatch::CoreWatch() : before_(read_ticks()) {}

std::vector<CoreShares> CoreWatch::shares() const { return shares_between(before_, read_ticks()); }

}  // namespace gpupost
