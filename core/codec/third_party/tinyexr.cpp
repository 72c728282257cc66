// Implementation of tinyexr with three replacements that it has no settings for: libdeflate instead of zlib, the number
// of threads, and allocation that throws, because version 1.0.1 checks no pointers.
#include "core/base/threads.h"
#include "core/codec/third_party/tinyexr_settings.h"
#include "core/codec/third_party/zlib_by_libdeflate.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <thread>
#include <vector>

namespace gpupost {

thread_local int tinyexr_thread_count = 0;

}  // namespace gpupost

// tinyexr asks std::thread how many threads there are, whatever the affinity. Inside its namespace this is std::thread.
namespace tinyexr::std {

using namespace ::std;

class thread {
 public:
  static unsigned hardware_concurrency() {
    return unsigned(gpupost::tinyexr_thread_count > 0 ? gpupost::tinyexr_thread_count : gpupost::core_count());
  }
  template <class Body>
  explicit thread(Body&& body) {
    if (gpupost::tinyexr_thread_count != 1) try {
        started_.emplace(body);
        return;
      } catch (const ::std::system_error&) {  // no thread is available
      }
    body();
  }
  void join() {
    if (started_) started_->join();
  }

 private:
  ::std::optional<::std::jthread> started_;  // joined if an exception is thrown
};

}  // namespace tinyexr::std

namespace tinyexr {

static void* checked_malloc(size_t bytes) {
  void* const memory = ::malloc(bytes);
  if (!memory && bytes > 0) throw ::std::bad_alloc();
  return memory;
}
static void* checked_calloc(size_t count, size_t bytes) {
  void* const memory = ::calloc(count, bytes);
  if (!memory && count > 0 && bytes > 0) throw ::std::bad_alloc();
  return memory;
}

}  // namespace tinyexr

#define malloc(bytes) tinyexr::checked_malloc(bytes)
#define calloc(count, bytes) tinyexr::checked_calloc(count, bytes)
#define TINYEXR_IMPLEMENTATION
#define TINYEXR_USE_THREAD 1
#include <tinyexr.h>
