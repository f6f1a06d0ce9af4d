// One clock for the whole run: every analysis of matched collectives uses the run's clocks.

#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <set>

using namespace core;
using namespace core::testing;

namespace {

// Two ranks, one clock 3 ms ahead, that meet twelve times; rank 1 is always 1 ms late.
RunPtr run_with_clocks_apart() {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 2; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        const std::int64_t ahead = r == 0 ? 0 : 3'000'000;
        for (std::int64_t k = 0; k < 12; ++k) {
            const std::int64_t at = k * 20'000'000 + ahead + (r == 0 ? 0 : 1'000'000);
            fixture.kernel(at - 500'000, 400'000, "gemm")
                .kernel(at, (r == 0 ? 1'000'000 : 0) + 50'000, "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::CollectiveDtype, "Float")
                .arg(Arg::InElements, 1024 << k % 4)
                .arg(Arg::GroupName, "0")
                .arg(Arg::GroupRanks, "[0, 1]")
                .arg(Arg::Seq, k);
        }
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("every analysis of matched collectives is on the clocks of its run and says so") {
    const RunPtr recorded = run_with_clocks_apart();
    const RunPtr aligned = with_clocks(recorded, ClockChoice::Auto);
    REQUIRE(is_aligned(*aligned));
    std::size_t said = 0;
    for (const Analysis& analysis : all_analyses()) {
        for (const RunPtr& run : {recorded, aligned}) {
            const Result<Params> params = make_params(analysis, {});
            REQUIRE(params);
            const Result<Answer> answer = run_analysis(analysis, *run, Filter{}, *params, 1, {});
            if (!answer) continue;
            const Table* const clocks = answer->find("clocks");
            if (clocks == nullptr || clocks->find_column("clocks") >= clocks->columns().size()) continue;
            INFO(analysis.id);
            REQUIRE(clocks->rows() == 1);
            CHECK(clocks->text(0, clocks->find_column("clocks")) == (run == aligned ? "aligned" : "recorded"));
            ++said;
        }
    }
    CHECK(said >= 24);  // twelve analyses, on both clocks
    // On recorded clocks rank 0 seems to wait 3 ms longer than possible: for its whole kernels.
    const auto waited = [](const Run& run, std::string_view id, std::string_view column) {
        const Table table = answer_of(run, id).main();
        std::int64_t sum = 0;
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (!table.absent(row, table.find_column(column))) sum += table.integer(row, table.find_column(column));
        return sum;
    };
    for (const auto& [id, column] :
         {std::pair{"waits", "wait"}, std::pair{"stragglers", "wait_caused"}, std::pair{"wait-by-step", "own_wait"}}) {
        INFO(id);
        CHECK(waited(*aligned, id, column) == 12 * 1'000'000);
        CHECK(waited(*recorded, id, column) != 12 * 1'000'000);
    }
}

TEST_CASE("parameters of matching and of clocks show what they would do, on matching and clock-alignment alone") {
    const std::set<std::string_view> kOfMatching = {"tolerance", "shifts", "drift_least", "drift_saves", "least_error"};
    for (const Analysis& analysis : all_analyses())
        for (const Param& param : analysis.params) {
            if (!kOfMatching.contains(param.name)) continue;
            INFO(analysis.id);
            CHECK((analysis.id == "matching" || analysis.id == "clock-alignment"));
        }
    // A tolerance that matches nothing by order changes only its own table.
    const RunPtr run = run_with_clocks_apart();
    const std::vector<std::string> before = rows_of(answer_of(*run, "stragglers").main());
    static_cast<void>(answer_of(*run, "matching", "", {{"tolerance", "0"}}));
    CHECK(rows_of(answer_of(*run, "stragglers").main()) == before);
}
