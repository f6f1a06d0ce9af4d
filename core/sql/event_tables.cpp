#include "core/analysis/engine/call_tree.hpp"
#include "core/graphs/graph_attribution.hpp"
#include "core/sql/sql_table.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

namespace core {
namespace {

enum class EventColumn : std::uint8_t {
    Id,
    Rank,
    Capture,
    Ts,
    Dur,
    EndTs,
    Name,
    Category,
    Class,
    Device,
    Stream,
    Pid,
    Tid,
    Track,
    Depth,
    Step,
    Parent,
    Correlation,
    FileOrder,
    Launch,
    Operator,
    OperatorId,
    Bytes,
    InputDims,
    InputTypes,
    Sequence,
    Graph,
    Replay,
    Node,
    Attribution,
};

SqlColumn describe(EventColumn column) {
    switch (column) {
        case EventColumn::Id:
            return {"id", Unit::Event, "the event: the same in every table and query of this run", SqlPush::Equal};
        case EventColumn::Rank:
            return {"rank", Unit::Rank, "the rank", SqlPush::Range};
        case EventColumn::Capture:
            return {"capture", Unit::Text, "a; b, c, … of further files that claim the rank"};
        case EventColumn::Ts:
            return {"ts", Unit::Ns, "start, from the run's earliest event", SqlPush::Range};
        case EventColumn::Dur:
            return {"dur", Unit::Ns, "duration as recorded", SqlPush::Range};
        case EventColumn::EndTs:
            return {"end_ts", Unit::Ns, "ts + dur", SqlPush::Range};
        case EventColumn::Name:
            return {"name", Unit::Text, "the full name", SqlPush::Text};
        case EventColumn::Category:
            return {"category", Unit::Text, "as written in the trace"};
        case EventColumn::Class:
            return {"class", Unit::Text, "compute, communication or memory; absent of events of the CPU",
                    SqlPush::Equal};
        case EventColumn::Device:
            return {"device", Unit::Count, "the GPU; absent of events of the CPU"};
        case EventColumn::Stream:
            return {"stream", Unit::Stream, "the GPU stream; absent of events of the CPU", SqlPush::Equal};
        case EventColumn::Pid:
            return {"pid", Unit::Text, "the process, as written"};
        case EventColumn::Tid:
            return {"tid", Unit::Text, "the thread, as written"};
        case EventColumn::Track:
            return {"track", Unit::Text, "name of the thread or stream"};
        case EventColumn::Depth:
            return {"depth", Unit::Count, "row within the track; 0 is the outermost"};
        case EventColumn::Step:
            return {"step", Unit::Step, "of its launch, or that contains its start; absent outside steps",
                    SqlPush::Range};
        case EventColumn::Parent:
            return {"parent", Unit::Event, "the event around it, or its launch; absent of roots"};
        case EventColumn::Correlation:
            return {"correlation", Unit::Count, "joins a launch and its GPU events"};
        case EventColumn::FileOrder:
            return {"file_order", Unit::Count, "position among the records of its file"};
        case EventColumn::Launch:
            return {"launch", Unit::Event, "the call that put it on the stream", SqlPush::Equal};
        case EventColumn::Operator:
            return {"operator", Unit::Text,
                    "name of the innermost operator around its launch; of a replayed kernel, of the captured call"};
        case EventColumn::OperatorId:
            return {"operator_id", Unit::Event, "that operator; absent if it is in the trace of a capture"};
        case EventColumn::Bytes:
            return {"bytes", Unit::Bytes, "that a copy or a fill moved, as written"};
        case EventColumn::InputDims:
            return {"input_dims", Unit::Text, "shapes of the inputs, JSON"};
        case EventColumn::InputTypes:
            return {"input_types", Unit::Text, "types of the inputs, JSON"};
        case EventColumn::Sequence:
            return {"sequence_number", Unit::Count, "shared by a forward operator and its backward"};
        case EventColumn::Graph:
            return {"graph", Unit::Count, "id of the graph that it is a node of; absent if it is none or has none"};
        case EventColumn::Replay:
            return {"replay", Unit::Count, "of a graph, from 0 in the rank; absent outside of all"};
        case EventColumn::Node:
            return {"node", Unit::Count, "place in that replay, from 0: by node ids, else by start"};
        case EventColumn::Attribution:
            return {"attribution", Unit::Text,
                    "how its operator is known: launched, annotated, captured, captured by order, around, none"};
    }
    return {};
}

enum class Which : std::uint8_t { All, Gpu, Operators, Selected };

constexpr auto kAllColumns = std::to_array<EventColumn>(
    {EventColumn::Id, EventColumn::Rank, EventColumn::Capture, EventColumn::Ts, EventColumn::Dur, EventColumn::EndTs,
     EventColumn::Name, EventColumn::Category, EventColumn::Class, EventColumn::Device, EventColumn::Stream,
     EventColumn::Pid, EventColumn::Tid, EventColumn::Track, EventColumn::Depth, EventColumn::Step, EventColumn::Parent,
     EventColumn::Correlation, EventColumn::FileOrder});
constexpr auto kGpuColumns = std::to_array<EventColumn>(
    {EventColumn::Id,    EventColumn::Rank,        EventColumn::Capture,  EventColumn::Ts,
     EventColumn::Dur,   EventColumn::EndTs,       EventColumn::Name,     EventColumn::Category,
     EventColumn::Class, EventColumn::Device,      EventColumn::Stream,   EventColumn::Track,
     EventColumn::Step,  EventColumn::Launch,      EventColumn::Operator, EventColumn::OperatorId,
     EventColumn::Bytes, EventColumn::Correlation, EventColumn::Graph,    EventColumn::Replay,
     EventColumn::Node,  EventColumn::Attribution});
constexpr auto kOperatorColumns = std::to_array<EventColumn>(
    {EventColumn::Id, EventColumn::Rank, EventColumn::Capture, EventColumn::Ts, EventColumn::Dur, EventColumn::EndTs,
     EventColumn::Name, EventColumn::Pid, EventColumn::Tid, EventColumn::Track, EventColumn::Depth, EventColumn::Step,
     EventColumn::Parent, EventColumn::InputDims, EventColumn::InputTypes, EventColumn::Sequence});

std::span<const EventColumn> columns_of(Which which) {
    switch (which) {
        case Which::Gpu:
            return kGpuColumns;
        case Which::Operators:
            return kOperatorColumns;
        default:
            return kAllColumns;
    }
}

struct IntegerRange {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool contains(std::int64_t value) const { return least <= value && value <= most; }
    bool is_whole() const { return *this == IntegerRange{}; }
    bool operator==(const IntegerRange&) const = default;

