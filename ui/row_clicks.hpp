#pragma once
// What clicks on rows and bars do, the same in every panel: one click filters by what the row stands for (again:
// no longer), or selects its event; a double click goes to its events on the timeline, of both runs if there are
// two: of a name, class, stream or group to the longest event, of two runs to the first from the aligned moment on; of a
// step to its range. A right click has a menu that says so, and lists its events.

#include "ui/model/panel.hpp"
#include "ui/model/derived.hpp"
#include "ui/model/event_listing.hpp"
#include "ui/model/named_event.hpp"
#include "ui/model/row_facets.hpp"
#include "ui/widgets/result_table.hpp"

#include <functional>
#include <span>

namespace ui {

Click click_kind();  // with Ctrl it adds

struct RowMeaning {
    RowFacets facets;  // of a row of both runs: in the baseline's numbers
    core::BySide<std::vector<std::string>> names;  // of the events it is about, as each side has them
    core::EventRef event;  // it is about this one event
    core::EventRef told;  // else it tells this one, to which a double click goes
    core::BySide<std::optional<EventListing>> listings;  // the events behind it, by all its keys
    std::string unlisted;  // why there is none
    core::BySide<std::optional<core::TimeTerm>> time;  // it is about a window, which is this in a filter
};
// Of a row of one run's table; of_answer: the rank that all of its answer is about.
RowMeaning meaning_of(const Frame&, const core::Table&, std::size_t row,
                      std::optional<core::RankKey> of_answer = std::nullopt);

// Of a bar: these columns of the row, and no more of its keys.
RowMeaning meaning_of(const Frame&, const core::Table&, std::size_t row, std::span<const std::size_t> columns);
// Of a bar or cell of a panel's own, in words: facets of both runs in the baseline's numbers, of one in its own. names:
// of the events, where the sides have other ones or several; without any those of the facets.
RowMeaning meaning_of_facets(const Frame&, const RowFacets&, const std::string& title,
                             core::BySide<std::vector<std::string>> names = {});

// What can be listed of a row, whose keys are numbers of that side (of a row of both runs: the baseline's) and whose
// names are known; `only`: events of this side. columns: of the keys, those that count.
void add_listings(RowMeaning&, const Frame&, const core::Table&, std::size_t row, core::Side side,
                  std::optional<core::Side> only, std::span<const std::size_t> columns);

class RowClicks {
public:
    // Of the table drawn last, `frame` its side's or, of a table of both runs, the one with the candidate. has_menu:
    // the right button is the panel's own.
    void take(Frame&, const TableHit&, ImVec2 min, ImVec2 max,
              const std::function<core::Result<RowMeaning>(std::size_t row)>&, bool has_menu = false);
    // The menu of something that was clicked with the right button, besides rows that take() sees to; then draw_menu once
    // per frame, unless take() is called after it, in the same window.
    void offer(const core::Result<RowMeaning>&);
    void draw_menu(Frame&);
    // In a popup: the ways to a row's events, on the timeline and as a list; nothing for a row that has none. Below them
    // what can be taken of the chart or the table that was clicked.
    void draw_ways(Frame&, const RowMeaning&);
    // A bar or a name in a legend: facets of the frame's side.
    void filter_by(Frame&, const RowFacets&);
    void filter_by_row(Frame&, const core::Result<RowMeaning>&);  // of both runs
    // Once per frame: goes where a double click asked to, as soon as that is found.
    void follow(Frame&);
    bool busy() const { return going_; }
    // Why the last click could not be a filter, as a line with a warning's colour; nothing if it could.
    void draw_refusal();
    const std::string& refusal() const { return refusal_; }

private:
    using Found = core::BySide<core::EventRef>;
    void filter(Frame&, const RowFacets&);
    void refuse(const Frame&, const core::Error&);
    void go_to(Frame&, const RowMeaning&);
    void show(Frame&, const Found&);
    void draw_show(Frame&, const RowMeaning&);

    RowMeaning clicked_;  // of the last click that was not a second one
    bool has_clicked_ = false;
    RowMeaning of_menu_;
    bool offered_ = false;  // the menu is to be opened
    std::string refusal_;
    core::Filter refused_in_;  // the filter then: another one makes the refusal old
    core::BySide<NamedEventQuery> wanted_;  // of the double click that is under way; a run: this side is asked
    std::uint64_t searches_ = 0;
    Derived<std::uint64_t, Found> found_;
    bool going_ = false;
};

}  // namespace ui
