// With GPUPOST_BOUNDS=1, each pass counts accesses outside of its images and buffers and clamps them.
// core/glsl/bounds_checks.cpp adds `within` to the index of each buffer.
layout(binding = BOUNDS_BINDING, std430) buffer Outside { uint outside[]; };

int within(int index, int count, int what) {
  if (index < 0 || index >= count) atomicAdd(outside[what], 1u);
  return clamp(index, 0, count - 1);
}
int within(uint index, int count, int what) { return within(int(index), count, what); }

ivec2 within(ivec2 at, ivec2 size, int what) {
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) atomicAdd(outside[what], 1u);
  return clamp(at, ivec2(0), size - 1);
}

#define texelFetch(image, at, level) texelFetch(image, within(at, textureSize(image, level), READ_IMAGES), level)
#define imageStore(image, at, color) imageStore(image, within(at, imageSize(image), WRITTEN_IMAGES), color)
#define imageLoad(image, at) imageLoad(image, within(at, imageSize(image), READ_IMAGES))
#define CHECKED_PLACE(image, at) within(at, imageSize(image), WRITTEN_IMAGES)
