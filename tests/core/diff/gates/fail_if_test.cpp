#include "core/diff/gates/fail_if.hpp"

#include "core/index/run.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

std::vector<Column> fail_if_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, {}},
            {"stream", Unit::Stream, Role::Key, Facet::Stream, {}},
            {"count", Unit::Count, Role::Measure, Facet::None, {}},
            {"total", Unit::Ns, Role::Measure, Facet::None, {}},
            {"size", Unit::Bytes, Role::Measure, Facet::None, {}},
            {"speed", Unit::BytesPerSecond, Role::Measure, Facet::None, {}},
            {"share", Unit::Ratio, Role::Measure, Facet::None, {}},
            {"mean-length", Unit::Number, Role::Measure, Facet::None, {}},
            {"worst", Unit::Rank, Role::Measure, Facet::None, {}},
            {"why", Unit::Text, Role::Info, Facet::None, {}}};
}

struct Row {
    RankKey rank;
    std::string_view kernel;
    std::int64_t count, total, size;
    double speed, share, length;
};

std::vector<Cell> cells_of(const Row& row) {
    return {row.rank.packed(),
            row.kernel,
            row.kernel == "copy" ? Cell{} : Cell{std::int64_t{7}},
            row.count,
            row.total,
            row.size,
            row.speed,
            row.share,
            row.length,
            std::int64_t{0},
            std::string_view("because")};
}

// gemm: total 1000 → 1100 ns; relu: baseline only; copy: no stream; sum: share has no value.
Comparison comparison() {
    Table baseline(fail_if_columns());
    Table candidate(fail_if_columns());
    baseline.add_row(cells_of({{0, 0}, "gemm", 10, 1000, 1024, 1e9, 0.5, 1.5}));
    candidate.add_row(cells_of({{0, 0}, "gemm", 12, 1100, 2048, 2e9, 0.4, 1.25}));
    baseline.add_row(cells_of({{3, 1}, "relu it", 5, 70'000'000, 0, 0, 0, 0}));
    baseline.add_row(cells_of({{1, 0}, "copy", 1, 0, 3, 1e6, 1, 2}));
    candidate.add_row(cells_of({{1, 0}, "copy", 1, -2'000'000, 3, 1e6, 1, 2}));
    return compare_tables({&baseline, &candidate}, {}, {}, {});
}

// Kernels of the rows that satisfy the condition, or the error.
std::string failing(std::string_view text) {
    const std::vector<Column> known = fail_if_columns();
    const Result<FailIf> fail_if = parse_fail_if(text, known);
    if (!fail_if) return fail_if.error().message;
    CHECK(fail_if->text == text);
    const Comparison compared = comparison();
    const Result<std::vector<std::size_t>> rows = find_failing_rows(*fail_if, compared);
    if (!rows) return rows.error().message;
    std::string names;
    for (const std::size_t row : *rows) names += (names.empty() ? "" : ",") + std::string(compared.table.text(row, 1));
    return names;
}

}  // namespace

TEST_CASE("every operator at its limit and next to it") {
    CHECK(failing("total > 1100 where kernel=gemm") == "");
    CHECK(failing("total > 1099 where kernel=gemm") == "gemm");
    CHECK(failing("total >= 1100 where kernel=gemm") == "gemm");
    CHECK(failing("total >= 1101 where kernel=gemm") == "");
    CHECK(failing("total < 1100 where kernel=gemm") == "");
    CHECK(failing("total < 1101 where kernel=gemm") == "gemm");
    CHECK(failing("total <= 1100 where kernel=gemm") == "gemm");
    CHECK(failing("total <= 1099 where kernel=gemm") == "");
    CHECK(failing("total == 1100 where kernel=gemm") == "gemm");
    CHECK(failing("total == 1101 where kernel=gemm") == "");
    CHECK(failing("total != 1100 where kernel=gemm") == "");
    CHECK(failing("total != 1101 where kernel=gemm") == "gemm");
}

TEST_CASE("a measure means the candidate's unless a part is named") {
    CHECK(failing("total == 1100ns") == "gemm");
    CHECK(failing("total.candidate == 1100ns") == "gemm");
    CHECK(failing("total.baseline == 1000ns") == "gemm");
    CHECK(failing("total.change == 100ns") == "gemm");
    CHECK(failing("total.ratio == 1.1") == "gemm");
    CHECK(failing("count.change >= 2") == "gemm");
    CHECK(failing("total.change < -1ms") == "copy");
    CHECK(failing("total.change<-1ms") == "copy");
    CHECK(failing("mean-length.baseline == 1.5") == "gemm");
    CHECK(failing("  total.change   ==   +100  ns ") == "gemm");
}

