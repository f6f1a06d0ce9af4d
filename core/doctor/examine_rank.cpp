#include "core/analysis/engine/rounding.hpp"
#include "core/base/ascii.hpp"
#include "core/doctor/rank_stats.hpp"
#include "core/doctor/thresholds.hpp"
#include "core/index/collective_calls.hpp"

#include <algorithm>

namespace core::doctor {
namespace {

constexpr std::size_t kBetweenLooks = 65536;  // events, for a cancelled job

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Facts from names, each name parsed once.
class NameMarks {
public:
    explicit NameMarks(const RankTrace& trace) : trace_(trace), known_(trace.names.size(), kUnknown) {}
    bool communicates(NameId name) { return marks(name) & kCommunicates; }
    bool is_cut(NameId list) { return marks(list) & kCutList; }

private:
    static constexpr std::uint8_t kUnknown = 128, kCommunicates = 1, kCutList = 2;

    std::uint8_t marks(NameId name) {
        std::uint8_t& known = known_[index_of(name)];
        if (known != kUnknown) return known;
        const std::string_view text = trace_.text(name);
        const auto bit = [](bool is, std::uint8_t value) { return is ? value : std::uint8_t{0}; };
        known = static_cast<std::uint8_t>(bit(sounds_like_communication(text), kCommunicates) |
                                          bit(contains(text, "..."), kCutList));
        return known;
    }

    const RankTrace& trace_;
    std::vector<std::uint8_t> known_;
};

class Examination {
public:
    Examination(const RankIndex& index, const JobContext& context)
        : index_(index),
          trace_(index.trace()),
          context_(context),
          names_(trace_),
          launch_category_(mark_launch_categories(trace_)) {}

    Result<RankStats> run() && {
        examine_streams();
        examine_all_events();
        if (looked_at_overlaps()) examine_overlaps();
        examine_lists();
        if (context_.cancelled()) return cancelled_error();
        return rank_stats_;
    }

private:
    static std::vector<bool> mark_launch_categories(const RankTrace& trace) {
        std::vector<bool> marks;
        for (const CategoryEntry& category : trace.categories) marks.push_back(is_launch_category(category.kind));
        return marks;
    }

    EventId parent(EventId e) const { return trace_.parent[index_of(e)]; }
    RankTime start(EventId e) const { return trace_.start[index_of(e)]; }
    bool is_call(EventId e) const { return launch_category_[trace_.category[index_of(e)]]; }

    // Track by track, as a stream works in order.
    void examine_streams() {
        const SparseColumn<std::int64_t> correlations = trace_.integers(Arg::Correlation);
        for (const Track& track : trace_.tracks) {
            visit_gpu_events(track, [&](EventId e) {
                examine_gpu_event(e);
                if (parent(e) != kNoEvent || !correlations.find(e)) return;
                (trace_.was_launched_before(e) ? rank_stats_.before_window : rank_stats_.launch_lost).add(e);
            });
            if (context_.cancelled()) return;
        }
    }

    // Lane after lane.
    template <class Visit>
    void visit_gpu_events(const Track& track, const Visit& visit) const {
        for (const Lane& lane : trace_.lanes.subspan(track.first_lane, track.lane_count))
            for (std::size_t e = index_of(lane.first); e < index_of(lane.last); ++e)
                if (trace_.has(static_cast<EventId>(e), kGpuEvent)) visit(static_cast<EventId>(e));
    }

    void examine_gpu_event(EventId e) {
        const Duration duration = trace_.duration[index_of(e)];
        const KernelClass of = index_.classes().of(e);
        const Category category = trace_.category_kind(e);
        ++(of == KernelClass::Communication                                     ? rank_stats_.communication_events
           : category == Category::GpuMemcpy || category == Category::GpuMemset ? rank_stats_.copy_events
                                                                                : rank_stats_.compute_events);
        if (duration == Duration{0}) rank_stats_.no_length.add(e);
        if (duration > kLongestGpuEvent) rank_stats_.too_long.add(e, duration);
        if (of == KernelClass::Compute && names_.communicates(trace_.name[index_of(e)])) {
            rank_stats_.unknown_communication.add(e);
            rank_stats_.unknown_time = Duration{clamped(Wide{rank_stats_.unknown_time.count()} + duration.count())};
        }
        if (parent(e) == kNoEvent) return;
        ++rank_stats_.linked;
        const Duration early = between(start(e), start(parent(e)));
        if (early > kJitter) rank_stats_.before_launch.add(e, early);
    }

    void examine_all_events() {
        for (std::size_t i = 0; i < trace_.size(); ++i) {
            if (i % kBetweenLooks == 0 && context_.cancelled()) return;
            const auto e = static_cast<EventId>(i);
            if (trace_.has(e, kGpuEvent)) continue;
            ++rank_stats_.cpu_events;
            if (trace_.duration[i] > kLongestEvent) rank_stats_.too_long.add(e, trace_.duration[i]);
            if (launch_category_[trace_.category[i]]) rank_stats_.has_launch_calls = true;
        }
        const UnrecordedCollectives unrecorded = find_unrecorded_collectives(index_);
        rank_stats_.unrecorded_collectives = {
            .count = unrecorded.calls, .example = unrecorded.example, .size = Duration{0}};
        rank_stats_.launches = find_launch_losses(trace_);
    }

    // Rows beyond the first are there only where something overlaps.
    bool looked_at_overlaps() const {
        return std::ranges::any_of(
            trace_.tracks, [](const Track& track) { return track.kind == TrackKind::Stream && track.lane_count > 1; });
    }

    void examine_overlaps() {
        std::vector<RankTime> ends(trace_.tracks.size(), RankTime::min());
        for (std::size_t i = 0; i < trace_.gpu_events.size(); ++i) {
            if (i % kBetweenLooks == 0 && context_.cancelled()) return;
            const EventId e = trace_.gpu_events[i];
            const std::uint32_t track = trace_.lanes[trace_.find_lane(e)].track;
            RankTime& end = ends[track];
            const Duration overlap = between(start(e), std::min(end, trace_.end(e)));
            if (trace_.tracks[track].kind == TrackKind::Stream && overlap > kJitter)
                rank_stats_.overlapping.add(e, overlap);
            end = std::max(end, trace_.end(e));
        }
    }

    void examine_lists() {
        const SparseColumn<NameId> members = trace_.texts(Arg::GroupRanks);
        for (std::size_t i = 0; i < members.size(); ++i)
            if (names_.is_cut(members.values[i]) && !has_whole_group(members.events[i]))
                rank_stats_.group_cut.add(members.events[i]);
        for (const Arg arg : {Arg::InputDims, Arg::InputTypes}) {
            const SparseColumn<NameId> lists = trace_.texts(arg);
            for (std::size_t i = 0; i < lists.size(); ++i)
                if (names_.is_cut(lists.values[i])) rank_stats_.shapes_cut.add(lists.events[i]);
        }
    }

    bool has_whole_group(EventId e) const {
        const std::optional<std::string_view> name = trace_.argument(Arg::GroupName, e);
        return name && std::ranges::any_of(trace_.info.groups, [&](const ProcessGroup& group) {
                   return group.name == *name && !group.ranks.empty() && std::ssize(group.ranks) >= group.size;
               });
    }

    const RankIndex& index_;
    const RankTrace& trace_;
    const JobContext& context_;
    NameMarks names_;
    std::vector<bool> launch_category_;
    RankStats rank_stats_;
};

}  // namespace

Result<RankStats> examine_rank(const RankIndex& index, const JobContext& context) {
    return Examination(index, context).run();
}

}  // namespace core::doctor
