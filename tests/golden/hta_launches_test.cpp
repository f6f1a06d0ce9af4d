// Launches and queues against Holistic Trace Analysis (HTA) on its own test traces and ours: call
// by call, and point by point. What HTA does not support (HIP, the driver API, graphs, negative
// delays) is in hta_differences_test.cpp.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

struct LaunchDataset {
    const char* name;
    const char* folder;
};
constexpr LaunchDataset kLaunchDatasets[] = {
    {"dlrm_8rank", "param/dlrm_8rank"},
    {"df_index_resolver", "HolisticTraceAnalysis/df_index_resolver"},
    {"nccl_parser_config", "HolisticTraceAnalysis/nccl_parser_config"},
    {"ns_resolution_trace", "HolisticTraceAnalysis/ns_resolution_trace"},
    {"trace_filter", "HolisticTraceAnalysis/trace_filter"},
    {"param_linear", "param/linear_2080ti"},
    {"with_gpu_user_annotation", "HolisticTraceAnalysis/gpu_user_annotation"},
    {"cp_alexnet", "HolisticTraceAnalysis/critical_path_alexnet"},
    {"mtia_inference", "HolisticTraceAnalysis/mtia_inference"},
    {"tl_b200_eager", "TraceLens/b200_eager_rank0of8"},
};

// Functions that HTA counts as launches, except the copies of MTIA.
bool known_to_hta(std::string_view api) {
    static const std::set<std::string_view> kNames{"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync",
                                                   "cudaMemsetAsync",
                                                   "runFunction - job_prep_and_submit_for_execution"};
    return kNames.contains(api);
}

std::size_t slot_of(const Run& run, int rank) {
    std::size_t slot = 0;
    while (run.rank(slot).key.number != rank) ++slot;
    return slot;
}

struct LaunchTotals {
    std::int64_t calls = 0, short_kernels = 0, runtime_outliers = 0, delay_outliers = 0;
};

// Our row for every correlation that HTA lists.
std::map<std::int64_t, std::size_t> rows_by_correlation(const RankTrace& trace, const Table& table,
                                                        LaunchTotals& totals) {
    std::map<std::int64_t, std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const EventId call{static_cast<std::uint32_t>(table.integer(row, 1))};
        if (!known_to_hta(trace.name_text(call))) continue;
        rows.emplace(trace.integer(Arg::Correlation, call).value_or(-1), row);
        const auto value = [&](std::string_view column) { return table.integer(row, table.find_column(column)); };
        ++totals.calls;
        totals.short_kernels += value("gpu") < value("call") && value("call") <= 50'000;
        totals.runtime_outliers += value("call") > 50'000;
        totals.delay_outliers += value("delay") > 100'000;
    }
    return rows;
}

void check_launches(const Run& run, int rank, const Json& theirs) {
    const Table table = answer_of(run, "launches", "step:complete rank:" + std::to_string(rank)).main();
    LaunchTotals totals;
    const auto ours = rows_by_correlation(run.rank(slot_of(run, rank)).trace(), table, totals);
    CHECK(totals.calls == theirs.at("n").get<std::int64_t>());
    CHECK(totals.short_kernels == theirs.at("n_short_kernels").get<std::int64_t>());
    CHECK(totals.runtime_outliers == theirs.at("n_runtime_outliers").get<std::int64_t>());
    CHECK(totals.delay_outliers == theirs.at("n_launch_delay_outliers").get<std::int64_t>());
    const Json& rows = theirs.at("rows_by_correlation");
    for (std::size_t i = 0; i < rows.at("correlation").size(); ++i) {
        const auto found = ours.find(rows.at("correlation")[i].get<std::int64_t>());
        INFO("correlation ", rows.at("correlation")[i].get<std::int64_t>());
        REQUIRE(found != ours.end());
        const auto value = [&](std::string_view column) {
            return table.integer(found->second, table.find_column(column));
        };
        CHECK(near_us(value("call"), rows.at("cpu_duration")[i]));
        CHECK(near_us(value("gpu"), rows.at("gpu_duration")[i]));
        CHECK(near_us(std::max<std::int64_t>(0, value("delay")), rows.at("launch_delay")[i]));
    }
}

using LastValues = std::map<std::int64_t, std::map<double, std::int64_t>>;  // stream → time → last length at that time

LastValues last_values(const Json& theirs) {
    LastValues values;
    for (std::size_t i = 0; i < theirs.at("ts").size(); ++i) {
        values[theirs.at("stream")[i].get<std::int64_t>()][theirs.at("ts")[i].get<double>()] =
            theirs.at("queue_length")[i].get<std::int64_t>();
    }
    return values;
}

// HTA's times are relative to the earliest event with a category and a duration.
RunTime origin_of_hta(const Run& run) {
    RunTime earliest = RunTime::max();
    for (const RankSlot& rank : run.ranks()) {
        const RankTrace& trace = rank.trace();
        for (std::uint32_t e = 0; e < trace.size(); ++e) {
            if (trace.has(EventId{e}, kInstant | kFromPair) || trace.category_text(EventId{e}).empty()) continue;
            if (trace.category_kind(EventId{e}) == Category::ProfilerTrace) continue;
            earliest = std::min(earliest, rank.to_run(trace.start[e]));
        }
    }
    return earliest;
}

