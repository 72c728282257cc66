// Implementation of stb_image with the formats that gpupost reads, without file access. Allocation throws, because
// version 2.27 does not check all pointers.
#include <cstdlib>
#include <new>

static void* checked(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

#define STBI_MALLOC(bytes) checked(std::malloc(bytes))
#define STBI_REALLOC(memory, bytes) checked(std::realloc(memory, bytes))
#define STBI_FREE(memory) std::free(memory)
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_HDR
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS (1 << 20)
#include <stb_image.h>