TEST_CASE("every unit is exact") {
    CHECK(failing("total == 1100ns") == "gemm");
    CHECK(failing("total == 1.1us") == "gemm");
    CHECK(failing("total == 1.1\xC2\xB5s") == "gemm");
    CHECK(failing("total == 1.1\xCE\xBCs") == "gemm");
    CHECK(failing("total == 0.0011ms") == "gemm");
    CHECK(failing("total == 0.0000011 s") == "gemm");
    CHECK(failing("total == 1.1e-6s") == "gemm");
    CHECK(failing("total == 11E2") == "gemm");
    CHECK(failing("total.baseline < 0.002min where kernel='relu it'") == "relu it");
    CHECK(failing("total.baseline > 0.001min where kernel='relu it'") == "relu it");
    for (const char* const size : {"2048", "2048B", "2KiB", "2.048kB", "0.001953125MiB", "0.002048MB", "2.048e-6GB",
                                   "1.9073486328125e-6GiB", "2.048e-9TB"}) {
        INFO(size);
        CHECK(failing("size == " + std::string(size)) == "gemm");
    }
    for (const char* const speed : {"2e9", "2000000000B/s", "2000000kB/s", "2000MB/s", "2GB/s", "0.002TB/s"}) {
        INFO(speed);
        CHECK(failing("speed == " + std::string(speed)) == "gemm");
    }
    CHECK(failing("speed > 1.8GiB/s and speed < 1.9GiB/s") == "gemm");
    CHECK(failing("share == 40%") == "gemm");
    CHECK(failing("share == 0.4") == "gemm");
    CHECK(failing("total.ratio == 110 %") == "gemm");
    CHECK(failing("count.ratio >= 120%") == "gemm");
}

TEST_CASE("and binds tighter than or, and where applies to the whole condition") {
    CHECK(failing("count == 12 and total == 1 or count == 1") == "copy");
    CHECK(failing("count == 1 or count == 12 and total == 1") == "copy");
    CHECK(failing("count == 12 and total == 1100 or count == 1") == "copy,gemm");
    CHECK(failing("count == 12 or count == 1 where kernel=gemm") == "gemm");
    CHECK(failing("count > 0 and count < 13 and total > 0") == "gemm");
}

TEST_CASE("an absent cell satisfies no condition, not even inequality") {
    for (const char* const condition : {"total > -1e30", "total < 1e30", "total != 5", "total.change != 5",
                                        "total.ratio != 5", "total == 0", "total <= 0"}) {
        INFO(condition);
        CHECK(failing(std::string(condition) + " where kernel='relu it'") == "");
    }
    CHECK(failing("total.ratio != 5") == "gemm");  // the baseline of copy is 0
}

TEST_CASE("where accepts every kind of key and presence") {
    CHECK(failing("total.baseline > 0 where rank=0") == "gemm");
    CHECK(failing("total.baseline > 0 where rank=3\xC2\xB7"
                  "b") == "relu it");
    CHECK(failing("total.baseline >= 0 where rank=3") == "where: no row has rank=3");
    CHECK(failing("count > 0 where stream=7") == "gemm");
    CHECK(failing("count > 0 where stream=-") == "copy");
    CHECK(failing("total.baseline > 0 where presence=removed") == "relu it");
    CHECK(failing("total.baseline > 0 where presence=both and kernel = \"gemm\"") == "gemm");
    CHECK(failing("total.baseline > 0 where presence=added") == "");  // nothing was added, which is not an error
    CHECK(failing("total.baseline > 0 where kernel=gemm and presence=removed") == "");
}

TEST_CASE("a `where` that matches no row is an error, unless the table is empty") {
    CHECK(failing("total > 0 where kernel=gem") == "where: no row has kernel=gem; did you mean gemm?");
    CHECK(failing("total > 0 where kernel=gemm and rank=1") == "where: no row has all of these");
    const std::vector<Column> known = fail_if_columns();
    const Table empty(known);
    const Comparison none = compare_tables({&empty, &empty}, {}, {}, {});
    const Result<std::vector<std::size_t>> rows =
        find_failing_rows(*parse_fail_if("total > 0 where kernel=gemm", known), none);
    REQUIRE(rows);
    CHECK(rows->empty());
}

