// Reads TIFF files with libtiff.
#include "core/base/text.h"
#include "core/codec/common/reader.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/raster.h"
#include "core/codec/tiff/handle.h"
#include "core/image/number.h"

#include <algorithm>
#include <array>
#include <climits>

namespace gpupost {

namespace {

constexpr int max_page_count = 1024;

struct CompressionName {
  uint16_t code;
  std::string_view name;
};
constexpr CompressionName compressions[] = {
    {COMPRESSION_NONE, "none"},   {COMPRESSION_LZW, "lzw"},           {COMPRESSION_PACKBITS, "packbits"},
    {COMPRESSION_DEFLATE, "zip"}, {COMPRESSION_ADOBE_DEFLATE, "zip"}, {COMPRESSION_ZSTD, "zstd"},
    {COMPRESSION_JPEG, "jpeg"},
};

// Layout of a page in the file.
struct Layout {
  Size size;
  int bits = 8;
  bool is_float = false;
  int sample_count = 1;
  bool is_planar = false;
  uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::vector<int> components;  // component for each sample; -1: none
  Raster raster;                // metadata, without texels

  bool is_indexed() const { return photometric == PHOTOMETRIC_PALETTE; }
};

class Page {
 public:
  Page(Bytes file, const DecodeOptions& options) : options_(options), tiff_(file, options.limits) {}
  Decoded decode(const TexelAllocator& lend);

 private:
  template <class Value>
  Value value(uint32_t tag, Value otherwise) const {
    return tiff_.tag<Value>(tag).value_or(otherwise);
  }
  int select_page();
  std::vector<FilePart> pages(int count);
  std::string_view check_compression() const;
  Layout layout() const;
  void take_samples(Layout& layout) const;
  void take_color(Layout& layout) const;
  DroppedMetadata dropped() const;
  void take_palette(Layout& layout);
  void decode_blocks(Layout& layout) const;
  template <class Word>
  void place(Layout& layout, const std::vector<std::byte>& block, Size block_size, Position at, int plane) const;
  void check_errors() const {
    if (!tiff_.error().empty()) fail(Exit::input, "{}", tiff_.error());
  }

