#pragma once
// Export of charts and tables by right click: a chart as picture, drawing or numbers, a table as
// text. Charts and tables register each time they are drawn. The entries are in the menu of the
// clicked row (RowClicks), or in a menu of their own. A requested export happens when the chart is
// drawn next, without the pointer. Main thread only; one per window.

#include "ui/model/panel.hpp"
#include "ui/model/table_source.hpp"
#include "ui/style/drawing.hpp"
#include "ui/widgets/legend.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

enum class ChartForm : std::uint8_t { Picture, Drawing, Table };

// Title and legend for an exported chart, and its numbers.
struct ChartSheet {
    std::string title = {};              // follows the panel's title and the topic: "Step time"; may be empty
    std::span<const BarPart> legend = {};  // not needed for one part
    bool paired = false;                 // the candidate's bars are hatched
    std::function<core::Table()> table;  // called on a worker: owns what it reads
};

struct ExportedChart {
    ChartForm form;
    ImVec2 min, max;  // of the picture, in window pixels
    std::string svg;
    std::function<core::Table()> table;
};

class ChartExport {
public:
    // Call after the frame begins, before the first chart.
    void begin_frame();
    // Sets the context of the charts and tables that follow: the panel (empty: the timeline), the runs it shows, and
    // the topic.
    void set_place(std::string_view panel, std::string title, std::string runs);
    void set_topic(std::string_view topic) { topic_ = topic; }
    // Call after drawing a chart or table, in the same window, with the rectangle of the whole chart.
    void offer_chart(const char* id, ImVec2 min, ImVec2 max, const std::function<ChartSheet()>& sheet);
    void offer_table(const char* id, ImVec2 min, ImVec2 max, TableSource source);

    // True if the menu that was just opened has export entries.
    bool claim();
    void draw_entries(Frame&);  // in an open popup
    void draw_menu(Frame&);  // menu for clicks that no other menu has claimed; once per frame, after all panels

    // Requests the chart whose menu was used last, when it is drawn next.
    void want(ChartForm form);
    bool wants() const { return wanted_.has_value(); }
    // Returns the requested chart, or nothing if it was not drawn in this frame; clears the request either way.
    std::optional<ExportedChart> take();
    const std::string& title() const { return chosen_title_; }  // title of that chart: "Breakdown"
    // The table under the mouse, in the panel that it was on last; nothing if no table is shown.
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
    void export_chart(ImVec2 min, ImVec2 max, const ChartSheet&);

    std::string panel_, title_, topic_, runs_;
    std::string active_panel_;
    ImGuiID active_id_ = 0;
    std::vector<ShownTable> tables_;  // in this frame so far
    std::vector<ShownTable> done_tables_;  // in the last frame
    std::optional<Target> target_;  // last right click
    bool claimed_ = true;
    bool menu_open_ = false;  // any menu, in the last frame
    ImGuiID chosen_ = 0;
    std::string chosen_title_;
    std::optional<ChartForm> wanted_;
    std::optional<ExportedChart> taken_;
    Drawing drawing_;
};
ChartExport& chart_export();

}  // namespace ui
