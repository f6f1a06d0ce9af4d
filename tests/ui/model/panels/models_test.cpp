// View models against the answers they are computed from.

#include "core/charts/comparison_chart.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"
#include "ui/model/details_model.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/model/panels/durations_model.hpp"
#include "ui/model/panels/kernels_model.hpp"
#include "ui/table/result_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace {

using core::testing::answer_of;
using core::testing::find_named;
using core::testing::run_of;
using core::testing::TraceFixture;

core::RunPtr random_run(int ranks) {
    std::mt19937 random(7);
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < ranks; ++rank) {
        TraceFixture fixture;
        for (int step = 0; step < 4; ++step) fixture.step(10'000 * step, 9'500, step);
        const char* names[] = {"gemm", "ncclDevKernel_AllReduce", "Memcpy HtoD", "relu"};
        for (int k = 0; k < 60; ++k) {
            const auto which = random() % 4;
            fixture.kernel(static_cast<std::int64_t>(random() % 40'000), 1 + static_cast<std::int64_t>(random() % 900),
                           names[which], static_cast<int>(7 + random() % 3), -1, which == 2 ? "gpu_memcpy" : "kernel");
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("the breakdown of the whole window is the same from the answer and from the partitions") {
    const core::RunPtr run = random_run(3);
    const core::Answer breakdown = answer_of(*run, "temporal-breakdown");
    const core::Answer types = answer_of(*run, "kernel-types");
    const ui::RunBreakdown asked = ui::RunBreakdown::of_answers(breakdown.main(), &types.main(), {});
    core::JobPool pool(1);
    const core::ResultCache cache(pool);
    const ui::RunBreakdown seen = ui::RunBreakdown::of_window(run, run->window(), {}, cache);
    REQUIRE(asked.ranks.size() == 3);
    REQUIRE(seen.ranks.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(asked.ranks[i].compute == seen.ranks[i].compute);
        CHECK(asked.ranks[i].exposed_communication == seen.ranks[i].exposed_communication);
        CHECK(asked.ranks[i].exposed_memory == seen.ranks[i].exposed_memory);
        CHECK(asked.ranks[i].idle == seen.ranks[i].idle);
    }
    REQUIRE(asked.sets.size() == seen.sets.size());
    double share = 0;
    for (std::size_t i = 0; i < asked.sets.size(); ++i) {
        CHECK(asked.sets[i].set == seen.sets[i].set);
        CHECK(asked.sets[i].time == seen.sets[i].time);
        share += asked.sets[i].share;
    }
    CHECK(share == doctest::Approx(1));
}

TEST_CASE("a window without GPU work leaves a rank absent, not zero") {
    const core::RunPtr run = run_of({TraceFixture().kernel(1000, 10, "gemm").build()});
    core::JobPool pool(1);
    const core::ResultCache cache(pool);
    const ui::RunBreakdown model =
        ui::RunBreakdown::of_window(run, {core::run_time(0), core::run_time(500)}, {}, cache);
    REQUIRE(model.ranks.size() == 1);
    CHECK(model.ranks[0].absent);
}

TEST_CASE("merging ranks keeps counts, sums, extremes and deviations") {
    const core::RunPtr run = random_run(4);
    const core::Answer answer = answer_of(*run, "kernels");
    const core::Table merged = ui::merge_ranks(answer.main());
    const std::size_t kernel = merged.find_column("kernel");
    REQUIRE(merged.rows() == 4);
    double share = 0;
    double count_share = 0;
    for (std::size_t row = 0; row < merged.rows(); ++row) {
        std::vector<double> durations;
        for (const core::RankSlot& rank : run->ranks())
            for (const core::EventId e : rank.trace().gpu_events)
                if (rank.trace().name_text(e) == merged.text(row, kernel))
                    durations.push_back(static_cast<double>(rank.trace().duration[core::index_of(e)].count()));
        double sum = 0;
        double squares = 0;
        for (const double d : durations) sum += d;
        const double mean = sum / static_cast<double>(durations.size());
        for (const double d : durations) squares += (d - mean) * (d - mean);
        CAPTURE(merged.text(row, kernel));
        CHECK(merged.integer(row, merged.find_column("count")) == static_cast<std::int64_t>(durations.size()));
        CHECK(merged.integer(row, merged.find_column("total")) == static_cast<std::int64_t>(sum));
        CHECK(merged.number(row, merged.find_column("mean")) == doctest::Approx(mean).epsilon(0.002));
        CHECK(merged.number(row, merged.find_column("min")) == std::ranges::min(durations));
        CHECK(merged.number(row, merged.find_column("max")) == std::ranges::max(durations));
        CHECK(merged.number(row, merged.find_column("stddev")) ==
              doctest::Approx(std::sqrt(squares / static_cast<double>(durations.size() - 1))).epsilon(0.01));
        share += merged.number(row, merged.find_column("share"));
        count_share += merged.number(row, merged.find_column("count_share"));
    }
    CHECK(share == doctest::Approx(1));
    CHECK(count_share == doctest::Approx(1));
}

TEST_CASE("durations take the kernels with the longest total unless some are chosen") {
    const core::RunPtr run = random_run(3);
    const core::Answer kernels = answer_of(*run, "kernels");
    const core::Answer imbalance = answer_of(*run, "kernel-imbalance");
    const auto top = ui::collect_durations(kernels.main(), &imbalance.main(), {}, 2);
    REQUIRE(top.size() == 2);
    CHECK(top[0].total >= top[1].total);
    REQUIRE(top[0].ranks.size() == 3);
    CHECK(top[0].imbalance);
    for (const ui::RankDuration& rank : top[0].ranks) {
        CHECK(rank.low <= rank.mean);
        CHECK(rank.mean <= rank.high);
    }
    const std::vector<std::string> chosen{"relu", "gemm", "not there"};
    const auto some = ui::collect_durations(kernels.main(), nullptr, chosen, 12);
    REQUIRE(some.size() == 2);
    CHECK(some[0].kernel == "relu");
    CHECK(some[1].kernel == "gemm");
    CHECK_FALSE(some[0].imbalance);
}

TEST_CASE("durations take the windows of a rank in one job together") {
    const core::RunPtr run =
        core::testing::run_of_captures({TraceFixture().rank(0).kernel(0, 10, "gemm").build(),
                                        TraceFixture().rank(0).kernel(100, 40, "gemm").kernel(200, 70, "gemm").build(),
                                        TraceFixture().rank(1).kernel(0, 20, "gemm").build()});
    const core::Answer kernels = answer_of(*run, "kernels");
    const auto found = ui::collect_durations(kernels.main(), nullptr, {}, 12, ui::TopBy::Total, run.get());
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].ranks.size() == 2);
    CHECK(found[0].ranks[0].key == core::RankKey{0, 0});
    CHECK(found[0].ranks[0].mean == 40);
    CHECK(found[0].ranks[0].low == 10);
    CHECK(found[0].ranks[0].high == 70);
    CHECK(found[0].ranks[0].count == 3);
    CHECK(found[0].total == 140);
    CHECK(ui::collect_durations(kernels.main(), nullptr, {}, 12)[0].ranks.size() == 3);
}

TEST_CASE("a rank stands out when it is far slower than the others, not when it is faster or all are alike") {
    const auto ranks_of = [](std::initializer_list<double> means) {
        std::vector<ui::RankDuration> ranks;
        for (const double mean : means) ranks.push_back({{static_cast<int>(ranks.size()), 0}, mean, mean, mean, 1});
        ui::mark_outliers(ranks);
        return ranks;
    };
    const auto slow = ranks_of({10, 10.1, 9.9, 10, 15, 10.05});
    for (const ui::RankDuration& rank : slow) CHECK(rank.stands_out == (rank.mean == 15));
    for (const ui::RankDuration& rank : ranks_of({10, 10.1, 9.9, 10, 10.2})) CHECK_FALSE(rank.stands_out);
    for (const ui::RankDuration& rank : ranks_of({10, 10.1, 9.9, 10, 5, 10.05})) CHECK_FALSE(rank.stands_out);
    for (const ui::RankDuration& rank : ranks_of({10, 20})) CHECK_FALSE(rank.stands_out);
    for (const ui::RankDuration& rank : ranks_of({10, 10, 10})) CHECK_FALSE(rank.stands_out);
}

TEST_CASE("details link a launch and its kernel both ways, and the operator around them") {
    const core::RunPtr run =
        run_of({TraceFixture().cpu(0, 100, "aten::mm").launch(10, 5, 3).kernel(40, 20, "gemm", 7, 3).build()});
    const core::RankTrace& trace = run->rank(0).trace();
    const ui::EventDetails kernel = ui::describe_event(*run, {0, find_named(trace, "gemm")});
    CHECK(kernel.name == "gemm");
    CHECK(kernel.kernel_class == core::KernelClass::Compute);
    REQUIRE(kernel.links.size() == 2);
    CHECK(kernel.links[0].label == "Launched by");
    CHECK(kernel.links[0].event.event == find_named(trace, "cudaLaunchKernel"));
    CHECK(kernel.links[0].note == "+25 ns");
    CHECK(kernel.links[1].label == "Operator");
    CHECK(kernel.links[1].name == "aten::mm");
    const ui::EventDetails launch = ui::describe_event(*run, kernel.links[0].event);
    REQUIRE(launch.links.size() == 2);
    CHECK(launch.links[0].label == "Launches");
    CHECK(launch.links[0].event.event == find_named(trace, "gemm"));
    CHECK(launch.links[1].label == "Within");
}

TEST_CASE("an argument object is split into exactly what the file says") {
    using ui::Argument;
    const auto split = ui::split_object(
        R"({"Comms Id": 10159970886766084423, "dims": [[1, 2], []], "name" : "a \"b\", {c}\n", "x":{"y":[1,{"z":2}]}, "e":1.50})");
    REQUIRE(split.size() == 5);
    CHECK(split[0] == Argument{"Comms Id", "10159970886766084423", false});
    CHECK(split[1] == Argument{"dims", "[[1, 2], []]", false});
    CHECK(split[2] == Argument{"name", "a \"b\", {c}\n", true});
    CHECK(split[3] == Argument{"x", R"({"y":[1,{"z":2}]})", false});
    CHECK(split[4] == Argument{"e", "1.50", false});
    CHECK(ui::split_object("").empty());
    CHECK(ui::split_object("{}").empty());
    CHECK(ui::split_object(" { } ").empty());
}

