#include "core/analysis/critical_path/critical_path.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/run_window.hpp"
#include "core/analysis/whatif/whatif_analyses.hpp"
#include "core/analysis/whatif/whole_path.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace core::critical_path {
namespace {

constexpr std::size_t kOfRun = 6;  // the parameter `of`, behind the factors

bool is_of_run(const Params& params) { return params.size() > kOfRun && params[kOfRun] == 1; }

std::vector<Column> window_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "absent: of the run"},
            {"start", Unit::Ns, Role::Info, Facet::None, "of the window, from the run's earliest event"},
            {"length", Unit::Ns, Role::Measure, Facet::None, "of the window, and of the path"},
            {"replayed", Unit::Ns, Role::Measure, Facet::None, "length of the longest path with the factors applied"},
            {"gain", Unit::Ns, Role::Measure, Facet::None, "length - replayed; no more than this can be gained"},
            {"gain_share", Unit::Ratio, Role::Measure, Facet::None, "gain / length"}};
}

std::vector<Column> run_rank_columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "whose time it is"},
        {"bound_by", Unit::Text, Role::Key, Facet::None, "as in the main table"},
        {"time", Unit::Ns, Role::Measure, Facet::None, "on the path; all rows add up to the window"},
        {"share", Unit::Ratio, Role::Measure, Facet::None, "of the window"},
        {"crossings", Unit::Count, Role::Measure, Facet::None, "times that the path came to the rank from another"}};
}

