#include "cli/options/other_programs.h"

#include "core/base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace gpupost {

// Also extensions of files that `lut` does not read.
static constexpr std::pair<std::string_view, std::string_view> advice_for_words[] = {
    {"-V", "`gpupost --version` prints the version"},
    {"-c", "`--compression` chooses the compression"},
    {"-d", "`--bits` chooses the depth"},
    {"-f", "existing outputs are replaced without an option"},
    {"-i", "an input is a word without an option"},
    {"-j", "`--jobs` sets the number of threads"},
    {"-n", "`--no-clobber` keeps existing outputs"},
    {"-q", "write `--quality` or `--quiet`"},
    {"-s", "write `resize --size WxH`"},
    {"-v", "`--explain`, `--timing` and `--report` tell about a run"},
    {"-vf", "ops are words, like `resize --size 50%`"},
    {"-y", "existing outputs are replaced without an option"},
    {".3dl", "write `ocio --file FILE.3dl`"},
    {".clf", "write `ocio --file FILE.clf`"},
    {".csp", "write `ocio --file FILE.csp`"},
    {".ctf", "write `ocio --file FILE.ctf`"},
    {".spi1d", "write `ocio --file FILE.spi1d`"},
    {".spi3d", "write `ocio --file FILE.spi3d`"},
    {"aces", "write `tonemap --curve hill`"},
    {"add", "write `merge --with FILE --mode add`"},
    {"addc", "write `offset --value NUMBER`"},
    {"alpha", "`channels --list R,G,B` gives the image over black, and with `--input-alpha data` the color alone"},
    {"+append", "write `sheet --gap 0 --columns NUMBER`"},
    {"append", "write `sheet --gap 0 --columns 1`"},
    {"auto-orient", "files are turned upright without an option"},
    {"autocrop", "`crop --to content` cuts transparent or black borders"},
    {"cadd", "write `offset --value NUMBER`"},
    {"ch", "write `channels --list R,G,B`"},
    {"checknan", "`stats` counts NaN"},
    {"cmul", "write `gain --value NUMBER`"},
    {"colorconvert", "write `ocio --from SPACE --to SPACE`"},
    {"colorspace", "write `ocio --to SPACE`, or `--output-primaries`"},
    {"compose", "write `merge --with FILE --mode over`"},
    {"composite", "write `merge --with FILE --mode over`"},
    {"compress", "`--compression` chooses the compression"},
    {"convert", "to convert a file, write `gpupost INPUT -o OUTPUT`"},
    {"cut", "write `crop --window WxH+X+Y`"},
    {"depth", "`--bits` chooses the depth"},
    {"div", "write `merge --with FILE --mode divide`"},
    {"divide", "write `merge --with FILE --mode divide`"},
    {"dry-run", "`--explain` prints the passes of a chain and runs nothing"},
    {"extent", "write `pad --size WxH`"},
    {"extract", "write `channels --list` with the names of the channels"},
    {"ffmpeg", "to convert a file, write `gpupost INPUT -o OUTPUT`"},
    {"filmic", "write `tonemap --curve hable`"},
    {"filter:v", "ops are words, like `resize --size 50%`"},
    {"fixnan", "write `nan`"},
    {"flop", "write `flip x`"},
    {"force", "existing outputs are replaced without an option"},
    {"gpu", "`--device` chooses the device"},
    {"gray", "write `saturation --factor 0`"},
    {"grayscale", "write `saturation --factor 0`"},
    {"input", "an input is a word without an option"},
    {"loglevel", "`--quiet` prints only errors"},
    {"magick", "to convert a file, write `gpupost INPUT -o OUTPUT`"},
    {"maketx", "to write a texture with levels, write `gpupost INPUT mips -o OUTPUT`"},
    {"mask", "write `merge --with FILE --mode mask`"},
    {"mipmap", "write `mips`"},
    {"mirror", "write `flip x`"},
    {"modulate", "write `gain --value NUMBER` for brightness, `saturation --factor NUMBER` for saturation"},
    {"mosaic", "write `sheet`"},
    {"mul", "write `merge --with FILE --mode multiply`"},
    {"mulc", "write `gain --value NUMBER`"},
    {"multiply", "write `merge --with FILE --mode multiply`"},
    {"negate", "write `invert`"},
    {"ociodisplay", "write `ocio --display DISPLAY --view VIEW`"},
    {"ociofiletransform", "write `ocio --file FILE`"},
    {"ociolook", "write `ocio --look LOOK`"},
    {"oiiotool", "to convert a file, write `gpupost INPUT -o OUTPUT`"},
    {"over", "write `merge --with FILE --mode over`"},
    {"overwrite", "existing outputs are replaced without an option"},
    {"paste", "write `merge --with FILE --offset X,Y`"},
    {"pix_fmt", "`--bits` chooses the depth"},
    {"premult", "write `premultiply`"},
    {"printinfo", "write `gpupost info INPUT`"},
    {"qscale:v", "`--quality` chooses the quality of a JPEG"},
    {"reorient", "files are turned upright without an option"},
    {"resample", "write `resize --size WxH`, for the nearest texels with `--filter nearest`"},
    {"rotate180", "write `rotate 180`"},
    {"rotate270", "write `rotate 270`"},
    {"rotate90", "write `rotate 90`"},
    {"runstats", "`--timing` prints times"},
    {"saturate", "write `saturation --factor NUMBER`"},
    {"selectmip", "`--level` chooses a level"},
    {"start_number", "`--frames` chooses the frames of a sequence"},
    {"stencil", "write `merge --with FILE --mode stencil`"},
    {"sub", "write `merge --with FILE --mode subtract`"},
    {"subc", "write `offset --value -NUMBER`"},
    {"subimage", "`--part` chooses a part"},
    {"subtract", "write `merge --with FILE --mode subtract`"},
    {"threads", "`--jobs` sets the number of threads"},
    {"thumbnail", "write `resize --fit WxH`"},
    {"to", "to convert a file, write `gpupost INPUT -o OUTPUT`"},
    {"tocolorspace", "write `ocio --to SPACE`"},
    {"trim", "`crop --to content` cuts transparent or black borders"},
    {"unpremult", "write `unpremultiply`"},
    {"unsharp", "write `sharpen`"},
    {"verbose", "`--explain`, `--timing` and `--report` tell about a run"}};

std::string advice_for(std::string_view word) {
  const std::string lower = lower_case(word);  // only options of one letter have another meaning in upper case
  const std::string_view bare = std::string_view(lower).substr(std::min(lower.find_first_not_of('-'), lower.size()));
  for (const std::string_view given : {word, bare, bare.substr(0, bare.find(':'))})
    for (const auto& [name, advice] : advice_for_words)
      if (given == name) return fmt::format(" ({})", advice);
  return "";
}

}  // namespace gpupost
