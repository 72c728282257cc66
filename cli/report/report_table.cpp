#include "cli/report/report_table.h"

#include "cli/text/messages.h"
#include "core/system/atomic_file.h"

namespace gpupost {

void finish_report(const Globals& globals, const Report& report) {
  if (globals.report.timing) say(to_table(report));
  const std::string text = to_json(report);
  if (globals.report.file == "-") print_out(text);
  else if (!globals.report.file.empty()) write_file(globals.report.file, std::as_bytes(std::span(text)), false);
}

}  // namespace gpupost
