// The files that the words of a command line stand for: files, folders, globs, sequences and lists.
#pragma once

#include "cli/options/shard.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

struct Input {
  std::string path;              // "-": standard input
  std::optional<int64_t> frame;  // of a file of a sequence
  int frame_width = 1;           // digits of the frame in the file's name
};

// What --list, --recursive, --frames, --skip-missing and --shard say.
struct InputOptions {
  std::string list;  // a file, "-" for standard input, "" for none
  bool is_recursive = false;
  std::optional<std::vector<int64_t>> frames;
  bool skips_missing = false;
  std::optional<Shard> shard;
};

struct InputList {
  std::vector<Input> files;          // in the order of the words; those of the shard alone
  std::vector<std::string> notes;    // how each word was understood that is not simply a file
  std::vector<std::string> missing;  // an error for each sequence that lacks frames
  bool is_batch = false;             // any number of files was asked for: where one fails, the exit code is Exit::batch
};

// Reads folders, and the file of --list. Throws Error(Exit::usage) for a word or option that is wrong, Error(Exit::input)
// where a word stands for no file, or a folder or list cannot be read.
InputList list_inputs(const std::vector<std::string>& words, const InputOptions& options);

// Does a word stand for files by a glob or a sequence, and not for the file of this very name?
bool is_input_pattern(const std::string& word);

}  // namespace gpupost
