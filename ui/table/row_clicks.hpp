#pragma once
// Clicks on rows and bars, the same in every panel. Click: filter by the row (again: remove; the
// table keeps its rows and marks this one, see KeepsRows), or select its event. Double click: show
// its events on the timeline, in both runs if there are two: the longest event of a name, class,
// stream or group (two runs: the first from the aligned moment on), or the range of a step. Right
// click: menu with these and "list events".

#include "ui/model/deferred.hpp"
#include "ui/model/event_listing.hpp"
#include "ui/model/named_event.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/row_facets.hpp"
#include "ui/model/row_place.hpp"
#include "ui/table/kept_rows.hpp"
#include "ui/table/result_table.hpp"

#include <functional>
#include <span>

namespace ui {

Click click_kind();  // Add if Ctrl is held

struct RowMeaning {
    RowFacets facets;  // for a row of both runs: in the baseline's numbers
    core::BySide<std::vector<std::string>> names;  // names of its events on each side
    core::EventRef event;  // set if the row is this one event
    core::EventRef mentioned;  // else an event that the row mentions; target of a double click
    std::optional<RowPlace> place;  // gap or stretch of time of the row; target of a double click
    bool is_place = false;  // the row stands for that place: a click marks it instead of filtering
    core::BySide<std::optional<EventListing>> listings;  // events behind the row, by all its keys
    std::string unlisted;  // why its events cannot be listed
    core::BySide<std::optional<core::TimeTerm>> time;  // time window of the row, as a filter term
};
// Meaning of a row of one run's table. of_answer: rank of the whole answer, if it has only one.
RowMeaning meaning_of(const Frame&, const core::Table&, std::size_t row,
                      std::optional<core::RankKey> of_answer = std::nullopt);

// Meaning of a bar: only these columns of the row's keys.
RowMeaning meaning_of(const Frame&, const core::Table&, std::size_t row, std::span<const std::size_t> columns);
// Meaning of a panel's own bar or cell. Facets of both runs are in the baseline's numbers, facets of one run in its
// own. names: names of the events, if the sides differ or have several; else from the facets.
RowMeaning meaning_of_facets(const Frame&, const RowFacets&, const std::string& title,
                             core::BySide<std::vector<std::string>> names = {});

// Adds the event lists of a row. Keys are in that side's numbers (both runs: the baseline's), names are known. `only`:
// events of this side. columns: keys to use.
void add_listings(RowMeaning&, const Frame&, const core::Table&, std::size_t row, core::Side side,
                  std::optional<core::Side> only, std::span<const std::size_t> columns);

class RowClicks {
public:
    // Handles clicks of the table drawn last. `frame`: its side's, or the one with the candidate for a table of both
    // runs. has_menu: the panel handles the right button itself.
    void handle(Frame&, const TableHit&, ImVec2 min, ImVec2 max,
                const std::function<core::Result<RowMeaning>(std::size_t row)>&, bool has_menu = false);
    // Opens the menu for a right click on something other than a row of handle(). Then call draw_menu once per frame in
    // the same window, unless handle() follows.
    void open_menu(const core::Result<RowMeaning>&);
    void draw_menu(Frame&);
    // Menu entries that lead to a row's events, on the timeline and as a list, if it has any; then the export entries
    // of the clicked chart or table.
    void draw_ways(Frame&, const RowMeaning&);
    // Filters by a bar or a legend entry: facets of the frame's side.
    void filter_by(Frame&, const RowFacets&);
    void filter_by_row(Frame&, const core::Result<RowMeaning>&);  // a row of both runs
    // Call once per frame: shows the target of a double click once it is found.
    void poll_search(Frame&);
    bool busy() const { return going_; }
    // Draws a warning line if the last click could not become a filter.
    void draw_refusal();
    const std::string& refusal() const { return refusal_; }
    // True if a click's filter is in effect and accepts the row, of one run or of both.
    bool marks(const Frame&, const core::Table&, std::size_t row) const;
    bool marks(const Frame&, const core::Result<RowMeaning>&, std::optional<core::ClassSet> classes = {}) const;
    const KeptRows& kept() const { return kept_; }
    // Restores the filter from before the click, if one is in effect.
    bool revert_click(Frame&);

private:
    using Found = core::BySide<core::EventRef>;
    void filter(Frame&, const RowFacets&);
    void refuse(const Frame&, const core::Error&);
    void go_to(Frame&, const RowMeaning&);
    void show(Frame&, const Found&);
    void draw_show(Frame&, const RowMeaning&);

    KeptRows kept_;
    RowMeaning clicked_;  // latest click that was not a double click
    bool has_clicked_ = false;
    RowMeaning of_menu_;
    bool offered_ = false;  // the menu opens in this frame
    std::string refusal_;
    core::Filter refused_in_;  // filter at the time of the refusal; a different filter clears it
    core::BySide<NamedEventQuery> wanted_;  // searches of the pending double click, on sides whose `run` is set
    std::uint64_t searches_ = 0;
    Deferred<std::uint64_t, Found> found_;
    bool going_ = false;
};

// During its lifetime, the frame and its candidate use the filter from before the click in effect, so that the clicked
// table keeps its rows. Escape with the keyboard in the table reverts that click.
class KeepsRows {
public:
    KeepsRows(Frame&, const RowClicks&);
    ~KeepsRows();
    KeepsRows(const KeepsRows&) = delete;
    KeepsRows& operator=(const KeepsRows&) = delete;

private:
    Frame& frame_;
    std::optional<TableFilters> filters_;
};

}  // namespace ui
