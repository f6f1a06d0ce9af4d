// HTA's comparison of two runs by event name: counts and summed durations, on CPU and GPU.

#include "core/analysis/catalogue/registry.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/ingest/source/byte_source.hpp"
#include "core/query/filter_text.hpp"
#include "tests/golden/goldens.hpp"

#include <array>
#include <cmath>

using namespace core;
using namespace core::testing;

namespace {

struct Question {
    const char* filter;
    const char* steps;  // in HTA's notation
};
constexpr Question kQuestions[] = {
    {"step:1009", "1009"}, {"step:1010", "1010"}, {"step:1009-1011", "[1009, 1010, 1011]"}};

Json read_packed_golden(const char* name) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(golden_folder() / name);
    REQUIRE(source);
    std::string text;
    std::array<char, 1 << 16> buffer;
    for (;;) {
        const Result<std::size_t> read = read_fully(**source, buffer);
        REQUIRE(read);
        if (*read == 0) return Json::parse(text).at("result");
        text.append(buffer.data(), *read);
    }
}

// Count and ns of the baseline, count and ns of the candidate; 0 if a side lacks the name, as in HTA.
using Totals = std::map<std::string, std::array<std::int64_t, 4>>;

Totals totals_of(const Comparison& comparison, std::string_view device) {
    constexpr const char* kColumns[] = {"count.baseline", "total.baseline", "count.candidate", "total.candidate"};
    Totals totals;
    const Table& table = comparison.table;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (device != "ALL" && table.text(row, 1) != (device == "CPU" ? "cpu" : "gpu")) continue;
        std::array<std::int64_t, 4>& of_name = totals[std::string(table.text(row, 2))];
        for (std::size_t i = 0; i < 4; ++i) of_name[i] += table.integer(row, table.find_column(kColumns[i]));
    }
    return totals;
}

Totals totals_of_hta(const Json& golden, std::string_view device, std::string_view steps) {
    const std::string key = std::string(device) + "|" + std::string(steps) + "|" + std::string(steps) + "|short=False";
    const auto ns = [](const Json& us) { return std::llround(us.get<double>() * 1000); };
    Totals totals;
    for (const auto& row : golden_rows(golden.at(key))) {
        totals[row.at("name").get<std::string>()] = {
            row.at("Control_counts").get<std::int64_t>(), ns(row.at("Control_total_duration")),
            row.at("Test_counts").get<std::int64_t>(), ns(row.at("Test_total_duration"))};
    }
    return totals;
}

}  // namespace

TEST_CASE("event names of two runs compare as in HTA, to the nanosecond") {
    if (!goldens_are_here()) return;
    const RunPtr control = load_corpus_run("HolisticTraceAnalysis/trace_diff/control.json.gz");
    const RunPtr test = load_corpus_run("HolisticTraceAnalysis/trace_diff/test.json.gz");
    const BySide<const Run*> runs{control.get(), test.get()};
    const RunAlignment alignment = align_runs(*control, *test);
    CHECK_FALSE(alignment.ranks_by_number);  // ranks 3 and 1
    const Json golden = read_packed_golden("trace_diff.compare_traces.json.gz");
    for (const Question& question : kQuestions) {
        INFO(question.filter);
        const DiffQuery query{find_analysis("names"), {}, *parse_filter(question.filter), NameMatching::Exact};
        const Result<RunComparison> result = compare_runs(query, runs, alignment, 2, {});
        REQUIRE(result);
        for (const char* const device : {"CPU", "GPU", "ALL"}) {
            INFO(device);
            CHECK((totals_of(result->comparison, device) == totals_of_hta(golden, device, question.steps)));
        }
    }
}
