#pragma once
// An analysis is one row of the table in core/analysis/catalogue. The row provides the CLI command, a panel with table
// and chart, CSV and JSON, the two-run comparison and the golden tests; adding one changes nothing else.
//
// rank() is called once per rank of the filtered run, on any thread; merge() once with all partials in
// the order of the ranks. Both are pure functions of their arguments. Times in answers count from the
// run's origin (run time), unless the column says otherwise.

#include "core/analysis/engine/prose.hpp"
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
    // StackedBars: the parts; Bars: one, with the next as fallback where it is absent; ErrorBars:
    // mean, low, high.
    std::span<const std::string_view> measures{};
    std::string_view series{};  // a second key: the name of a part or bar
    std::string_view label{};  // a key that refines the category; bars then combine both
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
    std::optional<RunRange> place = {};  // what it marks where that is not the event, but the gap before it
};
struct Excluded {  // excluded from the numbers, with the reason
    std::string what;
    std::uint64_t count = 0;
};

struct NamedTable {
    std::string name;  // "main" first
    Table table;
};

struct Answer {
    std::vector<NamedTable> tables;  // at least the main table
    std::vector<Series> series;
    std::vector<Mark> marks;
    std::vector<Excluded> excluded;
    const Table& main() const { return tables.front().table; }
    const Table* find(std::string_view table) const;  // empty name: the main table; null if there is none of this name
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
    // True if any GPU event passes the step and stream terms; if not, shares have no window.
    bool has_gpu_work() const;
    // The window of shares: the selection's, cut to the time range.
    RankRange window() const;
    // The part of an event, or of any range, inside the time range if there is one; empty if
    // outside.
    RankRange visible(EventId e) const { return visible(trace().range(e)); }
    RankRange visible(RankRange whole) const;
    // True if an event, CPU or GPU, passes every term and overlaps the time range.
    bool passes(EventId e) const;
    // Passing GPU events that overlap the time range, by start.
    std::vector<EventId> gpu_events() const;
    // The same of those that pass the step and stream terms: what shares are of.
    std::vector<EventId> window_events() const;
    // The rank under the filter without step terms; the view's own selection if there are none.
    Result<SelectionPtr> build_selection_of_all_steps(const JobContext&) const;
    // The rank under the step and stream terms alone, which set windows; the view's own selection
    // if there are no other terms.
    Result<SelectionPtr> build_selection_of_window(const JobContext&) const;
    // Unexpected exclusions of the filter: GPU events that belong to no step.
    std::vector<Excluded> collect_excluded() const;
    KernelClass class_of(EventId e) const { return rank().index->classes().of(e); }
    Duration since_origin(RankTime t) const { return rank().to_run(t) - run->origin(); }
};

using Partial = Answer;

// The captures that stand for the ranks where these are compared: of several of one rank that pass the filter, the one
// that most ranks have, else its first.
struct ComparedRanks {
    std::vector<const Partial*> partials;
    std::uint64_t left_out = 0;  // captures of ranks that another one stands for
};
inline constexpr std::string_view kOtherCaptures =
    "captures of a rank that another capture stands for (filter: capture:a, rank:3\u00B7b)";
// The rank of a partial is in the first row of the `table`, in `column`; those without rows are left out uncounted.
ComparedRanks one_capture_per_rank(std::span<const Partial* const> partials, std::size_t table, std::size_t column);

// For merges that read the ranks of the run themselves: where a rank stands in the run, in a table of its partial, and
// those of all partials that have this table, in their order.
void add_slot(const RankView&, Partial&);
std::vector<std::uint32_t> collect_slots(std::span<const Partial* const>);

// A table beside the main one that an answer with standard parameters may have.
struct SecondaryTable {
    std::string_view name;
    std::vector<Column> (*columns)();
};

// The part of an analysis that a run summary has, without single events.
enum class InSummary : std::uint8_t {
    Nothing,  // needs single events
    Computed,  // computed from the collectives, which a summary keeps whole: ranks can be chosen
    OfRank,  // kept for each rank: ranks can be chosen; only without merge()
    OfRankAndSteps,  // also for the first steps of each rank
    OfRun,  // kept for all ranks together
};

// Data that a trace needs for the analysis to have rows. It decides why there are none (explain_no_rows).
enum class Input : std::uint8_t {
    Named,  // Analysis::made_of names it
    Launches,  // of GPU work
    Collectives,  // that several ranks took part in
    SizedCollectives,  // of known size, that everyone waits in
    Outliers,  // rows are what stands out: none is good news
};

struct Analysis {
    std::string_view id;  // CLI name, export stem, session key: never renamed
    std::string_view title;  // tab and menu
    std::string_view summary;  // tooltip and --help
    Prose definition;  // formula, units, what is excluded: the "explain this number" text
    std::span<const Param> params{};
    Chart chart{};
    bool comparable = false;  // rows of two runs can be joined
    Result<Partial> (*rank)(const RankView&, const Params&, const JobContext&) = nullptr;
    // null: concatenates the partials' tables
    Result<Answer> (*merge)(std::span<const Partial* const>, const Run&, const Params&, const JobContext&) = nullptr;
    std::vector<Column> (*columns)() = nullptr;  // of the main table, each with its meaning
    std::span<const SecondaryTable> tables{};
    std::string_view lead{};  // comparisons sort by the change of this measure
    bool of_cpu = false;  // also counts CPU events
    Input input = Input::Named;
    std::string_view made_of = "GPU events";  // for Input::Named
    bool of_run = false;  // rank() reads other ranks, too: partials are kept per run
    bool one_capture = false;  // its numbers join ranks: of several captures that are no windows of one job one counts
    InSummary in_summary = InSummary::Nothing;
};

// Why an answer has no rows or no numbers.
struct NoRows {
    enum class Reason : std::uint8_t { NoInput, NothingPasses, NothingStandsOut } reason;
    std::string sentence;  // "The traces have no step marks."
};
NoRows explain_no_rows(const Analysis&, const Run&, const Filter&);
// True if every measure of every row is absent; of a table of words alone, if it has no rows.
bool has_no_numbers(const Table&);

// "window=steps" … → canonical Params; refuses unknown names and invalid or out-of-range values,
// and names the valid ones.
Result<Params> make_params(const Analysis&, std::span<const std::pair<std::string, std::string>> given);
std::string format_params(const Analysis&, const Params&);

RankView view_rank(const Run&, std::size_t slot, const Filter&, SelectionPtr);
Result<RankView> build_rank_view(const Run&, std::size_t slot, const Filter&, const JobContext&);
}  // namespace core