// Whether the series has the value at some moment within half a microsecond of the time.
bool passes_by(const Series& series, RunTime origin, double time_us, std::int64_t value) {
    for (std::size_t i = 0; i < series.time.size(); ++i) {
        const double from = us((series.time[i] - origin).count());
        const double to = i + 1 < series.time.size() ? us((series.time[i + 1] - origin).count()) : 1e300;
        if (from <= time_us + 0.5 && time_us - 0.5 <= to && std::llround(series.value[i]) == value) return true;
    }
    return false;
}

void check_queue_series(const Run& run, int rank, const Answer& ours, const Json& theirs) {
    const RunTime origin = origin_of_hta(run);
    for (const auto& [stream, values] : last_values(theirs)) {
        INFO("rank ", rank, " stream ", stream);
        const auto series = std::ranges::find_if(ours.series, [&, number = stream](const Series& one) {
            return run.rank(one.slot).key.number == rank &&
                   one.name == "queue length, stream " + std::to_string(number);
        });
        REQUIRE(series != ours.series.end());
        for (const auto& [time, value] : values) CHECK(passes_by(*series, origin, time, value));
    }
}

void check_blocked(const Run& run, const std::string& limit, const Json& theirs) {
    const Table ours = answer_of(run, "queue-length", "step:complete", {{"limit", limit}}).main();
    for (const auto& row : golden_rows(theirs)) {
        INFO("limit ", limit, " rank ", row.at("rank").get<int>(), " stream ", row.at("stream").get<int>());
        bool found = false;
        for (std::size_t i = 0; i < ours.rows(); ++i) {
            if (RankKey::unpacked(ours.integer(i, 0)).number != row.at("rank").get<int>()) continue;
            if (ours.integer(i, 1) != row.at("stream").get<std::int64_t>()) continue;
            const double theirs_us = row.at("duration_at_max_queue_length").get<double>();
            // Its unrounded times are multiples of 0.25 us; this is a sum of thousands.
            found = std::abs(us(ours.integer(i, ours.find_column("blocked"))) - theirs_us) <=
                    std::max(0.5, 1e-5 * theirs_us);
        }
        CHECK(found);
    }
}

}  // namespace

TEST_CASE("launches agree with HTA call by call, and so do the counts of outliers") {
    if (!goldens_are_here()) return;
    for (const LaunchDataset& dataset : kLaunchDatasets) {
        INFO(std::string(dataset.name));
        const RunPtr run = load_corpus_run(dataset.folder);
        const Json theirs = golden(dataset.name, "cuda_kernel_launch_stats");
        std::size_t seen = 0;
        for (const RankSlot& rank : run->ranks()) {
            const auto found = theirs.find("rank" + std::to_string(rank.key.number) + ".mem1");
            if (found == theirs.end()) continue;
            INFO("rank ", rank.key.number);
            check_launches(*run, rank.key.number, *found);
            ++seen;
        }
        CHECK(seen == run->ranks().size());
    }
}

TEST_CASE("queues agree with HTA point by point, and so does the time at a limit") {
    if (!goldens_are_here()) return;
    for (const LaunchDataset& dataset : kLaunchDatasets) {
        const std::string_view name = dataset.name;
        // Our queues include the driver API; HTA reads MTIA's stream from an argument; one large answer is compressed.
        if (name == "tl_b200_eager" || name == "mtia_inference" || name == "df_index_resolver") continue;
        INFO(std::string(dataset.name));
        const RunPtr run = load_corpus_run(dataset.folder);
        const Answer ours = answer_of(*run, "queue-length", "step:complete");
        const Json series = golden(dataset.name, "queue_length_time_series");
        for (const auto& [rank, points] : series.items()) check_queue_series(*run, std::stoi(rank), ours, points);
        const Json blocked = golden(dataset.name, "time_blocked_on_full_queue");
        for (const auto& [limit, table] : blocked.items()) check_blocked(*run, limit, table);
    }
}

TEST_CASE("the series of memory bandwidth agrees with HTA where timestamps are not cut to microseconds") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/nccl_parser_config");
    const Answer ours = answer_of(*run, "memory-bandwidth", "step:complete");
    std::map<std::string, std::vector<double>> theirs;  // kind → nonzero values
    const Json golden_series = golden("nccl_parser_config", "memory_bw_time_series");
    for (const auto& [rank, points] : golden_series.items()) {
        for (std::size_t i = 0; i < points.at("name").size(); ++i) {
            const double value = points.at("memory_bw_gbps")[i].get<double>();
            std::string kind = points.at("name")[i].get<std::string>();
            kind = kind == "Memset" ? "memset" : kind.substr(kind.find(' ') + 1);
            if (value > 1e-9) theirs[kind].push_back(value);
        }
    }
    CHECK(theirs.size() == ours.series.size());
    for (const Series& series : ours.series) {
        INFO(series.name);
        std::vector<double> values;
        for (const double value : series.value) {
            if (value > 0) values.push_back(value / 1e9);
        }
        const std::vector<double>& expected = theirs[series.name.substr(series.name.find(' ') + 1)];
        REQUIRE(values.size() == expected.size());
        for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    }
}
