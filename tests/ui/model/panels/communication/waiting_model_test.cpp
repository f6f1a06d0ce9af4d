// The model of waiting has the numbers of the analyses, and its sentences are true.

#include "ui/model/panels/communication/waiting_model.hpp"
#include "core/analysis/engine/explain_waiting.hpp"

#include "core/index/rank_count.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/captures.hpp"
#include "tests/ui/model/panels/communication/waiting_fixture.hpp"
#include "ui/model/row_facets.hpp"

#include <cmath>

using core::testing::answer_of;
using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::run_with_late_rank;

namespace {

ui::WaitingModel waiting_of(const core::Run& run, const core::Filter& filter = {}, bool directly = false) {
    const core::Answer steps = answer_of(run, "wait-by-step");
    return ui::WaitingModel::of(run, answer_of(run, "stragglers"), steps.main(), filter, directly);
}

}  // namespace

TEST_CASE("pairs of who waits for whom add up to what each rank waited and to what each caused") {
    const core::RunPtr run = run_with_late_rank();
    const ui::WaitingModel model = waiting_of(*run);
    REQUIRE(model.ranks.size() == 3);
    double all = 0;
    for (std::size_t row = 0; row < 3; ++row) {
        double waited = 0, caused = 0;
        for (std::size_t other = 0; other < 3; ++other) {
            if (const double wait = model.pairs[model.at(row, other)]; std::isfinite(wait)) waited += wait;
            if (const double wait = model.pairs[model.at(other, row)]; std::isfinite(wait)) caused += wait;
        }
        CHECK(waited == model.ranks[row].waited);
        CHECK(caused == model.ranks[row].caused);
        all += waited;
    }
    CHECK(all == model.total);
    CHECK(all > 0);
    CHECK(std::isnan(model.pairs[model.at(2, 2)]));
    const core::EventRef event = model.pair_events[model.at(0, 2)];
    CHECK(event.slot == 0);
    CHECK(run->rank(0).trace().name_text(event.event) == "ncclDevKernel_AllReduce");
}

TEST_CASE("the rank that costs the others most comes first and is the one whose causes are shown") {
    const core::RunPtr run = run_with_late_rank();
    const ui::WaitingModel model = waiting_of(*run);
    CHECK(model.order.front() == 2);
    CHECK(model.headline.starts_with("Rank 2: "));
    CHECK(model.headline.find("last in 6 of 6") != std::string::npos);
    CHECK(model.chosen({}) == 2);
    CHECK(model.chosen(*core::parse_filter("rank:1")) == 1);
    CHECK(model.chosen(*core::parse_filter("rank:0-1")) == 2);
    const ui::WaitingModel filtered = waiting_of(*run, *core::parse_filter("rank:1"));
    CHECK(filtered.ranks[0].faded);
    CHECK_FALSE(filtered.ranks[1].faded);
}

TEST_CASE("windows of one job are added up: a rank has one bar, one row and one pair with another") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank)
        for (std::int64_t window = 0; window < 2; ++window) {
            TraceFixture fixture;
            const std::int64_t begin = window * 100'000'000, late = rank == 2 ? 50'000 * (window + 1) : 0;
            fixture.step(begin, 4'000'000, static_cast<int>(window) + 7);
            for (std::int64_t k = 0; k < 4; ++k) {
                const std::int64_t at = begin + k * 1'000'000;
                fixture.kernel(at, 1'000, "gemm", 7);
                fixture.kernel(at + 2'000 + late, 200'000 - late, "ncclDevKernel_AllReduce", 9)
                    .arg(core::Arg::CollectiveName, "allreduce")
                    .arg(core::Arg::GroupName, "dp")
                    .arg(core::Arg::GroupRanks, "[0, 1, 2]")
                    .arg(core::Arg::Seq, 10 * window + k);
            }
            traces.push_back(fixture.rank(rank).build());
        }
    const core::RunPtr run = core::testing::run_of_captures(traces);
    REQUIRE(core::are_windows(*run));
    const ui::WaitingModel model = waiting_of(*run);
    CHECK(model.rank_labels == std::vector<std::string>{"0", "1", "2"});
    CHECK(model.order.front() == 2);
    CHECK(model.ranks[2].captures == std::vector<core::RankKey>{{2, 0}, {2, 1}});
    CHECK(model.ranks[2].collectives == 8);
    CHECK(model.ranks[2].rooted == 2 * 4 * (50'000 + 100'000));
    CHECK(model.pairs[model.at(0, 2)] == 4 * (50'000 + 100'000));
    CHECK(model.pair_events[model.at(0, 2)].slot == 1);  // rank 0 waits longest in its second window
    CHECK(model.total == model.ranks[2].rooted);
    CHECK(model.chosen(*core::parse_filter("rank:1\xC2\xB7"
                                           "b")) == 1);
    const ui::WaitingModel filtered = waiting_of(*run, *core::parse_filter("rank:1\xC2\xB7"
                                                                           "b"));
    CHECK(filtered.ranks[0].faded);
    CHECK_FALSE(filtered.ranks[1].faded);
    CHECK_FALSE(ui::range_of_step(*run, 8, model.ranks[2].rank).empty());
    CHECK(ui::range_of_step(*run, 9, model.ranks[2].rank).empty());
}

TEST_CASE("waiting by step has a column none for collectives without a common step") {
    const core::RunPtr run = run_with_late_rank();
    const ui::WaitingModel model = waiting_of(*run);
    REQUIRE(model.step_labels == std::vector<std::string>{"none"});
    CHECK(model.by_step[2] == model.ranks[2].rooted);
}

TEST_CASE("without waits, the reason is stated") {
    TraceFixture cpu;
    cpu.launch(0, 10, 1);
    CHECK(core::explain_no_waiting(*run_of({cpu.rank(0).build()}), {}).starts_with("Only the CPU"));
    TraceFixture quiet;
    quiet.kernel(0, 10, "gemm");
    CHECK(core::explain_no_waiting(*run_of({quiet.rank(0).build()}), {}) ==
          "The traces have no communication kernels.");
    TraceFixture alone;
    alone.kernel(0, 10, "ncclDevKernel_AllReduce");
    const core::RunPtr one = run_of({alone.rank(0).build()});
    CHECK(core::explain_no_waiting(*one, {}).starts_with("One rank is open"));
    CHECK(waiting_of(*one).ranks.empty());
}
