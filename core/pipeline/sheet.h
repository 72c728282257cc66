// One image with the results of all inputs of a job, for a chain that ends with `sheet`.
#pragma once

#include "core/pipeline/process_image.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The `sheet` call of a chain; nullptr if there is none.
const Call* sheet_of(std::span<const Call> calls);

// Makes an input show its display window. Returns the size of its cell, without the gap and the label. Throws
// Error(Exit::input) if the result of the chain is larger than the cell.
Size prepare_cell(std::span<const Call> calls, const std::string& input, uint64_t most_texels, Picture& picture);

// Replaces the results of all inputs, one part each, by one part with all of them, and draws labels. `image`: size of
// the first cell without the gap and the label. Throws Error(Exit::input) if their sizes differ, and Error(Exit::limit)
// if the image would be too large.
void arrange_cells(const Call& sheet, std::span<const std::string> inputs, Size image, uint64_t most_texels,
                   std::vector<ProcessedImage>& parts);

}  // namespace gpupost
