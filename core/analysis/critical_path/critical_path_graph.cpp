#include "core/analysis/critical_path/critical_path_graph.hpp"

#include "core/analysis/critical_path/critical_path_replays.hpp"
#include "core/analysis/engine/data_loading.hpp"
#include "core/analysis/engine/host_calls.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

constexpr std::int64_t kMostReversed = 1'000'000;  // ns; GPU work that began longer before its call is another's
constexpr Duration kRowSlack{10'000'000};  // between a row of a synchronisation and its call
constexpr std::size_t kMostLastNodes = 64;  // of a replay, that what follows it is linked with one by one
constexpr std::int64_t kLeastWaitInGraph = 10'000;  // ns; shorter pauses on a stream are not explained
constexpr std::int64_t kMostWaitReturn = 20'000;  // ns from the end of work to that of a task that waits for it

// Tasks of a device's streams that wait for work of another stream; for another device.
bool is_stream_wait(std::string_view name) { return name == "EVENT_WAIT" || name.starts_with("event_wait"); }
bool is_device_wait(std::string_view name) { return name == "Notify Wait" || name == "Notify_Wait"; }
// The operator that copies a value of the device to the host, below item().
constexpr std::string_view kReadsBack = "aten::_local_scalar_dense";

bool has_step_terms(const Filter& filter) {
    return std::ranges::any_of(filter.terms,
                               [](const FilterTerm& term) { return std::holds_alternative<StepTerm>(term.what); });
}

void extend(RankRange& hull, RankRange range) {
    hull = {std::min(hull.begin, range.begin), std::max(hull.end, range.end)};
}

bool does_something(const RankTrace& trace, EventId e) {
    const Category category = trace.category_kind(e);
    return trace.has(e, kGpuEvent) || (!trace.has(e, kInstant) && !trace.has(e, kStepMark) &&
                                       (category == Category::CpuOp || is_launch_category(category)));
}

bool is_chosen_step(std::span<const EventId> chosen, const Step* step) {
    return step && std::ranges::binary_search(chosen, step->event);
}

// The window of the chosen steps, or of the whole trace.
PathWindow find_whole_window(const RankView& view, WithoutStepTerm otherwise) {
    const RankTrace& trace = view.trace();
    PathWindow window{.range = {RankTime::max(), RankTime::min()}, .shown_end = {}, .host_end = {}, .steps = {}};
    const bool all_steps =
        !has_step_terms(*view.filter) && otherwise == WithoutStepTerm::AllSteps && !trace.steps.empty();
    if (!has_step_terms(*view.filter) && !all_steps) {
        for (std::uint32_t e = 0; e < trace.size(); ++e)
            if (does_something(trace, EventId{e})) extend(window.range, trace.range(EventId{e}));
        window.host_end = window.range.end;
        return window;
    }
    std::vector<Step> steps(trace.steps.begin(), trace.steps.end());
    if (!all_steps) steps.assign(view.selection->steps().begin(), view.selection->steps().end());
    return steps.empty() ? window : find_step_window(trace, steps);
}

// Work that a thread knows to have ended on a stream, and since when.
struct Awaited {
    const StreamEvent* event = nullptr;
    RankTime by{};
};

// A call on a CPU thread that affects streams.
struct HostCall {
    RankTime start;
    EventId event;
    bool waits;  // makes a stream wait; otherwise it launches
    std::uint32_t track = 0;
};

class GraphBuilder {
public:
    GraphBuilder(const RankView& view, const PathWindow& window, const std::function<bool(EventId)>& chosen,
                 ReversedLaunches reversed, const JobContext& context)
        : view_(view),
          bridges_reversed_(reversed == ReversedLaunches::Bridged),
          trace_(view.trace()),
          window_(window),
          chosen_(chosen),
          context_(context) {}

    Result<RankDraft> run() && {
        name_calls();
        draft_.add_node(0);
        if (!add_threads()) return cancelled_error();
        edges_ = replay_edges_of(*view_.rank().index, context_);
        queues_ = collect_stream_queues(trace_, *edges_, window_.range);
        leave_out_tasks_of_collectives();
        add_streams();
        if (context_.cancelled()) return cancelled_error();
        follow_sync_rows();
        follow_wait_tasks();
        follow_calls();
        if (context_.cancelled()) return cancelled_error();
        guess_waits_in_graphs();
        guess_waits_without_launches();
        hand_over();
        const std::uint32_t sink = add_sink();
        return RankDraft{.draft = std::move(draft_),
                         .sink = sink,
                         .reversed = reversed_,
                         .nodes = std::move(nodes_),
                         .chains = std::move(chains_),
                         .queues = std::move(queues_)};
    }

private:
    std::int64_t since_begin(RankTime t) const { return (t - window_.range.begin).count(); }
    RankTime start_of(EventId e) const { return trace_.start[index_of(e)]; }

