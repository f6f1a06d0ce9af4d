#include "ui/timeline/parts/timeline_pair.hpp"

namespace ui {
namespace {

// Null if sorted by rank number: then each side has its own order without gaps. Otherwise an order like the baseline's,
// because measures of one side do not apply to the other.
RankOrderPtr order_of_candidate(const TimelineRows& first, const TimelineRows& second,
                                const core::BySide<core::RunPtr>& runs, const core::RunAlignment& alignment) {
    if (first.sorting().choices.sort == RankSort::Rank) return nullptr;
    return std::make_shared<const RankOrder>(
        order_like(first.order(), {runs.baseline.get(), runs.candidate.get()}, alignment, second.sorting()));
}

}  // namespace

core::BySide<core::RunPtr> TimelinePair::pair_rows(const core::Session& session) {
    core::BySide<core::RunPtr> runs;
    core::BySide<std::uint64_t> ids;
    for (const core::Side side : core::kSides) {
        runs[side] = session.run(side);
        ids[side] = runs[side]->id();
    }
    if (ids == runs_) return runs;
    pairs_.update(runs, *session.alignment());
    runs_ = ids;
    placed_ = {};
    area_rows_.clear();
    area_partners_.clear();
    return runs;
}

const std::vector<core::TrackRows>& TimelinePair::partners_of(const core::Session& session, core::Side side,
                                                              const std::vector<core::TrackRows>& rows) {
    pair_rows(session);
    if (area_side_ == side && area_rows_ == rows) return area_partners_;
    area_side_ = side;
    area_rows_ = rows;
    area_partners_.clear();
    for (const core::TrackRows& each : rows)
        if (std::optional<core::TrackRows> partner = pairs_.partner(side, each))
            area_partners_.push_back(*std::move(partner));
    return area_partners_;
}

void TimelinePair::update(const core::Session& session, const core::BySide<Timeline*>& timelines, float height) {
    const core::BySide<core::RunPtr> runs = pair_rows(session);
    timelines.baseline->rows().override_order(nullptr);  // order from when it was the candidate's
    for (const core::Side side : core::kSides) {
        timelines[side]->rows().name_ranks(session, side);
        timelines[side]->prepare(*runs[side], height);
    }
    TimelineRows& first = timelines.baseline->rows();
    TimelineRows& second = timelines.candidate->rows();
    for (const auto& [key, open] : second.consume_opened())
        if (const std::optional<NodeKey> partner = pairs_.partner(core::Side::Candidate, key))
            first.open(*partner, open);
    const bool opened = !first.consume_opened().empty();
    if (!opened && placed_ == core::BySide<std::uint64_t>{first.version(), second.version()}) return;
    second.apply(first.arrangement(),
                 pairs_.mirror_baseline(first.choices(), first.arrangement().opening, second.choices()));
    second.override_order(order_of_candidate(first, second, runs, *session.alignment()));
    for (const core::Side side : core::kSides) {
        timelines[side]->rows().lay_out_again();  // removes gaps
        timelines[side]->prepare(*runs[side], height);
    }
    const RowPairs::Places places = pairs_.place({&first.layout(), &second.layout()});
    first.place(places.tops.baseline, places.height);
    second.place(places.tops.candidate, places.height);
    placed_ = {first.version(), second.version()};
}

void TimelinePair::part(const core::BySide<Timeline*>& timelines) {
    for (const core::Side side : core::kSides) {
        timelines[side]->rows().consume_opened();
        if (placed_[side] != 0) timelines[side]->rows().lay_out_again();
        timelines[side]->rows().override_order(nullptr);
    }
    placed_ = {};
    pairs_ = {};  // releases both runs
    runs_ = {};
    area_rows_.clear();
    area_partners_.clear();
}

}  // namespace ui
