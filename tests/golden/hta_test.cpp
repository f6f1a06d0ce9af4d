// Agreement with Holistic Trace Analysis (HTA) where it defines a number well: breakdown, overlap,
// kernel types and kernels of its own test traces, with its default steps (all but the last).

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>

using namespace core;
using namespace core::testing;

namespace {

struct BreakdownDataset {
    const char* name;
    const char* folder;
    bool whole_us;  // timestamps are whole microseconds: HTA rounds kernel types down
};
constexpr BreakdownDataset kBreakdownDatasets[] = {
    {"dlrm_8rank", "param/dlrm_8rank", true},
    {"df_index_resolver", "HolisticTraceAnalysis/df_index_resolver", true},
    {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config", false},
    {"ns_resolution_trace", "HolisticTraceAnalysis/ns_resolution_trace", false},
    {"trace_filter", "HolisticTraceAnalysis/trace_filter", true},
    {"param_linear", "param/linear_2080ti", true},
};
constexpr const char* kAllNames = "1000000|1.0|True";  // every kernel name, copies included

std::string class_of_hta(const std::string& type) {
    if (type == "COMPUTATION") return "compute";
    return type == "COMMUNICATION" ? "communication" : "memory";
}

// "COMPUTATION overlapping COMMUNICATION" in our notation.
std::string classes_of_hta(std::string type) {
    constexpr std::string_view kBetween = " overlapping ";
    std::string classes;
    for (;;) {
        const std::size_t end = type.find(kBetween);
        classes += (classes.empty() ? "" : "+") + class_of_hta(type.substr(0, end));
        if (end == std::string::npos) return classes;
        type.erase(0, end + kBetween.size());
    }
}

void check_breakdown(const Run& run, const BreakdownDataset& dataset) {
    const Table ours = answer_of(run, "temporal-breakdown", "step:complete").main();
    const auto theirs = golden_rows(golden(dataset.name, "temporal_breakdown"));
    CHECK(ours.rows() == theirs.size());
    for (const auto& row : theirs) {
        const std::int64_t rank = row.at("rank").get<std::int64_t>();
        INFO("rank ", rank);
        CHECK(near_us(value_of(ours, "window", rank), row.at("kernel_time(us)")));
        CHECK(near_us(value_of(ours, "compute", rank), row.at("compute_time(us)")));
        CHECK(near_us(value_of(ours, "idle", rank), row.at("idle_time(us)")));
        CHECK(near_us(value_of(ours, "exposed_communication", rank) + value_of(ours, "exposed_memory", rank),
                      row.at("non_compute_time(us)")));
    }
}

void check_overlap(const Run& run, const BreakdownDataset& dataset) {
    const Table ours = answer_of(run, "overlap", "step:complete").main();
    for (const auto& row : golden_rows(golden(dataset.name, "comm_comp_overlap"))) {
        const std::int64_t rank = row.at("rank").get<std::int64_t>();
        INFO("rank ", rank);
        const std::int64_t communication = value_of(ours, "communication", rank);
        const Json& percent = row.at("comp_comm_overlap_pctg");
        CHECK(percent.is_null() == (communication == 0));
        if (percent.is_null()) continue;
        const double mine =
            100 * static_cast<double>(value_of(ours, "overlapped", rank)) / static_cast<double>(communication);
        const double slack = 0.005 + 100 * 500 / static_cast<double>(communication);  // two decimals, and 0.5 us
        CHECK(std::abs(mine - percent.get<double>()) <= slack);
    }
}

void check_kernel_types(const Run& run, const BreakdownDataset& dataset) {
    std::map<std::string, std::int64_t> ours;
    const Table table = answer_of(run, "kernel-types", "step:complete").main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 1) != "idle") ours[std::string(table.text(row, 1))] += table.integer(row, 2);
    }
    std::size_t seen = 0;
    for (const auto& row : golden_rows(golden(dataset.name, "gpu_kernel_breakdown").at(kAllNames).at("kernel_type"))) {
        if (row.at("sum").get<double>() == 0) continue;
        const std::string classes = classes_of_hta(row.at("kernel_type").get<std::string>());
        INFO(classes);
        CHECK(near_us(ours[classes], row.at("sum")));
        ++seen;
    }
    CHECK(seen == ours.size());
}

void check_kernels(const Run& run, const BreakdownDataset& dataset) {
    const Table table = answer_of(run, "kernels", "step:complete").main();
    std::map<std::pair<std::int64_t, std::string>, std::size_t> ours;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        ours[{RankKey::unpacked(table.integer(row, 0)).number, std::string(table.text(row, 2))}] = row;
    }
    const auto theirs = golden_rows(golden(dataset.name, "gpu_kernel_breakdown").at(kAllNames).at("kernels"));
    CHECK(ours.size() == theirs.size());
    for (const auto& row : theirs) {
        const std::pair key{row.at("rank").get<std::int64_t>(), row.at("name").get<std::string>()};
        INFO("rank ", key.first, " ", key.second);
        const auto found = ours.find(key);
        REQUIRE(found != ours.end());
        const auto value = [&](std::string_view column) {
            return table.integer(found->second, table.find_column(column));
        };
        CHECK(table.text(found->second, 1) == class_of_hta(row.at("kernel_type").get<std::string>()));
        CHECK(near_us(value("total"), row.at("sum (us)")));
        CHECK(near_us(value("mean"), row.at("mean (us)")));
        CHECK(near_us(value("min"), row.at("min (us)")));
        CHECK(near_us(value("max"), row.at("max (us)")));
        CHECK(near_us(value("stddev"), row.at("stddev")));
    }
}

}  // namespace

TEST_CASE("breakdown, overlap, kernel types and kernels agree with HTA to half a microsecond") {
    if (!goldens_are_here()) return;
    for (const BreakdownDataset& dataset : kBreakdownDatasets) {
        INFO(dataset.name);
        const RunPtr run = load_corpus_run(dataset.folder);
        check_breakdown(*run, dataset);
        check_overlap(*run, dataset);
        if (dataset.whole_us) check_kernel_types(*run, dataset);
        check_kernels(*run, dataset);
    }
}
