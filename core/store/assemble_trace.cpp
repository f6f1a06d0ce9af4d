#include "core/store/assemble_trace.hpp"

#include "core/store/link_launches.hpp"
#include "core/store/sections.hpp"
#include "core/store/track_layout.hpp"
#include "core/store/track_walk.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace core {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep";

// "ProfilerStep#12", "ProfilerStep # 12" → 12.
std::optional<std::int64_t> step_number(std::string_view name) {
    if (!name.starts_with(kStepPrefix)) return std::nullopt;
    name.remove_prefix(kStepPrefix.size());
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (!name.starts_with('#')) return std::nullopt;
    name.remove_prefix(1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc{} && end != name.data() ? std::optional(number) : std::nullopt;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

class Assembly {
public:
    Assembly(Staged staged, RankInfo info, const JobContext& job)
        : staged_(std::move(staged)), info_(std::move(info)), job_(job) {}

    Result<RankTracePtr> run() {
        info_.records = staged_.records;
        staged_.text_store.close();
        add_base_time();
        pair_events(staged_);
        info_.records = staged_.records;
        mark_gpu_events(staged_);
        layout_ = build_track_layout(staged_);
        event_count_ = layout_.event_count;
        row_of_.assign(event_count_, kNoRow);
        parent_.assign(event_count_, kNoEvent);
        drop_launch_arrows();
        flow_event_.assign(staged_.flows.size(), kNoEvent);
        group_flow_points();
        for (std::size_t t = 0; t < layout_.tracks.size(); ++t) {
            if (job_.cancelled()) return Error{ErrorCode::Cancelled, "cancelled"};
            assemble_track(t);
        }
        invert_rows();
        collect_gpu_events();
        link_gpu_events();
        collect_steps();
        sort_counters();
        if (job_.cancelled()) return Error{ErrorCode::Cancelled, "cancelled"};
        return RankTracePtr(std::make_shared<RankTrace>(write(), std::move(info_), std::move(staged_.diagnostics)));
    }

private:
    void add_base_time() {
        const std::int64_t base = info_.base_time_ns;
        for (StagedEvent& event : staged_.events) {
            event.start_ns = saturating_add(event.start_ns, base);
            event.duration_ns = saturating_add(event.start_ns, event.duration_ns) - event.start_ns;
        }
        for (FlowRow& flow : staged_.flows) flow.time_ns = saturating_add(flow.time_ns, base);
        for (CounterRow& counter : staged_.counters) counter.time_ns = saturating_add(counter.time_ns, base);
    }

    // Where every GPU event names its launch by correlation, the arrows that say the same (often a third of a file)
    // need not be followed.
    void drop_launch_arrows() {
        std::vector<bool> has_correlation(staged_.events.size(), false);
        for (const ArgInteger& arg : staged_.integers[static_cast<std::size_t>(Arg::Correlation)]) {
            has_correlation[arg.row] = true;
        }
        for (std::size_t row = 0; row < staged_.events.size(); ++row) {
            if ((staged_.events[row].flags & kGpuEvent) != 0 && !has_correlation[row]) return;
        }
        std::set<NameId> launch_categories;
        for (const std::string_view text : {"ac2g", "async_cpu_to_gpu", "async_gpu"}) {
            launch_categories.insert(staged_.pool.intern(text));
        }
        std::size_t kept = 0;
        for (std::size_t f = 0; f < staged_.flows.size(); ++f) {
            if (launch_categories.contains(staged_.flows[f].category)) continue;
            staged_.flows[kept] = staged_.flows[f];
            staged_.flow_threads[kept++] = staged_.flow_threads[f];
        }
        staged_.flows.resize(kept);
        staged_.flow_threads.resize(kept);
    }

    void group_flow_points() {
        points_of_thread_.resize(staged_.threads.size());
        for (std::uint32_t f = 0; f < staged_.flows.size(); ++f) {
            const FlowRow& flow = staged_.flows[f];
            const bool next = flow.phase == FlowPhase::End && !flow.bind_enclosing;
            points_of_thread_[staged_.flow_threads[f]].push_back({flow.time_ns, f, next});
        }
        for (auto& points : points_of_thread_) {
            if (!std::ranges::is_sorted(points, {}, &FlowPoint::time_ns)) {
                std::ranges::stable_sort(points, {}, &FlowPoint::time_ns);
            }
        }
    }

    void assemble_track(std::size_t t) {
        LaidTrack& track = layout_.tracks[t];
        std::vector<TrackKey> keys;
        keys.reserve(track.rows.size());
        for (const std::uint32_t row : track.rows) {
            keys.push_back({staged_.events[row].start_ns, staged_.events[row].duration_ns, row});
        }
        std::vector<std::uint32_t>().swap(track.rows);
        sort_track(keys);
        const std::vector<EventId> ids = lay_lanes(static_cast<std::uint32_t>(t), keys);
        for (std::size_t i = 0; i < keys.size(); ++i) row_of_[index_of(ids[i])] = keys[i].row;
        if (track.kind != TrackKind::Thread && track.kind != TrackKind::Stream) return;

        std::vector<FlowPoint> points;
        if (layout_.flow_track_of_thread[track.thread] == t) points.swap(points_of_thread_[track.thread]);
        const WalkResult walk = walk_track(keys, points);
        for (std::size_t p = 0; p < points.size(); ++p) {
            if (walk.bound[p] != kNoRow) flow_event_[points[p].flow] = ids[walk.bound[p]];
        }
        if (track.kind != TrackKind::Thread) return;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (walk.parent[i] != kNoRow) parent_[index_of(ids[i])] = ids[walk.parent[i]];
            if (walk.cut[i]) report_cut(keys[i].row);
        }
    }

    void report_cut(std::uint32_t row) {
        StagedEvent& event = staged_.events[row];
        event.flags |= kCutInTree;
        Diagnostics& found = staged_.diagnostics;
        const bool first = found.is_first("child-cut");
        found.add("child-cut", !first ? ""
                                      : "record " + std::to_string(event.order) + ": \"" +
                                            std::string(staged_.pool.text(event.name)) + "\"");
    }

    // Rows of the track one below the other; returns the event id of each key.
    std::vector<EventId> lay_lanes(std::uint32_t track, const std::vector<TrackKey>& keys) {
        const std::vector<std::uint32_t> rows = assign_rows(keys);
        std::vector<std::uint32_t> next(1 + (rows.empty() ? 0 : *std::ranges::max_element(rows)), 0);
        for (const std::uint32_t row : rows) ++next[row];
        const auto first_lane = static_cast<std::uint32_t>(lanes_.size());
        for (std::uint32_t row = 0; row < next.size(); ++row) {
            const std::uint32_t first = next_event_;
            next_event_ += next[row];
            next[row] = first;
            lanes_.push_back({track, row, EventId{first}, EventId{next_event_}});
        }
        layout_.tracks[track].first_lane = first_lane;
        layout_.tracks[track].lane_count = static_cast<std::uint32_t>(lanes_.size()) - first_lane;
        std::vector<EventId> ids(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) ids[i] = EventId{next[rows[i]]++};
        return ids;
    }

    void invert_rows() {
        event_of_row_.assign(staged_.events.size(), kNoEvent);
        for (std::uint32_t e = 0; e < event_count_; ++e) event_of_row_[row_of_[e]] = EventId{e};
        for (const PairedEnd& pair : staged_.pairs) event_of_row_[pair.end_row] = event_of_row_[pair.begin_row];
    }

    const StagedEvent& staged(EventId e) const { return staged_.events[row_of_[index_of(e)]]; }

    bool earlier(EventId a, EventId b) const {
        const StagedEvent& x = staged(a);
        const StagedEvent& y = staged(b);
        return comes_before({x.start_ns, x.duration_ns, x.order}, {y.start_ns, y.duration_ns, y.order});
    }

    void collect_gpu_events() {
        for (std::uint32_t e = 0; e < event_count_; ++e) {
            if ((staged(EventId{e}).flags & kGpuEvent) != 0) gpu_events_.push_back(EventId{e});
        }
        std::ranges::sort(gpu_events_, [&](EventId a, EventId b) { return earlier(a, b); });
    }

    void link_gpu_events() {
        links_ = build_launch_links(staged_, event_of_row_, row_of_, gpu_events_, flow_event_, parent_);
    }

    void collect_steps() {
        std::unordered_map<std::uint32_t, std::optional<std::int64_t>> number_of_name;
        for (std::uint32_t e = 0; e < event_count_; ++e) {
            StagedEvent& event = staged_.events[row_of_[e]];
            const Category kind = staged_.categories[event.category].kind;
            if (kind != Category::UserAnnotation && kind != Category::CpuOp) continue;
            const auto [it, is_new] = number_of_name.try_emplace(static_cast<std::uint32_t>(event.name));
            if (is_new) it->second = step_number(staged_.pool.text(event.name));
            if (!it->second) continue;
            event.flags |= kStepMark;
            steps_.push_back({*it->second, {rank_time(event.start_ns), rank_time(event.end_ns())}, EventId{e}});
        }
        std::ranges::stable_sort(steps_, {}, [](const Step& s) { return s.range.begin; });
        std::vector<std::int64_t> numbers;
        for (const Step& step : steps_) numbers.push_back(step.number);
        std::ranges::sort(numbers);
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            if (numbers[i] == numbers[i - 1]) {
                staged_.diagnostics.add("duplicate-step", "ProfilerStep#" + std::to_string(numbers[i]));
            }
        }
    }

    void sort_counters() {
        std::ranges::stable_sort(staged_.counters, [](const CounterRow& a, const CounterRow& b) {
            return std::tuple(a.pid, a.name, a.series, a.time_ns) < std::tuple(b.pid, b.name, b.series, b.time_ns);
        });
        for (std::size_t i = 0; i < staged_.counters.size(); ++i) {
            const CounterRow& row = staged_.counters[i];
            const std::uint32_t process = layout_.process_of_pid.at(static_cast<std::uint32_t>(row.pid));
            const bool same = !counters_.empty() && counters_.back().process == process &&
                              counters_.back().name == row.name && counters_.back().series == row.series;
            if (!same) counters_.push_back({process, row.name, row.series, i, i});
            counters_.back().last = i + 1;
        }
    }

    Blob write();
    void reserve(BlobBuilder& blob) const;
    void fill_columns(BlobBuilder& blob) const;
    void fill_structure(BlobBuilder& blob) const;
    template <class Value, class Row>
    void fill_argument(BlobBuilder& blob, Arg arg, const std::vector<Row>& rows) const;
    // Positions in `rows`, one per event that has the argument, by event.
    template <class Row>
    std::vector<std::pair<EventId, std::uint32_t>> argument_events(const std::vector<Row>& rows) const;

    Staged staged_;
    RankInfo info_;
    const JobContext& job_;
    TrackLayout layout_;
    std::size_t event_count_ = 0;
    std::uint32_t next_event_ = 0;
    std::vector<std::vector<FlowPoint>> points_of_thread_;
    std::vector<std::uint32_t> row_of_;  // by event
    std::vector<EventId> event_of_row_;
    std::vector<EventId> parent_;
    std::vector<EventId> flow_event_;
    std::vector<EventId> gpu_events_;
    std::vector<Lane> lanes_;
    std::vector<Step> steps_;
    std::vector<CounterTrack> counters_;
    LaunchLinks links_;
    std::array<std::vector<std::pair<EventId, std::uint32_t>>, kArgCount> arguments_;
};

