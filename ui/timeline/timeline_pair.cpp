#include "ui/timeline/timeline_pair.hpp"

namespace ui {

void TimelinePair::update(const core::Session& session, const core::BySide<Timeline*>& timelines, float height) {
    core::BySide<core::RunPtr> runs;
    core::BySide<std::uint64_t> ids;
    for (const core::Side side : core::kSides) {
        runs[side] = session.run(side);
        ids[side] = runs[side]->id();
    }
    if (ids != runs_) {
        pairs_.update(runs, *session.alignment());
        runs_ = ids;
        placed_ = {};
    }
    for (const core::Side side : core::kSides) timelines[side]->prepare(*runs[side], height);
    TimelineRows& first = timelines.baseline->rows();
    TimelineRows& second = timelines.candidate->rows();
    for (const auto& [key, open] : second.take_opened())
        if (const std::optional<NodeKey> partner = pairs_.partner(core::Side::Candidate, key))
            first.open(*partner, open);
    const bool opened = !first.take_opened().empty();
    if (!opened && placed_ == core::BySide<std::uint64_t>{first.version(), second.version()}) return;
    second.follow(first.arrangement(),
                  pairs_.follow_baseline(first.choices(), first.arrangement().opening, second.choices()));
    for (const core::Side side : core::kSides) {
        timelines[side]->rows().lay_out_again();  // without the gaps it may have
        timelines[side]->prepare(*runs[side], height);
    }
    const RowPairs::Places places = pairs_.place({&first.layout(), &second.layout()});
    first.place(places.tops.baseline, places.height);
    second.place(places.tops.candidate, places.height);
    placed_ = {first.version(), second.version()};
}

void TimelinePair::part(const core::BySide<Timeline*>& timelines) {
    for (const core::Side side : core::kSides) {
        timelines[side]->rows().take_opened();
        if (placed_[side] != 0) timelines[side]->rows().lay_out_again();
    }
    placed_ = {};
}

}  // namespace ui
