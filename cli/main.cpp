// The main program. The only code that catches errors and turns them into exit codes.
#include "cli/commands/bake.h"
#include "cli/commands/commands.h"
#include "cli/commands/explain.h"
#include "cli/jobs/run.h"
#include "cli/options/environment.h"
#include "cli/options/exit_map.h"
#include "cli/report/progress.h"
#include "cli/text/help.h"
#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/codec/codec.h"
#include "core/gpu/drivers.h"
#include "core/gpu/gpu.h"
#include "core/gpu/spirv.h"
#include "core/gpu/validation.h"
#include "core/ops/ocio/worker.h"
#include "core/ops/registry.h"
#include "core/system/atomic_file.h"
#include "core/system/child.h"
#include "core/system/descriptor.h"
#include "core/system/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

namespace gpupost {

static void set_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // writes then report an error
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // a caller that ignores it would hide how workers end
  handle_interrupts();
}

// Opens closed standard descriptors in the wrong direction. Files that are opened later then do not get their numbers,
// and using the descriptors is still an error.
static void hold_standard_descriptors() {
  for (const auto& [descriptor, way] :
       {std::pair(STDIN_FILENO, O_WRONLY), {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_RDONLY}})
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", way);  // open() returns the lowest free number
}

// Handler for uncaught exceptions, from static objects or noexcept functions. They are out of memory, or a bug.
[[noreturn]] static void on_terminate() noexcept {
  remove_temporary_files();
  Exit code = Exit::bug;
  std::string_view line = "gpupost: bug in gpupost, please report it: an exception that nothing catches\n";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    code = Exit::limit;
    line = "gpupost: out of memory\n";
  } catch (...) {
  }
  say(line);
  _exit(int(code));
}

// Runs before all static objects; 101 is the first priority for programs.
struct TerminateHandler {
  TerminateHandler() { std::set_terminate(on_terminate); }
};
[[gnu::init_priority(101)]] static const TerminateHandler terminate_handler;

static bool asks_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), std::find(words.begin(), words.end(), "--"),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

static Exit run_words(const std::vector<std::string>& words) {
  if (words.empty()) {
    say(first_steps());
    return Exit::usage;
  }
  const CommandRow* verb = words[0] == "--version" ? &version_verb : verb_named(words[0]);
  if (asks_for_help(words)) {
    const auto op = std::ranges::find_if(words, [](const std::string& word) { return op_named(word) != nullptr; });
    const bool is_short = std::ranges::find(words, "--help") == words.end();
    print_out(verb                ? help_text(*verb)
              : op != words.end() ? help_text(*op_named(*op))
              : is_short          ? short_help_text()
                                  : help_text());
    return Exit::done;
  }
  if (verb) return verb->run(parse_verb(*verb, {words.begin() + 1, words.end()}));
  Request request = parse_request(words);
  request.inputs = list_inputs(request.input_words, request.globals.inputs);
  if (request.globals.bake.side) return bake(request);
  if (!request.globals.explain) return run(request);
  if (request.calls.empty()) fail(Exit::usage, "--explain: no op; expected a chain");
  print_out(printable_lines(explain(request)));
  return Exit::done;
}

static void warn_of_environment(const std::vector<std::string>& words) {
  if (std::ranges::find(words, "--quiet") != words.end()) return;
  for (const std::string& warning : environment_warnings()) say_warning("{}", warning);
}

// Messages about the device come after all other work.
static Exit run_validated(const std::vector<std::string>& words) {
  warn_of_environment(words);
  const Exit code = run_words(words);
  if (validation_message_count() > 0)
    fail(Exit::bug, "the Vulkan validation layer reported {} messages", validation_message_count());
  return code;
}

// Prints the error that ended the run.
static int failed(Exit code, const std::string& error, const std::vector<std::string>& words) {
  say_error(error);
  tell_failure(error, words, code);
  return int(code);
}

static int main_of(const std::vector<std::string>& words) {
  try {
    return int(run_validated(words));
  } catch (const Error& error) {
    return failed(error.code(), with_origins(error.what(), words), words);
  } catch (const std::bad_alloc&) {
    return failed(Exit::limit, "out of memory", words);
  } catch (const std::system_error& error) {
    const bool is_limit = is_out_of_resources(error.code().value());
    return failed(is_limit ? Exit::limit : Exit::bug,
                  fmt::format("{}{}", is_limit ? "" : "bug in gpupost, please report it: ", error.what()), words);
  } catch (const std::exception& error) {
    return failed(Exit::bug, fmt::format("bug in gpupost, please report it: {}", error.what()), words);
  }
}

}  // namespace gpupost

int main(int argc, char** argv) {
  if (gpupost::is_decode_worker(argc, argv)) return gpupost::decode_worker_main();
  if (gpupost::is_ocio_worker(argc, argv)) return gpupost::ocio_worker_main();
  if (gpupost::is_compile_worker(argc, argv)) return gpupost::compile_worker_main();
  gpupost::use_worker_program("/proc/self/exe");
  gpupost::use_built_in_spirv(gpupost::shaders_of_all_rows());
  gpupost::use_verbs(gpupost::table_of_verbs());
  gpupost::hold_standard_descriptors();
  gpupost::set_signals();
  gpupost::prepare_drivers();
  const std::vector<std::string> words(argv + 1, argv + argc);
  const int code = gpupost::mapped_exit_code(gpupost::main_of(words), words);
  if (gpupost::driver_is_stuck()) _exit(code);  // destructors of the driver would wait for the stuck call
  return code;
}
