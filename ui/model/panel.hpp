#pragma once
// A panel reads session and document, draws itself, and pushes intents. It changes nothing shared: intents take effect
// between frames, so the order of panels cannot matter.

#include "core/base/catalogue.hpp"
#include "ui/model/intent.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace ui {

// Filters of a table that keeps its rows after a click in it (KeptRows).
struct TableFilters {
    core::Filter named;  // as typed, in the baseline's numbers
    core::BySide<core::Filter> of;
};

struct Frame {
    const core::Session& session;
    core::ResultCache& results;       // a panel may only request answers
    const Document& document;
    const Ephemera& ephemera;
    std::vector<Intent>& intents;
    core::Side side = core::Side::Baseline;   // the run that is drawn
    bool can_undo = false;
    bool can_redo = false;
    // With two runs open, for a panel that shows both: the candidate's run, filter, view and intents. Intents about a
    // view (SelectEvent, ShowRange) go to the side they are pushed to.
    Frame* candidate = nullptr;
    const TableFilters* kept = nullptr;  // replace the session's filters; set by KeepsRows

    Frame& of(core::Side which) { return which == core::Side::Candidate && candidate ? *candidate : *this; }

    const UiChoices& choices() const { return document.choices; }
    const View& view() const { return document.views[side]; }
    const View& other_view() const { return document.views[core::other_side(side)]; }
    const SideEphemera& ephemeral() const { return ephemera.sides[side]; }
    const core::Marks& marks() const { return session.marks(side); }
    const core::RunPtr& run() const { return session.run(side); }
    // In this run's own numbers.
    const core::Filter& filter() const { return kept ? kept->of[side] : session.filter(side); }
    // The same filter in the baseline's numbers.
    const core::Filter& named_filter() const { return kept ? kept->named : session.filter(); }
};

struct Panel {
    virtual ~Panel() = default;
    virtual void draw(Frame&) = 0;  // into the current ImGui child window
    virtual bool busy() const { return false; }  // work of its own is running: its contents will change
    // Contents of the last frame for scripts: numbers exact, names whole, units in the key ("mean_ns").
    virtual void describe(nlohmann::json& shown) const;
};

enum class Drawer : std::uint8_t { Left, Right };

struct PanelType {
    std::string_view id;
    std::string_view title;
    Drawer drawer;
    std::unique_ptr<Panel> (*make)();
    // With two runs open a panel is drawn once for each, unless it
    bool shows_both = false;  // draws both itself: its Frame has the candidate's
    bool shows_selection = false;  // is about the event selected last
    // Its numbers come from single events, so they would be wrong for a run summary.
    bool needs_events = false;
    // Lists the events that the search finds, so they are searched for while it is shown.
    bool lists_found = false;
    // Whether a panel has something to show now: it has a tab only then. Null: it always has a tab.
    bool (*on_demand)(const Frame&) = nullptr;
    // Whether the panel has contents that most runs do not have: it has a tab then, or while it is shown. Null: always.
    bool (*appears)(const core::Session&) = nullptr;
    // The panel whose tab this one shares, next to it in the table. Empty: it has a tab of its own.
    std::string_view part_of = {};
    // A part that is drawn right of the panel it is part of where the drawer is wide.
    bool side_by_side = false;
    // A number in red on its tab, unless 0. Null: none.
    std::size_t (*badge)(const Frame&) = nullptr;
    // Title where tabs are short of room. Empty: the full title.
    std::string_view brief = {};
};

const core::Catalogue<PanelType>& panels();  // the table in ui/panels/panels.cpp
inline std::span<const PanelType> all_panels() { return panels().rows(); }
const PanelType* find_panel(std::string_view id);
// The panel that has the tab in which this one is: itself, or the one it is part of.
const PanelType& tab_of(const PanelType&);
// The panels of this panel's tab: the one that has the tab, then its parts.
std::vector<const PanelType*> parts_of_tab(const PanelType&);

}  // namespace ui
