#include "core/base/sha256.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

namespace gpupost {

namespace {

class Digest {
 public:
  Digest() : state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!state_ || EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) != 1) fail(Exit::limit, "out of memory");
  }
  void add(const void* bytes, size_t count) { EVP_DigestUpdate(state_.get(), bytes, count); }
  std::string text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned count = 0;
    EVP_DigestFinal_ex(state_.get(), bytes.data(), &count);
    std::string digits;
    for (unsigned index = 0; index < count; ++index) digits += fmt::format("{:02x}", bytes[index]);
    return digits;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> state_;
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
