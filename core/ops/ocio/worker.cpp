#include "core/ops/ocio/worker.h"

#include "core/base/printable.h"
#include "core/ops/ocio/answer.h"
#include "core/system/child.h"
#include "core/system/message.h"
#include "core/system/sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>

namespace gpupost {

namespace {

constexpr std::string_view worker_word = "ocio-worker";
constexpr size_t most_answer_bytes = size_t(1) << 30, most_text_bytes = size_t(1) << 20, most_message_bytes = 1000;
constexpr size_t most_files = 1000, most_path_bytes = 4096;
constexpr size_t most_textures = 64, most_floats = size_t(1) << 26;
constexpr Task task{.action = "read", .worker = "OpenColorIO worker", .cpu_seconds = 30, .wall_seconds = 60};

// Each string behind its length.
std::string packed(const OcioFields& fields) {
  std::string bytes;
  for (const auto& [name, value] : fields)
    for (const std::string* piece : {&name, &value}) {
      const uint64_t size = piece->size();
      bytes.append(reinterpret_cast<const char*>(&size), sizeof size) += *piece;
    }
  return bytes;
}

// Throws std::out_of_range for bytes that packed() cannot have made.
OcioFields unpacked(std::span<const std::byte> bytes) {
  const auto piece = [&] {
    uint64_t size = 0;
    if (bytes.size() < sizeof size) throw std::out_of_range("ocio");
    std::memcpy(&size, bytes.data(), sizeof size);
    if (bytes.size() - sizeof size < size) throw std::out_of_range("ocio");
    std::string text(reinterpret_cast<const char*>(bytes.data()) + sizeof size, size);
    bytes = bytes.subspan(sizeof size + size);
    return text;
  };
  OcioFields fields;
  while (!bytes.empty()) {
    std::string name = piece();
    fields[std::move(name)] = piece();
  }
  return fields;
}

template <class Number>
std::vector<Number> numbers_of(const std::string& bytes) {
  if (bytes.size() % sizeof(Number) != 0) throw std::out_of_range("ocio");
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

OcioFields request_of(const std::string& action, const OcioTransform& transform) {
  return {{"action", action},
          {"config", transform.config},
          {"from", transform.from},
          {"to", transform.to},
          {"display", transform.display},
          {"view", transform.view},
          {"looks", transform.looks},
          {"look", transform.look},
          {"file", transform.file},
          {"id", transform.id},
          {"inverse", transform.is_inverse ? "1" : ""},
          {"best", transform.is_best ? "1" : ""}};
}

// What a message names where the worker fails.
std::string source_of(const OcioFields& request) {
  const std::string& file = request.at("file");
  return file.empty() ? request.at("config") : file;
}

// Adds to a message about the configuration that the variable OCIO names where the name comes from.
std::string with_variable(const std::string& message) {
  const char* variable = std::getenv("OCIO");
  if (!variable || !message.starts_with(std::string(variable) + ": ")) return message;
  return fmt::format("{} (the environment variable OCIO){}", variable, message.substr(std::strlen(variable)));
}

// A message of the worker, which may have several lines, as one line.
std::string one_line_of(std::string message) {
  std::ranges::replace(message, '\n', ' ');
  return printable(message, most_message_bytes);
}

// Adds the name of the file or the configuration to a message that lacks it.
std::string with_source(const std::string& message, const std::string& source) {
  return message.find(source) == message.npos ? fmt::format("{}: {}", source, message) : message;
}

// What `read` makes of a reply that is no error. It throws std::out_of_range where a sound worker cannot have said that.
template <class Read>
auto asked(const OcioFields& request, const Read& read) {
  const std::string bytes = packed(request);
  Worker worker(worker_word);
  const WorkerAnswer answer =
      worker.ask(std::as_bytes(std::span(bytes)), {}, most_answer_bytes, std::chrono::seconds(task.wall_seconds));
  try {
    if (!answer.was_too_slow && !answer.said_too_much) {
      const OcioFields reply = unpacked(answer.said);
      const std::string& exit = reply.at("exit");
      if (exit.size() != 1) throw std::out_of_range("ocio");
      const auto code = Exit(exit[0] - '0');
      const bool is_error = code == Exit::usage || code == Exit::input || code == Exit::limit;
      if (is_error) {
        const std::string& message = reply.at("message");
        const std::string named = code == Exit::usage ? message : with_source(message, source_of(request));
        throw Error(code, "ocio: " + with_variable(one_line_of(named)));
      }
      if (code != Exit::done) throw std::out_of_range("ocio");
      return read(reply);
    }
  } catch (const std::out_of_range&) {
  }
  try {
    throw_worker_failure(answer, task);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("ocio: {}: {}", source_of(request), error.what()));
  }
}

void require(bool holds) {
  if (!holds) throw std::out_of_range("ocio");
}

bool is_name(std::string_view name) {
  const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && name.size() < 100 && std::ranges::all_of(name, belongs) && !std::isdigit(name[0]);
}

// A hostile file may have taken the worker over: nothing of the reply is believed.
OcioShader shader_of(const OcioFields& reply) {
  OcioShader shader{.text = reply.at("text")};
  require(shader.text.size() <= most_text_bytes);
  size_t floats = 0;
  for (size_t index = 0; reply.contains(fmt::format("texture{}", index)); ++index) {
    require(index < most_textures);
    OcioTexture texture{.sampler = reply.at(fmt::format("texture{}", index)),
                        .values = numbers_of<float>(reply.at(fmt::format("values{}", index)))};
    const std::vector<int32_t> shape = numbers_of<int32_t>(reply.at(fmt::format("shape{}", index)));
    require(shape.size() == 5 && is_name(texture.sampler));
    texture.size = {shape[0], shape[1], shape[2]};
    texture.channels = shape[3];
    texture.is_linear = shape[4] != 0;
    const auto [x, y, z] = texture.size;
    require(x >= 1 && y >= 1 && z >= 0 && x <= 65536 && y <= 65536 && (z == 0 || (x == y && y == z && z <= 512)));
    require(texture.channels == 1 || texture.channels == 3);
    require(texture.values.size() == size_t(x) * size_t(y) * size_t(std::max(z, 1)) * size_t(texture.channels));
    require(std::ranges::all_of(texture.values, [](float value) { return std::isfinite(value); }));
    floats += texture.values.size();
    require(floats <= most_floats);
    shader.textures.push_back(std::move(texture));
  }
  for (size_t index = 0; reply.contains(fmt::format("file{}", index)); ++index) {
    const std::string& path = reply.at(fmt::format("file{}", index));
    require(index < most_files && path.size() <= most_path_bytes && printable(path) == path);
    shader.files.push_back(path);
  }
  if (const std::vector<double> rows = numbers_of<double>(reply.at("to_aces")); !rows.empty()) {
    require(rows.size() == 9 && std::ranges::all_of(rows, [](double number) { return std::abs(number) < 1e3; }));
    shader.to_aces = Matrix3{{{rows[0], rows[1], rows[2]}, {rows[3], rows[4], rows[5]}, {rows[6], rows[7], rows[8]}}};
  }
  shader.keeps_data = !reply.at("data").empty();
  shader.is_scene_linear = !reply.at("linear").empty();
  // a transfer, and the index of the primaries' name
  if (const std::vector<int32_t> encoding = numbers_of<int32_t>(reply.at("encoding")); !encoding.empty()) {
    require(encoding.size() == 2 && encoding[1] >= 0 && size_t(encoding[1]) < std::size(named_primaries));
    const auto transfer = Transfer(encoding[0]);
    require(transfer == Transfer::srgb || transfer == Transfer::pq);
    shader.encoding = ColorEncoding{.transfer = transfer, .primaries = named_primaries[encoding[1]].primaries};
  }
  return shader;
}

// Four numbers for each color.
std::vector<float> asked_for_colors(const std::string& action, const OcioTransform& transform,
                                    std::span<const float> colors) {
  OcioFields request = request_of(action, transform);
  request["colors"] = {reinterpret_cast<const char*>(colors.data()), colors.size_bytes()};
  return asked(request, [&](const OcioFields& reply) {
    std::vector<float> made = numbers_of<float>(reply.at("colors"));
    require(made.size() == colors.size());
    return made;
  });
}

OcioFields answer_or_error() {
  try {
    const std::vector<std::byte> bytes = receive_message(worker_talk).value().bytes;
    const OcioFields request = unpacked(bytes);
    enter_sandbox({.memory_bytes = (uint64_t(4) << 30) + 4 * bytes.size(),
                   .file_bytes = 0,
                   .cpu_seconds = task.cpu_seconds,
                   .reads_files = true});
    OcioFields reply = ocio_answer(request);
    reply["exit"] = "0";
    return reply;
  } catch (const Error& error) {
    return {{"exit", std::string(1, char('0' + int(error.code())))}, {"message", error.what()}};
  } catch (const std::bad_alloc&) {
    return {{"exit", std::string(1, char('0' + int(Exit::limit)))}, {"message", "out of memory"}};
  } catch (const std::exception& error) {
    return {{"exit", std::string(1, char('0' + int(Exit::input)))}, {"message", error.what()}};
  }
}

}  // namespace

OcioShader ocio_shader(const OcioTransform& transform) {
  return asked(request_of("shader", transform), [](const OcioFields& reply) { return shader_of(reply); });
}

std::vector<float> ocio_apply(const OcioTransform& transform, std::span<const float> colors) {
  return asked_for_colors("apply", transform, colors);
}

std::vector<float> ocio_rounding(const OcioTransform& transform, std::span<const float> colors) {
  constexpr size_t most_numbers = size_t(4) << 19;  // of one worker, whose time is limited
  std::vector<float> made;
  while (!colors.empty()) {
    const auto some = colors.first(std::min(most_numbers, colors.size()));
    const std::vector<float> found = asked_for_colors("rounding", transform, some);
    made.insert(made.end(), found.begin(), found.end());
    colors = colors.subspan(some.size());
  }
  return made;
}

std::string ocio_list(const std::string& config) {
  return asked(request_of("list", {.config = config}), [](const OcioFields& reply) { return reply.at("list"); });
}

bool is_ocio_worker(int argc, char** argv) { return is_worker(argc, argv, worker_word); }

int ocio_worker_main() {
  try {
    const std::string answer = packed(answer_or_error());
    if (write_message(worker_talk, std::as_bytes(std::span(answer))) != 0) _exit(EXIT_FAILURE);
  } catch (const std::bad_alloc&) {
    _exit(int(Exit::limit));
  }
  _exit(EXIT_SUCCESS);  // nothing is taken apart: the process's end does that
}

}  // namespace gpupost
