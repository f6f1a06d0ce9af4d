#include "core/store/assemble/assemble_trace.hpp"

#include "core/base/format.hpp"
#include "core/base/saturate.hpp"
#include "core/store/argument_columns.hpp"
#include "core/store/assemble/assemble_track.hpp"
#include "core/store/assemble/collect_gpu_events.hpp"
#include "core/store/assemble/link_launches.hpp"
#include "core/store/assemble/node_arrows.hpp"
#include "core/store/assemble/step_marks.hpp"
#include "core/store/event_columns.hpp"
#include "core/store/launch_losses.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

namespace core {
namespace {

constexpr std::size_t kTextPiece = std::size_t{4} << 20;  // whole large pages
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

class Assembly {
public:
    Assembly(Staged staged, RankInfo info, const JobContext& job)
        : staged_(std::move(staged)), info_(std::move(info)), job_(job) {}

    Result<RankTracePtr> run() {
        staged_.text_store.close();
        add_base_time();
        pair_events(staged_);
        mark_gpu_events(staged_, job_);
        drop_unrecorded_times(staged_, info_.base_time_ns);
        info_.records = staged_.records;
        lay_tracks();
        release(staged_.thread_of_event);
        if (job_.checkpoint()) return cancelled_error();
        allocate_columns();
        assemble_tracks();
        if (job_.checkpoint()) return cancelled_error();
        attach_ends();
        move_to_columns(staged_, event_of_row_, columns_, job_);
        make_arguments_and_links();
        release(staged_.flows);
        if (job_.checkpoint()) return cancelled_error();
        collect_steps();
        if (steps_.empty()) count_gpu_steps();
        count_steps_beyond();
        sort_counters();
        Blob blob = write();
        if (job_.checkpoint()) return cancelled_error();
        auto trace = std::make_shared<RankTrace>(std::move(blob), std::move(info_), std::move(staged_.diagnostics));
        count_missing_work(*trace);
        return RankTracePtr(std::move(trace));
    }

private:
    // Counts nothing for a file that ends early: its profiler lost nothing.
    static void count_missing_work(RankTrace& trace) {
        if (trace.diagnostics.count("file-truncated") > 0) return;
        if (const LaunchLosses losses = find_launch_losses(trace); losses.lost > 0)
            trace.diagnostics.add("gpu-work-missing", losses.text(), losses.lost);
    }

    void add_base_time() {
        const std::int64_t base = info_.base_time_ns;
        share_rows(job_, staged_.events.size(), [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row) {
                std::int64_t& start_ns = staged_.times.start_ns[row];
                std::int64_t& duration_ns = staged_.times.duration_ns[row];
                start_ns = saturating_add(start_ns, base);
                duration_ns = saturating_add(start_ns, duration_ns) - start_ns;
            }
        });
        for (StagedFlow& flow : staged_.flows) flow.time_ns = saturating_add(flow.time_ns, base);
        for (CounterRow& counter : staged_.counters) counter.time_ns = saturating_add(counter.time_ns, base);
    }

    void lay_tracks() {
        const std::vector<bool> launches = find_launch_arrows(staged_);  // before the layout adds names
        job_.parallel_for(2, [&](std::size_t i) {
            if (i == 0)
                layout_ = build_track_layout(staged_, job_);
            else
                drop_launch_arrows(staged_, launches, job_);
        });
    }

    void allocate_columns() {
        const std::size_t count = layout_.event_count;
        blob_.reserve<RankTime>(section::kStart, count);
        blob_.reserve<Duration>(section::kDuration, count);
        blob_.reserve<NameId>(section::kName, count);
        blob_.reserve<std::uint16_t>(section::kCategory, count);
        blob_.reserve<std::uint8_t>(section::kFlags, count);
        blob_.reserve<EventId>(section::kParent, count);
        blob_.reserve<std::uint32_t>(section::kOrder, count);
        blob_.expect(most_bytes());
        blob_.allocate();
        find_columns();
        event_of_row_.assign(staged_.events.size(), kNoEvent);
        flow_event_.assign(staged_.flows.size(), kNoEvent);
    }

    // Call after each blob_.allocate().
    void find_columns() {
        columns_ = {blob_.fill<RankTime>(section::kStart),     blob_.fill<Duration>(section::kDuration),
                    blob_.fill<NameId>(section::kName),        blob_.fill<std::uint16_t>(section::kCategory),
                    blob_.fill<std::uint8_t>(section::kFlags), blob_.fill<EventId>(section::kParent),
                    blob_.fill<std::uint32_t>(section::kOrder)};
    }