TEST_CASE("arguments that do not parse are shown whole") {
    for (const char* broken :
         {"{\"a\": [1, 2}", "{a: 1}", "[1, 2]", "{\"a\" 1}", "{\"a\": \"b}", "{\"unclosed}", "{]}"}) {
        CAPTURE(broken);
        const auto split = ui::split_object(broken);
        REQUIRE_FALSE(split.empty());
        std::string all;
        for (const ui::Argument& argument : split) all += argument.value;
        CHECK_FALSE(all.empty());
    }
}

TEST_CASE("every analysis makes a chart of its own table") {
    const core::RunPtr run = random_run(3);
    for (const core::Analysis& analysis : core::all_analyses()) {
        CAPTURE(analysis.id);
        const core::Answer answer = answer_of(*run, analysis.id);
        const core::ChartModel model = core::ChartModel::of(analysis, answer.main(), "");
        for (const core::ChartModel::Item& item : model.items)
            CHECK(item.values.size() == (model.kind == core::ChartKind::ErrorBars ? 3 : model.parts.size()));
        const core::ChartModel empty = core::ChartModel::of(analysis, core::Table(answer.main().columns()), "");
        CHECK(empty.items.empty());
    }
}

TEST_CASE("rows are found in text columns whatever their case, and sorted with absent cells last") {
    core::Table table({{"kernel", core::Unit::Text, core::Role::Key, core::Facet::Kernel, {}},
                       {"time", core::Unit::Ns, core::Role::Measure, core::Facet::None, {}}});
    table.add_row({std::string_view("GEMM"), std::int64_t{5}});
    table.add_row({std::string_view("relu"), core::Cell{}});
    table.add_row({std::string_view("gemv"), std::int64_t{9}});
    CHECK(ui::find_rows(table, "gem") == std::vector<std::size_t>{0, 2});
    CHECK(ui::find_rows(table, "").size() == 3);
    std::vector<std::size_t> rows = ui::find_rows(table, "");
    ui::sort_rows(table, 1, true, rows);
    CHECK(rows == std::vector<std::size_t>{2, 0, 1});
    ui::sort_rows(table, 1, false, rows);
    CHECK(rows == std::vector<std::size_t>{0, 2, 1});
    CHECK(ui::title_of("exposed_communication") == "Exposed communication");
    CHECK(ui::title_of("gpu_utilization") == "GPU utilization");
    CHECK(ui::title_of("capital") == "Capital");
}

TEST_CASE("JSON arguments are indented for reading; short lists stay on their line") {
    CHECK(ui::indent_json("17") == "17");
    CHECK(ui::indent_json("[[2,3],[4,5]]") == "[[2, 3], [4, 5]]");
    CHECK(ui::indent_json(R"([1, 2,"a,b"])") == R"([1, 2, "a,b"])");
    CHECK(ui::indent_json(R"({"a":1})") == R"({"a": 1})");
    CHECK(ui::indent_json(R"({"grid":[1,2,3],"of":{"x":"{,}"}})") ==
          "{\n  \"grid\": [1, 2, 3],\n  \"of\": {\"x\": \"{,}\"}\n}");
    CHECK(ui::indent_json("[[1000,2000,3000,4000],[1000,2000,3000,4000]]") ==
          "[\n  [1000, 2000, 3000, 4000],\n  [1000, 2000, 3000, 4000]\n]");
    const std::string deep(100'000, '[');
    CHECK(ui::indent_json(deep).size() < 200'000);  // bounded, whatever is nested
}