    void name_calls() {
        rules_.trace = &trace_;
        rules_.window = window_.range;
        rules_.stop = window_.host_end;
        if (chosen_) rules_.is_chosen = chosen_;
        const std::size_t names = trace_.names.size();
        kinds_.resize(names);
        reads_back_.resize(names);
        has_runtime_calls_ = std::ranges::any_of(
            trace_.categories, [](const CategoryEntry& entry) { return is_launch_category(entry.kind); });
        rules_.data_loading.resize(names);
        rules_.backward.resize(names);
        for (std::uint32_t n = 0; n < names; ++n) {
            const std::string_view text = trace_.text(NameId{n});
            kinds_[n] = kind_of_call(text);
            reads_back_[n] = !has_runtime_calls_ && text == kReadsBack;
            rules_.data_loading[n] = is_data_loading(text);
            rules_.backward[n] = text.starts_with("autograd::engine");
        }
        rules_.launches.resize(trace_.size());
        for (const EventId call : trace_.launch_calls) rules_.launches[index_of(call)] = true;
    }

    bool add_threads() {
        for (std::uint32_t track = 0; track < trace_.tracks.size(); ++track) {
            if (trace_.tracks[track].kind != TrackKind::Thread) continue;
            Result<ThreadChain> chain = build_thread_chain(rules_, track, draft_, nodes_, context_);
            if (!chain) return false;
            if (chain->first_node != kNoNode) chains_.push_back(*std::move(chain));
        }
        return true;
    }

    // --- streams

    BoundBy bound_by(const StreamEvent& e) const {
        if (e.is_callback) return BoundBy::HostCallback;
        if (!trace_.has(e.event, kGpuEvent)) return BoundBy::KernelDelay;  // a record of an event
        switch (view_.class_of(e.event)) {
            case KernelClass::Communication:
                return BoundBy::Communication;
            case KernelClass::Memory:
                return BoundBy::Memory;
            default:
                return BoundBy::Compute;
        }
    }

    void add_streams() {
        for (StreamQueue& queue : queues_) {
            for (StreamEvent& e : queue.events) {
                e.begin_node = draft_.add_node(e.begin);
                e.end_node = draft_.add_node(e.end);
                const bool chosen = chosen_ && chosen_(e.event);
                draft_.link({.from = e.begin_node,
                             .to = e.end_node,
                             .weight = e.end - e.begin,
                             .event = e.event,
                             .kind = EdgeKind::Run,
                             .bound_by = bound_by(e),
                             .guessed = false,
                             .chosen = chosen});
            }
        }
        const ReplayOrder order(*edges_, queues_);
        for (const StreamQueue& queue : queues_)
            for (std::size_t i = 0; i < queue.events.size(); ++i) {
                const ReplayOrder::Waits waits = order.waits_of(queue, i);
                link_before(waits, queue.events[i]);
                if (waits.after_replay != kNoReplay)
                    wait_for_replay(waits.after_replay, order.last_of(waits.after_replay), queue.events[i]);
            }
    }

    // By way of one node, since many first nodes may wait for many last ones. Where that would lead back in time, for
    // those that had ended.
    void wait_for_replay(std::uint32_t replay, std::span<const StreamEvent* const> last, const StreamEvent& then) {
        constexpr std::size_t kFewest = 4;
        std::int64_t end = 0;
        for (const StreamEvent* const e : last) end = std::max(end, e->end);
        if (last.size() < kFewest || end > then.begin) {
            for (const StreamEvent* const e : last.first(std::min<std::size_t>(last.size(), kMostLastNodes)))
                wait(*e, then, EdgeKind::StreamOrder, false);
            return;
        }
        const auto [at, is_new] = end_of_replay_.try_emplace(replay, 0);
        if (is_new) {
            at->second = draft_.add_node(end);
            for (const StreamEvent* const e : last) order_after(e->end_node, at->second, e->event);
        }
        order_after(at->second, then.begin_node, last.front()->event);
    }

    void order_after(std::uint32_t from, std::uint32_t to, EventId event) {
        draft_.link({.from = from,
                     .to = to,
                     .weight = 0,
                     .event = event,
                     .kind = EdgeKind::StreamOrder,
                     .bound_by = BoundBy::KernelDelay,
                     .guessed = false,
                     .chosen = false});
    }