    void narrow(const SqlBound& bound) {
        std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
        for (const SqlValue& value : bound.values) {
            const std::int64_t number = std::get<std::int64_t>(value);
            switch (bound.op) {
                case SqlOp::Less:
                    if (number == std::numeric_limits<std::int64_t>::min()) continue;
                    first = std::numeric_limits<std::int64_t>::min();
                    last = number - 1;
                    break;
                case SqlOp::AtMost:
                    first = std::numeric_limits<std::int64_t>::min();
                    last = number;
                    break;
                case SqlOp::More:
                    if (number == std::numeric_limits<std::int64_t>::max()) continue;
                    first = number + 1;
                    last = std::numeric_limits<std::int64_t>::max();
                    break;
                case SqlOp::AtLeast:
                    first = number;
                    last = std::numeric_limits<std::int64_t>::max();
                    break;
                default:  // the hull of a list
                    first = std::min(first, number);
                    last = std::max(last, number);
            }
        }
        least = std::max(least, first);
        most = std::min(most, last);
    }
};

struct Wanted {
    IntegerRange ts, end_ts, dur, step, rank;
    std::optional<std::uint8_t> classes;                  // bits of set_of
    std::optional<std::vector<std::int64_t>> streams;
    std::vector<SqlBound> names;
    std::vector<SqlBound> lists;  // = and IN of rank and step, with several values
    std::optional<std::vector<EventRef>> events;  // rising, unique
};

std::vector<std::int64_t> integers_of(const SqlBound& bound) {
    std::vector<std::int64_t> numbers;
    for (const SqlValue& value : bound.values) numbers.push_back(std::get<std::int64_t>(value));
    return numbers;
}

std::uint8_t classes_of(const SqlBound& bound) {
    std::uint8_t classes = 0;
    for (const KernelClass c : {KernelClass::Compute, KernelClass::Communication, KernelClass::Memory})
        if (bound.holds(name_of(c))) classes = static_cast<std::uint8_t>(classes | set_of(c));
    return classes;
}

std::vector<EventRef> events_of(const Run& run, const SqlBound& bound, bool are_launches) {
    std::vector<EventRef> events;
    for (const std::int64_t id : integers_of(bound)) {
        const std::optional<EventRef> ref = find_sql_event(run, id);
        if (!ref) continue;
        if (!are_launches) {
            events.push_back(*ref);
            continue;
        }
        for (const EventId gpu : run.rank(ref->slot).trace().launched_by(ref->event))
            events.push_back({ref->slot, gpu});
    }
    std::ranges::sort(events);
    events.erase(std::unique(events.begin(), events.end()), events.end());
    return events;
}

void keep_common(std::optional<std::vector<EventRef>>& kept, std::vector<EventRef> events) {
    if (kept) std::erase_if(events, [&](EventRef ref) { return !std::ranges::binary_search(*kept, ref); });
    kept = std::move(events);
}

Wanted read_bounds(const Run& run, Which which, const SqlBounds& bounds) {
    Wanted wanted;
    for (const SqlBound& bound : bounds) {
        switch (columns_of(which)[bound.column]) {
            case EventColumn::Id:
                keep_common(wanted.events, events_of(run, bound, false));
                break;
            case EventColumn::Launch:
                keep_common(wanted.events, events_of(run, bound, true));
                break;
            case EventColumn::Rank:
                wanted.rank.narrow(bound);
                if (bound.op == SqlOp::Equal && bound.values.size() > 1) wanted.lists.push_back(bound);
                break;
            case EventColumn::Step:
                wanted.step.narrow(bound);
                break;
            case EventColumn::Ts:
                wanted.ts.narrow(bound);
                break;
            case EventColumn::EndTs:
                wanted.end_ts.narrow(bound);
                break;
            case EventColumn::Dur:
                wanted.dur.narrow(bound);
                break;
            case EventColumn::Class:
                wanted.classes = static_cast<std::uint8_t>(classes_of(bound) & wanted.classes.value_or(0xFF));
                break;
            case EventColumn::Stream:
                if (!wanted.streams) wanted.streams = integers_of(bound);
                break;
            case EventColumn::Name:
                wanted.names.push_back(bound);
                break;
            default:
                break;
        }
    }
    return wanted;
}

bool is_of_gpu(const Track& track) {
    return track.kind == TrackKind::Stream || track.kind == TrackKind::StreamAnnotations ||
           track.kind == TrackKind::StreamSync;
}

// Events lane by lane, so in the order of their ids. A rank, a lane and a stretch of a lane outside the bounds are
// skipped at once; within a lane neither starts nor ends ever fall.
class EventScan final : public SqlScan {
public:
    EventScan(SqlContext& context, Which which, const SqlBounds& bounds)
        : context_(context), run_(*context.run), which_(which), wanted_(read_bounds(run_, which, bounds)) {
        skip_filtered();
    }

