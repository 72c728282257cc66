// Implementation of stb_dxt, which encodes the colors of BC1 and BC3.
#include <cstring>

#define STB_DXT_IMPLEMENTATION
#include <stb_dxt.h>