    // Estimate for all sections, on the high side, so the columns need not move later.
    std::size_t most_bytes() const {
        constexpr std::size_t kOfEvent = sizeof(RankTime) + sizeof(Duration) + 5 * sizeof(EventId) + 3;
        constexpr std::size_t kOfLinks = 4 * sizeof(EventId);
        std::size_t sum = layout_.event_count * (kOfEvent + kOfLinks) + staged_.flows.size() * sizeof(Flow) +
                          staged_.counters.size() * (sizeof(RankTime) + sizeof(double)) +
                          staged_.text_store.packed().size() + staged_.pool.bytes().size();
        for (const auto& integers : staged_.integers)
            sum += integers.rows.size() * (sizeof(EventId) + sizeof(std::int64_t));
        for (const auto& texts : staged_.texts) sum += texts.rows.size() * (sizeof(EventId) + sizeof(NameId));
        return sum;
    }

    // By thread.
    std::vector<std::vector<FlowPoint>> group_flow_points() const {
        std::vector<std::vector<FlowPoint>> points_of_thread(staged_.threads.size());
        for (std::uint32_t f = 0; f < staged_.flows.size(); ++f) {
            const StagedFlow& flow = staged_.flows[f];
            const bool next = flow.phase == FlowPhase::End && !flow.bind_enclosing;
            points_of_thread[flow.thread].push_back({flow.time_ns, f, next});
        }
        for (auto& points : points_of_thread) {
            if (!std::ranges::is_sorted(points, {}, &FlowPoint::time_ns)) {
                std::ranges::stable_sort(points, {}, &FlowPoint::time_ns);
            }
        }
        return points_of_thread;
    }

    void assemble_tracks() {
        const std::vector<std::vector<FlowPoint>> points = group_flow_points();
        const std::unique_ptr<bool[]> step_names = find_step_names();
        const std::unique_ptr<bool[]> step_categories = find_step_categories();
        std::vector<TrackTask> tasks;
        std::uint32_t first = 0;
        for (std::size_t t = 0; t < layout_.tracks.size(); ++t) {
            const LaidTrack& track = layout_.tracks[t];
            TrackTask task{staged_.times,
                           staged_.events,
                           staged_.pool,
                           {step_names.get(), staged_.pool.size()},
                           {step_categories.get(), staged_.categories.size()},
                           columns_.parent,
                           event_of_row_,
                           flow_event_,
                           EventId{first},
                           track.kind == TrackKind::Thread,
                           track.kind == TrackKind::Stream,
                           {}};
            if (layout_.flow_track_of_thread[track.thread] == t) task.points = points[track.thread];
            tasks.push_back(task);
            first += static_cast<std::uint32_t>(track.rows.size());
        }
        std::vector<std::uint32_t> longest_first(tasks.size());
        std::iota(longest_first.begin(), longest_first.end(), 0U);
        std::ranges::stable_sort(longest_first, std::greater{},
                                 [&](std::uint32_t t) { return layout_.tracks[t].rows.size(); });
        std::vector<AssembledTrack> done(tasks.size());
        job_.parallel_for(tasks.size(), [&](std::size_t i) {
            const std::uint32_t t = longest_first[i];
            if (!job_.checkpoint()) done[t] = assemble_track(tasks[t], layout_.tracks[t].rows, job_);
        });
        for (std::uint32_t t = 0; t < done.size(); ++t) add_track(t, done[t]);
    }

    void add_track(std::uint32_t t, const AssembledTrack& done) {
        layout_.tracks[t].first_lane = static_cast<std::uint32_t>(lanes_.size());
        layout_.tracks[t].lane_count = static_cast<std::uint32_t>(done.lanes.size());
        for (Lane lane : done.lanes) {
            lane.track = t;
            lanes_.push_back(lane);
        }
        step_events_.insert(step_events_.end(), done.steps.begin(), done.steps.end());
        if (done.shortened > 0) {
            const StagedEvent& event = staged_.events[done.first_shortened_row];
            staged_.diagnostics.add("duration-impossible",
                                    "record " + std::to_string(event.order) + ": \"" +
                                        std::string(staged_.pool.text(event.name)) + "\" lasts " +
                                        format_duration(Duration{done.first_shortened_ns}) +
                                        ", and the work after it on its stream begins meanwhile",
                                    done.shortened);
        }
        if (done.cut == 0) return;
        const StagedEvent& first = staged_.events[done.first_cut_row];
        staged_.diagnostics.add(
            "child-cut",
            "record " + std::to_string(first.order) + ": \"" + std::string(staged_.pool.text(first.name)) + "\"",
            done.cut);
    }