template <class Row>
std::vector<std::pair<EventId, std::uint32_t>> Assembly::argument_events(const std::vector<Row>& rows) const {
    std::vector<std::pair<EventId, std::uint32_t>> found;
    if (rows.size() < event_count_ / 64) {
        for (std::uint32_t i = 0; i < rows.size(); ++i) {
            const EventId event = event_of_row_[rows[i].row];
            if (event != kNoEvent) found.emplace_back(event, i);
        }
        std::ranges::sort(found);
        // A key given twice, or by both ends of a pair: the first counts.
        const auto same_event = [](const auto& a, const auto& b) { return a.first == b.first; };
        found.erase(std::unique(found.begin(), found.end(), same_event), found.end());
        return found;
    }
    // Many: by way of one slot per event, O(events).
    std::vector<std::uint32_t> slot(event_count_, kNoRow);
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
        const EventId event = event_of_row_[rows[i].row];
        if (event != kNoEvent && slot[index_of(event)] == kNoRow) slot[index_of(event)] = i;
    }
    found.reserve(rows.size());
    for (std::uint32_t e = 0; e < event_count_; ++e) {
        if (slot[e] != kNoRow) found.emplace_back(EventId{e}, slot[e]);
    }
    return found;
}

void Assembly::reserve(BlobBuilder& blob) const {
    blob.reserve<RankTime>(section::kStart, event_count_);
    blob.reserve<Duration>(section::kDuration, event_count_);
    blob.reserve<NameId>(section::kName, event_count_);
    blob.reserve<std::uint16_t>(section::kCategory, event_count_);
    blob.reserve<std::uint8_t>(section::kFlags, event_count_);
    blob.reserve<EventId>(section::kParent, event_count_);
    blob.reserve<std::uint32_t>(section::kOrder, event_count_);
    blob.reserve<Process>(section::kProcesses, layout_.processes.size());
    blob.reserve<Track>(section::kTracks, layout_.tracks.size());
    blob.reserve<Lane>(section::kLanes, lanes_.size());
    blob.reserve<CategoryEntry>(section::kCategories, staged_.categories.size());
    blob.reserve<Step>(section::kSteps, steps_.size());
    blob.reserve<EventId>(section::kGpuEvents, gpu_events_.size());
    blob.reserve<Flow>(section::kFlows, links_.flows.size());
    blob.reserve<CounterTrack>(section::kCounters, counters_.size());
    blob.reserve<RankTime>(section::kCounterTimes, staged_.counters.size());
    blob.reserve<double>(section::kCounterValues, staged_.counters.size());
    blob.reserve<EventId>(section::kLaunchCalls, links_.calls.size());
    blob.reserve<std::uint32_t>(section::kLaunchFirst, links_.first.size());
    blob.reserve<EventId>(section::kLaunchGpu, links_.gpu.size());
    blob.reserve<std::uint64_t>(section::kNameOffsets, staged_.pool.offsets().size());
    blob.reserve<char>(section::kNameBytes, staged_.pool.bytes().size());
    blob.reserve<TextBlock>(section::kTextBlocks, staged_.text_store.blocks().size());
    blob.reserve<std::uint8_t>(section::kTextPacked, staged_.text_store.packed().size());
    blob.reserve<EventId>(section::kEndOrderEvents, staged_.pairs.size());
    blob.reserve<std::uint32_t>(section::kEndOrders, staged_.pairs.size());
    for (std::size_t a = 0; a < kArgCount; ++a) {
        if (arguments_[a].empty()) continue;
        const auto arg = static_cast<Arg>(a);
        blob.reserve<EventId>(section::arg_events(arg), arguments_[a].size());
        if (type_of(arg) == ArgType::Integer)
            blob.reserve<std::int64_t>(section::arg_values(arg), arguments_[a].size());
        else
            blob.reserve<NameId>(section::arg_values(arg), arguments_[a].size());
    }
}

