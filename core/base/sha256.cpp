// OpenSSL's SHA-256 by its oldest functions: those that replace them pull all of its ciphers into a static program.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "core/base/sha256.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace gpupost {

namespace {

class Digest {
 public:
  Digest() { SHA256_Init(&state_); }
  void add(const void* bytes, size_t count) { SHA256_Update(&state_, bytes, count); }
  std::string text() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes;
    SHA256_Final(bytes.data(), &state_);
    std::string digits;
    for (const unsigned char byte : bytes) digits += fmt::format("{:02x}", byte);
    return digits;
  }

 private:
  SHA256_CTX state_;
};

}  // namespace

std::string sha256_of(std::span<const std::byte> bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.text();
}

std::string sha256_of(std::string_view text) { return sha256_of(std::as_bytes(std::span(text))); }

std::string sha256_of_file(const std::string& path) {
  struct File {
    int number;
    ~File() {
      if (number >= 0) close(number);
    }
  };
  const File file{
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};  // a named pipe is no reason to wait
  struct stat facts = {};
  if (file.number < 0 || fstat(file.number, &facts) != 0 || !S_ISREG(facts.st_mode)) return "";
  Digest digest;
  std::vector<std::byte> part(1 << 18);
  while (true) {
    const ssize_t got = read(file.number, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return "";
    if (got == 0) return digest.text();
    digest.add(part.data(), size_t(got));
  }
}

}  // namespace gpupost