TEST_CASE("a word too long for a message is cut short in it, and resembles no name") {
    const std::string message = failing(std::string(1'000'000, 'c') + " > 5");
    CHECK(message.size() < 300);
    CHECK(message.starts_with("at 1: no measure 'cccc"));
    CHECK(message.find("there are count, total") != std::string::npos);
}

namespace {

const std::string kExpectedPart =
    "at 7: expected baseline, candidate, change, ratio or a field of its test (lo, hi, rlo, rhi, p, q, holm, delta, "
    "detectable, n, verdict), found ";

// The step regressed from 100 to 110 ns; of the rows, gemm is tested, relu is not.
RunStatistics tests_of(const Comparison& compared) {
    RunStatistics statistics;
    const auto tested = [](std::vector<double> b, std::vector<double> c, double tolerance) {
        Tested one;
        one.values = {std::move(b), std::move(c)};
        one.samples = stats::compare_samples(one.values.baseline, one.values.candidate);
        one.judgement = one.strict = stats::judge(one.samples, tolerance);
        return one;
    };
    statistics.step.step = tested({100, 101, 99, 100}, {110, 111, 109, 110}, 1);
    statistics.rows.measure = "total";
    statistics.rows.rows.resize(compared.table.rows());
    for (std::size_t row = 0; row < compared.table.rows(); ++row) {
        if (compared.table.text(row, 1) != "gemm") continue;
        Tested gemm = tested({50, 51, 49, 50}, {52, 53, 51, 52}, 0.5);
        gemm.family = 7;
        gemm.q = 0.03;
        gemm.holm = 0.06;
        gemm.strict = {stats::Verdict::Undecided, stats::Doubt::ManyRows};
        statistics.rows.rows[row] = gemm;
    }
    return statistics;
}

// How many rows satisfy the condition, or the error.
std::string failing_tests(std::string_view text) {
    const std::vector<Column> known = fail_if_columns();
    const Result<FailIf> parsed = parse_fail_if(text, known);
    if (!parsed) return parsed.error().message;
    const Comparison compared = comparison();
    const RunStatistics statistics = tests_of(compared);
    const Result<std::vector<std::size_t>> rows = find_failing_rows(*parsed, compared, &statistics);
    if (!rows) return rows.error().message;
    std::string result = std::to_string(rows->size());
    if (!rows->empty()) result += ": " + describe_failing_row(*parsed, compared, rows->front(), &statistics);
    return result;
}

}  // namespace

TEST_CASE("a gate reads the test of the step") {
    CHECK(failing_tests("step.verdict = regressed") == "1: step.verdict regressed");
    CHECK(failing_tests("step.verdict == regressed") == "1: step.verdict regressed");
    CHECK(failing_tests("step.verdict != improved and step.n >= 4") == "1: step.verdict regressed, step.n 4");
    CHECK(failing_tests("step.verdict = improved") == "0");
    CHECK(failing_tests("step.rlo > 1.02").starts_with("1: step.rlo 1.08"));
    CHECK(failing_tests("step.rhi > 120%") == "0");
    CHECK(failing_tests("step.change > 9ns and step.ratio > 1.05") == "1: step.change 10, step.ratio 1.1");
    CHECK(failing_tests("step.baseline > 1us") == "0");
    CHECK(failing_tests("step > 105") == "1: step.candidate 110");
    CHECK(failing_tests("step.delta == 1 and step.p < 0.001").starts_with("1"));
    CHECK(failing_tests("step.detectable > 1%").starts_with("1: step.detectable"));
    CHECK(failing_tests("step.detectable > 3%") == "0");
    CHECK(failing_tests("step.lo > 8% and step.hi < 12ns").starts_with("1"));
}

TEST_CASE("a gate reads the tests of rows by Holm's p; a row without one satisfies nothing") {
    CHECK(failing_tests("total.q < 0.05") == "1: rank 0, kernel gemm, stream 7: total.q 0.03");
    CHECK(failing_tests("total.holm < 0.05") == "0");
    CHECK(failing_tests("total.verdict = regressed") == "0");
    CHECK(failing_tests("total.verdict = removed").starts_with("1: rank 3"));
    CHECK(failing_tests("total.n < 100").starts_with("1: rank 0"));
    CHECK(failing_tests("total.lo > 0.5ns and total.change > 90ns where kernel=gemm").starts_with("1"));
}

