// Errors of libjpeg as ours. libjpeg calls back where it fails, and must not return: guarded() jumps out of it, over nothing
// but C, and throws then.
#pragma once

#include "core/base/error.h"

#include <cstdio>  // jpeglib.h needs it

#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <string>

namespace gpupost {

class JpegErrors : public jpeg_error_mgr {
 public:
  // `fatal_warnings`: damaged data, which libjpeg would read on behind.
  explicit JpegErrors(bool fatal_warnings);
  // Runs `work`, which calls libjpeg and owns nothing. Throws what libjpeg fails with.
  template <class Work>
  void guarded(Exit exit, const Work& work) {
    if (setjmp(jump_) != 0) throw_error(exit);
    work();
  }
  // For callbacks of libjpeg that find something wrong themselves.
  [[noreturn]] static void leave_with(j_common_ptr jpeg, const char* text);
  std::string warning;  // of what is odd and does no harm; the last one

 private:
  [[noreturn]] static void leave(j_common_ptr jpeg);
  static void take_message(j_common_ptr jpeg, int level);
  [[noreturn]] void throw_error(Exit exit) const;

  std::jmp_buf jump_;
  char text_[JMSG_LENGTH_MAX] = "";
};

}  // namespace gpupost