void Assembly::fill_columns(BlobBuilder& blob) const {
    const auto start = blob.fill<RankTime>(section::kStart);
    const auto duration = blob.fill<Duration>(section::kDuration);
    const auto name = blob.fill<NameId>(section::kName);
    const auto category = blob.fill<std::uint16_t>(section::kCategory);
    const auto flags = blob.fill<std::uint8_t>(section::kFlags);
    const auto order = blob.fill<std::uint32_t>(section::kOrder);
    for (std::size_t e = 0; e < event_count_; ++e) {
        const StagedEvent& event = staged_.events[row_of_[e]];
        start[e] = rank_time(event.start_ns);
        duration[e] = Duration{event.duration_ns};
        name[e] = event.name;
        category[e] = event.category;
        flags[e] = event.flags;
        order[e] = event.order;
    }
    blob.copy<EventId>(section::kParent, parent_);
}

void Assembly::fill_structure(BlobBuilder& blob) const {
    blob.copy<Process>(section::kProcesses, layout_.processes);
    const auto tracks = blob.fill<Track>(section::kTracks);
    for (std::size_t t = 0; t < tracks.size(); ++t) tracks[t] = layout_.tracks[t].as_track();
    blob.copy<Lane>(section::kLanes, lanes_);
    blob.copy<CategoryEntry>(section::kCategories, staged_.categories);
    blob.copy<Step>(section::kSteps, steps_);
    blob.copy<EventId>(section::kGpuEvents, gpu_events_);
    blob.copy<Flow>(section::kFlows, links_.flows);
    blob.copy<CounterTrack>(section::kCounters, counters_);
    const auto times = blob.fill<RankTime>(section::kCounterTimes);
    const auto values = blob.fill<double>(section::kCounterValues);
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = rank_time(staged_.counters[i].time_ns);
        values[i] = staged_.counters[i].value;
    }
    blob.copy<EventId>(section::kLaunchCalls, links_.calls);
    blob.copy<std::uint32_t>(section::kLaunchFirst, links_.first);
    blob.copy<EventId>(section::kLaunchGpu, links_.gpu);
    blob.copy<std::uint64_t>(section::kNameOffsets, staged_.pool.offsets());
    blob.copy<char>(section::kNameBytes, staged_.pool.bytes());
    blob.copy<TextBlock>(section::kTextBlocks, staged_.text_store.blocks());
    blob.copy<std::uint8_t>(section::kTextPacked, staged_.text_store.packed());
    std::vector<std::pair<EventId, std::uint32_t>> ends;
    for (const PairedEnd& pair : staged_.pairs) {
        ends.emplace_back(event_of_row_[pair.begin_row], staged_.events[pair.end_row].order);
    }
    std::ranges::sort(ends);
    const auto end_events = blob.fill<EventId>(section::kEndOrderEvents);
    const auto end_orders = blob.fill<std::uint32_t>(section::kEndOrders);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        end_events[i] = ends[i].first;
        end_orders[i] = ends[i].second;
    }
}