    std::unique_ptr<bool[]> find_step_names() const {
        auto marks = std::make_unique<bool[]>(staged_.pool.size());
        for (std::uint32_t i = 0; i < staged_.pool.size(); ++i) {
            marks[i] = step_number(staged_.pool.text(NameId{i})).has_value();
        }
        return marks;
    }

    std::unique_ptr<bool[]> find_step_categories() const {
        auto marks = std::make_unique<bool[]>(staged_.categories.size());
        for (std::size_t i = 0; i < staged_.categories.size(); ++i) {
            const Category kind = staged_.categories[i].kind;
            marks[i] = kind == Category::UserAnnotation || kind == Category::CpuOp;
        }
        return marks;
    }

    // Arguments and text of an end belong to the event of its begin.
    void attach_ends() {
        for (const PairedEnd& pair : staged_.pairs) {
            const EventId event = event_of_row_[pair.begin_row];
            event_of_row_[pair.end_row] = event;
            ends_.emplace_back(event, staged_.events[pair.end_row].order);
        }
        std::ranges::sort(ends_);
    }

    // Linking is one long task, so arguments are built concurrently. The correlations it reads are kept until it is
    // done.
    void make_arguments_and_links() {
        ArgumentColumns arguments(staged_, event_of_row_, layout_.event_count, job_);
        job_.parallel_for(kArgCount + 1, [&](std::size_t i) {
            if (i == 0)
                gpu_events_ = collect_gpu_events(columns_, layout_.tracks, lanes_);
            else
                arguments.count(static_cast<Arg>(i - 1));
        });
        if (job_.checkpoint()) return;
        bind_node_arrows(staged_, columns_, layout_.tracks, lanes_, event_of_row_, flow_event_);
        arguments.reserve(blob_);
        blob_.allocate();
        find_columns();
        job_.parallel_for(kArgCount + 1, [&](std::size_t i) {
            if (i == 0)
                links_ = build_launch_links(staged_, columns_, event_of_row_, gpu_events_, flow_event_, job_);
            else if (static_cast<Arg>(i - 1) != Arg::Correlation)
                arguments.fill(blob_, static_cast<Arg>(i - 1));
        });
        arguments.fill(blob_, Arg::Correlation);
        find_first_linked();
    }

    // A stream without any goes by the first of all streams: its writer gives its events no usable correlation. A rank
    // without any has no launches, which says nothing of when they were.
    void find_first_linked() {
        first_linked_.assign(layout_.tracks.size(), RankTime::max());
        for (const Lane& lane : lanes_) {
            const TrackKind kind = layout_.tracks[lane.track].kind;
            if (kind != TrackKind::Stream && kind != TrackKind::Async) continue;
            RankTime& first = first_linked_[lane.track];
            for (std::size_t e = index_of(lane.first); e < index_of(lane.last) && columns_.start[e] < first; ++e)
                if ((columns_.flags[e] & kGpuEvent) != 0 && columns_.parent[e] != kNoEvent) first = columns_.start[e];
        }
        RankTime of_all = RankTime::max();
        for (const RankTime first : first_linked_) of_all = std::min(of_all, first);
        if (of_all == RankTime::max()) of_all = RankTime::min();
        for (RankTime& first : first_linked_)
            if (first == RankTime::max()) first = of_all;
    }

    // Replaces steps by those that were asked for; where none are marked, by those of a repeating range.
    bool collect_other_steps() {
        if (!staged_.step_marks || (staged_.step_marks->empty() && !step_events_.empty())) return false;
        const StepSource source{staged_.pool, staged_.categories, columns_, gpu_events_};
        const StepMarks marks =
            staged_.step_marks->empty() ? choose_step_marks(source) : find_step_marks(source, *staged_.step_marks);
        for (const EventId event : step_events_)
            columns_.flags[index_of(event)] &= static_cast<std::uint8_t>(~kStepMark);
        for (std::size_t i = 0; i < marks.events.size(); ++i) {
            const std::size_t e = index_of(marks.events[i]);
            columns_.flags[e] |= kStepMark;
            steps_.push_back(
                {marks.numbers[i], {columns_.start[e], columns_.start[e] + columns_.duration[e]}, marks.events[i]});
        }
        info_.step_marks = marks.pattern;
        return true;
    }

