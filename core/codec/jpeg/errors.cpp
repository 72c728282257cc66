#include "core/codec/jpeg/errors.h"

namespace gpupost {

JpegErrors::JpegErrors(bool fatal_warnings) : jpeg_error_mgr{} {
  jpeg_std_error(this);
  error_exit = leave;
  if (fatal_warnings) emit_message = take_message;
}

void JpegErrors::leave(j_common_ptr jpeg) {
  auto& errors = static_cast<JpegErrors&>(*jpeg->err);
  errors.format_message(jpeg, errors.text_);
  std::longjmp(errors.jump_, 1);
}

void JpegErrors::leave_with(j_common_ptr jpeg, const char* text) {
  auto& errors = static_cast<JpegErrors&>(*jpeg->err);
  errors.msg_code = 0;
  std::snprintf(errors.text_, sizeof errors.text_, "%s", text);
  std::longjmp(errors.jump_, 1);
}

void JpegErrors::take_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;  // trace messages of libjpeg

  // the reader finds it in msg_code, and warns if the profile is used
  if (jpeg->err->msg_code == JWRN_BOGUS_ICC) return;

  const bool is_harmless = jpeg->err->msg_code == JWRN_ADOBE_XFORM || jpeg->err->msg_code == JWRN_JFIF_MAJOR;
  if (!is_harmless) leave(jpeg);
  auto& errors = static_cast<JpegErrors&>(*jpeg->err);
  errors.format_message(jpeg, errors.text_);
  errors.warning = errors.text_;
}

void JpegErrors::throw_error(Exit exit) const {
  if (msg_code == JERR_OUT_OF_MEMORY) fail(Exit::limit, "out of memory");
  if (msg_code == JERR_NO_BACKING_STORE)
    fail(exit, "needs too much memory to decode (raise the limit with --max-decoded)");
  fail(exit, "{}", text_);
}

}  // namespace gpupost
