// Expands words of the command line to input files: files, folders, globs, sequences and lists.
#pragma once

#include "cli/options/shard.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

struct Input {
  std::string path;              // "-": standard input
  std::optional<int64_t> frame;  // frame number, for a file of a sequence
  int frame_width = 1;           // digits of the frame number in the file name, with a minus sign
};

// Values of --list, --recursive, --frames, --skip-missing and --shard.
struct InputOptions {
  std::string list;  // a file, "-" for standard input, "" for none
  bool is_recursive = false;
  // The folder that -o names before its first placeholder, with its /; "": none. It is left out of folders, so that a run does not
  // read outputs of an earlier one.
  std::string output_folder;
  std::optional<std::vector<int64_t>> frames;
  bool skips_missing = false;
  std::optional<Shard> shard;
};

struct InputList {
  std::vector<Input> files;           // in the order of the words; only those of the shard
  std::vector<Input> others;          // files of the other shards, to find conflicts; without standard input
  std::vector<std::string> notes;     // explanations of words that are not simply files
  std::vector<std::string> left_out;  // a note for each folder of outputs and each link to a folder that is no input
  std::vector<std::string>
      missing;  // an error for each sequence with missing frames, and for each folder in a folder that cannot be read
  size_t skipped_count = 0;  // missing frames that --skip-missing accepts
  bool is_batch = false;     // a batch: if one file fails, the exit code is Exit::batch
};

// Lists the inputs; reads folders and the file of --list. Throws Error(Exit::usage) for an invalid word or option, and
// Error(Exit::input) if a word matches no file, or a folder or list cannot be read.
InputList list_inputs(const std::vector<std::string>& words, const InputOptions& options);

bool is_folder(const std::string& path);

// Returns whether a word is a glob or a sequence, and not the name of an existing file.
bool is_input_pattern(const std::string& word);

}  // namespace gpupost
