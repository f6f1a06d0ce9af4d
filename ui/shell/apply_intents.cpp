#include "ui/shell/apply_intents.hpp"

#include "ui/model/intent_value.hpp"
#include "ui/model/intents/apply.hpp"
#include "ui/shell/window_intents.hpp"

#include <algorithm>

namespace ui {
namespace {

core::Side side_of(const IntentTargets& to, const Intent& intent, core::Side pusher) {
    const Addressee addressee = addressee_of(intent);
    if (addressee.side) return *addressee.side;
    switch (addressee.target) {
        case IntentSide::Pusher:
        case IntentSide::Shown:
        case IntentSide::Timeline:
            return pusher;
        case IntentSide::Active:
            return to.active;
        case IntentSide::Selected:
            return to.selected;
        case IntentSide::Shared:
            break;
    }
    return core::Side::Baseline;
}

// A session file opens like a run, whichever way it comes; empty: it is something else.
std::filesystem::path open_session(const IntentTargets& to, const Intent& intent) {
    const std::vector<std::filesystem::path>* paths = nullptr;
    if (const auto* open = intent.find<OpenPaths>()) paths = &open->paths;
    if (const auto* drop = intent.find<DropPaths>()) paths = &drop->paths;
    if (!paths || paths->size() != 1 || !is_session_file(paths->front())) return {};
    to.saving.open_session(paths->front(), to.session, to.store, to.ephemera);
    return paths->front();
}

// The rank of the event selected there, by what it is to the baseline.
void change_ranks_of_candidate(const IntentTargets& to, RankChange change) {
    const core::RunPtr& run = to.session.run();
    const core::RunPtr& candidate = to.session.run(core::Side::Candidate);
    const core::EventRef selected = to.view(core::Side::Candidate).selected;
    const Facts facts{.session = to.session};
    RankChoices ranks = to.choices().ranks;
    if (change == RankChange::SortBySelected) {
        ranks = change_ranks(ranks, change, *candidate, selected, to.choices().chosen_kernels);
        return to.store.apply(SetRanks{std::move(ranks)}, facts);
    }
    const std::optional<core::RankKey> partner =
        to.session.alignment()->partner_of_rank(core::Side::Candidate, candidate->rank(selected.slot).key);
    const auto found = partner ? std::ranges::find(run->ranks(), *partner, &core::RankSlot::key) : run->ranks().end();
    if (found == run->ranks().end()) return to.saving.tell({"The baseline has no such rank", true});
    const auto slot = static_cast<std::uint32_t>(found - run->ranks().begin());
    ranks = change_ranks(ranks, change, *run, {slot, core::EventId{0}}, to.choices().chosen_kernels);
    if (change == RankChange::HideOthers) ranks = hide_others(ranks, collect_rank_names(to.session), partner->packed());
    to.store.apply(SetRanks{std::move(ranks)}, facts);
}

bool is_about_candidate_ranks(const IntentTargets& to, const Intent& intent) {
    const auto* change = intent.find<ChangeRanks>();
    return change && change->change != RankChange::NextGrouping && to.session.alignment() &&
           to.selected == core::Side::Candidate && exists(to.session.run(to.selected), to.view(to.selected).selected);
}

// Applies an intent to all but the window. True: close the window.
bool apply_below(const IntentTargets& to, core::Side side, const Intent& intent) {
    const Applied applied = apply({&intent, 1}, to.session, to.store, to.ephemera, side);
    if (applied.top) to.timelines[side]->put_on_top(*applied.top);
    if (applied.reveal.valid()) to.timelines[side]->reveal(applied.reveal);
    if (intent.find<SelectEvent>() && to.view(side).selected.valid()) to.selected = side;
    if (addressee_of(intent).target == IntentSide::Shown) to.active = side;
    return applied.quit;
}

}  // namespace

AppliedIntents apply_intents(const IntentTargets& to, core::Side side, std::span<const Intent> intents) {
    AppliedIntents applied;
    for (const Intent& intent : intents) {
        if (std::filesystem::path session = open_session(to, intent); !session.empty()) {
            applied.opened_session = std::move(session);
            continue;
        }
        if (intent.find<OpenPaths>()) to.saving.clear_notice();
        if (const auto* one = std::get_if<WindowIntent>(&intent.value().home))
            apply_to_window(to, *one);
        else if (is_about_candidate_ranks(to, intent))
            change_ranks_of_candidate(to, intent.find<ChangeRanks>()->change);
        else
            applied.quit |= apply_below(to, side_of(to, intent, side), intent);
        to.store.record(to.session);
    }
    return applied;
}

}  // namespace ui