    void link_before(const ReplayOrder::Waits& waits, const StreamEvent& e) {
        for (const StreamEvent* const before : waits.in_graph) wait(*before, e, EdgeKind::InGraph, false);
        if (waits.on_stream) wait(*waits.on_stream, e, EdgeKind::StreamOrder, false);
        if (waits.placed_after) wait(*waits.placed_after, e, EdgeKind::Placement, false);
        if (waits.in_graph.empty()) link_launch(e);
    }

    void link_launch(const StreamEvent& e) {
        const EventId call = e.call;
        if (call == kNoEvent) return;
        std::uint32_t from = nodes_.begin_of(call);
        if (from == kNoNode && e.launched < 0) from = 0;  // launched before the window
        if (from == kNoNode) return;
        if (draft_.link({.from = from,
                         .to = e.begin_node,
                         .weight = 0,
                         .event = call,
                         .kind = EdgeKind::Launch,
                         .bound_by = BoundBy::LaunchDelay,
                         .guessed = false,
                         .chosen = false}))
            return;
        ++reversed_;
        if (bridges_reversed_) link_reversed(e, call, from);
    }

    // GPU work that began before its call, by the error of the recorded times: it waits for what its thread had
    // reached.
    void link_reversed(const StreamEvent& e, EventId call, std::uint32_t from) {
        if (draft_.time[from] - e.begin > kMostReversed) return;
        const auto after = std::ranges::upper_bound(chains_, from, {}, &ThreadChain::first_node);
        if (after == chains_.begin()) return;
        for (std::uint32_t node = from; node-- > std::prev(after)->first_node;) {
            if (draft_.time[node] > e.begin) continue;
            draft_.link({.from = node,
                         .to = e.begin_node,
                         .weight = 0,
                         .event = call,
                         .kind = EdgeKind::Launch,
                         .bound_by = BoundBy::LaunchDelay,
                         .guessed = false,
                         .chosen = false});
            return;
        }
    }

    void wait(const StreamEvent& first, const StreamEvent& then, EdgeKind kind, bool guessed) {
        draft_.link({.from = first.end_node,
                     .to = then.begin_node,
                     .weight = 0,
                     .event = first.event,
                     .kind = kind,
                     .bound_by = BoundBy::KernelDelay,
                     .guessed = guessed,
                     .chosen = false});
    }

    // --- calls that wait for GPU events

    void return_after(EventId call, const StreamEvent& e, bool guessed) {
        const std::uint32_t node = nodes_.end_of(call), begin = nodes_.begin_of(call);
        if (node == kNoNode || begin == kNoNode) return;
        if (!draft_.link({.from = e.end_node,
                          .to = node,
                          .weight = 0,
                          .event = call,
                          .kind = EdgeKind::Sync,
                          .bound_by = BoundBy::SyncDelay,
                          .guessed = guessed,
                          .chosen = false}))
            return;
        const bool waited = e.end > draft_.time[begin];
        if (waited) draft_.edges[draft_.thread_edge[node]].weight = 0;  // it would return at once without the wait
    }

