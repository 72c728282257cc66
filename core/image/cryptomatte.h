// Ids of objects and their coverage in float channels, by the Cryptomatte specification 1.2.
#pragma once

#include "core/image/picture.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The name of a Cryptomatte, and what the names of its attributes begin with: "cryptomatte/KEY/".
struct Cryptomatte {
  std::string name, key;
};
std::vector<Cryptomatte> cryptomattes_of(const std::vector<Attribute>& attributes);

// Returns whether the channel holds ids or coverage of the Cryptomatte of this name.
bool is_rank_of(std::string_view cryptomatte, std::string_view channel);
// Returns whether the channel holds ids or coverage of any of them.
bool is_rank_of_any(const std::vector<Cryptomatte>& cryptomattes, const Channel& channel);

// Sets is_cryptomatte of the groups beside color whose channels hold ids and coverage. Splits groups that hold other channels too.
// An attribute "cryptomatte/KEY/name" with the value "CryptoObject" names the channels "CryptoObject00.R", "CryptoObject01.G", and
// so on. Channels without a number, "CryptoObject.R", are a preview, which may be filtered.
void mark_cryptomattes(Picture& picture);

// A channel of the color that holds ids or coverage, if --layer chooses such channels as the color; else nullptr.
const Channel* rank_of_color(const Picture& picture);

// Removes the attributes of Cryptomattes whose ids or coverage are in the color.
void remove_cryptomattes_of_color(Picture& picture);

}  // namespace gpupost