  const DecodeOptions& options_;
  TiffHandle tiff_;
  std::vector<std::array<uint16_t, 3>> palette_;
};

// Selects the requested page. Returns the number of pages.
int Page::select_page() {
  const int count = int(TIFFNumberOfDirectories(tiff_.get()));
  check_errors();
  if (count > max_page_count) fail(Exit::input, "has {} pages; the limit is {}", count, max_page_count);
  const std::string& text = options_.part;
  const int wanted = text.empty() ? 0 : number_in<int>(text).value_or(-1);
  if (wanted < 0 || wanted >= count) refuse_part(text, uint64_t(count));
  if (!TIFFSetDirectory(tiff_.get(), tdir_t(wanted))) fail(Exit::input, "part {} cannot be read", wanted);
  check_errors();
  return count;
}

// All pages of the file. A damaged one, and those after it, have no size.
std::vector<FilePart> Page::pages(int count) {
  std::vector<FilePart> list(size_t(count), FilePart{});
  bool is_right = TIFFSetDirectory(tiff_.get(), 0) != 0;
  for (size_t page = 0; is_right && page < list.size(); ++page) {
    const auto side = [&](uint32_t tag) { return int(std::min<uint32_t>(value<uint32_t>(tag, 0), INT_MAX)); };
    list[page].size = {side(TIFFTAG_IMAGEWIDTH), side(TIFFTAG_IMAGELENGTH)};
    is_right = TIFFReadDirectory(tiff_.get()) != 0;
  }
  return list;
}

std::string_view Page::check_compression() const {
  const auto code = value<uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  const auto found = std::ranges::find(compressions, code, &CompressionName::code);
  if (found == std::end(compressions) || !TIFFIsCODECConfigured(code)) {
    const TIFFCodec* codec = TIFFFindCODEC(code);
    fail(Exit::input, "TIFF compression {} ({}) is not supported", code, codec ? codec->name : "unknown");
  }
  return found->name;
}

// Assigns samples to components. Alpha is the first extra sample marked as alpha; others are dropped.
void Page::take_samples(Layout& layout) const {
  const int color_count = layout.raster.channel_count;
  for (int sample = 0; sample < layout.sample_count; ++sample)
    layout.components.push_back(sample < color_count ? sample : -1);
  uint16_t extra_count = 0;
  const uint16_t* extras = nullptr;
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_EXTRASAMPLES, &extra_count, &extras);
  int dropped_count = layout.sample_count - color_count;
  for (int extra = 0; extra < std::min(int(extra_count), layout.sample_count - color_count); ++extra) {
    if (extras[extra] != EXTRASAMPLE_ASSOCALPHA && extras[extra] != EXTRASAMPLE_UNASSALPHA) continue;
    if (layout.raster.is_cmyk) {  // the four inks of a Raster leave no place for it
      layout.raster.colors.warnings.push_back("CMYK is read without alpha; its alpha is dropped");
      --dropped_count;
      break;
    }
    layout.components[size_t(color_count + extra)] = 3;
    layout.raster.channel_count = color_count + 1;
    layout.raster.alpha = extras[extra] == EXTRASAMPLE_ASSOCALPHA ? Alpha::premultiplied : Alpha::straight;
    --dropped_count;
    break;
  }
  if (dropped_count > 0)
    layout.raster.colors.warnings.push_back(
        dropped_count == 1
            ? "1 extra sample per texel is dropped, because it is not alpha"
            : fmt::format("{} extra samples per texel are dropped, because they are not alpha", dropped_count));
}

void Page::take_color(Layout& layout) const {
  Colors& colors = layout.raster.colors;
  if (layout.is_float) colors.transfer = Transfer::linear;
  uint32_t profile_bytes = 0;
  const void* profile = nullptr;
  if (TIFFGetField(tiff_.get(), TIFFTAG_ICCPROFILE, &profile_bytes, &profile)) {
    const auto* start = static_cast<const std::byte*>(profile);
    colors.profile.assign(start, start + profile_bytes);
    return;
  }
  const float* primaries = nullptr;
  const float* white = nullptr;
  if (TIFFGetField(tiff_.get(), TIFFTAG_PRIMARYCHROMATICITIES, &primaries) &&
      TIFFGetField(tiff_.get(), TIFFTAG_WHITEPOINT, &white)) {
    Chromaticities numbers;
    std::copy_n(white, 2, std::copy_n(primaries, 6, numbers.begin()));
    if (!is_rec709(numbers)) colors.chromaticities = numbers;
  }
  uint16_t* curve[3] = {};
  if (TIFFGetField(tiff_.get(), TIFFTAG_TRANSFERFUNCTION, &curve[0], &curve[1], &curve[2]))
    colors.warnings.push_back("its TransferFunction is ignored");
}

DroppedMetadata Page::dropped() const {
  DroppedMetadata dropped;
  const auto has = [&](uint32_t tag) {
    const char* text = nullptr;
    return TIFFGetField(tiff_.get(), tag, &text) && text && *text;
  };
  for (const uint32_t tag : {TIFFTAG_COPYRIGHT, TIFFTAG_ARTIST, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_SOFTWARE,
                             TIFFTAG_DOCUMENTNAME, TIFFTAG_PAGENAME, TIFFTAG_MAKE, TIFFTAG_MODEL, TIFFTAG_HOSTCOMPUTER})
    dropped.has_text |= has(tag);
  dropped.has_date = has(TIFFTAG_DATETIME);
  uint64_t directory = 0;
  dropped.has_exif = TIFFGetField(tiff_.get(), TIFFTAG_EXIFIFD, &directory) == 1 ||
                     TIFFGetField(tiff_.get(), TIFFTAG_GPSIFD, &directory) == 1;
  uint32_t count = 0;
  const void* data = nullptr;
  dropped.has_iptc = TIFFGetField(tiff_.get(), TIFFTAG_RICHTIFFIPTC, &count, &data) == 1;
  dropped.has_xmp = TIFFGetField(tiff_.get(), TIFFTAG_XMLPACKET, &count, &data) == 1;
  if (TIFFGetField(tiff_.get(), TIFFTAG_PHOTOSHOP, &count, &data) == 1)
    dropped.take_photoshop({static_cast<const std::byte*>(data), count});
  const auto unit = value<uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  float x = 0, y = 0;
  if (TIFFGetField(tiff_.get(), TIFFTAG_XRESOLUTION, &x) == 1 &&
      TIFFGetField(tiff_.get(), TIFFTAG_YRESOLUTION, &y) == 1)
    dropped.take_resolution(double(x), double(y), unit == RESUNIT_INCH ? 1 : unit == RESUNIT_CENTIMETER ? 1 / 2.54 : 0);
  return dropped;
}

Layout Page::layout() const {
  Layout layout{.size = {},
                .bits = value<uint16_t>(TIFFTAG_BITSPERSAMPLE, 1),
                .sample_count = value<uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1),
                .is_planar = value<uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE};
  // if it is missing, libtiff counts extra samples as if the image were gray
  const bool has_rgb = layout.sample_count >= 3;
  layout.photometric = value<uint16_t>(TIFFTAG_PHOTOMETRIC, has_rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  const auto width = value<uint32_t>(TIFFTAG_IMAGEWIDTH, 0), height = value<uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  check_claimed_size(width, height, options_.limits);
  layout.size = {int(width), int(height)};
  check_channel_count(layout.sample_count, options_.limits);
  const auto kind = value<uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  layout.is_float = kind == SAMPLEFORMAT_IEEEFP;
  const bool is_known_kind = layout.is_float || kind == SAMPLEFORMAT_UINT || kind == SAMPLEFORMAT_VOID;
  const auto is_one_of = [&](std::initializer_list<int> all) { return std::ranges::count(all, layout.bits) > 0; };
  if (!is_known_kind || !(layout.is_float ? is_one_of({16, 32}) : is_one_of({1, 2, 4, 8, 16})))
    fail(Exit::input, "TIFF with {} values of {} bits is not supported",
         layout.is_float            ? "floating-point"
         : is_known_kind            ? "unsigned"
         : kind == SAMPLEFORMAT_INT ? "signed"
                                    : "complex",
         layout.bits);
  int color_count = 3;
  switch (layout.photometric) {
    case PHOTOMETRIC_MINISWHITE:
      if (layout.is_float) fail(Exit::input, "TIFF of floats where 0 is white is not supported");
      [[fallthrough]];
    case PHOTOMETRIC_MINISBLACK: color_count = 1; break;
    case PHOTOMETRIC_RGB: break;
    case PHOTOMETRIC_PALETTE:
      if (layout.bits > 8 || layout.sample_count != 1)
        fail(Exit::input,
             "TIFF with a palette of {} bits and {} samples "
             "is not supported",
             layout.bits, layout.sample_count);
      break;
    case PHOTOMETRIC_SEPARATED:
      layout.raster.is_cmyk = true;
      color_count = 4;
      if (layout.is_float || layout.bits < 8 || value<uint16_t>(TIFFTAG_INKSET, INKSET_CMYK) != INKSET_CMYK)
        fail(Exit::input, "TIFF of inks other than CMYK of 8 or 16 bits is not supported");
      break;
    case PHOTOMETRIC_YCBCR:
      // libtiff converts it to RGB
      if (value<uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JPEG && !layout.is_planar) break;
      fail(Exit::input, "TIFF of YCbCr is read only if it is JPEG without separate planes; convert it to RGB");
    default: fail(Exit::input, "TIFF of photometric interpretation {} is not supported", layout.photometric);
  }
  if (!layout.is_indexed() && layout.sample_count < color_count)
    fail(Exit::input, "has {} samples per texel; expected at least {}", layout.sample_count, color_count);
  Raster& raster = layout.raster;
  raster.format = "tiff";
  raster.size = layout.size;
  raster.channel_count = color_count;
  raster.depth = layout.is_float     ? (layout.bits == 16 ? Depth::half : Depth::f32)
                 : layout.bits == 16 ? Depth::u16
                                     : Depth::u8;
  const auto orientation = value<uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  raster.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  if (layout.is_indexed()) layout.components = {0};
  else take_samples(layout);
  take_color(layout);
  raster.dropped = dropped();
  return layout;
}

// Divisor that makes 8 bits of the entries of a palette, 0 if they need all 16. Writers store 8 bits 257 or 256 times, or as
// they are.
int divisor_for_bytes(const std::array<uint16_t*, 3>& maps, size_t count) {
  const auto are_all = [&](const auto& fits) {
    return std::ranges::all_of(maps, [&](const uint16_t* map) { return std::all_of(map, map + count, fits); });
  };
  if (are_all([](uint16_t entry) { return entry <= 255; })) return 1;
  for (const int divisor : {257, 256})
    if (are_all([&](uint16_t entry) { return entry % divisor == 0; })) return divisor;
  return 0;
}

void Page::take_palette(Layout& layout) {
  std::array<uint16_t*, 3> maps{};
  if (!TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]))
    fail(Exit::input, "has no palette, which its texels need");
  const size_t count = size_t(1) << layout.bits;
  const int divisor = divisor_for_bytes(maps, count);
  if (divisor == 0) layout.raster.depth = Depth::u16;
  for (size_t i = 0; i < count; ++i) {
    std::array<uint16_t, 3>& color = palette_.emplace_back();
    for (size_t c = 0; c < 3; ++c) color[c] = uint16_t(maps[c][i] / std::max(1, divisor));
  }
}