    // Waits for everything launched before, except work that an earlier call of the thread waited
    // for.
    void return_after_streams(EventId call, std::optional<std::uint32_t> process) {
        std::vector<Awaited>& awaited = awaited_[trace_.lanes[trace_.find_lane(call)].track];
        awaited.resize(queues_.size());
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            if (process && queues_[i].process != *process) continue;
            const StreamEvent* const e = queues_[i].find_last_launched(since_begin(start_of(call)));
            if (!e || (awaited[i].event == e && awaited[i].by <= trace_.end(call))) continue;
            if (e->end <= since_begin(trace_.end(call))) awaited[i] = {e, trace_.end(call)};
            return_after(call, *e, false);
        }
    }

    // The trace doesn't name the stream: it must be one whose work ended during the call.
    void return_after_guess(EventId call) {
        const StreamEvent* last = nullptr;
        const std::int64_t begin = since_begin(start_of(call)), end = since_begin(trace_.end(call));
        for (const StreamQueue& queue : queues_) {
            const StreamEvent* const e = queue.find_last_launched(begin);
            if (e && e->end > begin && e->end <= end && (!last || e->end > last->end)) last = e;
        }
        if (last) return_after(call, *last, true);
    }

    // A synchronous copy, or one from pageable host memory.
    void return_after_copies(EventId call) {
        const bool async = trace_.name_text(call).find("Async") != std::string_view::npos;
        for (const EventId copy : trace_.launched_by(call)) {
            if (trace_.category_kind(copy) != Category::GpuMemcpy) continue;
            if (async && trace_.name_text(copy).find("Pageable") == std::string_view::npos) continue;
            if (const StreamEvent* e = find_stream_event(copy)) return_after(call, *e, false);
        }
    }

    const StreamEvent* find_stream_event(EventId gpu_event) {
        if (place_of_.empty()) {
            for (const StreamQueue& queue : queues_)
                for (const StreamEvent& e : queue.events) place_of_.push_back(&e);
            std::ranges::sort(place_of_, {}, &StreamEvent::event);
        }
        const auto it = std::ranges::lower_bound(place_of_, gpu_event, {}, &StreamEvent::event);
        return it != place_of_.end() && (*it)->event == gpu_event ? *it : nullptr;
    }

    // --- synchronisation rows, if the trace has them

    const StreamQueue* find_queue(std::uint32_t process, std::int64_t stream) const {
        const auto same = [&](const StreamQueue& q) { return q.stream == stream && q.process == process; };
        auto it = std::ranges::find_if(queues_, same);
        if (it == queues_.end()) it = std::ranges::find(queues_, stream, &StreamQueue::stream);
        return it == queues_.end() ? nullptr : &*it;
    }

    void follow_sync_rows() {
        explained_.resize(trace_.size());
        const auto is_sync = [](const CategoryEntry& entry) { return entry.kind == Category::CudaSync; };
        if (std::ranges::none_of(trace_.categories, is_sync)) return;
        const RankRange window = window_.range;
        collect_correlations({window.begin - window.length(), window.end + 2 * kRowSlack});
        for (const Lane& lane : trace_.lanes) {
            // A row is where its call is; its clock may be another.
            const auto [first, last] =
                find_events_inside(trace_, lane, {window.begin - kRowSlack, window.end + kRowSlack});
            for (std::size_t e = first; e < last; ++e) {
                const EventId row{static_cast<std::uint32_t>(e)};
                if (trace_.category_kind(row) == Category::CudaSync) follow_sync_row(row);
            }
        }
    }

    void collect_correlations(RankRange window) {
        const SparseColumn<std::int64_t> correlations = trace_.integers(Arg::Correlation);
        call_of_.clear();
        for (const Lane& lane : trace_.lanes) {
            const auto [first, last] = find_events_inside(trace_, lane, window);
            const auto begin = std::ranges::partition_point(
                correlations.events, [first = first](EventId event) { return index_of(event) < first; });
            for (auto it = begin; it != correlations.events.end() && index_of(*it) < last; ++it)
                if (is_launch_category(trace_.category_kind(*it)))
                    call_of_.emplace_back(
                        correlations.values[static_cast<std::size_t>(it - correlations.events.begin())], *it);
        }
        std::ranges::sort(call_of_, {}, [&](const auto& entry) {
            return std::pair(entry.first, trace_.order[index_of(entry.second)]);
        });
    }

    // Searches the calls in the window and shortly before it; all calls once one is found to be earlier.
    EventId find_call(std::optional<std::int64_t> correlation) {
        if (!correlation || *correlation < 0) return kNoEvent;
        const EventId call = find_collected_call(*correlation);
        if (call != kNoEvent || has_all_calls_) return call;
        has_all_calls_ = true;
        collect_correlations({RankTime::min(), RankTime::max()});
        return find_collected_call(*correlation);
    }
    EventId find_collected_call(std::int64_t correlation) const {
        const auto it = std::ranges::lower_bound(call_of_, correlation, {}, &std::pair<std::int64_t, EventId>::first);
        return it != call_of_.end() && it->first == correlation ? it->second : kNoEvent;
    }

    void follow_sync_row(EventId row) {
        const EventId call = find_call(trace_.integer(Arg::Correlation, row));
        if (call == kNoEvent) return;
        const Track& track = trace_.track_of(row);
        const std::string_view kind = trace_.name_text(row);
        if (kind == "Context Sync") {
            explained_[index_of(call)] = true;
            return_after_streams(call, track.process);
        } else if (kind == "Stream Sync") {
            return_after_stream(call, find_queue(track.process, stream_of(row, track)), call);
        } else if (kind == "Event Sync") {
            return_after_stream(call, find_waited(row, track), find_record(row, call));
        } else if (kind == "Stream Wait Event") {
            follow_stream_wait(row, track, call);
        }
    }

    std::int64_t stream_of(EventId row, const Track& track) const {
        return trace_.integer(Arg::Stream, row).value_or(track.stream);
    }
    const StreamQueue* find_waited(EventId row, const Track& track) const {
        const std::optional<std::int64_t> stream = trace_.integer(Arg::WaitOnStream, row);
        return stream ? find_queue(track.process, *stream) : nullptr;
    }
    // The call that recorded the awaited event; the waiting call itself if unknown.
    EventId find_record(EventId row, EventId call) {
        const EventId record = find_call(trace_.integer(Arg::WaitOnRecordCorrelation, row));
        return record == kNoEvent ? call : record;
    }

    void return_after_stream(EventId call, const StreamQueue* queue, EventId launched_before) {
        if (!queue) return;
        explained_[index_of(call)] = true;
        if (const StreamEvent* e = queue->find_last_launched(since_begin(start_of(launched_before))))
            return_after(call, *e, false);
    }

    void follow_stream_wait(EventId row, const Track& track, EventId call) {
        const StreamQueue* const waiting = find_queue(track.process, stream_of(row, track));
        const StreamQueue* const waited = find_waited(row, track);
        if (!waited) return;
        explained_[index_of(call)] = true;
        if (!waiting || waiting == waited) return;
        const StreamEvent* const next = waiting->find_next_launched(since_begin(start_of(call)));
        const StreamEvent* const before = waited->find_last_launched(since_begin(start_of(find_record(row, call))));
        if (next && before) wait(*before, *next, EdgeKind::StreamWait, false);
    }

    // --- waits that a device records as tasks of its streams

    // Ascend has a collective as one event and as tasks of streams that wait for other devices. The tasks last as long
    // as the collective does, so they are left out.
    void leave_out_tasks_of_collectives() {
        std::set<std::pair<std::uint32_t, std::int64_t>> waiting;  // process, stream
        for (const Track& track : trace_.tracks) {
            if (track.kind != TrackKind::StreamSync) continue;
            for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
                const auto [first, last] = find_events_inside(trace_, trace_.lanes[l], window_.range);
                for (std::size_t e = first; e < last; ++e)
                    if (is_device_wait(trace_.name_text(EventId{static_cast<std::uint32_t>(e)})))
                        waiting.emplace(track.process, track.stream);
            }
        }
        const auto is_of_tasks = [&](const StreamQueue& queue) {
            return waiting.contains({queue.process, queue.stream});
        };
        if (waiting.empty() || !has_collectives_outside(is_of_tasks)) return;
        std::erase_if(queues_, is_of_tasks);
        for (std::uint32_t i = 0; i < queues_.size(); ++i)
            for (StreamEvent& e : queues_[i].events) e.stream = i;
    }

    bool has_collectives_outside(const auto& is_of_tasks) const {
        return std::ranges::any_of(queues_, [&](const StreamQueue& queue) {
            return !is_of_tasks(queue) && std::ranges::any_of(queue.events, [&](const StreamEvent& e) {
                return view_.class_of(e.event) == KernelClass::Communication;
            });
        });
    }

    void follow_wait_tasks() {
        for (const Track& track : trace_.tracks) {
            if (track.kind != TrackKind::StreamSync) continue;
            for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
                const auto [first, last] = find_events_inside(trace_, trace_.lanes[l], window_.range);
                for (std::size_t e = first; e < last; ++e) {
                    const EventId task{static_cast<std::uint32_t>(e)};
                    if (is_stream_wait(trace_.name_text(task))) follow_wait_task(task, track);
                }
            }
        }
    }

    // The next event of the stream waits for the work of another one that ended with the task: of several, that which
    // began first.
    void follow_wait_task(EventId task, const Track& track) {
        const std::int64_t begin = since_begin(start_of(task)), end = since_begin(trace_.end(task));
        if (end - begin < kLeastWaitInGraph) return;
        const auto is_same = [&](const StreamQueue& queue) {
            return queue.process == track.process && queue.stream == track.stream;
        };
        const auto waiting = std::ranges::find_if(queues_, is_same);
        if (waiting == queues_.end()) return;
        const auto next = std::ranges::lower_bound(waiting->events, end, {}, &StreamEvent::begin);
        if (next == waiting->events.end()) return;
        const StreamEvent* awaited = nullptr;
        for (const StreamQueue& queue : queues_) {
            if (&queue == &*waiting) continue;
            const auto after = std::ranges::partition_point(
                queue.by_end, [&](std::uint32_t at) { return queue.events[at].end <= end; });
            if (after == queue.by_end.begin()) continue;
            const StreamEvent& ended = queue.events[*std::prev(after)];
            if (ended.end <= begin || ended.end < end - kMostWaitReturn) continue;
            if (!awaited || ended.begin < awaited->begin) awaited = &ended;
        }
        if (awaited) wait(*awaited, *next, EdgeKind::StreamWait, false);
    }

    // A trace without calls of the runtime has no call that waits: the operator does, for all that the device did
    // until it returned.
    void return_after_work(EventId call) {
        const StreamEvent* last = nullptr;
        const std::int64_t begin = since_begin(start_of(call)), end = since_begin(trace_.end(call));
        for (const StreamQueue& queue : queues_) {
            const StreamEvent* const e = queue.find_ended(end, end);
            if (e && e->end > begin && (!last || e->end > last->end)) last = e;
        }
        if (last) return_after(call, *last, true);
    }

    // --- calls without such rows

    void follow_calls() {
        std::vector<HostCall> all;
        for (const ThreadChain& chain : chains_) {
            std::vector<HostCall> calls;
            const Track& track = trace_.tracks[chain.track];
            for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
                const auto [first, last] = find_events_inside(trace_, trace_.lanes[l], window_.range);
                for (std::size_t e = first; e < last; ++e) follow_call(EventId{static_cast<std::uint32_t>(e)}, calls);
            }
            guess_stream_waits(calls);
            for (HostCall& call : calls) call.track = chain.track;
            all.insert(all.end(), calls.begin(), calls.end());
        }
        guess_handed_over_waits(all);
    }

    void follow_call(EventId call, std::vector<HostCall>& calls) {
        if (nodes_.begin_of(call) == kNoNode) return;
        if (rules_.launches[index_of(call)]) {
            return_after_copies(call);
            calls.push_back({.start = start_of(call), .event = call, .waits = false});
        }
        if (reads_back_[index_of(trace_.name[index_of(call)])]) return_after_work(call);
        if (explained_[index_of(call)] || !is_launch_category(trace_.category_kind(call))) return;
        switch (kinds_[index_of(trace_.name[index_of(call)])]) {
            case CallKind::SyncsStream:
                return return_after_guess(call);
            case CallKind::SyncsDevice:
            case CallKind::Frees:
                return return_after_streams(call, std::nullopt);
            case CallKind::WaitsForEvent:
                calls.push_back({.start = start_of(call), .event = call, .waits = true});
                return;
            default:
                return;
        }
    }

    // The trace doesn't name the streams of such a call: the thread's next launch is assumed to
    // wait.
    void guess_stream_waits(std::vector<HostCall>& calls) {
        std::ranges::stable_sort(calls, {}, &HostCall::start);
        std::optional<RankTime> waits_since;
        for (const HostCall& call : calls) {
            if (call.waits) {
                waits_since = call.start;
            } else if (waits_since) {
                for (const EventId e : trace_.launched_by(call.event)) guess_wait(e, since_begin(*waits_since));
                waits_since.reset();
            }
        }
    }

    // A thread that has called for a wait may hand the stream over to another one, as a forward pass does to the thread
    // of the backward pass after a receive: then that thread's launch is the one that waits.
    void guess_handed_over_waits(std::vector<HostCall>& calls) {
        std::ranges::stable_sort(calls, {}, &HostCall::start);
        const HostCall* wait = nullptr;
        for (const HostCall& call : calls) {
            if (call.waits) {
                wait = &call;
            } else if (wait) {
                for (const EventId e : trace_.launched_by(call.event))
                    if (call.track != wait->track) guess_wait(e, since_begin(wait->start));
                wait = nullptr;
            }
        }
    }

    // Waits for the last-ended work of another stream, if it ended after everything else the event
    // is known to wait for.
    void guess_wait(EventId gpu_event, std::int64_t launched_before) {
        const StreamEvent* const e = find_stream_event(gpu_event);
        if (!e) return;
        const StreamEvent* last = nullptr;
        for (const StreamQueue& queue : queues_) {
            if (&queue == &queues_[e->stream]) continue;
            const StreamEvent* const found = queue.find_ended(launched_before, e->begin);
            if (found && (!last || found->end > last->end)) last = found;
        }
        if (last && last->end > ready(*e)) wait(*last, *e, EdgeKind::StreamWait, true);
    }

    // Time at which an event was launched and its predecessor on the stream had ended.
    std::int64_t ready(const StreamEvent& e) const {
        const StreamQueue& queue = queues_[e.stream];
        const StreamEvent* const before = queue.find_before(static_cast<std::size_t>(&e - queue.events.data()));
        return std::max(before ? before->end : 0, std::max<std::int64_t>(e.launched, 0));
    }

    // Nothing tells the order of a graph's events across streams where its edges are not recorded.
    void guess_waits_in_graphs() {
        std::vector<std::pair<EventId, const StreamEvent*>> by_call;
        for (const StreamQueue& queue : queues_) {
            for (const StreamEvent& e : queue.events) {
                if (e.call != kNoEvent && trace_.launched_by(e.call).size() > 1 && !edges_->are_known(e.replay))
                    by_call.emplace_back(e.call, &e);
            }
        }
        std::ranges::sort(by_call, {}, [](const auto& entry) {
            return std::tuple(entry.first, entry.second->end, entry.second->event);
        });
        for (std::size_t i = 0; i < by_call.size();) {
            const std::size_t first = i;
            while (i < by_call.size() && by_call[i].first == by_call[first].first) ++i;
            if (i - first > 1) guess_waits_among(std::span(by_call).subspan(first, i - first));
        }
    }

    void guess_waits_among(std::span<const std::pair<EventId, const StreamEvent*>> of_graph) {
        for (const auto& entry : of_graph) {
            const StreamEvent& e = *entry.second;
            const auto after =
                std::ranges::partition_point(of_graph, [&](const auto& other) { return other.second->end <= e.begin; });
            if (after == of_graph.begin()) continue;
            const StreamEvent& last = *std::prev(after)->second;
            const std::int64_t since = ready(e);
            if (last.stream != e.stream && last.end > since && e.begin - since > kLeastWaitInGraph)
                wait(last, e, EdgeKind::InGraph, true);
        }
    }

    // If no launch is recorded, nothing says what waits for what, and the host runs ahead of its devices. Work is then
    // taken to wait for what ended last before it, on any stream.
    void guess_waits_without_launches() {
        if (!trace_.launch_calls.empty() || queues_.size() < 2) return;
        std::vector<const StreamEvent*> by_end;
        for (const StreamQueue& queue : queues_)
            for (const StreamEvent& e : queue.events) by_end.push_back(&e);
        std::ranges::stable_sort(by_end, {}, &StreamEvent::end);
        for (const StreamQueue& queue : queues_) {
            for (const StreamEvent& e : queue.events) {
                const auto after = std::ranges::upper_bound(by_end, e.begin, {}, &StreamEvent::end);
                if (after == by_end.begin()) continue;
                const StreamEvent& last = **std::prev(after);
                if (last.stream != e.stream && last.begin < e.begin) wait(last, e, EdgeKind::StreamWait, true);
            }
        }
    }

    // --- threads that take turns

    // The main thread and the threads of the backward pass.
    struct Turn {
        std::int64_t time;
        std::uint32_t node;
        std::uint32_t chain;
    };

    bool is_backward(const ThreadChain& chain) const { return chain.has_backward && !chain.has_steps; }
    bool is_program(const ThreadChain& chain) const {
        return !is_backward(chain) && (any_steps_ ? chain.has_steps : chain.has_launches);
    }

    void hand_over() {
        any_steps_ = std::ranges::any_of(chains_, &ThreadChain::has_steps);
        if (std::ranges::none_of(chains_, [&](const ThreadChain& chain) { return is_backward(chain); })) return;
        std::vector<Turn> backward, program;
        for (std::uint32_t c = 0; c < chains_.size(); ++c) {
            if (!is_backward(chains_[c]) && !is_program(chains_[c])) continue;
            std::vector<Turn>& turns = is_backward(chains_[c]) ? backward : program;
            for (std::uint32_t node = chains_[c].first_node; node < chains_[c].last_node; ++node)
                turns.push_back({draft_.time[node], node, c});
        }
        for (std::vector<Turn>* turns : {&backward, &program})
            if (!std::ranges::is_sorted(*turns, {}, &Turn::time)) std::ranges::stable_sort(*turns, {}, &Turn::time);
        for (const ThreadChain& chain : chains_) {
            if (is_backward(chain))
                add_turns(chain, program);
            else if (is_program(chain))
                add_turns(chain, backward);
        }
    }

    // A thread that continues after a pause in which another one worked was waiting for it.
    void add_turns(const ThreadChain& chain, const std::vector<Turn>& others) {
        for (const std::uint32_t gap : chain.gaps) {
            const GraphEdge pause = draft_.edges[gap];
            const std::int64_t begin = draft_.time[pause.from], end = draft_.time[pause.to];
            const auto after = std::ranges::upper_bound(others, end, {}, &Turn::time);
            if (after == others.begin() || std::prev(after)->time <= begin) continue;
            draft_.edges[gap].weight = 0;
            draft_.link({.from = std::prev(after)->node,
                         .to = pause.to,
                         .weight = 0,
                         .event = kNoEvent,
                         .kind = EdgeKind::HandOver,
                         .bound_by = BoundBy::HostOther,
                         .guessed = false,
                         .chosen = pause.chosen});
        }
    }

    // --- the end

    bool reaches_end(const StreamEvent& e) const {
        return window_.steps.empty() || is_chosen_step(window_.steps, trace_.step_of(e.event));
    }

    std::uint32_t add_sink() {
        const std::uint32_t sink = draft_.add_node(window_.range.length().count());
        const auto end_with = [&](std::uint32_t node, BoundBy bound_by) {
            if (node != kNoNode)
                draft_.link({.from = node,
                             .to = sink,
                             .weight = 0,
                             .event = kNoEvent,
                             .kind = EdgeKind::Tail,
                             .bound_by = bound_by,
                             .guessed = false,
                             .chosen = false});
        };
        for (const StreamQueue& queue : queues_) {
            for (const StreamEvent& e : queue.events)
                if (reaches_end(e)) end_with(e.end_node, BoundBy::Unknown);
        }
        // Without launches threads say nothing of when the GPU is done.
        if (trace_.launch_calls.empty() && !queues_.empty()) return sink;
        for (const ThreadChain& chain : chains_)
            end_with(window_.steps.empty() ? chain.last_node - 1 : chain.stop_node, BoundBy::HostOther);
        return sink;
    }

    const RankView& view_;
    const bool bridges_reversed_;
    const RankTrace& trace_;
    const PathWindow& window_;
    const std::function<bool(EventId)>& chosen_;
    const JobContext& context_;
    GraphDraft draft_;
    ThreadRules rules_{};
    std::vector<CallKind> kinds_;  // by name
    std::vector<bool> reads_back_;  // by name: waits for the device without a call that says so
    bool has_runtime_calls_ = false;
    EventNodes nodes_;  // of events on threads
    std::vector<ThreadChain> chains_;
    std::shared_ptr<const ReplayEdges> edges_;
    std::map<std::uint32_t, std::uint32_t> end_of_replay_;  // nodes
    std::vector<StreamQueue> queues_;
    std::vector<const StreamEvent*> place_of_;  // by event, built on demand
    std::vector<std::pair<std::int64_t, EventId>> call_of_;  // by correlation
    bool has_all_calls_ = false;
    std::vector<bool> explained_;  // by event: a row names what the call waits for
    std::map<std::uint32_t, std::vector<Awaited>> awaited_;  // by track, by queue
    bool any_steps_ = false;
    std::uint64_t reversed_ = 0;
};

}  // namespace

