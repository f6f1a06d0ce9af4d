#include "ui/timeline/scene/event_names.hpp"

#include "core/ingest/load/load_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

namespace {

// Two ranks with one all-reduce in each of two groups; the kernels' own arguments name no group.
core::RunPtr open_two_ranks(const core::testing::TempFolder& folder) {
    for (int rank = 0; rank < 2; ++rank) {
        std::ofstream file(folder.path() / ("rank" + std::to_string(rank) + ".json"));
        file << R"({"distributedInfo": {"rank": )" << rank << R"(, "world_size": 2}, "traceEvents": [)";
        for (int i = 0; i < 2; ++i) {
            const int start = 100 * i;
            const std::string group = i == 0 ? "tensor" : "data";
            file << (i == 0 ? "" : ",")
                 << R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": )" << start
                 << R"(, "dur": 50, "args": {"Collective name": "allreduce", "Process Group Name": ")" << group
                 << R"(", "Process Group Description": ")" << group
                 << R"(", "Process Group Ranks": "[0, 1]", "Group size": 2, "Seq": 5}},)"
                 << R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": )"
                 << start + 5 << R"(, "dur": 2, "args": {"correlation": )" << i + 1 << "}},"
                 << R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": )"
                 << start + 20 << R"(, "dur": 30, "args": {"stream": 7, "device": 0, "correlation": )" << i + 1 << "}}";
        }
        file << "]}";
    }
    const std::filesystem::path path = folder.path();
    core::LoadProgress progress;
    const core::Result<core::RunPtr> run = core::load_run(std::span(&path, 1), {}, progress, {});
    REQUIRE(run);
    return *run;
}

}  // namespace

TEST_CASE("events whose arguments name no group have the colour of the group that they were matched in") {
    const core::testing::TempFolder folder;
    const core::RunPtr run = open_two_ranks(folder);
    const core::MatchedRunPtr matches = core::matched(*run);
    ui::EventNames names;
    CHECK(names.member_colors(run->rank(0), 0, nullptr).empty());
    const std::span<const ui::EventColor> first = names.member_colors(run->rank(0), 0, matches);
    const std::span<const ui::EventColor> second = names.member_colors(run->rank(1), 1, matches);
    REQUIRE(first.size() == 2);
    REQUIRE(second.size() == 2);
    CHECK(first[0].event < first[1].event);
    CHECK(first[0].color != first[1].color);
    CHECK(first[0].color == second[0].color);
    CHECK(first[1].color == second[1].color);
    const core::RankTrace& trace = run->rank(0).trace();
    CHECK(trace.name_text(first[0].event) == "ncclDevKernel_AllReduce");
    CHECK(trace.texts(core::Arg::GroupName).find(first[0].event) == nullptr);
}