// Stores the samples of a strip or a tile. `plane`: the only sample that it has; -1: all.
template <class Word>
void Page::place(Layout& layout, const std::vector<std::byte>& block, Size block_size, Position at, int plane) const {
  const size_t samples = plane < 0 ? size_t(layout.sample_count) : 1;
  const auto bits = size_t(layout.bits);
  const size_t row_bytes = (size_t(block_size.width) * samples * bits + 7) / 8;
  const int width = std::min(block_size.width, layout.size.width - at.x);
  const int height = std::min(block_size.height, layout.size.height - at.y);
  const uint32_t most = (1u << bits % 32) - 1;  // largest integer
  Word* texels = layout.raster.texels.template as<Word>().data();
  for (int y = 0; y < height; ++y) {
    const std::byte* row = block.data() + size_t(y) * row_bytes;
    Word* to = texels + (size_t(at.y + y) * size_t(layout.size.width) + size_t(at.x)) * 4;
    for (size_t i = 0; i < size_t(width) * samples; ++i) {
      const int component = layout.components[plane < 0 ? i % samples : size_t(plane)];
      if (component < 0) continue;
      Word word;
      if (bits == 8) {
        word = Word(std::to_integer<uint8_t>(row[i]));  // for a palette of 16 bits, Word is wider
      } else if (bits > 8) {
        std::memcpy(&word, row + i * sizeof word, sizeof word);
      } else {
        const size_t bit = i * bits;
        word = Word(uint32_t(row[bit / 8]) >> (8 - bits - bit % 8) & most);
      }
      Word* texel = to + i / samples * 4;
      if (layout.is_indexed()) {
        for (size_t c = 0; c < 3; ++c) texel[c] = Word(palette_[size_t(word)][c]);
        continue;
      }
      if (layout.photometric == PHOTOMETRIC_MINISWHITE && component == 0) word = Word(most - word);
      if (bits < 8) word = Word(uint32_t(word) * 255 / most);
      texel[component] = word;
      if (component == 0 && layout.raster.is_gray()) texel[1] = texel[2] = word;
    }
  }
}

