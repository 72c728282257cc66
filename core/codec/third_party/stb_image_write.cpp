// Implementation of stb_image_write, which leaves out HDR where STBI_WRITE_NO_STDIO is defined.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
