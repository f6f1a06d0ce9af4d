#include "core/analysis/engine/call_tree.hpp"

#include "core/analysis/operators/operator_analyses.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <simdjson.h>

namespace core::counters {
namespace {

constexpr std::string_view kUnknown = "(unknown)";

enum Naming : std::int64_t { kInnermost, kOutermost, kStack };  // choices of the row
enum ColumnAt : std::size_t { kOperator, kKernel, kCounter, kCount, kTotal };

bool launches_kernel(const RankTrace& trace, EventId e) {
    return is_launch_category(trace.category_kind(e)) && trace.name_text(e).find("Launch") != std::string_view::npos &&
           trace.name_text(e).find("Kernel") != std::string_view::npos;
}

struct Pairs {
    std::vector<EventId> ranges, launches;  // by time
    bool are_known = false;
};

// Ranges have no correlation: the n-th range belongs to the n-th launch, if their counts match.
Pairs collect_pairs(const RankTrace& trace) {
    Pairs pairs;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        const EventId e{i};
        if (trace.category_kind(e) == Category::ProfilerRange)
            pairs.ranges.push_back(e);
        else if (launches_kernel(trace, e))
            pairs.launches.push_back(e);
    }
    const auto moment = [&](EventId e) { return std::pair(trace.start[index_of(e)], trace.order[index_of(e)]); };
    std::ranges::sort(pairs.ranges, {}, moment);
    std::ranges::sort(pairs.launches, {}, moment);
    pairs.are_known = pairs.ranges.size() == pairs.launches.size();
    return pairs;
}

std::string operators_above(const RankTrace& trace, EventId call, std::int64_t naming) {
    std::string text;
    for (EventId e = event_above(trace, call); e != kNoEvent; e = event_above(trace, e)) {
        if (!is_operator(trace, e)) continue;
        const std::string name(trace.name_text(e));
        text = text.empty() || naming == kOutermost ? name : name + " > " + text;
        if (naming == kInnermost) break;
    }
    return text.empty() ? std::string(kUnknown) : text;
}

using Key = std::tuple<std::string, std::string, std::string>;  // operator, kernel, counter
struct Sum {
    std::int64_t count = 0;
    double total = 0;
    void add(std::int64_t more_count, double more_total) {
        count += more_count;
        total += more_total;
    }
};
using Sums = std::map<Key, Sum>;

// Every numeric argument of the range is a counter, except those that identify it.
void add_counters(const std::string& arguments, const std::string& name, std::string_view kernel, Sums& sums) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (parser.parse(arguments).get_object().get(object) != simdjson::SUCCESS) return;
    for (const auto& [counter, element] : object) {
        double value = 0;
        if (!find_known_arg(counter) && element.get_double().get(value) == simdjson::SUCCESS)
            sums[{name, std::string(kernel), std::string(counter)}].add(1, value);
    }
}

// Ordered by counter, then by value, largest first.
void add_rows(const Sums& sums, Table& table) {
    std::vector<const Sums::value_type*> rows;
    for (const Sums::value_type& row : sums) rows.push_back(&row);
    std::ranges::stable_sort(rows, {}, [](const Sums::value_type* row) {
        return std::pair<std::string_view, double>(std::get<2>(row->first), -row->second.total);
    });
    for (const Sums::value_type* row : rows) {
        const auto& [name, kernel, counter] = row->first;
        const Sum& sum = row->second;
        table.add_row({name, kernel, counter, sum.count, sum.total, sum.total / static_cast<double>(sum.count)});
    }
}

}  // namespace

std::vector<Column> columns() {
    return {{"operator", Unit::Text, Role::Key, Facet::Operator,
             "of the CPU call that launched the kernel; (unknown) if it cannot be told"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "name of the profiled range"},
            {"counter", Unit::Text, Role::Key, Facet::None, "as the trace writes it"},
            {"count", Unit::Count, Role::Measure, Facet::None, "ranges that have it", true},
            {"total", Unit::Number, Role::Measure, Facet::None, "sum over them", true},
            {"mean", Unit::Number, Role::Measure, Facet::None, "total / count"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const RankTrace& trace = view.trace();
    const Pairs pairs = collect_pairs(trace);
    Sums sums;
    std::uint64_t without_operator = 0;
    for (std::size_t i = 0; i < pairs.ranges.size(); ++i) {
        if (context.cancelled()) return cancelled_error();
        const EventId range = pairs.ranges[i];
        if (!view.passes(range)) continue;
        const Result<EventText> text = trace.event_text(range);
        if (!text) continue;
        const std::string name =
            pairs.are_known ? operators_above(trace, pairs.launches[i], params[0]) : std::string(kUnknown);
        if (!pairs.are_known) ++without_operator;
        add_counters(text->arguments, name, trace.name_text(range), sums);
    }
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    add_rows(sums, partial.tables.front().table);
    if (without_operator > 0)
        partial.excluded.push_back(
            {"ranges whose launch is unknown, as there are not as many launches", without_operator});
    if (sums.empty()) partial.excluded.push_back({"ranks without a selected profiler range", 1});
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run&, const Params&, const JobContext&) {
    Sums sums;
    for (const Partial* partial : partials) {
        const Table& table = partial->main();
        for (std::size_t row = 0; row < table.rows(); ++row) {
            sums[{std::string(table.text(row, kOperator)), std::string(table.text(row, kKernel)),
                  std::string(table.text(row, kCounter))}]
                .add(table.integer(row, kCount), table.number(row, kTotal));
        }
    }
    Answer answer{.tables = {{"main", Table(columns())}}, .series = {}, .marks = {}, .excluded = {}};
    add_rows(sums, answer.tables.front().table);
    return answer;
}

constexpr std::string_view kOperatorNamings[] = {"innermost", "outermost", "stack"};
constexpr Param kCounterParams[] = {
    {"operator", "which of the operators around the launch names the row; stack: all of them, from the outermost",
     Unit::Count, 0, 0, 2, kOperatorNamings},
};
constexpr std::string_view kMean[] = {"mean"};

}  // namespace core::counters

namespace core {

constinit const Analysis kCounters{
    .id = "counters",
    .title = "Hardware counters",
    .summary = "CUPTI counters of every kernel, by the operator that launched it.",
    .definition = R"(
One row per operator, kernel and counter, over all ranks: how many profiled ranges (cuda_profiler_range) that pass
the filter have the counter, the sum and the mean. Counters are the numbers among a range's arguments, in the unit
that their names tell.

Ranges carry no correlation, and their times are made up by the profiler: the n-th range is taken to be of the n-th
call that launches a kernel, if the trace has as many of each; otherwise the operator is (unknown). Filters by step
and time go by the range's own time. operator chooses which of the operators around that call names the row: the
innermost, the outermost, or all of them. HTA gives the same per range, pairs in the same way, and leaves a rank out
when the numbers differ.
)",
    .params = counters::kCounterParams,
    .chart = {.kind = ChartKind::Bars, .category = "kernel", .measures = counters::kMean, .series = "counter"},
    .comparable = true,
    .rank = counters::rank,
    .merge = counters::merge,
    .columns = counters::columns,
    .lead = "total",
    .made_of = "hardware counters",
};

}  // namespace core
