#include "core/base/memory.h"

#include "core/base/error.h"

#include <sys/mman.h>
#include <memory>

namespace gpupost {

TexelBuffer::TexelBuffer(size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", bytes);
  madvise(pages, bytes, MADV_HUGEPAGE);  // a quarter of the page faults' time; refused is no harm
  data_ = static_cast<std::byte*>(pages);
  release_ = [pages, bytes] { munmap(pages, bytes); };
}

TexelBuffer first_part(TexelBuffer whole, size_t bytes) {
  const auto kept = std::make_shared<TexelBuffer>(std::move(whole));
  return TexelBuffer(kept->data(), bytes, [kept] {});
}

}  // namespace gpupost
