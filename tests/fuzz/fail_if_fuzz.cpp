// Any text as a gate expression (--fail-if): a parsed one is finite and only matches rows of the comparison.

#include "core/diff/gates/fail_if.hpp"
#include "core/index/run.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cmath>

namespace {

using namespace core;

const std::vector<Column>& gate_columns() {
    static const std::vector<Column> columns = {{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                                                {"kernel", Unit::Text, Role::Key, Facet::Kernel, {}},
                                                {"count", Unit::Count, Role::Measure, Facet::None, {}},
                                                {"total", Unit::Ns, Role::Measure, Facet::None, {}},
                                                {"size", Unit::Bytes, Role::Measure, Facet::None, {}},
                                                {"speed", Unit::BytesPerSecond, Role::Measure, Facet::None, {}},
                                                {"share", Unit::Ratio, Role::Measure, Facet::None, {}},
                                                {"why", Unit::Text, Role::Info, Facet::None, {}}};
    return columns;
}

// gemm on both sides, relu in the baseline only, copy without a count.
const Comparison& small_comparison() {
    static const Comparison comparison = [] {
        Table baseline(gate_columns()), candidate(gate_columns());
        const std::int64_t rank = RankKey{3, 1}.packed();
        const auto add = [&](Table& to, std::string_view kernel, Cell count, std::int64_t total) {
            to.add_row({rank, kernel, count, total, std::int64_t{1024}, 1e9, 0.5, std::string_view("because")});
        };
        add(baseline, "gemm", std::int64_t{10}, 1000);
        add(candidate, "gemm", std::int64_t{12}, 1100);
        add(baseline, "relu it", std::int64_t{5}, 0);
        add(baseline, "copy", {}, 70'000'000);
        add(candidate, "copy", {}, -2'000'000);
        return compare_tables({&baseline, &candidate}, {}, {}, {});
    }();
    return comparison;
}

void check_conditions(const FailIf& fail_if) {
    if (fail_if.any_of.empty()) fuzz::fail("an expression without a condition");
    for (const std::vector<Condition>& all_of : fail_if.any_of) {
        if (all_of.empty()) fuzz::fail("nothing to hold");
        for (const Condition& condition : all_of)
            if (!std::isfinite(condition.limit)) fuzz::fail("a limit that is no number: " + fail_if.text);
    }
}

}  // namespace

// As short as possible, because the fuzzer lets inputs grow to the length of the longest seed.
std::vector<std::string> fuzz::make_seeds() { return {std::string(1'000, '('), std::string(2'000, '9')}; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Result<FailIf> fail_if = parse_fail_if(fuzz::as_text(data, size), gate_columns());
    if (!fail_if) {
        if (fail_if.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    check_conditions(*fail_if);
    const Comparison& comparison = small_comparison();
    const Result<std::vector<std::size_t>> rows = find_failing_rows(*fail_if, comparison);
    if (!rows) {
        if (rows.error().message.empty()) fuzz::fail("no rows, without a word");
        return 0;
    }
    if (rows->size() > comparison.table.rows()) fuzz::fail("more rows than there are");
    for (const std::size_t row : *rows) {
        if (row >= comparison.table.rows()) fuzz::fail("a row that is not there");
        if (describe_failing_row(*fail_if, comparison, row).empty()) fuzz::fail("a row fails without a word");
    }
    return 0;
}
