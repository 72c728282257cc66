// Questions about transforms of OpenColorIO. Only files that know OpenColorIO include this.
#pragma once

#include "core/ops/ocio/answer.h"

#include <OpenColorIO/OpenColorIO.h>

#include <string>
#include <vector>

namespace gpupost {

namespace OCIO = OCIO_NAMESPACE;

// Reads a configuration: a file, or the built-in cg or studio. Throws Error(Exit::input).
OCIO::ConstConfigRcPtr config_of(const std::string& name);

// Names in a configuration.
std::vector<std::string> spaces_of(const OCIO::Config& config);
std::vector<std::string> displays_of(const OCIO::Config& config);
std::vector<std::string> looks_of(const OCIO::Config& config);
std::vector<std::string> views_of(const OCIO::Config& config, const std::string& display);

// A transform and its configuration.
class OcioQuestion {
 public:
  // Keeps a reference to the transform. Throws Error if one of its names is not in the configuration.
  explicit OcioQuestion(const OcioTransform& transform);

  OCIO::ConstProcessorRcPtr processor() const;
  // From the result to ACES2065-1, if the result is light: then the space that it lies in goes there by a matrix.
  std::vector<double> matrix_to_aces() const;
  // Whether the configuration says that the result is linear light: by the encoding of its space, else by the role
  // scene_linear, from which a matrix goes to the space.
  bool is_scene_linear() const;
  // May the transform expect values that are not linear light? A file does not say.
  bool takes_encoded() const;
  // The encoding of the result: a transfer and an index into named_primaries. Empty: not known.
  std::vector<int32_t> encoding() const;
  // Does the transform take any values without --from, because its result is data?
  bool keeps_data() const;
  const OCIO::Config& config() const { return *config_; }
  // The file that a message about the transform names.
  const std::string& source() const { return transform_.source(); }

 private:
  void check_id() const;
  bool is_scene_linear(const std::string& name) const;
  bool has_no_looks() const;
  OCIO::ConstCPUProcessorRcPtr conversion_between(const char* from, const char* to) const;
  OCIO::ConstColorSpaceRcPtr encoded_space() const;
  OCIO::ConstColorSpaceRcPtr space_of_view() const;
  const char* view_name() const;
  const std::string& result_space() const;
  void append_file(OCIO::GroupTransform& group) const;
  void append_spaces(OCIO::GroupTransform& group) const;

  const OcioTransform& transform_;
  OCIO::ConstConfigRcPtr config_;
};

}  // namespace gpupost
