// Gaps of streams against Holistic Trace Analysis (HTA) at all its thresholds, for traces without
// overlaps in which every event has a launch. The others are in hta_differences_test.cpp.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>

using namespace core;
using namespace core::testing;

namespace {

struct IdleDataset {
    const char* name;
    const char* folder;
    bool whole_us = true;  // else HTA's times are multiples of 0.25 us, too coarse for the cause of short gaps
};
constexpr IdleDataset kIdleDatasets[] = {
    {"dlrm_8rank", "param/dlrm_8rank"},
    {"df_index_resolver", "HolisticTraceAnalysis/df_index_resolver"},
    {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config", false},
    {"ns_resolution_trace", "HolisticTraceAnalysis/ns_resolution_trace", false},
    {"trace_filter", "HolisticTraceAnalysis/trace_filter"},
    {"param_linear", "param/linear_2080ti"},
    {"with_gpu_user_annotation", "HolisticTraceAnalysis/gpu_user_annotation"},
    {"cp_alexnet", "HolisticTraceAnalysis/critical_path_alexnet"},
    {"amd_trace", "HolisticTraceAnalysis/amd_trace", false},
};

using Gaps = std::map<std::string, std::int64_t>;  // "rank stream cause" → ns

Gaps gaps_of(const Run& run, const std::string& threshold) {
    const Table table = answer_of(run, "idle-breakdown", "step:complete", {{"short_gap", threshold + "us"}}).main();
    Gaps gaps;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        gaps[format_rank(RankKey::unpacked(table.integer(row, 0))) + " " + std::to_string(table.integer(row, 1)) + " " +
             std::string(table.text(row, 2))] = table.integer(row, table.find_column("time"));
    }
    return gaps;
}

// HTA uses the time of the trace's first event for kernels without a launch (hta_differences_test.cpp).
bool all_linked(const RankTrace& trace) {
    return std::ranges::all_of(trace.gpu_events, [&](EventId e) { return trace.parent[index_of(e)] != kNoEvent; });
}

void check_gaps(const Run& run, const IdleDataset& dataset, const std::string& threshold, const Json& table) {
    Gaps ours = gaps_of(run, threshold);
    std::map<std::string, double> sums, their_sums;  // per rank and stream
    for (const auto& row : golden_rows(table)) {
        const int rank = row.at("rank").get<int>();
        const std::string stream = std::to_string(rank) + " " + std::to_string(row.at("stream").get<std::int64_t>());
        const std::string key = stream + " " + row.at("idle_category").get<std::string>();
        const double time = row.at("idle_time").get<double>();
        INFO(std::string(dataset.name), " ", threshold, " us: ", key);
        sums[stream] += us(ours[key]);
        their_sums[stream] += time;
        const auto slot = std::ranges::find(run.ranks(), rank, [](const RankSlot& r) { return r.key.number; });
        if (dataset.whole_us && all_linked(slot->trace())) CHECK(std::abs(us(ours[key]) - time) <= 0.5);
    }
    for (const auto& [stream, sum] : their_sums) {
        INFO(std::string(dataset.name), " ", threshold, " us: ", stream);
        CHECK(std::abs(sums[stream] - sum) <= 0.5);
    }
}

}  // namespace

TEST_CASE("gaps of streams agree with HTA by cause, at every threshold") {
    if (!goldens_are_here()) return;
    for (const IdleDataset& dataset : kIdleDatasets) {
        const RunPtr run = load_corpus_run(dataset.folder);
        const Json theirs = golden(dataset.name, "idle_time_breakdown");
        for (const auto& [threshold, answer] : theirs.items())
            check_gaps(*run, dataset, threshold, answer.at("idle_time"));
    }
}
