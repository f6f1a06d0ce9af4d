#include "core/index/count_files.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

TEST_CASE("ranks of one file count as one file, and ranks without a file as one each") {
    std::vector<RankTracePtr> traces;
    for (const char* const path : {"all.json", "all.json", "b/all.json", "", ""}) {
        TraceFixture fixture;
        fixture.rank(static_cast<int>(traces.size())).kernel(0, 10, "gemm");
        fixture.info().path = path;
        traces.push_back(fixture.build());
    }
    CHECK(count_files(*run_of(traces)) == 4);
}
