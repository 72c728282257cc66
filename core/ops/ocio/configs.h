// Configurations that gpupost builds from OpenColorIO's built-in transforms. Only the worker includes this.
#pragma once

#include <OpenColorIO/OpenColorIO.h>

namespace gpupost {

// The names are those of the ACES configs for OpenColorIO 2.1 with ACES 1.3. Studio adds spaces of cameras and more displays.
OCIO_NAMESPACE::ConstConfigRcPtr built_in_config(bool is_studio);

}  // namespace gpupost
