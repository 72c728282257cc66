#include "core/base/printable.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpupost;

TEST_CASE("what can be read on a terminal stays as it is") {
  for (const std::string text : {"", "R", "diffuse.R", "größe.exr", "\u4e2d\u6587 \U0001f600", "a\\x1b", "~"})
    CHECK(printable(text) == text);
}

TEST_CASE("what changes a terminal is shown as its bytes") {
  CHECK(printable("\x1b[31mred") == "\\x1b[31mred");
  CHECK(printable("a\nb\tc\rd") == "a\\x0ab\\x09c\\x0dd");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\u009b31m") == "\\xc2\\x9b31m");  // a control sequence in two bytes
  CHECK(printable("\x9b"
                  "31m") == "\\x9b31m");                // and in one
  CHECK(printable("a\u202eb") == "a\\xe2\\x80\\xaeb");  // what follows runs from right to left
  CHECK(printable("a\u2066b\u2028c") == "a\\xe2\\x81\\xa6b\\xe2\\x80\\xa8c");
}

TEST_CASE("what is no UTF-8 is shown as its bytes") {
  CHECK(printable("gr\xf6\xdf"
                  "e") == "gr\\xf6\\xdfe");
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");                    // too long for its code
  CHECK(printable("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");           // likewise
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a pair
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond all codes
  CHECK(printable("\xe4\xb8") == "\\xe4\\xb8");                    // cut off
}

TEST_CASE("UTF-8 is told from other bytes") {
  for (const std::string text : {"", "a\n\x1b", "größe", "\u202e", "\U0001f600"}) CHECK(is_utf8(text));
  for (const std::string text : {"\xf6", "a\xff", "\xc0\x9b", "\xed\xa0\x80", "\xe4\xb8"}) CHECK(!is_utf8(text));
}

TEST_CASE("every text becomes plain, and stays so") {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string shown = printable(std::string{char(first), char(second), 'x'});
      CHECK(is_utf8(shown));
      for (const char c : shown) CHECK_FALSE((static_cast<unsigned char>(c) < 0x20 || c == 0x7f));
      CHECK(printable(shown) == shown);
    }
}

TEST_CASE("a long text is cut, and lines stay lines where they are meant") {
  CHECK(printable(std::string(2000, 'x'), 1000).size() == 1000);
  CHECK(printable_lines("a\x1b\nb\n\nc") == "a\\x1b\nb\n\nc");
  CHECK(printable_lines("a\n") == "a\n");
}