std::vector<Column> run_name_columns() {
    return {{"name", Unit::Text, Role::Key, Facet::Operator, "of the event; empty where the trace has none"},
            {"bound_by", Unit::Text, Role::Key, Facet::None, "as in the main table"},
            {"count", Unit::Count, Role::Measure, Facet::None, "stretches of the path"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "on the path"},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of the window"}};
}

std::vector<Column> run_link_columns() {
    return {{"link", Unit::Text, Role::Key, Facet::None, "what had to wait for what"},
            {"guessed", Unit::Text, Role::Key, Facet::None, "yes: the trace does not say it, it only fits"},
            {"count", Unit::Count, Role::Measure, Facet::None, "in the window"},
            {"on_path", Unit::Count, Role::Measure, Facet::None, "on the critical path"}};
}

std::vector<Column> crossing_columns() {
    return {{"position", Unit::Count, Role::Key, Facet::None, "along the path, from 1"},
            {"from", Unit::Rank, Role::Info, Facet::Rank, "the last to arrive, whose time the path had been"},
            {"to", Unit::Rank, Role::Info, Facet::Rank, "the rank that waited, and goes on"},
            {"group", Unit::Text, Role::Info, Facet::Group, "of the collective"},
            {"operation", Unit::Text, Role::Info, Facet::None, "of the collective"},
            {"sequence", Unit::Count, Role::Info, Facet::None, "of the collective in its group and operation"},
            {"at", Unit::Ns, Role::Info, Facet::None, "when the last one arrived, from the run's earliest event"}};
}

std::vector<Column> run_piece_columns() {
    return {{"position", Unit::Count, Role::Key, Facet::None, "along the path, from 1"},
            {"event", Unit::Event, Role::Info, Facet::None, "whose time it is; absent where the trace has none"},
            {"name", Unit::Text, Role::Info, Facet::Operator, "of the event"},
            {"track", Unit::Text, Role::Info, Facet::None, "thread or stream of the event"},
            {"start", Unit::Ns, Role::Measure, Facet::None, "of the stretch, from the run's earliest event"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "of the stretch; all add up to the window"},
            {"bound_by", Unit::Text, Role::Info, Facet::None, "as in the main table"},
            {"rank", Unit::Rank, Role::Info, Facet::Rank, "whose time it is"}};
}

Answer empty_answer() {
    return {.tables = {{"main", Table(columns())},
                       {"what-if", Table(window_columns())},
                       {"ranks", Table(run_rank_columns())},
                       {"names", Table(run_name_columns())},
                       {"links", Table(run_link_columns())},
                       {"crossings", Table(crossing_columns())},
                       {"path", Table(run_piece_columns())}},
            .series = {},
            .marks = {},
            .excluded = {}};
}

class RunReport {
public:
    RunReport(const Run& run, const WholePath& whole, Answer& answer)
        : run_(run), whole_(whole), path_(whole.path), answer_(answer) {}

    void add_times() {
        const BoundTimes times = add_up_by_bound(path_);
        const BoundTimes& replayed = whole_.replayed;
        for (std::size_t i = 0; i < kBoundBy; ++i) {
            if (times[i] == 0 && replayed[i] == 0) continue;
            table("main").add_row({name_of(static_cast<BoundBy>(i)), times[i], share(times[i]), replayed[i]});
        }
    }

    void add_window() {
        const std::int64_t replayed = whole_.replayed_length;
        const std::int64_t gain = clamped(Wide{path_.length} - replayed);
        table("what-if").add_row({Cell{}, start(), path_.length, replayed, gain, share(gain)});
    }

    void add_ranks() {
        std::map<std::pair<std::int64_t, BoundBy>, std::int64_t> times;
        std::map<std::int64_t, std::int64_t> crossings;
        for (const RunStretch& stretch : path_.stretches) {
            std::int64_t& time = times[{key_of(stretch.slot), stretch.bound_by}];
            time = clamped(Wide{time} + stretch.length);
        }
        for (const RunCrossing& crossing : path_.crossings) ++crossings[key_of(crossing.to)];
        std::set<std::int64_t> told;
        for (const auto& [key, time] : times) {
            const bool is_first = told.insert(key.first).second;
            table("ranks").add_row(
                {key.first, name_of(key.second), time, share(time), is_first ? crossings[key.first] : 0});
        }
    }

    void add_names() {
        struct Sum {
            std::int64_t count = 0, time = 0;
        };
        std::map<std::pair<std::string_view, BoundBy>, Sum> sums;
        for (const RunStretch& stretch : path_.stretches) {
            Sum& sum = sums[{name_of_event(stretch), stretch.bound_by}];
            ++sum.count;
            sum.time = clamped(Wide{sum.time} + stretch.length);
        }
        std::vector<decltype(sums)::const_iterator> order;
        for (auto it = sums.begin(); it != sums.end(); ++it) order.push_back(it);
        std::ranges::stable_sort(order, std::greater{}, [](const auto& it) { return it->second.time; });
        for (const auto& it : order)
            table("names").add_row({it->first.first, name_of(it->first.second), it->second.count, it->second.time,
                                    share(it->second.time)});
    }

    void add_links() {
        const LinkCounts& count = whole_.links;
        const LinkCounts& on_path = whole_.on_path;
        for (std::size_t kind = 0; kind < kEdgeKinds; ++kind) {
            for (const bool guessed : {false, true}) {
                if (count[kind][guessed] == 0) continue;
                table("links").add_row({name_of(static_cast<EdgeKind>(kind)), guessed ? "yes" : "no",
                                        count[kind][guessed], on_path[kind][guessed]});
            }
        }
    }

    void add_crossings(const MatchedRun& matches) {
        std::int64_t position = 0;
        for (const RunCrossing& crossing : path_.crossings) {
            const Collective& c = matches.collectives[crossing.collective];
            const std::string& label = matches.groups[c.group].label;
            table("crossings")
                .add_row({++position, key_of(crossing.from), key_of(crossing.to),
                          label.empty() ? std::string_view("all ranks") : std::string_view(label), name_of(c.operation),
                          static_cast<std::int64_t>(c.sequence), start() + crossing.at});
        }
    }

    void add_pieces() {
        std::int64_t position = 0;
        for (const RunStretch& stretch : path_.stretches) {
            const bool has_event = stretch.event != kNoEvent;
            const RankTrace& trace = run_.rank(stretch.slot).trace();
            table("path").add_row(
                {++position, has_event ? Cell{static_cast<std::int64_t>(index_of(stretch.event))} : Cell{},
                 has_event ? Cell{trace.name_text(stretch.event)} : Cell{},
                 has_event ? Cell{trace.text(trace.track_of(stretch.event).name)} : Cell{}, start() + stretch.begin,
                 stretch.length, name_of(stretch.bound_by), key_of(stretch.slot)});
            if (has_event)
                answer_.marks.push_back({{stretch.slot, stretch.event}, std::string(name_of(stretch.bound_by))});
        }
    }

private:
    std::int64_t start() const { return (whole_.range.begin - run_.origin()).count(); }
    Cell share(std::int64_t time) const { return ratio_cell(Wide{time}, Wide{path_.length}); }
    std::int64_t key_of(std::uint32_t slot) const { return run_.rank(slot).key.packed(); }
    Table& table(std::string_view name) { return std::ranges::find(answer_.tables, name, &NamedTable::name)->table; }
    std::string_view name_of_event(const RunStretch& stretch) const {
        return stretch.event == kNoEvent ? std::string_view()
                                         : run_.rank(stretch.slot).trace().name_text(stretch.event);
    }

    const Run& run_;
    const WholePath& whole_;
    const RunPath& path_;
    Answer& answer_;
};

Result<Answer> merge_of_run(std::span<const Partial* const> partials, const Run& run, const Params& params,
                            const JobContext& context) {
    Answer answer = empty_answer();
    ChosenParts parts = collect_parts(partials, run);
    leave_out_lost(parts, run);
    answer.excluded = parts.excluded;
    if (parts.parts.empty()) return answer;
    const WaitsPtr waits = waits_of(run);
    const Scales scales{.chosen = params[0],
                        .cpu = params[1],
                        .compute = params[2],
                        .communication = params[3],
                        .memory = params[4],
                        .launch_delay = params[5],
                        .host_callback = params[kHostCallback],
                        .placement = params[kGraphLanes] == 0};
    ChosenEvents chosen;
    if (scales.chosen != kAsItIs) chosen = [&](std::uint32_t slot, EventId event) { return parts.takes(slot, event); };
    const Result<WholePath> whole = find_whole_path(run, *waits, parts.parts, chosen, scales, PathLimits{}, context);
    if (!whole) return whole.error();
    RunReport report(run, *whole, answer);
    report.add_times();
    report.add_window();
    report.add_ranks();
    report.add_names();
    report.add_links();
    report.add_crossings(*waits->matched);
    report.add_pieces();
    if (whole->not_joined > 0)
        answer.excluded.push_back(
            {"collectives that join no ranks (doubtful, members missing or cut)", whole->not_joined});
    if (whole->moved.count > 0)
        answer.excluded.push_back(
            {"events moved behind what they waited for, by the error of the clocks", whole->moved.count});
    return answer;
}

}  // namespace

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    if (!is_of_run(params)) return rank_of_one(view, params, context);
    Partial partial = empty_answer();
    const Result<bool> made = add_part(view, WithoutStepTerm::WholeRank, params[0] != kAsItIs, partial, context);
    if (!made) return made.error();
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext& context) {
    return is_of_run(params) ? merge_of_run(partials, run, params, context) : merge_of_one(partials);
}

