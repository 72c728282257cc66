// Converts errors of libjpeg to exceptions. The error callback of libjpeg must not return, so guarded() uses longjmp
// over C frames only, and then throws.
#pragma once

#include "core/base/error.h"

#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>  // the codes of jerror.h depend on what it defines

#include <jerror.h>

#include <csetjmp>
#include <string>

namespace gpupost {

class JpegErrors : public jpeg_error_mgr {
 public:
  // `fatal_warnings`: treat damaged data as an error, although libjpeg would continue.
  explicit JpegErrors(bool fatal_warnings);
  // Runs `work`, which calls libjpeg and must own nothing. Throws the error of libjpeg.
  template <class Work>
  void guarded(Exit exit, const Work& work) {
    if (setjmp(jump_) != 0) throw_error(exit);
    work();
  }
  // For callbacks of libjpeg that detect an error.
  [[noreturn]] static void leave_with(j_common_ptr jpeg, const char* text);
  std::string warning;  // last harmless warning

 private:
  [[noreturn]] static void leave(j_common_ptr jpeg);
  static void take_message(j_common_ptr jpeg, int level);
  [[noreturn]] void throw_error(Exit exit) const;

  std::jmp_buf jump_;
  char text_[JMSG_LENGTH_MAX] = "";
};

}  // namespace gpupost
