// How busy cores were, by the counters of Linux.
#include "core/system/core_shares.h"

#include <doctest/doctest.h>

using namespace gpupost;

TEST_CASE("shares of cores are those of the ticks between two readings") {
  const auto before = core_ticks_of(
      "cpu  1 2 3 4 5 6 7 8 0 0\n"
      "cpu0 100 10 20 1000 50 1 2 3 0 0\n"
      "cpu12 0 0 0 500 0 0 0 0 0 0\n"
      "intr 12345\n");
  REQUIRE(before.size() == 2);
  CHECK(before[0].core == 0);
  CHECK(before[0].busy == 136);
  CHECK(before[0].idle == 1000);
  CHECK(before[0].disk == 50);
  CHECK(before[1].core == 12);
  const auto after = core_ticks_of(
      "cpu0 150 10 30 1020 60 1 12 3 0 0\n"
      "cpu3 9 9 9 9 9 9 9 9 0 0\n"
      "cpu12 0 0 0 500 0 0 0 0 0 0\n");
  const auto shares = shares_between(before, after);
  REQUIRE(shares.size() == 2);  // core 3 came up in the meantime
  CHECK(shares[0].core == 0);
  CHECK(shares[0].busy == doctest::Approx(0.7));
  CHECK(shares[0].disk == doctest::Approx(0.1));
  CHECK(shares[1].core == 12);
  CHECK(shares[1].busy == 0);  // no tick passed
}

TEST_CASE("cores of this process have shares between 0 and 1") {
  const CoreWatch watch;
  for (volatile int count = 0; count < 30'000'000;) count = count + 1;
  const auto shares = watch.shares();
  CHECK(!shares.empty());
  for (const CoreShares& core : shares) {
    CHECK(core.busy >= 0);
    CHECK(core.busy + core.disk <= 1.000001);
  }
}