constexpr std::int64_t kTenTimes = 1'000;
constexpr std::string_view kPathsOf[] = {"rank", "run"};
constexpr std::string_view kLaneChoices[] = {"recorded", "free"};
constexpr Param kPathParams[] = {
    {"chosen", "percent of their time that what the filter's name, class, duration, stream and group choose would take",
     Unit::Percent, 100, 0, kTenTimes},
    {"cpu", "percent of their time that other operators and calls would take", Unit::Percent, 100, 0, kTenTimes},
    {"compute", "percent, of compute kernels", Unit::Percent, 100, 0, kTenTimes},
    {"communication", "percent, of communication kernels", Unit::Percent, 100, 0, kTenTimes},
    {"memory", "percent, of copies and sets", Unit::Percent, 100, 0, kTenTimes},
    {"launch_delay", "percent, of the delays from a call to its GPU work", Unit::Percent, 100, 0, kTenTimes},
    {"of", "rank: of the first rank that the filter takes; run: across all of them", Unit::Count, 0, 0, 1, kPathsOf},
    {"host_callback", "percent, of callbacks of the host within graphs", Unit::Percent, 100, 0, kTenTimes},
    {"graph_lanes", "free: nodes of graphs wait for what they depend on, and not for others on their lane", Unit::Count,
     0, 0, 1, kLaneChoices},
};
constexpr std::string_view kTime[] = {"time"};

}  // namespace core::critical_path

