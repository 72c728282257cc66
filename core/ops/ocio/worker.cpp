#include "core/ops/ocio/worker.h"

#include "core/base/printable.h"
#include "core/ops/ocio/answer.h"
#include "core/system/child.h"
#include "core/system/sandbox.h"
#include "core/system/serialize.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>

namespace gpupost {

constexpr auto members(const OcioTransform&) {
  return std::tuple(&OcioTransform::config, &OcioTransform::from, &OcioTransform::to, &OcioTransform::display,
                    &OcioTransform::view, &OcioTransform::looks, &OcioTransform::look, &OcioTransform::file,
                    &OcioTransform::id, &OcioTransform::is_inverse, &OcioTransform::is_best);
}
constexpr auto members(const OcioTexture&) {
  return std::tuple(&OcioTexture::sampler, &OcioTexture::size, &OcioTexture::channels, &OcioTexture::is_linear,
                    &OcioTexture::values);
}
constexpr auto members(const OcioShader&) {
  return std::tuple(&OcioShader::text, &OcioShader::textures, &OcioShader::files, &OcioShader::is_scene_linear,
                    &OcioShader::keeps_data, &OcioShader::takes_encoded);
}
constexpr auto members(const OcioRequest&) {
  return std::tuple(&OcioRequest::action, &OcioRequest::transform, &OcioRequest::colors);
}
constexpr auto members(const OcioReply&) {
  return std::tuple(&OcioReply::exit, &OcioReply::message, &OcioReply::shader, &OcioReply::to_aces,
                    &OcioReply::encoding, &OcioReply::colors, &OcioReply::list);
}

namespace {

constexpr std::string_view worker_word = "ocio-worker";
constexpr size_t most_answer_bytes = size_t(1) << 30, most_text_bytes = size_t(1) << 20, most_message_bytes = 1000;
constexpr size_t most_files = 1000, most_path_bytes = 4096;
constexpr size_t most_textures = 64, most_floats = size_t(1) << 26;
constexpr Task task{.action = "read", .worker = "OpenColorIO worker", .cpu_seconds = 30, .wall_seconds = 60};

// Adds to a message about the configuration that the variable OCIO names where the name comes from.
std::string with_variable(const std::string& message) {
  const char* variable = std::getenv("OCIO");
  if (!variable || !message.starts_with(std::string(variable) + ": ")) return message;
  return fmt::format("{} (the environment variable OCIO){}", variable, message.substr(std::strlen(variable)));
}

// A message of the worker, which may have several lines, as one line. It loses the advice to read OpenColorIO's log, which
// gpupost does not print.
std::string one_line_of(std::string message) {
  message.resize(std::min(message.find(" (Enable debug log"), message.size()));
  std::ranges::replace(message, '\n', ' ');
  return printable(message, most_message_bytes);
}

// Adds the name of the file or the configuration to a message that lacks it.
std::string with_source(const std::string& message, const std::string& source) {
  return message.find(source) == message.npos ? fmt::format("{}: {}", source, message) : message;
}

// What `read` makes of a reply that is no error. It throws std::out_of_range where a sound worker cannot have said that.
template <class Read>
auto asked(const OcioRequest& request, const Read& read) {
  Worker worker(worker_word);
  const WorkerAnswer answer =
      worker.ask(packed(request), {}, most_answer_bytes, std::chrono::seconds(task.wall_seconds));
  const std::string& source = request.transform.source();
  try {
    OcioReply reply = unpacked<OcioReply>(answer.said);
    const bool is_error = reply.exit == Exit::usage || reply.exit == Exit::input || reply.exit == Exit::limit;
    if (is_error) {
      const std::string named = reply.exit == Exit::usage ? reply.message : with_source(reply.message, source);
      throw Error(reply.exit, "ocio: " + with_variable(one_line_of(named)));
    }
    if (reply.exit == Exit::done) return read(reply);
  } catch (const std::out_of_range&) {
  }
  try {
    throw_worker_failure(answer, task);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("ocio: {}: {}", source, error.what()));
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
OcioShader shader_of(OcioReply& reply) {
  OcioShader& shader = reply.shader;
  require(shader.text.size() <= most_text_bytes && shader.textures.size() <= most_textures);
  size_t floats = 0;
  for (const OcioTexture& texture : shader.textures) {
    require(is_name(texture.sampler));
    const auto [x, y, z] = texture.size;
    require(x >= 1 && y >= 1 && z >= 0 && x <= 65536 && y <= 65536 && (z == 0 || (x == y && y == z && z <= 512)));
    require(texture.channels == 1 || texture.channels == 3);
    require(texture.values.size() == size_t(x) * size_t(y) * size_t(std::max(z, 1)) * size_t(texture.channels));
    require(std::ranges::all_of(texture.values, [](float value) { return std::isfinite(value); }));
    floats += texture.values.size();
    require(floats <= most_floats);
  }
  require(shader.files.size() <= most_files);
  for (const std::string& path : shader.files) require(path.size() <= most_path_bytes && printable(path) == path);
  if (const std::vector<double>& rows = reply.to_aces; !rows.empty()) {
    require(rows.size() == 9 && std::ranges::all_of(rows, [](double number) { return std::abs(number) < 1e3; }));
    shader.to_aces = Matrix3{{{rows[0], rows[1], rows[2]}, {rows[3], rows[4], rows[5]}, {rows[6], rows[7], rows[8]}}};
  }
  if (const std::vector<int32_t>& encoding = reply.encoding; !encoding.empty()) {
    require(encoding.size() == 2 && encoding[1] >= 0 && size_t(encoding[1]) < std::size(named_primaries));
    const auto transfer = Transfer(encoding[0]);
    require(transfer == Transfer::srgb || transfer == Transfer::pq);
    shader.encoding = ColorEncoding{.transfer = transfer, .primaries = named_primaries[encoding[1]].primaries};
  }
  return std::move(shader);
}

// Four numbers for each color.
std::vector<float> asked_for_colors(OcioAction action, const OcioTransform& transform, std::span<const float> colors) {
  const OcioRequest request{.action = action, .transform = transform, .colors = {colors.begin(), colors.end()}};
  return asked(request, [&](OcioReply& reply) {
    require(reply.colors.size() == colors.size());
    return std::move(reply.colors);
  });
}

OcioReply answer_or_error(std::span<const std::byte> message) {
  try {
    OcioRequest request = unpacked<OcioRequest>(message);
    enter_sandbox({.memory_bytes = (uint64_t(4) << 30) + 4 * message.size(),
                   .file_bytes = 0,
                   .cpu_seconds = task.cpu_seconds,
                   .reads_files = true});
    return ocio_answer(std::move(request));
  } catch (const Error& error) {
    return {.exit = error.code(), .message = error.what()};
  } catch (const std::bad_alloc&) {
    return {.exit = Exit::limit, .message = "out of memory"};
  } catch (const std::exception& error) {
    return {.exit = Exit::input, .message = error.what()};
  }
}

}  // namespace

OcioShader ocio_shader(const OcioTransform& transform) {
  return asked({.action = OcioAction::shader, .transform = transform}, shader_of);
}

std::vector<float> ocio_apply(const OcioTransform& transform, std::span<const float> colors) {
  return asked_for_colors(OcioAction::apply, transform, colors);
}

std::vector<float> ocio_rounding(const OcioTransform& transform, std::span<const float> colors) {
  constexpr size_t most_numbers = size_t(4) << 19;  // of one worker, whose time is limited
  std::vector<float> made;
  while (!colors.empty()) {
    const auto some = colors.first(std::min(most_numbers, colors.size()));
    const std::vector<float> found = asked_for_colors(OcioAction::rounding, transform, some);
    made.insert(made.end(), found.begin(), found.end());
    colors = colors.subspan(some.size());
  }
  return made;
}

std::string ocio_list(const std::string& config) {
  return asked({.action = OcioAction::list, .transform = {.config = config}},
               [](const OcioReply& reply) { return reply.list; });
}

bool is_ocio_worker(int argc, char** argv) { return is_worker(argc, argv, worker_word); }

int ocio_worker_main() {
  run_worker([](const Message& message) { return packed(answer_or_error(message.bytes)); });
}

}  // namespace gpupost