    bool done() const override { return done_; }
    void next() override {
        ++event_;
        skip_filtered();
    }
    std::int64_t id() const override { return sql_event_id(slot_, EventId{event_}); }
    Cell cell(std::size_t column) override;

private:
    const RankTrace& trace() const { return run_.rank(slot_).trace(); }
    std::int64_t since_origin(RunTime t) const { return (t - run_.origin()).count(); }
    std::int64_t ts_of(std::uint32_t e) const { return since_origin(run_.rank(slot_).start_of(EventId{e})); }
    std::int64_t dur_of(std::uint32_t e) const { return trace().duration[e].count(); }

    void skip_filtered();
    bool open_next();       // the next stretch of events; false at the end
    bool open_next_point();
    bool open_rank();       // false: nothing of it can pass
    bool open_lane();       // same
    bool choose_names();
    bool passes(std::uint32_t e);
    bool passes_selection(std::uint32_t e);
    std::optional<std::int64_t> step_of(std::uint32_t e) const {
        const Step* const step = trace().step_of(EventId{e});
        return step ? std::optional(step->number) : std::nullopt;
    }
    std::pair<const RankTrace*, EventId> find_operator();
    const GraphAttribution& graphs();
    Cell node_of(EventId e);
    Cell text_or_absent(NameId id) const { return id == kNoName ? Cell{} : Cell{trace().text(id)}; }
    Cell integer_or_absent(Arg arg) const {
        const std::optional<std::int64_t> value = trace().integer(arg, EventId{event_});
        return value ? Cell{*value} : Cell{};
    }
    Cell argument_or_absent(Arg arg) const {
        const std::optional<std::string_view> value = trace().argument(arg, EventId{event_});
        return value ? Cell{*value} : Cell{};
    }
    Cell event_or_absent(EventId e) const {
        return e == kNoEvent || index_of(e) >= trace().size() ? Cell{} : Cell{sql_event_id(slot_, e)};
    }