PathWindow find_step_window(const RankTrace& trace, std::span<const Step> steps) {
    PathWindow window{.range = {RankTime::max(), RankTime::min()}, .shown_end = {}, .host_end = {}, .steps = {}};
    for (const Step& step : steps) {
        extend(window.range, step.range);
        window.steps.push_back(step.event);
    }
    std::ranges::sort(window.steps);
    window.host_end = window.range.end;
    for (const EventId e : trace.gpu_events)
        if (is_chosen_step(window.steps, trace.step_of(e))) window.range.end = std::max(window.range.end, trace.end(e));
    window.shown_end = window.range.end;
    return window;
}

std::optional<PathWindow> find_path_window(const RankView& view, WithoutStepTerm otherwise) {
    PathWindow window = find_whole_window(view, otherwise);
    window.shown_end = window.range.end;
    if (view.time) {
        window.range.begin = std::max(window.range.begin, view.time->begin);
        window.shown_end = std::min(window.shown_end, view.time->end);
    }
    window.host_end = std::max(window.host_end, window.range.begin);
    if (window.shown_end <= window.range.begin) return std::nullopt;
    return window;
}

void cut_at(CriticalGraph& built, const LongestPath& to_sink, std::int64_t moment) {
    EventGraph& graph = built.graph;
    const auto crosses = [&](std::uint32_t i) { return graph.time[graph.edges[i].to] >= moment; };
    const auto it = std::ranges::find_if(to_sink.edges, crosses);
    GraphEdge edge = graph.edges[*it];
    edge.to = static_cast<std::uint32_t>(graph.time.size());
    edge.weight = moment - graph.time[edge.from];
    graph.time.push_back(moment);
    graph.edges.push_back(edge);
    graph.first.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    graph.order.push_back(edge.to);
    built.sink = edge.to;
}

Result<CriticalGraph> build_critical_graph(const RankView& view, const PathWindow& window,
                                           const std::function<bool(EventId)>& chosen, const JobContext& context) {
    Result<RankDraft> made = build_rank_draft(view, window, chosen, ReversedLaunches::Dropped, context);
    if (!made) return std::move(made).error();
    Result<EventGraph> graph = finish_graph(std::move(made->draft.time), std::move(made->draft.edges), context);
    if (!graph) return std::move(graph).error();
    return CriticalGraph{.graph = *std::move(graph), .sink = made->sink, .reversed = made->reversed};
}

Result<RankDraft> build_rank_draft(const RankView& view, const PathWindow& window,
                                   const std::function<bool(EventId)>& chosen, ReversedLaunches reversed,
                                   const JobContext& context) {
    return GraphBuilder(view, window, chosen, reversed, context).run();
}

}  // namespace core
