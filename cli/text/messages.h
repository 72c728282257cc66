// Prints messages on standard error: one line each, with the name of the program. The only code that does so.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace gpupost {

// Makes a message printable and removes trailing white space.
std::string one_line(std::string_view text);

// Writes the text unchanged. Errors of standard error are ignored.
void say(std::string_view text) noexcept;

inline void say_error(std::string_view text) { say(fmt::format("gpupost: {}\n", one_line(text))); }

template <class... Args>
void say_note(fmt::format_string<Args...> text, Args&&... args) {
  say(fmt::format("gpupost: {}\n", one_line(fmt::format(text, std::forward<Args>(args)...))));
}

template <class... Args>
void say_warning(fmt::format_string<Args...> text, Args&&... args) {
  say(fmt::format("gpupost: warning: {}\n", one_line(fmt::format(text, std::forward<Args>(args)...))));
}

// Writes to standard output. A closed pipe is no error.
void print_out(std::string_view text);

}  // namespace gpupost
