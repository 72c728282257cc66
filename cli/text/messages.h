// The one place that talks on standard error: a line each, the program's name in front.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gpupost {

// The text of a message, printable; what follows its last character that is no space is left out.
std::string one_line(std::string_view text);

// Says it as it stands. What standard error does not take is lost, which is no reason to leave work undone.
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

// Text on standard output; a reader that has gone away is no error.
void print_out(std::string_view text);

}  // namespace gpupost
