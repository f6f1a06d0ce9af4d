#include "ui/model/reducer.hpp"

#include "ui/model/panel.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

void choose_panel(std::string_view id, UiChoices& choices) {
    const PanelType* panel = find_panel(id);
    if (!panel) return;
    (panel->drawer == Drawer::Left ? choices.left_tab : choices.right_tab) = panel->id;
    choices.drawer_open = true;
}

// One function for each intent that changes the document.
struct Reducing {
    Document& document;
    const Facts& facts;

    const core::RunPtr& run() const { return facts.session.run(facts.side); }

    void operator()(const SelectEvent& select) const {
        if (exists(run(), select.event)) document.choices.right_tab = "details";
    }
    void operator()(const ChooseKernels& choose) const { document.choices.chosen_kernels = choose.names; }
    void operator()(const ListEvents& list) const {
        document.choices.listed = list.listing;
        choose_panel("events", document.choices);
    }
    void operator()(const FollowVisible& follow) const { document.choices.follow_visible = follow.on; }
    void operator()(const ShowPanel& show) const { choose_panel(show.id, document.choices); }
    void operator()(const ToggleDrawer&) const { document.choices.drawer_open = !document.choices.drawer_open; }
    void operator()(const ResizeDrawer& resize) const {
        if (std::isfinite(resize.share))
            document.choices.drawer_share = std::clamp(resize.share, kLeastDrawer, kMostDrawer);
    }
    void operator()(const ResizeTree& resize) const {
        if (std::isfinite(resize.width)) document.choices.tree_width = resize.width;
    }
    void operator()(const ColorEvents& color) const { document.choices.color_by = color.by; }
    void operator()(const SetTheme& set) const { document.choices.theme = set.theme; }
    void operator()(const ResizeInterface& resize) const {
        document.choices.interface_size = resize_interface(document.choices.interface_size, resize.steps);
    }
    void operator()(const SetRanks& set) const { document.choices.ranks = set.choices; }
    void operator()(const ChangeRanks& change) const {
        if (!run()) return;
        RankChoices& ranks = document.choices.ranks;
        ranks = change_ranks(ranks, change.change, *run(), facts.selected, document.choices.chosen_kernels);
        if (change.change == RankChange::HideOthers && exists(run(), facts.selected))
            ranks =
                hide_others(ranks, collect_rank_names(facts.session), run()->rank(facts.selected.slot).key.packed());
    }
    void operator()(const MarkOnlyHere& mark) const { document.choices.mark_only_here = mark.on; }
    void operator()(const ShowGhosts& show) const { document.choices.ghost_steps = show.on; }
    void operator()(const ShowPath& show) const { document.choices.critical_path = show.on; }
    void operator()(const ShowSeries& show) const { document.choices.series_lanes = show.on; }
    void operator()(const PlaceRuns& arrange) const { document.choices.placement = arrange.placement; }
    void operator()(const LockViews& lock) const { document.choices.locked = lock.on; }
    void operator()(const OpenFind&) const { document.choices.find_open = true; }
    void operator()(const CloseFind&) const { document.choices.find_open = false; }
    void operator()(const Dismiss&) const { document.choices.find_open = false; }
    void operator()(const SetFindText& set) const { document.choices.find_text = set.text; }
    void operator()(const SearchArguments& search) const { document.choices.find_arguments = search.on; }
    void operator()(const SetChoices& set) const { document.choices = set.choices; }
    void operator()(const ForgetChoices&) const {
        document.choices.chosen_kernels.clear();
        document.choices.ranks = {};
        document.choices.listed.reset();
    }
    void operator()(const CarryListing& carry) const {
        std::optional<EventListing>& listed = document.choices.listed;
        if (!listed) return;
        listed = follow_listing(*std::move(listed), carry.before, carry.alignment ? &*carry.alignment : nullptr,
                                carry.after);
    }
};

}  // namespace

float resize_interface(float size, int steps) {
    if (steps == 0) return 1;
    const float tenths = std::round(size * 10) + static_cast<float>(steps);
    return std::clamp(tenths / 10, kLeastInterface, kMostInterface);
}

bool wants_find(const UiChoices& choices) {
    const bool listed = choices.drawer_open && choices.left_tab == "found";
    return !choices.find_text.empty() && (choices.find_open || listed);
}

Document reduce(Document document, const Intent& intent, const Facts& facts) {
    const Reducing reducing{.document = document, .facts = facts};
    const auto reduce_one = [&](const auto& one) {
        if constexpr (requires { reducing(one); }) reducing(one);
    };
    std::visit(reduce_one, intent);
    return document;
}

}  // namespace ui