    // A host's step lasts up to the begin of the next: it hands work to the devices and runs ahead of them.
    bool collect_numbered_steps() {
        if (!step_events_.empty() || staged_.numbered_steps.empty()) return false;
        bool any_on_device = false;
        RankTime last = RankTime::min();
        for (const EventId e : gpu_events_)
            last = std::max(last, columns_.start[index_of(e)] + columns_.duration[index_of(e)]);
        for (const NumberedStep& step : staged_.numbered_steps) {
            const EventId event = event_of_row_[step.row];
            if (event == kNoEvent) continue;
            const std::size_t e = index_of(event);
            columns_.flags[e] |= kStepMark;
            any_on_device |= is_on_device(event);
            steps_.push_back({step.number, {columns_.start[e], columns_.start[e] + columns_.duration[e]}, event});
        }
        std::ranges::stable_sort(steps_, {}, [](const Step& step) { return step.range.begin; });
        for (std::size_t i = 0; !any_on_device && i < steps_.size(); ++i)
            steps_[i].range.end =
                std::max(steps_[i].range.end, i + 1 < steps_.size() ? steps_[i + 1].range.begin : last);
        return !steps_.empty();
    }

    bool is_on_device(EventId event) const {
        const auto lane = std::ranges::upper_bound(lanes_, event, {}, &Lane::first) - 1;
        return layout_.tracks[lane->track].kind != TrackKind::Thread;
    }

    // A profiler that is stopped within a step writes its mark without a length.
    void drop_empty_steps() {
        std::erase_if(step_events_, [&](EventId event) {
            const std::size_t e = index_of(event);
            if (columns_.duration[e] > Duration{0}) return false;
            columns_.flags[e] &= static_cast<std::uint8_t>(~kStepMark);
            staged_.diagnostics.add("step-without-length", "record " + std::to_string(columns_.order[e]) + ": \"" +
                                                               std::string(staged_.pool.text(columns_.name[e])) + "\"");
            return true;
        });
    }

    void count_gpu_steps() {
        const std::unique_ptr<bool[]> step_names = find_step_names();
        for (std::size_t e = 0; e < columns_.name.size(); ++e) {
            if (!step_names[index_of(columns_.name[e])] ||
                staged_.categories[columns_.category[e]].kind != Category::GpuUserAnnotation)
                continue;
            staged_.diagnostics.add("steps-on-gpu-rows", "record " + std::to_string(columns_.order[e]) + ": \"" +
                                                             std::string(staged_.pool.text(columns_.name[e])) +
                                                             "\" on a GPU row");
        }
    }

    // Records that carry the position of their step carry 16 bits of it.
    void count_steps_beyond() {
        constexpr std::size_t kMostNumbered = 65'535;
        if (steps_.size() > kMostNumbered)
            staged_.diagnostics.add("steps-beyond", "step " + std::to_string(steps_[kMostNumbered].number),
                                    steps_.size() - kMostNumbered);
    }

    void collect_steps() {
        drop_empty_steps();
        if (collect_other_steps() || collect_numbered_steps()) return;
        std::ranges::sort(step_events_, {}, [&](EventId e) { return std::pair(columns_.start[index_of(e)], e); });
        std::vector<std::int64_t> numbers;
        for (const EventId event : step_events_) {
            const std::size_t e = index_of(event);
            const std::int64_t number = step_number(staged_.pool.text(columns_.name[e])).value_or(0);
            steps_.push_back({number, {columns_.start[e], columns_.start[e] + columns_.duration[e]}, event});
            numbers.push_back(number);
        }
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
            if (!same)
                counters_.push_back(
                    {.process = process, .name = row.name, .series = row.series, .first = i, .last = i});
            counters_.back().last = i + 1;
        }
    }

    Blob write();
    void reserve_structure();
    void fill_structure();
    void fill_texts();

    Staged staged_;
    RankInfo info_;
    const JobContext& job_;
    TrackLayout layout_;
    BlobBuilder blob_;
    EventColumns columns_;
    PageVector<EventId> event_of_row_;
    std::vector<EventId> flow_event_;
    std::vector<EventId> gpu_events_;
    std::vector<Lane> lanes_;
    std::vector<EventId> step_events_;
    std::vector<Step> steps_;
    std::vector<CounterTrack> counters_;
    LaunchLinks links_;
    std::vector<RankTime> first_linked_;  // by track
    std::vector<std::pair<EventId, std::uint32_t>> ends_;  // pairs: event, order of its end
};

