#include "core/diff/gates/fail_if.hpp"

#include "core/base/format.hpp"
#include "core/base/nearest.hpp"
#include "core/index/run.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <ranges>
#include <set>

namespace core {
namespace {

constexpr std::string_view kPresence = "presence";

bool holds(Relation relation, long double value, long double limit) {
    switch (relation) {
        case Relation::Greater:
            return value > limit;
        case Relation::GreaterOrEqual:
            return value >= limit;
        case Relation::Less:
            return value < limit;
        case Relation::LessOrEqual:
            return value <= limit;
        case Relation::Equal:
            return value == limit;
        case Relation::NotEqual:
            return value != limit;
    }
    return false;
}

constexpr std::array<std::string_view, kTestFields> kTestFieldNames = {
    "lo", "hi", "rlo", "rhi", "p", "q", "holm", "delta", "detectable", "n", "verdict"};

// The test that a condition reads; null if there is none.
const Tested* find_test(const Condition& condition, std::size_t row, const RunStatistics* statistics) {
    if (!statistics) return nullptr;
    if (condition.is_of_step()) return &statistics->step.step;
    if (row >= statistics->rows.rows.size() || !statistics->rows.rows[row]) return nullptr;
    return &*statistics->rows.rows[row];
}

std::optional<double> value_of(const Tested& tested, TestField field) {
    const stats::TwoSamples& samples = tested.samples;
    const auto of_ratio = [&](double stats::Interval::*end) -> std::optional<double> {
        if (!samples.welch || !samples.welch->ratio) return std::nullopt;
        return samples.welch->ratio.value().*end;
    };
    const auto of_welch = [&](auto read) -> std::optional<double> {
        if (!samples.welch) return std::nullopt;
        return read(*samples.welch);
    };
    switch (field) {
        case TestField::Lo:
            return of_welch([](const stats::Welch& welch) { return welch.interval.low; });
        case TestField::Hi:
            return of_welch([](const stats::Welch& welch) { return welch.interval.high; });
        case TestField::Rlo:
            return of_ratio(&stats::Interval::low);
        case TestField::Rhi:
            return of_ratio(&stats::Interval::high);
        case TestField::P:
            return of_welch([](const stats::Welch& welch) { return welch.p; });
        case TestField::Q:
            return tested.family == 0 ? of_welch([](const stats::Welch& welch) { return welch.p; }) : tested.q;
        case TestField::Holm:
            return tested.family == 0 ? of_welch([](const stats::Welch& welch) { return welch.p; }) : tested.holm;
        case TestField::Delta:
            return samples.rank ? std::optional(samples.rank->cliff) : std::nullopt;
        case TestField::Detectable:
            return of_welch([](const stats::Welch& welch) { return welch.detectable; });
        case TestField::N:
            return static_cast<double>(tested.least_n());
        case TestField::Verdict:
            break;
    }
    return std::nullopt;
}

// Baseline, candidate, change and ratio of the step's test.
std::optional<double> value_of(const Tested& tested, Part part) {
    if (tested.least_n() == 0) return std::nullopt;
    switch (part) {
        case Part::Baseline:
            return tested.samples.baseline.mean;
        case Part::Candidate:
            return tested.samples.candidate.mean;
        case Part::Change:
            return tested.samples.candidate.mean - tested.samples.baseline.mean;
        case Part::Ratio:
            break;
    }
    return tested.ratio();
}

std::string_view strict_verdict(const Tested* tested, std::string_view presence) {
    if (presence != "both") return presence;
    return name_of(tested ? tested->strict.verdict : stats::Verdict::Undecided);
}

bool holds_test(const Condition& condition, const Comparison& comparison, std::size_t row,
                const RunStatistics* statistics) {
    const Tested* const tested = find_test(condition, row, statistics);
    if (!statistics) return false;
    if (condition.field == TestField::Verdict) {
        const std::string_view presence = condition.is_of_step() ? "both" : comparison.table.text(row, comparison.keys);
        const bool is_it = strict_verdict(tested, presence) == condition.word;
        return condition.relation == Relation::Equal ? is_it : !is_it;
    }
    if (!tested) return false;
    const std::optional<double> value =
        condition.field ? value_of(*tested, *condition.field) : value_of(*tested, condition.part);
    const double limit =
        condition.of_mean ? condition.limit * std::abs(tested->samples.baseline.mean) : condition.limit;
    return value && holds(condition.relation, static_cast<long double>(*value), limit);
}

std::size_t find_measure(const Comparison& comparison, const Condition& condition) {
    return comparison.table.find_column(condition.measure + "." + std::string(name_of(condition.part)));
}

bool holds(const Condition& condition, const Comparison& comparison, std::size_t row, const RunStatistics* statistics) {
    if (condition.field || condition.is_of_step()) return holds_test(condition, comparison, row, statistics);
    const Table& table = comparison.table;
    const std::size_t column = find_measure(comparison, condition);
    assert(column < table.columns().size());
    if (table.absent(row, column)) return false;
    const long double value = is_integer(table.columns()[column].unit)
                                  ? static_cast<long double>(table.integer(row, column))
                                  : static_cast<long double>(table.number(row, column));
    return holds(condition.relation, value, condition.limit);
}

bool holds(const FailIf& fail_if, const Comparison& comparison, std::size_t row, const RunStatistics* statistics) {
    return std::ranges::any_of(fail_if.any_of, [&](const std::vector<Condition>& all_of) {
        return std::ranges::all_of(
            all_of, [&](const Condition& condition) { return holds(condition, comparison, row, statistics); });
    });
}

template <class Visit>
void visit_conditions(const FailIf& fail_if, const Visit& visit) {
    for (const std::vector<Condition>& all_of : fail_if.any_of)
        for (const Condition& condition : all_of) visit(condition);
}

// A gate that never fires because nothing is tested would pass everything.
std::optional<Error> refuse_untested(const FailIf& fail_if, const RunStatistics* statistics) {
    std::optional<Error> refused;
    visit_conditions(fail_if, [&](const Condition& condition) {
        if (!condition.field || condition.is_of_step()) return;
        const bool is_tested =
            statistics && statistics->rows.absent.empty() && statistics->rows.measure == condition.measure;
        if (is_tested || refused) return;
        std::string why = condition.measure + "." + std::string(name_of(*condition.field)) + ": ";
        if (!statistics || !statistics->rows.absent.empty())
            why += statistics ? statistics->rows.absent : "nothing was tested";
        else
            why += "of this table only " + statistics->rows.measure + " is tested";
        refused = Error{ErrorCode::BadInput, why};
    });
    return refused;
}

std::string step_text(const Condition& condition, const RunStatistics* statistics) {
    if (!statistics) return {};
    const Tested& step = statistics->step.step;
    std::string text(kStepMeasure);
    text += "." + std::string(condition.field ? name_of(*condition.field) : name_of(condition.part)) + " ";
    if (condition.field == TestField::Verdict) return text + std::string(name_of(step.strict.verdict));
    const std::optional<double> value =
        condition.field ? value_of(step, *condition.field) : value_of(step, condition.part);
    return text + (value ? format_number(*value) : "-");
}

// A key as written after `where`: plain digits, "3·b", or the text.
std::string key_text(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return "-";
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text) return std::string(table.text(row, column));
    if (unit == Unit::Rank) return format_rank(RankKey::unpacked(table.integer(row, column)));
    return is_integer(unit) ? std::to_string(table.integer(row, column)) : format_cell_exact(table, row, column);
}

bool meets(const KeyCondition& condition, const Table& table, std::size_t row) {
    return key_text(table, row, table.find_column(condition.key)) == condition.value;
}

bool is_of_key(const KeyCondition& condition) { return condition.key != kPresence; }

// Names the conditions that no row meets, with suggestions.
std::string explain_no_rows(const FailIf& fail_if, const Table& table) {
    for (const KeyCondition& condition : fail_if.where | std::views::filter(is_of_key)) {
        const std::size_t column = table.find_column(condition.key);
        std::set<std::string> values;
        for (std::size_t row = 0; row < table.rows(); ++row) values.insert(key_text(table, row, column));
        if (values.contains(condition.value)) continue;
        const std::vector<std::string_view> known(values.begin(), values.end());
        const bool is_text = table.columns()[column].unit == Unit::Text;
        return "where: no row has " + condition.key + "=" + condition.value +
               (is_text ? nearest_hint(condition.value, known) : "");
    }
    return "where: no row has all of these";
}

}  // namespace

