#pragma once
// What can be taken out of the window with a right click: of a chart a picture, a drawing and its numbers, of a table
// its text. Charts and tables offer themselves whenever they are drawn. The menu of what was clicked has the entries
// (RowClicks), or, where there is none, one that has nothing else. What was asked for is done while the chart is drawn
// the next time, with the pointer away from it. Main thread only; one for the window.

#include "ui/charts/legend.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/table_source.hpp"
#include "ui/style/drawing.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

enum class ChartForm : std::uint8_t { Picture, Drawing, Table };

// What stands above a chart once it is alone, and its numbers.
struct ChartSheet {
    std::string title = {};              // after the panel's and the topic: "Step time"; or empty
    std::span<const BarPart> legend = {};  // one part needs none
    bool paired = false;                 // the candidate's bars are hatched
    std::function<core::Table()> table;  // for the pool: it owns what it reads
};

struct TakenChart {
    ChartForm form;
    ImVec2 min, max;  // of the picture, in pixels of the window
    std::string svg;
    std::function<core::Table()> table;
};

class TakeOut {
public:
    // Between a frame's begin and the first chart.
    void begin_frame();
    // Whose charts and tables come next: the panel (empty: none, the timeline) and the runs it shows, and within it
    // what the next ones are about.
    void set_place(std::string_view panel, std::string title, std::string runs);
    void set_topic(std::string_view topic) { topic_ = topic; }
    // At the end of what draws a chart or a table, in the window it is drawn in; the rectangle is the whole chart's.
    void offer_chart(const char* id, ImVec2 min, ImVec2 max, const std::function<ChartSheet()>& sheet);
    void offer_table(const char* id, ImVec2 min, ImVec2 max, TableSource source);

    // A menu is opened for what was clicked just now: whether it has entries of ours.
    bool claim();
    void draw_entries(Frame&);  // in an open popup
    void draw_menu(Frame&);  // of what no other menu has claimed; once per frame, after all panels

    // The chart whose menu was used last, when it is drawn the next time.
    void want(ChartForm form);
    bool wants() const { return wanted_.has_value(); }
    // Nothing if it was not drawn in this frame; either way it is no longer wanted.
    std::optional<TakenChart> take();
    const std::string& title() const { return chosen_title_; }  // of that chart: "Breakdown"
    // Of the panel the mouse was on last, there the table it was on; nothing if no table is shown.
    std::optional<TableSource> active_table() const;

private:
    struct Target {
        ImGuiID chart = 0;  // 0: a table
        std::string title;
        TableSource table;
    };
    struct ShownTable {
        ImGuiID id;
        std::string panel;
        TableSource source;
    };
    bool is_clicked(ImVec2 min, ImVec2 max) const;
    std::string title_of(const ChartSheet&) const;
    void take_chart(ImVec2 min, ImVec2 max, const ChartSheet&);

    std::string panel_, title_, topic_, runs_;
    std::string active_panel_;
    ImGuiID active_id_ = 0;
    std::vector<ShownTable> tables_;  // of this frame so far
    std::vector<ShownTable> done_tables_;  // of the one before
    std::optional<Target> target_;  // of the last right click
    bool claimed_ = true;
    bool menu_open_ = false;  // any, in the last frame
    ImGuiID chosen_ = 0;
    std::string chosen_title_;
    std::optional<ChartForm> wanted_;
    std::optional<TakenChart> taken_;
    Drawing drawing_;
};
TakeOut& take_out();

}  // namespace ui