void Assembly::reserve_structure() {
    blob_.reserve<Process>(section::kProcesses, layout_.processes.size());
    blob_.reserve<Track>(section::kTracks, layout_.tracks.size());
    blob_.reserve<Lane>(section::kLanes, lanes_.size());
    blob_.reserve<CategoryEntry>(section::kCategories, staged_.categories.size());
    blob_.reserve<Step>(section::kSteps, steps_.size());
    blob_.reserve<EventId>(section::kGpuEvents, gpu_events_.size());
    blob_.reserve<Flow>(section::kFlows, links_.flows.size());
    blob_.reserve<CounterTrack>(section::kCounters, counters_.size());
    blob_.reserve<RankTime>(section::kCounterTimes, staged_.counters.size());
    blob_.reserve<double>(section::kCounterValues, staged_.counters.size());
    blob_.reserve<EventId>(section::kLaunchCalls, links_.calls.size());
    blob_.reserve<std::uint32_t>(section::kLaunchFirst, links_.first.size());
    blob_.reserve<EventId>(section::kLaunchGpu, links_.gpu.size());
    blob_.reserve<RankTime>(section::kFirstLinked, layout_.tracks.size());
    blob_.reserve<std::uint64_t>(section::kNameOffsets, staged_.pool.offsets().size());
    blob_.reserve<char>(section::kNameBytes, staged_.pool.bytes().size());
    blob_.reserve<TextBlock>(section::kTextBlocks, staged_.text_store.blocks().size());
    blob_.reserve<std::uint8_t>(section::kTextPacked, staged_.text_store.packed().size());
    blob_.reserve<EventId>(section::kEndOrderEvents, ends_.size());
    blob_.reserve<std::uint32_t>(section::kEndOrders, ends_.size());
}

void Assembly::fill_structure() {
    blob_.copy<Process>(section::kProcesses, layout_.processes);
    const auto tracks = blob_.fill<Track>(section::kTracks);
    for (std::size_t t = 0; t < tracks.size(); ++t) tracks[t] = layout_.tracks[t].as_track();
    blob_.copy<Lane>(section::kLanes, lanes_);
    blob_.copy<CategoryEntry>(section::kCategories, staged_.categories);
    blob_.copy<Step>(section::kSteps, steps_);
    blob_.copy<EventId>(section::kGpuEvents, gpu_events_);
    blob_.copy<Flow>(section::kFlows, links_.flows);
    blob_.copy<CounterTrack>(section::kCounters, counters_);
    const auto times = blob_.fill<RankTime>(section::kCounterTimes);
    const auto values = blob_.fill<double>(section::kCounterValues);
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = rank_time(staged_.counters[i].time_ns);
        values[i] = staged_.counters[i].value;
    }
    blob_.copy<EventId>(section::kLaunchCalls, links_.calls);
    blob_.copy<std::uint32_t>(section::kLaunchFirst, links_.first);
    blob_.copy<EventId>(section::kLaunchGpu, links_.gpu);
    blob_.copy<RankTime>(section::kFirstLinked, first_linked_);
    const auto end_events = blob_.fill<EventId>(section::kEndOrderEvents);
    const auto end_orders = blob_.fill<std::uint32_t>(section::kEndOrders);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        end_events[i] = ends_[i].first;
        end_orders[i] = ends_[i].second;
    }
}

void Assembly::fill_texts() {
    blob_.copy<std::uint64_t>(section::kNameOffsets, staged_.pool.offsets());
    blob_.copy<char>(section::kNameBytes, staged_.pool.bytes());
    blob_.copy<TextBlock>(section::kTextBlocks, staged_.text_store.blocks());
    const auto packed = blob_.fill<std::uint8_t>(section::kTextPacked);
    job_.parallel_for((packed.size() + kTextPiece - 1) / kTextPiece, [&](std::size_t i) {
        const std::size_t first = i * kTextPiece;
        staged_.text_store.move_packed(first, packed.subspan(first, std::min(kTextPiece, packed.size() - first)));
    });
    staged_.text_store = TextStoreBuilder{};
}

Blob Assembly::write() {
    reserve_structure();
    blob_.allocate();
    columns_ = {};
    fill_texts();
    fill_structure();
    return std::move(blob_).finish();
}

}  // namespace

Result<RankTracePtr> assemble_trace(Staged staged, RankInfo info, const JobContext& job) {
    return Assembly(std::move(staged), std::move(info), job).run();
}

}  // namespace core
