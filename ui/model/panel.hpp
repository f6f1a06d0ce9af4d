#pragma once
// A panel reads session and document, draws itself, and returns the user's intents. It changes no
// shared state: intents take effect between frames, so the order of panels cannot matter.

#include "core/base/catalogue.hpp"
#include "ui/model/state.hpp"

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
    core::ResultCache& results;       // requesting answers is a panel's only effect on shared state
    const Document& document;
    const Ephemera& ephemera;
    std::vector<Intent>& intents;
    core::Side side = core::Side::Baseline;   // the drawn run
    // With two runs, for a panel that shows both: access to the candidate's run, filter, view and intents. Intents
    // about a view (SelectEvent, ShowRange) apply to the side whose list they are pushed to.
    Frame* candidate = nullptr;
    const TableFilters* kept = nullptr;  // replace the session's filters; set by KeepsRows

    Frame& of(core::Side which) { return which == core::Side::Candidate && candidate ? *candidate : *this; }

    const UiChoices& choices() const { return document.choices; }
    const View& view() const { return document.views[side]; }
    const View& other_view() const { return document.views[core::other_side(side)]; }
    const SideEphemera& ephemeral() const { return ephemera.sides[side]; }
    const core::Marks& marks() const { return session.marks(side); }
    const core::RunPtr& run() const { return session.run(side); }
    // The filter to ask this run with.
    const core::Filter& filter() const { return kept ? kept->of[side] : session.filter(side); }
    // The same filter in the baseline's numbers.
    const core::Filter& named_filter() const { return kept ? kept->named : session.filter(); }
};

struct Panel {
    virtual ~Panel() = default;
    virtual void draw(Frame&) = 0;    // into the current ImGui child window
    virtual bool busy() const { return false; }  // work of its own is under way, so its content will change
    // Describes the last frame for scripts: exact numbers, whole names, units in the key ("mean_ns").
    virtual void describe(nlohmann::json& shown) const;
};

enum class Drawer : std::uint8_t { Left, Right };

struct PanelType {
    std::string_view id;
    std::string_view title;
    Drawer drawer;
    std::unique_ptr<Panel> (*make)();
    // With two runs, a panel is drawn once for each unless one of these is set.
    bool shows_both = false;       // draws both sides itself: its Frame has the candidate's
    bool shows_selection = false;  // shows the most recently selected event
    // For a panel whose tab only appears while there is something to show: whether there is. Null: always has a tab.
    bool (*on_demand)(const Frame&) = nullptr;
    // A number shown in red on its tab, unless 0. Null: none.
    std::size_t (*badge)(const Frame&) = nullptr;
    // Title where tabs are short of room. Empty: the full title.
    std::string_view brief = {};
};

core::Catalogue<PanelType>& panels();  // the table in ui/panels/panels.cpp
inline std::span<const PanelType> all_panels() { return panels().rows(); }
const PanelType* find_panel(std::string_view id);

}  // namespace ui