namespace core {

constinit const Analysis kCriticalPath{
    .id = "critical-path",
    .title = "Critical path",
    .summary =
        "What the time of one rank, or of the whole run, was bound by, and what would be gained if parts took less.",
    .definition = R"(
The path goes back from the end of the window, from each event to the last of what it waited for. So it is the longest
path through the graph (of equally long ones the one with the most work), its stretches touch, and time adds up to the
window exactly.

Example: an operator from 0 to 10 us calls a launch at 8; its kernel runs from 20 to 50. The path is cpu 8, launch_delay
12, compute 30. With compute=50 it takes 8 + 12 + 15 = 35 us, and gain is 15.

Window: of the first rank that the filter takes, from the begin of the first chosen step to the end of the last one or
of the GPU work launched in the chosen steps, whichever is later; without a term on steps from the first operator, call
or GPU event to the end of the last. A time range shows its part of that path.

Parts: cpu: in an operator or call; data_loading: in a mark of a data loader; host_other: on a thread between operators
(Python, or what the trace leaves out); launch_delay: begin of a call to begin of its GPU work; compute, communication,
memory: the class of a GPU event; kernel_delay: end of a GPU event to begin of one that waited for it; sync_delay: until
a waiting call returned; host_callback: of the host, within a graph; unknown: the event waited for is not in the window.

Links join the begins and ends of operators, runtime calls and GPU events: along each CPU thread; from the begin of a
call to the begin of each GPU event it launched (of a graph: all of them, or its first nodes); from the end of a GPU
event to the next on its stream, and to the first event launched after a stream was made to wait for another one; to the
return of a synchronising call, of CUDA or HIP, or of a copy that blocks; between the thread with the steps and those of
the backward pass, where one pauses while the other works. Rows of synchronisation (cuda_sync) say which streams a call
is about; without them it is guessed from what ended when, and the table links says how often. In a trace without
launches work waits for what ended last before it, on whichever stream (guessed).

Graphs: where edges are recorded, as arrows between nodes or in graph data next to the trace, a node of a replay waits
for its predecessors (inside a graph); nodes without any wait for the launch and for what precedes it on the launching
stream, the one of the earliest of them; what follows there waits for all nodes that no other waits for. A node that
began within 10 us after another of the replay ended on its lane, and after its predecessors, waited for it by
placement: graph_lanes=free leaves such waits out, an upper bound of what wider graphs could gain. Elsewhere a node that
begins late waits for the last of the replay that ended before it (inside a graph, guessed).

With percentages each time is multiplied by its own, then the longest path is found again; another one may take over.
chosen applies to the GPU events, operators, calls and annotations that the filter's terms on name, class, duration,
stream and group choose (all, without any), and to all inside them on their thread, in place of the other percentages.
gain is an upper bound: no link takes less than nothing, no resource is shared, and other ranks stay as they are.

of=run: one path across all ranks that the filter takes, on the run's clock. Every collective that counts for waits (see
stragglers), every send with its receive and every operation with its root joins the ranks: a kernel ends no sooner than
the last member began plus what it took from then on, so waiting is never on the path. GPU work that began before its
call waits for what the thread had reached; a thread's long stretch that a collective's kernel covers and ends is taken
to have waited for it (guessed). Events that the clocks' error puts before what they waited for are moved behind it.
ranks: the path by rank; crossings: where it goes from the last to arrive to a rank that waited. Doubtful and incomplete
collectives join nothing. Runs of more than 3 million events are followed by some whole steps at a time (500,000 events,
or one step), each from the end of the one before, so the path does not see what a step before it decided about its
begin.

HTA leaves out waits and delays, so that its path need not span the window; follows no launch to a GPU that is busy, one
kernel of a graph, and no synchronisation without rows or of HIP; counts asynchronous copies in full; and takes
launches, copies and host allocations of different threads to wait for one lock, which no trace shows.
)",
    .params = critical_path::kPathParams,
    .chart = {.kind = ChartKind::Bars, .category = "bound_by", .measures = critical_path::kTime},
    .comparable = true,
    .rank = critical_path::rank,
    .merge = critical_path::merge,
    .columns = critical_path::columns,
    .tables = critical_path::kTablesOfOne,
    .lead = "time",
    .of_cpu = true,
    .made_of = "operators, calls or GPU events",
};

}  // namespace core
