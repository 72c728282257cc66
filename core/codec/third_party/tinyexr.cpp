// tinyexr, which is one header: here is its code. Four things are put between it and its surroundings, because it offers
// no setting for them: libdeflate under its zlib calls, our number of threads, an ear for errors it drops, and an exception where
// memory ends, since 1.0.1 looks at no pointer that it gets.
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
thread_local bool tinyexr_met_damage = false;

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
      } catch (const ::std::system_error&) {  // there are no more threads
      }
    body();
  }
  void join() {
    if (started_) started_->join();
  }

 private:
  ::std::optional<::std::jthread> started_;  // joined where an exception passes
};

}  // namespace tinyexr::std

// tinyexr 1.0.1 ignores what its Huffman decoding returns, so damaged PIZ data become a picture. Its calls of the three
// steps pass slightly other types than its functions take: these templates fit them better, and keep the answer. What it
// looks at before the first step is checked by exr_chunks.cpp, what it looks at after the first step is checked here.
namespace tinyexr {

struct HufDec;
static bool hufUnpackEncTable(const char** pcode, int ni, int im, int iM, long long* hcode);
static bool hufBuildDecTable(const long long* hcode, int im, int iM, HufDec* hdecod);
static bool hufDecode(const long long* hcode, const HufDec* hdecod, const char* in, int ni, int rlc, int no,
                      unsigned short* out);

static bool remember(bool is_right) {
  if (!is_right) gpupost::tinyexr_met_damage = true;
  return is_right;
}

template <class Count>
bool hufUnpackEncTable(const char** packed, Count byte_count, int first, int last, long long* codes) {
  const char* const start = *packed;
  int bit_count = 0;  // of the data behind the table; 8 bytes before it
  ::std::memcpy(&bit_count, start - 8, sizeof bit_count);
  return remember(hufUnpackEncTable(packed, int(byte_count), first, last, codes)) &&
         remember(bit_count >= 0 && bit_count <= 8 * (byte_count - (*packed - start)));
}
template <class Code>
bool hufBuildDecTable(Code* codes, int first, int last, HufDec* table) {
  return !gpupost::tinyexr_met_damage &&
         remember(hufBuildDecTable(static_cast<const long long*>(codes), first, last, table));
}
template <class Count>
bool hufDecode(long long* codes, HufDec* table, const char* in, int bit_count, int run_code, Count count,
               unsigned short* out) {
  return !gpupost::tinyexr_met_damage &&
         remember(hufDecode(static_cast<const long long*>(codes), static_cast<const HufDec*>(table), in, bit_count,
                            run_code, int(count), out));
}

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