std::string_view name_of(TestField field) { return kTestFieldNames[static_cast<std::size_t>(field)]; }

bool FailIf::is_of_step() const {
    bool all = where.empty();
    visit_conditions(*this, [&](const Condition& condition) { all = all && condition.is_of_step(); });
    return all;
}

Result<std::vector<std::size_t>> find_failing_rows(const FailIf& fail_if, const Comparison& comparison,
                                                   const RunStatistics* statistics) {
    const Table& table = comparison.table;
    std::vector<std::size_t> failing;
    if (auto refused = refuse_untested(fail_if, statistics)) return *std::move(refused);
    if (fail_if.is_of_step()) {
        if (holds(fail_if, comparison, 0, statistics)) failing.push_back(0);
        return failing;
    }
    bool any_named = fail_if.where.empty();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto meets_all = [&](auto conditions) {
            return std::ranges::all_of(conditions, [&](const KeyCondition& c) { return meets(c, table, row); });
        };
        // No row being removed is fine; no row having this name is a typo.
        if (!meets_all(fail_if.where | std::views::filter(is_of_key))) continue;
        any_named = true;
        if (meets_all(std::views::all(fail_if.where)) && holds(fail_if, comparison, row, statistics))
            failing.push_back(row);
    }
    if (!any_named && table.rows() > 0) return Error{ErrorCode::NotFound, explain_no_rows(fail_if, table)};
    return failing;
}

