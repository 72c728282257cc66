// Implementation of stb_dxt, which encodes BC1, BC3, BC4 and BC5.
#include <cstring>

#define STB_DXT_IMPLEMENTATION
#include <stb_dxt.h>
