// Operators and annotations against Holistic Trace Analysis (HTA) on its own test traces: call
// graph, annotation breakdown, kernels by annotation, kernel sequences and CUPTI counters, with its
// default steps (all but the last).

#include "core/store/string_table.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>
#include <tuple>

using namespace core;
using namespace core::testing;

namespace {

struct OperatorDataset {
    const char* name;
    const char* folder;
    bool has_call_graph;  // for all ranks, with GPU events only on streams above 0
};
constexpr OperatorDataset kOperatorDatasets[] = {
    {"dlrm_8rank", "param/dlrm_8rank", true},
    {"df_index_resolver", "HolisticTraceAnalysis/df_index_resolver", true},
    {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config", true},
    {"ns_resolution_trace", "HolisticTraceAnalysis/ns_resolution_trace", true},
    {"trace_filter", "HolisticTraceAnalysis/trace_filter", true},
    {"param_linear", "param/linear_2080ti", true},
    {"with_gpu_user_annotation", "HolisticTraceAnalysis/gpu_user_annotation", true},
    {"mtia_inference", "HolisticTraceAnalysis/mtia_inference", true},
    {"trace_diff_control", "HolisticTraceAnalysis/trace_diff/control.json.gz", true},
    {"call_stack", "HolisticTraceAnalysis/call_stack_hand_indented", true},
    {"cpu_only", "HolisticTraceAnalysis/cpu_only", true},
    {"amd_trace", "HolisticTraceAnalysis/amd_trace", false},
    {"cp_alexnet", "HolisticTraceAnalysis/critical_path_alexnet", false},
    {"tl_b200_eager", "TraceLens/b200_eager_rank0of8", false},
};

using ByRankAndName = std::map<std::pair<std::int64_t, std::string>, std::size_t>;

ByRankAndName rows_by_name(const Table& table) {
    ByRankAndName rows;
    for (std::size_t row = 0; row < table.rows(); ++row)
        rows[{RankKey::unpacked(table.integer(row, 0)).number, std::string(table.text(row, 1))}] = row;
    return rows;
}

void check_annotations(const Run& run, const OperatorDataset& dataset, const char* source, const char* golden_key) {
    INFO(source);
    const Table ours = answer_of(run, "annotations", "step:complete", {{"source", source}}).main();
    const Json theirs = golden(dataset.name, "user_annotation_breakdown").at(golden_key);
    const auto rows = theirs.is_object() ? golden_rows(theirs) : std::vector<std::map<std::string, Json>>{};
    const ByRankAndName ours_by_name = rows_by_name(ours);
    CHECK(ours_by_name.size() == rows.size());
    for (const auto& row : rows) {
        const std::pair key{row.at("rank").get<std::int64_t>(), row.at("name").get<std::string>()};
        INFO("rank ", key.first, " ", key.second);
        const auto found = ours_by_name.find(key);
        REQUIRE(found != ours_by_name.end());
        const auto value = [&](std::string_view column) {
            return ours.integer(found->second, ours.find_column(column));
        };
        CHECK(near_us(value("total"), row.at("sum (us)")));
        CHECK(near_us(value("mean"), row.at("mean (us)")));
        CHECK(near_us(value("min"), row.at("min (us)")));
        CHECK(near_us(value("max"), row.at("max (us)")));
        CHECK(near_us(value("stddev"), row.at("stddev")));
    }
}

// Calls of operators by rank and position in the file, against HTA's call graph.
void check_calls(const Run& run, const OperatorDataset& dataset) {
    const Table ours = answer_of(run, "operator-calls", "step:complete").main();
    const Json theirs = golden(dataset.name, "call_graph_fixed_end");
    std::map<std::int64_t, std::map<std::int64_t, std::size_t>>
        place;  // rank, position in the file → position in HTA's lists
    for (const auto& [rank, graph] : theirs.items()) {
        if (!graph.is_object() || !graph.contains("events")) continue;
        const Json& index = graph.at("events").at("index");
        for (std::size_t i = 0; i < index.size(); ++i) place[std::stoll(rank)][index[i].get<std::int64_t>()] = i;
    }
    CHECK_FALSE(place.empty());
    std::size_t compared = 0, wrong = 0;
    for (std::size_t row = 0; row < ours.rows(); ++row) {
        const RankKey rank = RankKey::unpacked(ours.integer(row, 0));
        if (!place.contains(rank.number)) continue;
        const RankTrace& trace = std::ranges::find(run.ranks(), rank, &RankSlot::key)->trace();
        const std::uint32_t order = trace.order[static_cast<std::size_t>(ours.integer(row, 1))];
        const std::size_t at = place[rank.number].at(order);
        const Json& events = theirs.at(std::to_string(rank.number)).at("events");
        const auto value = [&](std::string_view column) { return ours.integer(row, ours.find_column(column)); };
        const bool agrees = value("kernels") == events.at("num_kernels")[at].get<std::int64_t>() &&
                            near_us(value("kernel_time"), events.at("kernel_dur_sum")[at]) &&
                            near_us(value("kernel_span"), events.at("kernel_span")[at]);
        if (!agrees && wrong++ == 0) MESSAGE(ours.text(row, 2) << " at " << order);
        ++compared;
    }
    CHECK(compared > 0);
    CHECK(wrong == 0);
}

// As in the column `sequence`.
std::string digest_of(std::string_view kernels) {
    std::ostringstream digits;
    digits << std::hex << std::setw(16) << std::setfill('0') << hash_text(kernels);
    return digits.str();
}

}  // namespace

TEST_CASE("annotations on GPU rows and CPU threads agree with HTA to half a microsecond") {
    if (!goldens_are_here()) return;
    for (const OperatorDataset& dataset : kOperatorDatasets) {
        INFO(dataset.name);
        const RunPtr run = load_corpus_run(dataset.folder);
        check_annotations(*run, dataset, "gpu", "True|1000|null");
        check_annotations(*run, dataset, "cpu", "False|1000|null");
    }
}

TEST_CASE("GPU events of every operator call agree with HTA's call graph, their times to half a microsecond") {
    if (!goldens_are_here()) return;
    for (const OperatorDataset& dataset : kOperatorDatasets) {
        if (!dataset.has_call_graph) continue;
        INFO(dataset.name);
        check_calls(*load_corpus_run(dataset.folder), dataset);
    }
}

TEST_CASE("kernels by annotation agree with HTA in count and time") {
    if (!goldens_are_here()) return;
    constexpr std::pair<const char*, const char*> kAnnotated[] = {
        {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config"},
        {"amd_trace", "HolisticTraceAnalysis/amd_trace"},
        {"with_gpu_user_annotation", "HolisticTraceAnalysis/gpu_user_annotation"},
    };
    for (const auto& [dataset, folder] : kAnnotated) {
        INFO(dataset);
        const Table ours = answer_of(*load_corpus_run(folder), "kernels-by-annotation", "step:complete").main();
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> sums;
        for (std::size_t row = 0; row < ours.rows(); ++row) {
            auto& [count, total] = sums[std::string(ours.text(row, 1))];
            count += ours.integer(row, 3);
            total += ours.integer(row, 4);
        }
        const auto rows = golden_rows(golden(dataset, "gpu_kernels_with_user_annotations.rank0").at("per_annotation"));
        CHECK(sums.size() == rows.size());
        for (const auto& row : rows) {
            const std::string name = row.at("s_user_annotation").get<std::string>();
            INFO(name);
            const auto& [count, total] = sums[name.empty() ? "(unannotated)" : name];
            CHECK(count == row.at("count").get<std::int64_t>());
            CHECK(near_us(total, row.at("sum")));
        }
    }
}

TEST_CASE("whole kernel sequences agree with HTA in count, and in both times to half a microsecond") {
    if (!goldens_are_here()) return;
    struct Case {
        const char* dataset;
        const char* folder;
        const char* filter;
        const char* name;  // of the operators; HTA needs all matches at one depth
        std::size_t rows;
    };
    constexpr Case kCases[] = {
        {"dlrm_8rank", "param/dlrm_8rank", "rank:0", "aten::linear", 3},
        {"dlrm_8rank", "param/dlrm_8rank", "rank:0", "autograd::engine", 20},
        {"dlrm_8rank", "param/dlrm_8rank", "rank:0", "Optimizer.step", 1},
        {"df_index_resolver", "HolisticTraceAnalysis/df_index_resolver", "", "autograd::engine", 2},
        {"df_index_resolver", "HolisticTraceAnalysis/df_index_resolver", "", "Optimizer.step", 1},
        {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config", "", "aten::conv2d", 9},
        {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config", "", "autograd::engine", 32},
        {"ns_resolution_trace", "HolisticTraceAnalysis/ns_resolution_trace", "", "aten::", 2},
        {"trace_filter", "HolisticTraceAnalysis/trace_filter", "rank:0", "autograd::engine", 101},
        {"param_linear", "param/linear_2080ti", "", "aten::", 5},
        {"trace_diff_control", "HolisticTraceAnalysis/trace_diff/control.json.gz", "", "autograd::engine", 87},
    };
    for (const Case& one : kCases) {
        INFO(one.dataset, " ", one.name);
        const std::string filter = "step:complete " + std::string(one.filter) + " name:\"" + one.name + "\"";
        const Table ours = answer_of(*load_corpus_run(one.folder), "kernel-sequences", filter).main();
        std::map<std::pair<std::string, std::string>, std::size_t> by_key;
        for (std::size_t row = 0; row < ours.rows(); ++row)
            by_key[{std::string(ours.text(row, 0)), std::string(ours.text(row, 1))}] = row;
        const auto rows =
            golden_rows(golden(one.dataset, "frequent_cuda_kernel_sequences").at(std::string(one.name) + "|1"));
        CHECK(rows.size() == one.rows);
        for (const auto& row : rows) {
            const std::string pattern = row.at("pattern").get<std::string>();
            const std::size_t bar = pattern.find('|');
            INFO(pattern.substr(0, 200));
            const auto found = by_key.find({pattern.substr(0, bar), digest_of(pattern.substr(bar + 1))});
            REQUIRE(found != by_key.end());
            CHECK(ours.integer(found->second, 2) == row.at("count").get<std::int64_t>());
            CHECK(near_us(ours.integer(found->second, 3), row.at("GPU kernel duration (us)")));
            CHECK(near_us(ours.integer(found->second, 4), row.at("CPU op duration (us)")));
        }
    }
}

TEST_CASE("CUPTI counters agree with HTA for every operator, kernel and counter") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/cupti_profiler");
    const Table ours = answer_of(*run, "counters").main();
    std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::int64_t, double>> theirs;
    for (const auto& row : golden_rows(golden("cupti_profiler", "cupti_counters").at(0))) {
        for (const auto& [column, value] : row) {
            if (!column.starts_with("smsp__")) continue;
            auto& [count, total] =
                theirs[{row.at("bottom_level_op").get<std::string>(), row.at("name").get<std::string>(), column}];
            ++count;
            total += value.get<double>();
        }
    }
    CHECK(theirs.size() == ours.rows());
    for (std::size_t row = 0; row < ours.rows(); ++row) {
        const auto found = theirs.find(
            {std::string(ours.text(row, 0)), std::string(ours.text(row, 1)), std::string(ours.text(row, 2))});
        REQUIRE(found != theirs.end());
        CHECK(ours.integer(row, 3) == found->second.first);
        CHECK(ours.number(row, 4) == found->second.second);
    }
}
