#include "ui/timeline/model/timeline_rows.hpp"

#include <algorithm>

namespace ui {

void TimelineRows::update(const core::Run& run, float scale, float height) {
    const bool same_run = run.name() == run_name_;
    if (!same_run) choices_.clear();
    if (!same_run || run.ranks().size() != rank_count_) arrangement_ = choose_arrangement(run, scale, height);
    if (run.id() == run_id_ && scale == scale_ && !changed_) return;
    run_id_ = run.id();
    run_name_ = run.name();
    rank_count_ = run.ranks().size();
    scale_ = scale;
    changed_ = false;
    const bool follows = followed_ && followed_->run == run.id();
    order_ = follows ? followed_ : std::make_shared<const RankOrder>(order_ranks(run, sorting_));
    const TrackChoice hidden = choose_tracks(run, sorting_.choices.hidden_rows, sorting_.names);
    const TrackChoice pinned = choose_tracks(run, sorting_.choices.pinned_rows, sorting_.names);
    Arrangement shown = arrangement_;
    const bool folded = std::ranges::any_of(order_->sections, &RankOrder::Section::folded);
    if (folded) shown.rank = 0;  // few rows are left
    const RowSizes sizes = shown.sizes(scale);
    layout_ = LaneLayout(run, choices_, arrangement_.opening, sizes, series_, order_, hidden);
    pinned_ = LaneLayout::of_pinned(run, choices_, arrangement_.opening, sizes, series_, order_, pinned, hidden);
    hidden_rows_ = hidden.count;
    ++version_;
}

void TimelineRows::name_ranks(const core::Session& session, core::Side side) {
    core::BySide<std::uint64_t> of;
    const std::vector<core::RankKey> only =
        session.parts() && session.alignment() ? (*session.parts())[side].ranks : std::vector<core::RankKey>();
    if (only != sorting_.only) {
        sorting_.only = only;
        changed_ = true;
        named_of_ = {};
    }
    for (const core::Side each : core::kSides)
        if (session.alignment() && session.run(each)) of[each] = session.run(each)->id();
    if (named_of_ == of) return;
    named_of_ = of;
    std::vector<std::int64_t> names = names_of_ranks(session, side);
    if (names == sorting_.names) return;
    sorting_.names = std::move(names);
    changed_ = true;
}

void TimelineRows::open(const NodeKey& key, bool open) {
    choices_[key] = open;
    opened_.emplace_back(key, open);
    changed_ = true;
}

void TimelineRows::override_order(RankOrderPtr order) {
    const bool same = order && followed_ ? *order == *followed_ : order == followed_;
    if (same) return;
    followed_ = std::move(order);
    changed_ = true;
}

void TimelineRows::open_all(bool open) {
    choices_.clear();
    arrangement_.opening = open ? Opening::Everything : Opening::Closed;
    changed_ = true;
}

void TimelineRows::apply(const Arrangement& arrangement, RowChoices choices) {
    if (arrangement == arrangement_ && choices == choices_) return;
    arrangement_ = arrangement;
    choices_ = std::move(choices);
    changed_ = true;
}

}  // namespace ui
