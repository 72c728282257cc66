// A small picture with everything a renderer's output has. Made of sums, products and roots alone, which every machine
// rounds alike.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

// A ground of tiles and three spheres under a low sun of 5000: half R, G, B and A (premultiplied, with a soft round hole in
// one corner), float Z in meters, half normals N.X, N.Y, N.Z, uint id (0 the sky).
Picture scene(Size size);

}  // namespace gpupost