std::string describe_failing_row(const FailIf& fail_if, const Comparison& comparison, std::size_t row,
                                 const RunStatistics* statistics) {
    std::string text;
    if (fail_if.is_of_step()) {
        visit_conditions(fail_if, [&](const Condition& condition) {
            text += (text.empty() ? "" : ", ") + step_text(condition, statistics);
        });
        return text;
    }
    for (std::size_t c = 0; c < comparison.keys; ++c) {
        text += (c ? ", " : "") + comparison.table.columns()[c].name + " " + key_text(comparison.table, row, c);
    }
    std::set<std::size_t> columns;
    for (const std::vector<Condition>& all_of : fail_if.any_of) {
        for (const Condition& condition : all_of)
            if (!condition.field && !condition.is_of_step()) columns.insert(find_measure(comparison, condition));
    }
    std::string values;
    visit_conditions(fail_if, [&](const Condition& condition) {
        const std::string_view separator = values.empty() ? ": " : ", ";
        if (condition.is_of_step()) {
            values.append(separator).append(step_text(condition, statistics));
        } else if (condition.field) {
            const Tested* const tested = find_test(condition, row, statistics);
            const std::optional<double> value = tested ? value_of(*tested, *condition.field) : std::nullopt;
            values.append(separator)
                .append(condition.measure)
                .append(".")
                .append(name_of(*condition.field))
                .append(" ");
            values += condition.field == TestField::Verdict
                          ? std::string(strict_verdict(tested, comparison.table.text(row, comparison.keys)))
                      : value ? format_number(*value)
                              : "-";
        }
    });
    for (const std::size_t c : columns) {
        values += (values.empty() ? ": " : ", ") + comparison.table.columns()[c].name + " " +
                  format_cell_exact(comparison.table, row, c);
    }
    return text + values;
}

}  // namespace core
