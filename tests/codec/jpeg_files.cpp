#include "tests/codec/jpeg_files.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <cmath>
#include <stdexcept>

namespace gpupost {

namespace {

[[noreturn]] void fail_by_exception(j_common_ptr jpeg) {
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  throw std::runtime_error(text);
}

jpeg_error_mgr* by_exceptions(jpeg_error_mgr& errors) {
  jpeg_std_error(&errors);
  errors.error_exit = fail_by_exception;
  return &errors;
}

struct Compressor {
  jpeg_error_mgr errors;
  jpeg_compress_struct jpeg{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  Compressor() {
    jpeg.err = by_exceptions(errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
  }
  ~Compressor() {
    jpeg_destroy_compress(&jpeg);
    free(bytes);
  }
};

struct Decompressor {
  jpeg_error_mgr errors;
  jpeg_decompress_struct jpeg{};
  Decompressor() {
    jpeg.err = by_exceptions(errors);
    jpeg_create_decompress(&jpeg);
  }
  ~Decompressor() { jpeg_destroy_decompress(&jpeg); }
};

// What is given to libjpeg, and what it makes of that.
struct Spaces {
  int component_count;
  J_COLOR_SPACE given, written;
};
Spaces spaces_of(JpegColor color) {
  switch (color) {
    case JpegColor::gray: return {1, JCS_GRAYSCALE, JCS_GRAYSCALE};
    case JpegColor::ycc: return {3, JCS_RGB, JCS_YCbCr};
    case JpegColor::rgb: return {3, JCS_RGB, JCS_RGB};
    case JpegColor::cmyk: return {4, JCS_CMYK, JCS_CMYK};
    case JpegColor::ycck: return {4, JCS_CMYK, JCS_YCCK};
  }
  throw std::logic_error("no such color");
}

void set_parameters(jpeg_compress_struct& jpeg, const JpegRecipe& recipe) {
  const Spaces spaces = spaces_of(recipe.color);
  jpeg.image_width = unsigned(recipe.width);
  jpeg.image_height = unsigned(recipe.height);
  jpeg.input_components = spaces.component_count;
  jpeg.in_color_space = spaces.given;
  jpeg_set_defaults(&jpeg);
  jpeg_set_colorspace(&jpeg, spaces.written);
  jpeg_set_quality(&jpeg, 95, TRUE);
  jpeg.comp_info[0].h_samp_factor = recipe.across;
  jpeg.comp_info[0].v_samp_factor = recipe.down;
  if (spaces.component_count == 4) {
    jpeg.comp_info[3].h_samp_factor = recipe.across;
    jpeg.comp_info[3].v_samp_factor = recipe.down;
  }
  jpeg.arith_code = recipe.is_arithmetic;
  jpeg.restart_in_rows = recipe.restart_rows;
  if (!recipe.has_adobe_marker) jpeg.write_Adobe_marker = FALSE;
  if (recipe.is_progressive) jpeg_simple_progression(&jpeg);
}

// Smooth in each component: what decoders differ in is at edges.
uint8_t wave_at(int component, int x, int y) {
  return uint8_t(127.5 + 110 * std::sin(0.11 * x * (component + 1) + 0.07 * y * (4 - component)));
}

}  // namespace

File make_jpeg(const JpegRecipe& recipe) {
  Compressor compressor;
  jpeg_compress_struct& jpeg = compressor.jpeg;
  set_parameters(jpeg, recipe);
  jpeg_start_compress(&jpeg, TRUE);
  int marker = JPEG_APP0 + 1;
  for (const std::string* text : {&recipe.application1, &recipe.application2}) {
    if (!text->empty())
      jpeg_write_marker(&jpeg, marker, reinterpret_cast<const JOCTET*>(text->data()), unsigned(text->size()));
    ++marker;
  }
  std::vector<uint8_t> row(size_t(recipe.width) * size_t(jpeg.input_components));
  for (int y = 0; y < recipe.height; ++y) {
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = wave_at(int(i) % jpeg.input_components, int(i) / jpeg.input_components, y);
    JSAMPROW start = row.data();
    jpeg_write_scanlines(&jpeg, &start, 1);
  }
  jpeg_finish_compress(&jpeg);
  const auto* bytes = reinterpret_cast<const std::byte*>(compressor.bytes);
  return {bytes, bytes + compressor.size};
}

std::vector<uint8_t> rgb_by_libjpeg(const File& file) {
  Decompressor decompressor;
  jpeg_decompress_struct& jpeg = decompressor.jpeg;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&jpeg, TRUE);
  const bool has_four = jpeg.num_components == 4;
  jpeg.out_color_space = has_four ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  std::vector<uint8_t> row(size_t(jpeg.output_width) * size_t(jpeg.output_components)), texels;
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW start = row.data();
    jpeg_read_scanlines(&jpeg, &start, 1);
    for (size_t at = 0; at < row.size(); at += size_t(jpeg.output_components))
      for (size_t component = 0; component < 3; ++component)
        texels.push_back(has_four ? uint8_t((row[at + component] * row[at + 3] + 127) / 255) : row[at + component]);
  }
  jpeg_finish_decompress(&jpeg);
  return texels;
}

}  // namespace gpupost
