#pragma once
// An analysis is one row in the table in registry.cpp. From that row come the CLI, a panel with table
// and chart, CSV and JSON, the two-run comparison and the golden tests; nothing else changes to add one.
//
// rank() is called once per rank of the filtered run, on any thread; merge() once with all partials in
// the order of the ranks. Both are pure functions of their arguments. Times in answers count from the
// run's origin (run time), unless the column says otherwise.

#include "core/analysis/engine/table.hpp"
#include "core/base/jobs.hpp"
#include "core/query/selection.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct Param {
    std::string_view name;                       // --param name=value
    std::string_view summary;
    Unit unit = Unit::Count;
    std::int64_t standard = 0;                   // default
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::span<const std::string_view> choices{}; // if not empty, the value is an index into these
};

// One value per Param of the analysis, in its order: canonical, so it can be a cache key.
using Params = std::vector<std::int64_t>;

enum class ChartKind : std::uint8_t { None, StackedBars, Bars, ErrorBars };
struct Chart {
    ChartKind kind = ChartKind::None;
    std::string_view category{};                 // the key column along the axis
    // StackedBars: the parts; Bars: one, the next where there is nothing of those before; ErrorBars: mean, low, high.
    std::span<const std::string_view> measures{};
    std::string_view series{};  // a second key: the parts' or the bars' chosen name
    std::string_view label{};  // a key that says more than the category does; bars are then of both
};

struct Series {  // drawn as a counter lane
    std::string name;
    std::uint32_t slot = 0;
    Unit unit = Unit::Count;
    std::vector<RunTime> time;
    std::vector<double> value;
};
struct Mark {  // drawn on the timeline
    EventRef event;
    std::string label;
};
struct Excluded {  // left out of the numbers, and why
    std::string what;
    std::uint64_t count = 0;
};

struct NamedTable {
    std::string name;  // "main" first
    Table table;
};

struct Answer {
    std::vector<NamedTable> tables;  // at least the main one
    std::vector<Series> series;
    std::vector<Mark> marks;
    std::vector<Excluded> excluded;
    const Table& main() const { return tables.front().table; }
    const Table* find(std::string_view table) const;  // empty: the main one; null where it has no such table
    std::size_t resident_bytes() const;
};
using AnswerPtr = std::shared_ptr<const Answer>;

// One rank through the filter. Made by view_rank or build_rank_view; run and filter must outlive it.
struct RankView {
    const Run* run;
    std::size_t slot;
    const Filter* filter;
    SelectionPtr selection;
    std::optional<RankRange> time;  // the filter's time range on this rank's clock

    const RankSlot& rank() const { return run->rank(slot); }
    const RankTrace& trace() const { return rank().trace(); }
    std::int64_t key() const { return rank().key.packed(); }
    // Whether any GPU event passes the terms on step and stream; if not, shares have nothing to be taken of.
    bool has_gpu_work() const;
    // The window shares are taken of: the selection's, cut to the time range.
    RankRange window() const;
    // The part of an event, or of any range, inside the time range (all of it without one); empty when outside.
    RankRange visible(EventId e) const { return visible(trace().range(e)); }
    RankRange visible(RankRange whole) const;
    // Whether an event, CPU or GPU, passes every term and overlaps the time range.
    bool passes(EventId e) const;
    // GPU events that pass and overlap the time range, by start.
    std::vector<EventId> gpu_events() const;
    // The same rank through the filter without its step terms; the view's own selection if there are none.
    Result<SelectionPtr> build_selection_of_all_steps(const JobContext&) const;
    // The same rank through the terms on step and stream alone, which set windows; the view's own if there are no others.
    Result<SelectionPtr> build_selection_of_window(const JobContext&) const;
    // What the filter leaves out that a reader would not expect: GPU events that belong to no step.
    std::vector<Excluded> collect_excluded() const;
    KernelClass class_of(EventId e) const { return rank().index->classes().of(e); }
    Duration since_origin(RankTime t) const { return rank().clock.to_run(t) - run->origin(); }
};

using Partial = Answer;

struct Analysis {
    std::string_view id;  // CLI name, export stem, session key: never renamed
    std::string_view title;  // tab and menu
    std::string_view summary;  // tooltip and --help
    std::string_view definition;  // formula, units, what is excluded: the "explain this number" text
    std::span<const Param> params;
    Chart chart;
    bool comparable;  // rows of two runs line up
    Result<Partial> (*rank)(const RankView&, const Params&, const JobContext&);
    // null: the partials' tables one below the other
    Result<Answer> (*merge)(std::span<const Partial* const>, const Run&, const Params&, const JobContext&);
    std::vector<Column> (*columns)();  // of the main table, with what each means
    std::string_view lead{};  // the measure by whose change a comparison is sorted
    bool of_cpu = false;  // its numbers are also of events on the CPU
    std::string_view made_of = "GPU events";  // what traces have to have for rows; empty: rows are what stands out
};

// Why an answer has no rows, or none with a number: "The traces have no step marks.". One sentence.
std::string explain_no_rows(const Analysis&, const Run&, const Filter&);
// No row has any of its measures.
bool has_no_numbers(const Table&);

std::span<const Analysis> all_analyses();
const Analysis* find_analysis(std::string_view id);

// "window=steps" … → canonical Params; unknown names, bad values and values out of range are refused with what would do.
Result<Params> make_params(const Analysis&, std::span<const std::pair<std::string, std::string>> given);
std::string format_params(const Analysis&, const Params&);

RankView view_rank(const Run&, std::size_t slot, const Filter&, SelectionPtr);
Result<RankView> build_rank_view(const Run&, std::size_t slot, const Filter&, const JobContext&);
// Calls merge(), or appends the tables and adds up what was excluded. Without partials: an empty main table.
Result<Answer> merge_partials(const Analysis&, std::span<const Partial* const>, const Run&, const Params&,
                              const JobContext&);

// The whole thing at once, ranks in parallel: for the CLI and tests. The window asks a ResultCache instead.
Result<Answer> run_analysis(const Analysis&, const Run&, const Filter&, const Params&, unsigned threads,
                            const JobContext&);

}  // namespace core
