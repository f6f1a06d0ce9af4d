#include "core/ingest/index_file/thin_rank.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <span>

using namespace core;
using namespace core::testing;

namespace {

bool opens_with(const StoredClock& clock) {
    TraceFixture fixture;
    fixture.rank(0).kernel(10, 20, "ncclDevKernel_AllReduce").arg(Arg::CollectiveName, "allreduce");
    const RunPtr run = run_of({fixture.build()});
    KeptWithRank kept;
    kept.facts.clock = clock;
    kept.hidden.resize(run->rank(0).index->members().events().size());
    const PackedSections packed = pack_sections(thin_sections(*run->rank(0).index, kept));
    const Result<UnpackedSections> unpacked =
        unpack_sections(std::as_bytes(std::span<const char>(packed.bytes)), packed.raw_bytes);
    REQUIRE(unpacked);
    return thick_trace(*unpacked, {}, "run.lockstep-summary").has_value();
}

}  // namespace

TEST_CASE("a summarised rank with a clock that no run can have is refused") {
    CHECK(opens_with({}));
    CHECK(
        opens_with({.offset = 1'700'000'000'000'000'000, .reference = 5, .drift = std::bit_cast<std::uint64_t>(1e-5)}));
    CHECK_FALSE(opens_with({.offset = std::numeric_limits<std::int64_t>::min(), .reference = 0, .drift = 0}));
    CHECK_FALSE(opens_with({.offset = 0, .reference = std::numeric_limits<std::int64_t>::max(), .drift = 0}));
    CHECK_FALSE(opens_with({.offset = 0,
                            .reference = 0,
                            .drift = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN())}));
}