TEST_CASE("a gate on a test that does not exist is refused instead of never holding") {
    CHECK(failing_tests("count.p < 0.05") == "count.p: of this table only total is tested");
    CHECK(failing_tests("total.verdict = slower") ==
          "at 17: expected regressed, improved, same, undecided, added or removed, found 'slower'");
    CHECK(failing_tests("total.verdict > same") == "at 16: a verdict is compared by = or !=");
    CHECK(failing_tests("step.ratio = 1") == "at 12: expected == for equal, found '='");
}

TEST_CASE("malformed conditions are refused with the position and a suggestion") {
    const auto refused = [](std::string_view text, const std::string& message) {
        INFO(text);
        CHECK(failing(text) == message);
    };
    const std::string measures = "count, total, size, speed, share, mean-length";
    refused("", "at 1: expected a measure, found the end; there are " + measures);
    refused("> 5", "at 1: expected a measure, found '>'; there are " + measures);
    refused("totl > 5", "at 1: no measure 'totl'; did you mean total?");
    refused("qqqqqqqq > 5", "at 1: no measure 'qqqqqqqq'; there are " + measures);
    refused("kernel > 5", "at 1: 'kernel' is not a measure: keys are compared after where");
    refused("why > 5", "at 1: 'why' is not a measure");
    refused("worst > 5", "at 1: 'worst' is not a measure");
    refused("total.chang > 5", kExpectedPart + "'chang'");
    refused("total. > 5", kExpectedPart + "' '");
    refused("total", "at 6: expected > >= < <= == or !=, found the end");
    refused("total 5", "at 7: expected > >= < <= == or !=, found '5'");
    refused("total = 5", "at 7: expected == for equal, found '='");
    refused("total >", "at 8: expected a number, found the end");
    refused("total > ms", "at 9: expected a number, found 'ms'");
    refused("total > -", "at 9: expected a number, found '-'");
    refused("total > .", "at 9: expected a number, found '.'");
    refused("total > 5x", "at 10: expected ns, us, ms, s or min, found 'x'");
    refused("total > 5%", "at 10: expected ns, us, ms, s or min, found '%'");
    refused("total > 5 MB", "at 11: expected ns, us, ms, s or min, found 'MB'");
    refused("total.ratio > 5ms", "at 16: expected % or no unit, found 'ms'");
    refused("size > 5ms", "at 9: expected B, KiB, MiB, GiB, kB, MB or GB, found 'ms'");
    refused("speed > 5GB", "at 10: expected B/s, kB/s, MB/s or GB/s, found 'GB'");
    refused("count > 5ms", "at 10: expected no unit, found 'ms'");
    refused("count > 1e999", "at 9: the number is out of range");
    refused("count > 1e9999999", "at 9: the number is out of range");
    refused("total > 5 and", "at 14: expected a measure, found the end; there are " + measures);
    refused("total > 5 or or", "at 14: no measure 'or'; there are " + measures);
    refused("total > 5ms total > 6ms", "at 13: expected and, or, where or the end, found 'total'");
    refused("total > 5 where", "at 16: expected a key, found the end; there are rank, kernel, stream, presence");
    refused("total > 5 where kernl=x", "at 17: no key 'kernl'; did you mean kernel?");
    refused("total > 5 where total=x", "at 17: no key 'total'; there are rank, kernel, stream, presence");
    refused("total > 5 where kernel", "at 23: expected =, found the end");
    refused("total > 5 where kernel == x", "at 24: expected =, found '='");
    refused("total > 5 where kernel=", "at 24: expected a value, found the end");
    refused("total > 5 where kernel='x", "at 24: the quote is not closed");
    refused("total > 5 where kernel=x or rank=1", "at 26: expected and, or or the end, found 'or'");
    refused("total > 5 where presence=gone", "at 26: presence is both, added or removed, not 'gone'");
}

TEST_CASE("a failing row is described by its keys and the tested values") {
    const std::vector<Column> known = fail_if_columns();
    const Result<FailIf> fail_if = parse_fail_if("total.change > 1 and total.ratio > 1.05 or count > 99", known);
    REQUIRE(fail_if);
    const Comparison compared = comparison();
    const Result<std::vector<std::size_t>> rows = find_failing_rows(*fail_if, compared);
    REQUIRE(rows);
    REQUIRE(rows->size() == 1);
    CHECK(describe_failing_row(*fail_if, compared, rows->front())
              .starts_with("rank 0, kernel gemm, stream 7: count.candidate 12, total.change 100 ns, total.ratio 110"));
}
