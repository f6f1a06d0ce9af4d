#include "core/analysis/parallelism/member_places.hpp"

#include "core/store/event_above.hpp"

#include <algorithm>

namespace core {
namespace {

bool is_of_ddp(std::string_view name) {
    return name.find("Reducer") != std::string_view::npos ||
           name.find("DistributedDataParallel") != std::string_view::npos;
}

// The compute of a rank, whatever the filter.
struct ComputeOfRank {
    std::vector<RankTime> matrix;  // starts
    std::vector<EventId> events;   // by start
};
std::shared_ptr<const ComputeOfRank> compute_of(const RankIndex& index, const RankWork& work) {
    return index.derived().get<ComputeOfRank>([&] {
        const RankTrace& trace = index.trace();
        auto compute = std::make_shared<ComputeOfRank>();
        for (std::uint32_t i = 0; i < trace.gpu_events.size(); ++i) {
            const EventId e = trace.gpu_events[i];
            if (work.kinds[i] == WorkKind::Matrix || work.kinds[i] == WorkKind::Uncounted)
                compute->matrix.push_back(trace.start[index_of(e)]);
            if (work.kinds[i] != WorkKind::NoCompute) compute->events.push_back(e);
        }
        return compute;
    });
}

class PlaceCollector {
public:
    PlaceCollector(const RankView& view, RankWorkPtr work)
        : view_(view), trace_(view.trace()), work_(std::move(work)), compute_(compute_of(*view.rank().index, *work_)) {}

    Result<std::vector<MemberPlace>> run(const JobContext& context) {
        std::vector<MemberPlace> places;
        const std::span<const MemberEvent> events = view_.rank().index->members().events();
        std::map<std::uint16_t, RankTime> last_start;  // of each group
        for (std::uint32_t i = 0; i < events.size(); ++i) {
            if (i % 64 == 0 && context.cancelled()) return cancelled_error();
            const MemberEvent& member = events[i];
            const auto before = last_start.find(member.group);
            const RankTime from = before == last_start.end() ? RankTime::min() : before->second;
            if (view_.passes(member.event)) {
                MemberPlace place = place_of(member, from);
                place.member = {static_cast<std::uint32_t>(view_.slot), i};
                places.push_back(place);
            }
            last_start[member.group] = member.start;
        }
        return places;
    }

private:
    // Place among the GPU events.
    std::optional<std::size_t> place_in_gpu_events(EventId event) const {
        const auto start_of = [&](EventId e) { return trace_.start[index_of(e)]; };
        for (auto it = std::ranges::lower_bound(trace_.gpu_events, start_of(event), {}, start_of);
             it != trace_.gpu_events.end() && start_of(*it) == start_of(event); ++it)
            if (*it == event) return static_cast<std::size_t>(it - trace_.gpu_events.begin());
        return std::nullopt;
    }

    MemberPlace place_of(const MemberEvent& member, RankTime from) const {
        MemberPlace place;
        const Step* const step = trace_.step_of(member.event);
        if (step) place.step = step->number;
        if (const auto at = place_in_gpu_events(member.event)) place.pass = work_->passes[*at];
        place.by_ddp = place.pass != Pass::Forward || is_below_ddp(member.event);
        const auto matrix = std::ranges::lower_bound(compute_->matrix, from);
        place.after_matrix = matrix != compute_->matrix.end() && *matrix < member.start;
        const EventId call = trace_.parent[index_of(member.event)];
        if (call != kNoEvent) place.launch = ns_of(trace_.start[index_of(call)]);
        const RankRange range{member.start, member.end()};
        place.hidden = view_.selection->partition().times(range).compute().count();
        place.exposed = range.length().count() - place.hidden;
        add_user(member, place);
        return place;
    }

    bool is_below_ddp(EventId event) const {
        for (EventId at = event_above(trace_, event); at != kNoEvent; at = event_above(trace_, at))
            if (is_of_ddp(trace_.name_text(at))) return true;
        return false;
    }

    // The next compute kernel after its end, on another stream: whether it waited for that end.
    void add_user(const MemberEvent& member, MemberPlace& place) const {
        const std::size_t own = trace_.find_lane(member.event);
        const auto starts_before = [&](EventId e) {
            return trace_.start[index_of(e)] < member.end() - Duration{kPrefetched};
        };
        const std::vector<EventId>& compute = compute_->events;
        for (auto it = std::ranges::partition_point(compute, starts_before); it != compute.end(); ++it) {
            const std::size_t lane = trace_.find_lane(*it);
            if (trace_.lanes[lane].track == trace_.lanes[own].track) continue;
            place.has_user = true;
            const RankTime start = trace_.start[index_of(*it)];
            const bool waits_for_it = start - member.end() <= Duration{kPrefetched};
            const bool is_first = *it == trace_.lanes[lane].first;
            const RankTime idle_from =
                is_first ? member.start
                         : std::max(member.start, trace_.end(EventId{static_cast<std::uint32_t>(index_of(*it) - 1)}));
            place.stall = waits_for_it ? std::max<std::int64_t>(0, (start - idle_from).count()) : 0;
            place.is_prefetched = place.stall < kPrefetched;
            if (place.is_prefetched) place.stall = 0;
            return;
        }
    }

    const RankView& view_;
    const RankTrace& trace_;
    RankWorkPtr work_;
    std::shared_ptr<const ComputeOfRank> compute_;
};

// The places of a view, kept with its selection: many analyses begin with them.
struct KeptPlaces {
    std::size_t slot = 0;  // changes when ranks arrive
    std::optional<RankRange> time;
    std::vector<MemberPlace> places;
};
Result<std::shared_ptr<const KeptPlaces>> places_of(const RankView& view, const JobContext& context) {
    const Derived& derived = view.selection->derived();
    if (auto kept = derived.find<KeptPlaces>(); kept && kept->slot == view.slot && kept->time == view.time) return kept;
    RankWorkPtr work = work_of(*view.rank().index, context);
    if (!work) return cancelled_error();
    Result<std::vector<MemberPlace>> places = PlaceCollector(view, std::move(work)).run(context);
    if (!places) return std::move(places).error();
    auto made = std::make_shared<const KeptPlaces>(
        KeptPlaces{.slot = view.slot, .time = view.time, .places = *std::move(places)});
    derived.put<KeptPlaces>(made);
    return made;
}

}  // namespace

Result<Partial> collect_places(const RankView& view, std::vector<Column> main, const JobContext& context) {
    Partial partial{{{"main", Table(std::move(main))}}, {}, {}, view.collect_excluded()};
    const Result<std::shared_ptr<const KeptPlaces>> places = places_of(view, context);
    if (!places) return places.error();
    Table table(record_columns<MemberPlace>());
    for (const MemberPlace& place : (*places)->places) add_record(table, place);
    partial.tables.push_back({std::string(kPlacesTable), std::move(table)});
    add_members(view, partial);
    return partial;
}

MemberPlaces::MemberPlaces(std::span<const Partial* const> partials) {
    for (const Partial* const partial : partials) {
        const Table& table = *partial->find(kPlacesTable);
        for (std::size_t row = 0; row < table.rows(); ++row) places_.push_back(read_record<MemberPlace>(table, row));
    }
    std::ranges::sort(places_, {}, &MemberPlace::member);
}

const MemberPlace* MemberPlaces::find(MemberRef ref) const {
    const auto found = std::ranges::lower_bound(places_, ref, {}, &MemberPlace::member);
    return found == places_.end() || found->member != ref ? nullptr : &*found;
}

}  // namespace core