template <class Value, class Row>
void Assembly::fill_argument(BlobBuilder& blob, Arg arg, const std::vector<Row>& rows) const {
    const auto& found = arguments_[static_cast<std::size_t>(arg)];
    const auto events = blob.fill<EventId>(section::arg_events(arg));
    const auto values = blob.fill<Value>(section::arg_values(arg));
    for (std::size_t i = 0; i < found.size(); ++i) {
        events[i] = found[i].first;
        values[i] = rows[found[i].second].value;
    }
}

Blob Assembly::write() {
    for (std::size_t a = 0; a < kArgCount; ++a) {
        const bool integer = type_of(static_cast<Arg>(a)) == ArgType::Integer;
        arguments_[a] = integer ? argument_events(staged_.integers[a]) : argument_events(staged_.texts[a]);
    }
    BlobBuilder blob;
    reserve(blob);
    blob.allocate();
    fill_columns(blob);
    fill_structure(blob);
    for (std::size_t a = 0; a < kArgCount; ++a) {
        if (arguments_[a].empty()) continue;
        const auto arg = static_cast<Arg>(a);
        if (type_of(arg) == ArgType::Integer)
            fill_argument<std::int64_t>(blob, arg, staged_.integers[a]);
        else
            fill_argument<NameId>(blob, arg, staged_.texts[a]);
    }
    return std::move(blob).finish();
}

}  // namespace

Result<RankTracePtr> assemble_trace(Staged staged, RankInfo info, const JobContext& job) {
    return Assembly(std::move(staged), std::move(info), job).run();
}

}  // namespace core
