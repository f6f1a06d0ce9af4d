#include "ui/model/panels/area_filter.hpp"

#include "core/query/filter_edit.hpp"

#include <algorithm>
#include <set>

namespace ui {
namespace {

// The rows of one rank in the area.
struct RankPart {
    std::set<std::int64_t> streams;
    std::set<std::int64_t> all_streams;
    bool any_thread = false;
    bool cut = false;         // some rows of a track, but not all
    bool whole = false;
};

RankPart examine_rank_lanes(const core::RankTrace& trace, const std::vector<bool>& lanes) {
    RankPart part;
    part.whole = std::ranges::find(lanes, false) == lanes.end();
    for (const core::Track& track : trace.tracks) {
        const auto first = lanes.begin() + track.first_lane;
        const auto chosen = std::count(first, first + track.lane_count, true);
        if (track.kind == core::TrackKind::Stream) part.all_streams.insert(track.stream);
        if (chosen == 0) continue;
        if (track.kind == core::TrackKind::Stream)
            part.streams.insert(track.stream);
        else if (track.stream < 0)
            part.any_thread = true;
        part.cut |= static_cast<std::uint32_t>(chosen) < track.lane_count;
    }
    return part;
}

std::vector<core::NumberRange> numbers_of(const std::set<std::int64_t>& chosen, const std::set<std::int64_t>& known) {
    const std::vector<std::int64_t> numbers(chosen.begin(), chosen.end());
    const std::vector<std::int64_t> all(known.begin(), known.end());
    return core::ranges_of(numbers, all);
}

void add_words(std::string& to, std::string_view words) {
    if (!to.empty()) to += "; ";
    to += words;
}

}  // namespace

core::Filter filter_to_time(const core::Filter& filter, core::TimeTerm time) {
    core::Filter result = filter;
    std::erase_if(result.terms,
                  [](const core::FilterTerm& term) { return std::holds_alternative<core::TimeTerm>(term.what); });
    result.terms.push_back({false, time});
    return result;
}

AreaFilter filter_of_area(const core::Session& session, core::Side side, core::RunRange range,
                          const std::vector<core::TrackRows>& rows) {
    AreaFilter result{filter_to_time(session.filter(), session.time_term(side, range)), {}};
    const core::RunPtr& run = session.run(side);
    if (!run || rows.empty()) return result;
    if (side == core::Side::Candidate) {
        result.unsaid = "Filters name ranks and streams of the baseline: only the time is used";
        return result;
    }
    const core::LaneChoice lanes = core::choose_lanes(*run, rows);
    std::set<std::int64_t> ranks, all_ranks, streams, all_streams;
    bool differs = false, threads = false, cut = false, whole = true;
    const std::set<std::int64_t>* first = nullptr;
    std::vector<RankPart> parts(lanes.size());
    for (std::size_t slot = 0; slot < lanes.size(); ++slot) {
        const core::RankSlot& rank = run->rank(slot);
        all_ranks.insert(rank.key.number);
        if (std::ranges::find(lanes[slot], true) == lanes[slot].end()) continue;
        ranks.insert(rank.key.number);
        parts[slot] = examine_rank_lanes(rank.trace(), lanes[slot]);
        const RankPart& part = parts[slot];
        if (first != nullptr && *first != part.streams) differs = true;
        first = &part.streams;
        streams.insert(part.streams.begin(), part.streams.end());
        all_streams.insert(part.all_streams.begin(), part.all_streams.end());
        threads |= part.any_thread;
        cut |= part.cut;
        whole &= part.whole;
    }
    if (ranks.empty()) return result;
    if (ranks != all_ranks) result.filter = with_term(result.filter, core::RankTerm{numbers_of(ranks, all_ranks)});
    if (whole) return result;
    if (streams.empty()) {
        result.unsaid = "A filter cannot select threads: it selects all events of these ranks";
        return result;
    }
    result.filter = with_term(result.filter, core::StreamTerm{numbers_of(streams, all_streams)});
    if (threads) add_words(result.unsaid, "a filter by stream excludes threads");
    if (differs) add_words(result.unsaid, "a filter selects the same streams on every rank");
    if (cut) add_words(result.unsaid, "a filter cannot select single rows of a track");
    if (!result.unsaid.empty()) result.unsaid.front() = static_cast<char>(std::toupper(result.unsaid.front()));
    return result;
}

const AreaFilter& AreaFilterMaker::ask(const core::Session& session, core::Side side, core::RunRange range,
                                       const std::vector<core::TrackRows>& rows) {
    const core::TimeTerm time = session.time_term(side, range);
    const core::RunPtr& run = session.run(side);
    if (run_ == run && side_ == side && time_ == time && filter_ == session.filter() && rows_ == rows) return made_;
    run_ = run;
    side_ = side;
    filter_ = session.filter();
    time_ = time;
    rows_ = rows;
    made_ = filter_of_area(session, side, range, rows);
    return made_;
}

}  // namespace ui