    SqlContext& context_;
    const Run& run_;
    Which which_;
    Wanted wanted_;
    std::size_t point_ = 0;  // into wanted_.events
    std::size_t slot_ = 0;
    std::size_t lane_ = 0;
    bool rank_open_ = false;
    bool done_ = false;
    std::uint32_t event_ = 0;  // the row, below last_
    std::uint32_t last_ = 0;
    const Track* track_ = nullptr;
    std::vector<bool> names_;  // by NameId; empty: all
    const std::string* capture_ = nullptr;
    std::shared_ptr<const GraphAttribution> graphs_;  // of the rank in graphs_slot_
    std::size_t graphs_slot_ = 0;
    std::vector<std::uint32_t> ordinals_;  // of that rank, by event; empty: not asked for
    bool end_is_checked_ = false;  // event by event, as the rank's clock drifts
};

void EventScan::skip_filtered() {
    for (;;) {
        for (; event_ < last_; ++event_) {
            if (++context_.examined % kEventsBetweenChecks == 0 && context_.job.cancelled()) fail(cancelled_error());
            if (failure()) break;
            if (passes(event_)) return;
        }
        if (failure() || !open_next()) {
            done_ = true;
            return;
        }
    }
}

bool EventScan::open_next() {
    if (wanted_.events) return open_next_point();
    for (; slot_ < run_.ranks().size(); ++slot_, rank_open_ = false) {
        if (context_.job.cancelled()) {
            fail(cancelled_error());
            return false;
        }
        if (!rank_open_) {
            lane_ = 0;
            rank_open_ = true;
            const bool may_pass = open_rank();
            if (failure()) return false;
            if (!may_pass) continue;
        } else {
            ++lane_;
        }
        for (; lane_ < trace().lanes.size(); ++lane_)
            if (open_lane()) return true;
    }
    return false;
}

bool EventScan::open_next_point() {
    for (; point_ < wanted_.events->size(); ++point_) {
        const EventRef ref = (*wanted_.events)[point_];
        if (!rank_open_ || slot_ != ref.slot) {
            slot_ = ref.slot;
            rank_open_ = true;
            names_.clear();
            if (!open_rank()) {
                rank_open_ = false;
                continue;
            }
        }
        lane_ = trace().find_lane(ref.event);
        track_ = &trace().tracks[trace().lanes[lane_].track];
        event_ = static_cast<std::uint32_t>(index_of(ref.event));
        last_ = event_ + 1;
        end_is_checked_ = true;
        ++point_;
        return true;
    }
    return false;
}

bool EventScan::open_rank() {
    const RankSlot& rank = run_.rank(slot_);
    if (!wanted_.rank.contains(rank.key.number)) return false;
    const Cell number{std::int64_t{rank.key.number}};
    if (!std::ranges::all_of(wanted_.lists, [&](const SqlBound& bound) { return bound.holds(number); })) return false;
    if (which_ == Which::Selected) {
        if (!context_.filter->accepts_rank(rank.key)) return false;
        if (!context_.views.contains(slot_)) {
            Result<RankView> view = build_rank_view(run_, slot_, *context_.filter, context_.job);
            if (!view) {
                fail(std::move(view).error());
                return false;
            }
            context_.views.emplace(slot_, *std::move(view));
        }
    }
    capture_ = &context_.capture_of(rank.key);
    return choose_names();
}

bool EventScan::choose_names() {
    names_.clear();
    if (wanted_.names.empty()) return true;
    const StringTable& table = trace().names;
    names_.resize(table.size());
    bool any = false;
    for (std::uint32_t id = 0; id < table.size(); ++id) {
        const Cell text{table.text(NameId{id})};
        names_[id] = std::ranges::all_of(wanted_.names, [&](const SqlBound& bound) { return bound.holds(text); });
        any = any || names_[id];
    }
    return any;
}

bool EventScan::open_lane() {
    const Lane& lane = trace().lanes[lane_];
    track_ = &trace().tracks[lane.track];
    if ((which_ == Which::Gpu || wanted_.classes) && track_->kind != TrackKind::Stream) return false;
    if (wanted_.streams &&
        (!is_of_gpu(*track_) || std::ranges::find(*wanted_.streams, track_->stream) == wanted_.streams->end()))
        return false;
    event_ = static_cast<std::uint32_t>(index_of(lane.first));
    last_ = static_cast<std::uint32_t>(index_of(lane.last));
    if (last_ > trace().size() || event_ > last_) last_ = event_;  // a mapping that is gone
    const auto first_where = [&](const auto& is_late) {
        std::uint32_t low = event_, high = last_;
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (is_late(middle))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    };
    end_is_checked_ = run_.rank(slot_).clock.drift != 0;
    if (wanted_.ts.least != IntegerRange{}.least)
        event_ = first_where([&](std::uint32_t e) { return ts_of(e) >= wanted_.ts.least; });
    if (wanted_.ts.most != IntegerRange{}.most)
        last_ = first_where([&](std::uint32_t e) { return ts_of(e) > wanted_.ts.most; });
    if (!end_is_checked_ && !wanted_.end_ts.is_whole()) {
        event_ = first_where([&](std::uint32_t e) { return ts_of(e) + dur_of(e) >= wanted_.end_ts.least; });
        last_ = first_where([&](std::uint32_t e) { return ts_of(e) + dur_of(e) > wanted_.end_ts.most; });
    }
    return event_ < last_;
}

bool EventScan::passes(std::uint32_t e) {
    const RankTrace& of = trace();
    const EventId id{e};
    if (!names_.empty() && (index_of(of.name[e]) >= names_.size() || !names_[index_of(of.name[e])])) return false;
    if (which_ == Which::Gpu && !of.has(id, kGpuEvent)) return false;
    if (which_ == Which::Operators && !is_operator(of, id)) return false;
    if (wanted_.classes && (set_of(run_.rank(slot_).index->classes().of(id)) & *wanted_.classes) == 0) return false;
    if (!wanted_.dur.is_whole() && !wanted_.dur.contains(dur_of(e))) return false;
    if (end_is_checked_ && !wanted_.end_ts.is_whole() && !wanted_.end_ts.contains(ts_of(e) + dur_of(e))) return false;
    if (!wanted_.step.is_whole()) {
        const std::optional<std::int64_t> step = step_of(e);
        if (!step || !wanted_.step.contains(*step)) return false;
    }
    return which_ != Which::Selected || passes_selection(e);
}

bool EventScan::passes_selection(std::uint32_t e) { return context_.views.at(slot_).passes(EventId{e}); }

const GraphAttribution& EventScan::graphs() {
    if (graphs_ && graphs_slot_ == slot_) return *graphs_;
    graphs_ = graph_attribution_of(*run_.rank(slot_).index, {});
    graphs_slot_ = slot_;
    ordinals_.clear();
    return *graphs_;
}

Cell EventScan::node_of(EventId e) {
    const GraphReplays& replays = graphs().replays;
    if (replays.replay_of(e) == kNoReplay) return {};
    if (ordinals_.empty()) {
        ordinals_.resize(trace().size());
        for (const GraphReplay& replay : replays.replays) {
            const std::span<const EventId> nodes = replays.nodes_of(replay);
            for (std::uint32_t k = 0; k < nodes.size(); ++k) ordinals_[index_of(nodes[k])] = k;
        }
    }
    return std::int64_t{ordinals_[index_of(e)]};
}

// The joined trace holds the operators of replayed kernels: one around the launch of a graph is not theirs.
std::pair<const RankTrace*, EventId> EventScan::find_operator() {
    const RankTrace* const of = &graphs().trace();
    const EventId event{event_};
    for (EventId e = event_above(*of, event); e != kNoEvent; e = event_above(*of, e))
        if (is_operator(*of, e)) return {of, e};
    return {of, kNoEvent};
}

Cell EventScan::cell(std::size_t column) {
    const RankTrace& of = trace();
    const EventId e{event_};
    const auto process = [&]() -> const Process& { return of.processes[track_->process]; };
    switch (columns_of(which_)[column]) {
        case EventColumn::Id:
            return id();
        case EventColumn::Rank:
            return std::int64_t{run_.rank(slot_).key.number};
        case EventColumn::Capture:
            return std::string_view(*capture_);
        case EventColumn::Ts:
            return ts_of(event_);
        case EventColumn::Dur:
            return dur_of(event_);
        case EventColumn::EndTs:
            return ts_of(event_) + dur_of(event_);
        case EventColumn::Name:
            return of.name_text(e);
        case EventColumn::Category:
            return of.category_text(e);
        case EventColumn::Class: {
            const KernelClass c = run_.rank(slot_).index->classes().of(e);
            return c == KernelClass::None ? Cell{} : Cell{name_of(c)};
        }
        case EventColumn::Device:
            return is_of_gpu(*track_) && process().device >= 0 ? Cell{std::int64_t{process().device}} : Cell{};
        case EventColumn::Stream:
            return is_of_gpu(*track_) && track_->stream >= 0 ? Cell{track_->stream} : Cell{};
        case EventColumn::Pid:
            return text_or_absent(process().pid);
        case EventColumn::Tid:
            return text_or_absent(track_->tid);
        case EventColumn::Track:
            return text_or_absent(track_->name);
        case EventColumn::Depth:
            return std::int64_t{of.lanes[lane_].row};
        case EventColumn::Step: {
            const std::optional<std::int64_t> step = step_of(event_);
            return step ? Cell{*step} : Cell{};
        }
        case EventColumn::Parent:
        case EventColumn::Launch:
            return event_or_absent(of.parent[event_]);
        case EventColumn::Correlation:
            return integer_or_absent(Arg::Correlation);
        case EventColumn::FileOrder:
            return std::int64_t{of.order[event_]};
        case EventColumn::Operator: {
            const auto [tree, above] = find_operator();
            return above == kNoEvent ? Cell{} : Cell{tree->name_text(above)};
        }
        case EventColumn::OperatorId:
            return event_or_absent(find_operator().second);
        case EventColumn::Bytes:
            return integer_or_absent(Arg::Bytes);
        case EventColumn::InputDims:
            return argument_or_absent(Arg::InputDims);
        case EventColumn::InputTypes:
            return argument_or_absent(Arg::InputTypes);
        case EventColumn::Sequence:
            return integer_or_absent(Arg::SequenceNumber);
        case EventColumn::Graph: {
            const std::optional<std::int64_t> graph = of.integer(Arg::GraphId, e);
            return graph && *graph != 0 ? Cell{*graph} : Cell{};
        }
        case EventColumn::Replay: {
            const std::uint32_t replay = graphs().replays.replay_of(e);
            return replay == kNoReplay ? Cell{} : Cell{std::int64_t{replay}};
        }
        case EventColumn::Node:
            return node_of(e);
        case EventColumn::Attribution:
            return name_of(graphs().of(e));
    }
    return {};
}

double count_gpu_events(const Run& run) {
    double count = 0;
    for (const RankSlot& rank : run.ranks()) count += static_cast<double>(rank.trace().gpu_events.size());
    return count;
}

SqlTable make_event_table(std::string_view name, std::string_view summary, Which which) {
    SqlTable table;
    table.name = name;
    table.summary = summary;
    for (const EventColumn column : columns_of(which)) table.columns.push_back(describe(column));
    table.open = [which](SqlContext& context, const SqlBounds& bounds) -> SqlScanPtr {
        return std::make_unique<EventScan>(context, which, bounds);
    };
    table.rows = [which](const Run& run) {
        return which == Which::Gpu ? count_gpu_events(run) : static_cast<double>(run.event_count());
    };
    table.has_id = true;
    table.by_id = true;
    table.keeps_texts = true;
    return table;
}

}  // namespace

std::vector<SqlTable> event_tables() {
    return {
        make_event_table("events", "Every event of every rank, CPU and GPU.", Which::All),
        make_event_table("selection", "The events that pass the filter of the command (--filter, --ranks, …).",
                         Which::Selected),
        make_event_table("kernels", "The GPU events: kernels, copies and fills.", Which::Gpu),
        make_event_table("operators", "The calls of operators on the CPU.", Which::Operators),
    };
}

}  // namespace core
