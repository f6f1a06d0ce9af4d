#include "core/store/check_trace.hpp"

#include "core/store/rank_trace.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

namespace core {
namespace {

// Bounds within which times and durations add up without overflow; readers stay within them.
constexpr bool adds_up(RankTime start, Duration duration) {
    std::int64_t end = 0;
    return duration >= Duration{0} && !__builtin_add_overflow(ns_of(start), duration.count(), &end);
}

bool has_length(RankTime from, RankTime to) {
    std::int64_t length = 0;
    return !__builtin_sub_overflow(ns_of(to), ns_of(from), &length);
}

class TraceCheck {
public:
    explicit TraceCheck(const Blob& blob) : blob_(blob) {}

    std::string find_fault() const {
        struct Part {
            std::string_view name;
            bool (TraceCheck::*sound)() const;
        };
        constexpr Part kParts[] = {
            {"names", &TraceCheck::names_are_sound},           {"categories", &TraceCheck::categories_are_sound},
            {"columns", &TraceCheck::columns_agree},           {"times", &TraceCheck::times_add_up},
            {"events", &TraceCheck::events_are_sound},         {"tracks", &TraceCheck::tracks_are_sound},
            {"lanes", &TraceCheck::lanes_are_sound},           {"steps", &TraceCheck::steps_are_sound},
            {"GPU events", &TraceCheck::gpu_events_are_sound}, {"flows", &TraceCheck::flows_are_sound},
            {"counters", &TraceCheck::counters_are_sound},     {"launches", &TraceCheck::launches_are_sound},
            {"arguments", &TraceCheck::arguments_are_sound},
        };
        for (const Part& part : kParts) {
            if (!(this->*part.sound)()) return std::string(part.name);
        }
        return {};
    }

private:
    template <class T>
    std::span<const T> get(std::uint32_t id) const {
        return blob_.section<T>(id);
    }
    bool is_event(EventId e) const { return index_of(e) < start_.size(); }
    bool is_name(NameId name) const { return index_of(name) < names_; }
    template <class T, class Projection = std::identity>
    bool all_events(std::span<const T> values, Projection event = {}) const {
        return std::ranges::all_of(
            values, [&](EventId e) { return is_event(e); }, event);
    }
    // Half-open range [first, last) inside [0, size).
    static bool is_part(std::uint64_t first, std::uint64_t last, std::uint64_t size) {
        return first <= last && last <= size;
    }
    template <class T>
    static bool rises_strictly(std::span<const T> values) {
        return std::ranges::adjacent_find(values, std::greater_equal{}) == values.end();
    }
    bool starts_rise(std::span<const EventId> events) const {
        return std::ranges::is_sorted(events, {}, [&](EventId e) { return start_[index_of(e)]; });
    }

