#include "cli/report/report.h"

#include "cli/report/statistics_report.h"
#include "cli/text/json_text.h"
#include "core/base/printable.h"
#include "core/base/threads.h"
#include "core/base/version.h"

#include <fmt/core.h>

#include <unistd.h>
#include <nlohmann/json.hpp>

namespace gpupost {

using json = nlohmann::ordered_json;

static constexpr std::pair<const char*, double StageTimes::*> stages[] = {
    {"decode", &StageTimes::decode}, {"device", &StageTimes::device}, {"compile", &StageTimes::compile},
    {"upload", &StageTimes::upload}, {"passes", &StageTimes::passes}, {"download", &StageTimes::download},
    {"verify", &StageTimes::verify}, {"encode", &StageTimes::encode}, {"write", &StageTimes::write},
    {"total", &StageTimes::total}};

std::string version_text() { return fmt::format("gpupost {} ({})", version_number(), commit_name()); }

static double gb_per_second(const PassReport& pass) {
  return pass.milliseconds > 0 ? double(pass.bytes_read + pass.bytes_written) / pass.milliseconds * 1e-6 : 0;
}

static double percent_of_copy(const JobReport& job, const PassReport& pass) {
  const double copy = pass.storage == Depth::half ? job.device.half_copy_gb_per_s : job.device.float_copy_gb_per_s;
  return copy > 0 ? 100 * gb_per_second(pass) / copy : 0;
}

static std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

json device_json(const DeviceInfo& device) {
  return {{"name", device.traits.name},
          {"type", name_of(device.traits.type)},
          {"driver", device.driver},
          {"uuid", device.uuid},
          {"driver_uuid", device.driver_uuid},
          {"vulkan", device.api_version},
          {"subgroup_size", device.traits.subgroup.size}};
}

static json to_json(const JobReport& job) {
  json passes = json::array();
  for (const PassReport& pass : job.passes)
    passes.push_back({{"name", pass.name},
                      {"kernel", pass.kernel},
                      {"storage", name_of(pass.storage)},
                      {"ms", pass.milliseconds},
                      {"bytes_read", pass.bytes_read},
                      {"bytes_written", pass.bytes_written},
                      {"gb_per_s", gb_per_second(pass)},
                      {"percent_of_copy", percent_of_copy(job, pass)}});
  json measured = json::array();
  for (const StatisticsResult& one : job.measured) measured.push_back(to_json(one));
  json checks = json::array();
  for (const LevelCheck& check : job.verified.levels)
    checks.push_back({{"level", check.level},
                      {"largest_error", check.error},
                      {"tolerance", check.tolerance},
                      {"share_of_tolerance", check.share}});
  json stages_ms;
  for (const auto& [name, milliseconds] : stages) stages_ms[name] = job.ms.*milliseconds;
  json made;
  add_name(made, "input", job.input);
  add_names(made, "outputs", job.outputs);
  made.update({{"width", job.size.width},
               {"height", job.size.height},
               {"storage", job.device.storage},
               {"choices", job.choices},
               {"stages_ms", stages_ms},
               {"copy_gb_per_s", {{"16f", job.device.half_copy_gb_per_s}, {"32f", job.device.float_copy_gb_per_s}}},
               {"passes", passes},
               {"statistics", measured},
               {"verify", checks},
               {"warnings", job.warnings},
               {"notes", job.notes},
               {"is_skipped", job.journal.is_skipped},
               {"error", job.error}});
  return made;
}

std::string to_json(const Report& report) {
  json jobs = json::array();
  for (const JobReport& job : report.jobs) jobs.push_back(to_json(job));
  json devices = json::array();
  for (const DeviceUse& use : report.devices) {
    json device = device_json(use.info);
    device.update({{"jobs", use.job_count}, {"busy_ms", use.busy_ms}});
    devices.push_back(device);
  }
  json cores = json::array();
  for (const CoreShares& core : report.times.cores)
    cores.push_back({{"core", core.core}, {"busy", core.busy}, {"waited_for_disk", core.disk}});
  const json whole{{"schema", "gpupost-report-1"},
                   {"version", version_number()},
                   {"commit", commit_name()},
                   {"host", host_name()},
                   {"cores", core_count()},
                   {"device", report.devices.empty() ? json() : device_json(report.devices.front().info)},
                   {"devices", devices},
                   {"chain", report.chain},
                   {"jobs", jobs},
                   {"not_started", report.job_count - report.jobs.size()},
                   {"missing", report.missing},
                   {"decoder_processes", report.decoder_count},
                   {"batch_ms",
                    {{"wall", report.times.wall_ms},
                     {"cpu", report.times.cpu_ms},
                     {"waited_for_decoders", report.times.waited_for_decoders_ms},
                     {"waited_for_encoders", report.times.waited_for_encoders_ms}}},
                   {"core_shares", cores}};
  return json_text(whole, 2);
}

std::string to_table(const Report& report) {
  std::string text;
  for (const DeviceUse& use : report.devices)
    text += fmt::format("{} ({}), {}, {}\n", use.info.traits.name, name_of(use.info.traits.type), use.info.driver,
                        version_text());
  for (const JobReport& job : report.jobs) {
    if (job.size.width == 0) continue;  // the input was skipped or could not be read
    text += fmt::format("{}: {} x {}\n", printable(job.input), job.size.width, job.size.height);
    for (const std::string& choice : job.choices) text += fmt::format("  {}\n", printable(choice));
    text += fmt::format("  {:<36}{:>10}{:>10}{:>10}{:>9}\n", "pass", "ms", "MiB", "GB/s", "% copy");
    for (const PassReport& pass : job.passes)
      text += fmt::format("  {:<36}{:>10.3f}{:>10.2f}{:>10.2f}{:>9.1f}\n", printable(pass.name), pass.milliseconds,
                          double(pass.bytes_read + pass.bytes_written) / (1 << 20), gb_per_second(pass),
                          percent_of_copy(job, pass));
    text += fmt::format("  {:<36}{:>10}\n", "stage", "ms");
    for (const auto& [name, milliseconds] : stages)
      text += fmt::format("  {:<36}{:>10.1f}\n", name, job.ms.*milliseconds);
  }
  return text;
}

}  // namespace gpupost