void Page::decode_blocks(Layout& layout) const {
  TIFF* tiff = tiff_.get();
  if (value<uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JPEG)
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  const bool is_tiled = TIFFIsTiled(tiff) != 0;
  const uint32_t across = is_tiled ? value<uint32_t>(TIFFTAG_TILEWIDTH, 0) : uint32_t(layout.size.width);
  const uint32_t down = is_tiled ? value<uint32_t>(TIFFTAG_TILELENGTH, 0)
                                 : std::min(value<uint32_t>(TIFFTAG_ROWSPERSTRIP, ~0u), uint32_t(layout.size.height));
  check_claimed_size(across, down, options_.limits);
  const Size size{int(across), int(down)};
  const size_t samples = layout.is_planar ? 1 : size_t(layout.sample_count);
  const size_t bytes = (size_t(across) * samples * size_t(layout.bits) + 7) / 8 * down;
  check_decoded_bytes(bytes, options_.limits);
  if (uint64_t(is_tiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff)) > bytes)
    fail(Exit::input, "its {} have more bytes than their texels need", is_tiled ? "tiles" : "strips");
  std::vector<std::byte> block(bytes);
  // libtiff with libdeflate takes data for more rows than the strip has as complete, but then some rows are not written
  if (value<uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_ADOBE_DEFLATE ||
      value<uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_DEFLATE)
    TIFFSetField(tiff, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
  uint32_t index = 0;
  for (int plane = layout.is_planar ? 0 : -1; plane < (layout.is_planar ? layout.sample_count : 0); ++plane)
    for (int y = 0; y < layout.size.height; y += size.height)
      for (int x = 0; x < layout.size.width; x += size.width, ++index) {
        const int height = std::min(size.height, layout.size.height - y);
        const size_t wanted = is_tiled ? bytes : bytes / down * size_t(height);
        const tmsize_t got = is_tiled ? TIFFReadEncodedTile(tiff, index, block.data(), tmsize_t(wanted))
                                      : TIFFReadEncodedStrip(tiff, index, block.data(), tmsize_t(wanted));
        check_errors();
        if (got < 0) fail(Exit::limit, "out of memory");  // for damaged data, libtiff names an error
        if (got != tmsize_t(wanted))
          fail(Exit::input, "is damaged: {} {} has {} bytes of {}", is_tiled ? "tile" : "strip", index, got, wanted);
        const auto place_words = bytes_of(layout.raster.depth) == 1   ? &Page::place<uint8_t>
                                 : bytes_of(layout.raster.depth) == 2 ? &Page::place<uint16_t>
                                                                      : &Page::place<uint32_t>;
        (this->*place_words)(layout, block, size, {x, y}, plane);
      }
}

Decoded Page::decode(const TexelAllocator& lend) {
  const int page_count = select_page();
  const std::string_view compression = check_compression();
  Layout layout = this->layout();
  check_errors();
  Raster& raster = layout.raster;
  if (layout.is_indexed()) take_palette(layout);
  raster.texels = lend_texels(layout.size, raster.depth, options_.limits, lend);
  if (raster.channel_count % 2 == 1) fill_alpha(raster.texels, raster.depth);
  decode_blocks(layout);
  Decoded decoded = decoded_of(std::move(raster), options_, lend);
  decoded.picture.compression = compression;
  decoded.parts = pages(page_count);
  if (page_count > 1 && options_.part.empty())
    decoded.warnings.push_back(fmt::format("has {} parts; only part 0 was read{}", page_count, part_hint));
  return decoded;
}

}  // namespace

Decoded read_tiff(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  return Page(file, options).decode(lend);
}

}  // namespace gpupost