    bool names_are_sound() const {
        const auto bytes = get<char>(section::kNameBytes);
        if (name_offsets_.empty()) return bytes.empty();
        return name_offsets_.size() <= std::numeric_limits<std::uint32_t>::max() && name_offsets_.front() == 0 &&
               name_offsets_.back() == bytes.size() && std::ranges::is_sorted(name_offsets_);
    }
    bool categories_are_sound() const {
        return std::ranges::all_of(categories_, [&](const CategoryEntry& entry) {
            return is_name(entry.text) && entry.kind <= Category::Added;
        });
    }
    bool columns_agree() const {
        const std::size_t size = start_.size();
        return size < std::numeric_limits<std::uint32_t>::max() && duration_.size() == size &&
               get<NameId>(section::kName).size() == size && get<std::uint16_t>(section::kCategory).size() == size &&
               flags_.size() == size && parent_.size() == size && order_.size() == size;
    }
    // Ensures that sums over a rank's events and distances between its times don't overflow.
    bool times_add_up() const {
        RankTime first = RankTime::max(), last = RankTime::min();
        std::int64_t total = 0;
        for (std::size_t i = 0; i < start_.size(); ++i) {
            if (!adds_up(start_[i], duration_[i])) return false;
            if (__builtin_add_overflow(total, duration_[i].count(), &total)) return false;
            first = std::min(first, start_[i]);
            last = std::max(last, start_[i] + duration_[i]);
        }
        if (start_.empty()) first = last = RankTime{};
        const auto is_near = [&](RankTime time) {
            return has_length(first, time) && has_length(time, last) && has_length(time, first);
        };
        return has_length(first, last) && has_length(last, first) &&
               std::ranges::all_of(get<RankTime>(section::kCounterTimes), is_near) &&
               std::ranges::all_of(get<Step>(section::kSteps), [&](const Step& step) {
                   return step.range.begin <= step.range.end && is_near(step.range.begin) && is_near(step.range.end);
               });
    }
    bool events_are_sound() const {
        const auto name = get<NameId>(section::kName);
        const auto category = get<std::uint16_t>(section::kCategory);
        for (std::size_t i = 0; i < start_.size(); ++i) {
            if (!is_name(name[i]) || category[i] >= categories_.size()) return false;
            if (parent_[i] != kNoEvent && !is_parent(parent_[i], i)) return false;
        }
        return true;
    }
    // A GPU event's parent is its launch call, which isn't a GPU event; any other parent precedes its child on
    // the track. So no event is its own ancestor.
    bool is_parent(EventId parent, std::size_t of) const {
        if (!is_event(parent)) return false;
        const std::size_t above = index_of(parent);
        if ((flags_[above] & kGpuEvent) != 0) return false;
        if ((flags_[of] & kGpuEvent) != 0) return true;
        return std::tuple(start_[above], duration_[of], order_[above]) <
               std::tuple(start_[of], duration_[above], order_[of]);
    }
    bool tracks_are_sound() const {
        const bool processes = std::ranges::all_of(processes_, [&](const Process& process) {
            const std::uint64_t first = process.first_track;
            return is_part(first, first + process.track_count, tracks_.size()) && is_name(process.pid) &&
                   is_name(process.name) && is_name(process.labels);
        });
        return processes && std::ranges::all_of(tracks_, [&](const Track& track) {
                   const std::uint64_t first = track.first_lane;
                   return is_part(first, first + track.lane_count, lanes_.size()) &&
                          track.process < processes_.size() && track.kind <= TrackKind::Instants &&
                          is_name(track.tid) && is_name(track.name);
               });
    }
    bool lanes_are_sound() const {
        std::size_t next = 0;
        for (const Lane& lane : lanes_) {
            const std::size_t last = index_of(lane.last);
            if (index_of(lane.first) != next || !is_part(next, last, start_.size())) return false;
            if (lane.track >= tracks_.size()) return false;
            for (std::size_t i = next + 1; i < last; ++i) {
                if (start_[i] < start_[i - 1] + duration_[i - 1]) return false;
            }
            next = last;
        }
        return next == start_.size();
    }
    bool steps_are_sound() const {
        const auto steps = get<Step>(section::kSteps);
        return all_events(steps, &Step::event) &&
               std::ranges::is_sorted(steps, {}, [](const Step& step) { return step.range.begin; });
    }
    bool gpu_events_are_sound() const {
        const auto events = get<EventId>(section::kGpuEvents);
        return all_events(events) && starts_rise(events);
    }
    bool flows_are_sound() const {
        const auto flows = get<Flow>(section::kFlows);
        return std::ranges::is_sorted(flows, {}, &Flow::from) && std::ranges::all_of(flows, [&](const Flow& flow) {
                   return is_event(flow.from) && is_event(flow.to) && is_name(flow.name) &&
                          flow.category < categories_.size();
               });
    }
    bool counters_are_sound() const {
        const auto numbers = get<double>(section::kCounterValues);
        const std::size_t values = numbers.size();
        return get<RankTime>(section::kCounterTimes).size() == values &&
               std::ranges::all_of(numbers, [](double value) { return std::isfinite(value); }) &&
               std::ranges::all_of(get<CounterTrack>(section::kCounters), [&](const CounterTrack& counter) {
                   return is_part(counter.first, counter.last, values) && counter.process < processes_.size() &&
                          is_name(counter.name) && is_name(counter.series);
               });
    }
    bool launches_are_sound() const {
        const auto calls = get<EventId>(section::kLaunchCalls);
        const auto first = get<std::uint32_t>(section::kLaunchFirst);
        const auto gpu = get<EventId>(section::kLaunchGpu);
        const auto first_linked = get<RankTime>(section::kFirstLinked);
        if (!first_linked.empty() && first_linked.size() != tracks_.size()) return false;
        if (!all_events(calls) || !all_events(gpu) || !rises_strictly(calls)) return false;
        if (calls.empty()) return first.size() <= 1;
        return first.size() == calls.size() + 1 && std::ranges::is_sorted(first) && first.back() <= gpu.size();
    }
    template <class T>
    bool is_sparse_column(std::uint32_t events_id, std::uint32_t values_id) const {
        const auto events = get<EventId>(events_id);
        return get<T>(values_id).size() == events.size() && all_events(events) && rises_strictly(events);
    }
    bool arguments_are_sound() const {
        for (std::size_t i = 0; i < kArgCount; ++i) {
            const auto arg = static_cast<Arg>(i);
            const std::uint32_t events = section::arg_events(arg);
            const std::uint32_t values = section::arg_values(arg);
            if (type_of(arg) == ArgType::Integer) {
                if (!is_sparse_column<std::int64_t>(events, values)) return false;
            } else {
                const auto texts = get<NameId>(values);
                if (!is_sparse_column<NameId>(events, values)) return false;
                if (!std::ranges::all_of(texts, [&](NameId text) { return is_name(text); })) return false;
            }
        }
        return is_sparse_column<std::uint32_t>(section::kEndOrderEvents, section::kEndOrders) &&
               std::ranges::is_sorted(get<TextBlock>(section::kTextBlocks), {}, &TextBlock::first_order);
    }

    const Blob& blob_;
    std::span<const std::uint64_t> name_offsets_ = get<std::uint64_t>(section::kNameOffsets);
    std::size_t names_ = name_offsets_.empty() ? 0 : name_offsets_.size() - 1;
    std::span<const CategoryEntry> categories_ = get<CategoryEntry>(section::kCategories);
    std::span<const RankTime> start_ = get<RankTime>(section::kStart);
    std::span<const Duration> duration_ = get<Duration>(section::kDuration);
    std::span<const std::uint8_t> flags_ = get<std::uint8_t>(section::kFlags);
    std::span<const EventId> parent_ = get<EventId>(section::kParent);
    std::span<const std::uint32_t> order_ = get<std::uint32_t>(section::kOrder);
    std::span<const Process> processes_ = get<Process>(section::kProcesses);
    std::span<const Track> tracks_ = get<Track>(section::kTracks);
    std::span<const Lane> lanes_ = get<Lane>(section::kLanes);
};

}  // namespace

std::string find_trace_fault(const Blob& blob) { return TraceCheck(blob).find_fault(); }

}  // namespace core
