#pragma once
// A panel reads session and document, draws itself, and says what the user wants. It changes nothing shared:
// intents take effect between frames, so the order of panels cannot matter.

#include "core/base/catalogue.hpp"
#include "ui/model/intent.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace ui {

// Filters of a table that keeps its rows after a click in it (KeptRows).
struct TableFilters {
    core::Filter named;  // as typed: in the baseline's numbers
    core::BySide<core::Filter> of;
};

struct Frame {
    const core::Session& session;
    core::ResultCache& results;       // asking is all a panel may do to shared state
    const Document& document;
    const Ephemera& ephemera;
    std::vector<Intent>& intents;
    core::Side side = core::Side::Baseline;   // whose run is drawn
    // With two runs open, for a panel that shows both: how it reaches the candidate's run, filter, view and
    // intents. What is done to a view (SelectEvent, ShowRange) goes to the side whose intents it is pushed to.
    Frame* candidate = nullptr;
    const TableFilters* kept = nullptr;  // instead of the session's filters; set by KeepsRows

    Frame& of(core::Side which) { return which == core::Side::Candidate && candidate ? *candidate : *this; }

    const UiChoices& choices() const { return document.choices; }
    const View& view() const { return document.views[side]; }
    const View& other_view() const { return document.views[core::other_side(side)]; }
    const SideEphemera& ephemeral() const { return ephemera.sides[side]; }
    const core::Marks& marks() const { return session.marks(side); }
    const core::RunPtr& run() const { return session.run(side); }
    // As this run is to be asked.
    const core::Filter& filter() const { return kept ? kept->of[side] : session.filter(side); }
    // In the baseline's numbers.
    const core::Filter& named_filter() const { return kept ? kept->named : session.filter(); }
};

struct Panel {
    virtual ~Panel() = default;
    virtual void draw(Frame&) = 0;    // into the current ImGui child window
    virtual bool busy() const { return false; }  // work of its own is under way: what is shown will change
    // What the last frame showed, as scripts read it: numbers exact, names whole, units in the key ("mean_ns").
    virtual void describe(nlohmann::json& shown) const;
};

enum class Drawer : std::uint8_t { Left, Right };

struct PanelType {
    std::string_view id;
    std::string_view title;
    Drawer drawer;
    std::unique_ptr<Panel> (*make)();
    // With two runs open a panel is drawn once for each, unless it
    bool shows_both = false;       // draws both itself: its Frame has the candidate's
    bool shows_selection = false;  // is about the event selected last
    // Of one that has a tab only while it has something to show: whether it has. Null: it always has a tab.
    bool (*on_demand)(const Frame&) = nullptr;
    // A number in red on its tab, unless 0. Null: none.
    std::size_t (*badge)(const Frame&) = nullptr;
    // The title where tabs are short of room. Empty: the same.
    std::string_view brief = {};
};

const core::Catalogue<PanelType>& panels();  // the table in ui/panels/panels.cpp
inline std::span<const PanelType> all_panels() { return panels().rows(); }
const PanelType* find_panel(std::string_view id);

}  // namespace ui
