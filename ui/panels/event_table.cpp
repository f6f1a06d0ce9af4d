#include "ui/panels/event_table.hpp"

#include "ui/model/row_facets.hpp"

#include "core/base/format.hpp"

namespace ui {
namespace {

CellText write_event(const core::Table& table, std::size_t row, std::size_t column) {
    const std::string exact = core::format_cell_exact(table, row, column);
    if (table.columns()[column].name != "start")
        return {.text = core::format_cell(table, row, column), .ink = color::palette().text, .exact = exact};
    return {.text = core::format_time_offset(core::Duration{table.integer(row, column)}, core::Duration{1}),
            .ink = color::palette().text,
            .exact = exact};
}

}  // namespace

void draw_event_table(Frame& own, ResultTable& drawn, const core::EventListPtr& list, std::string_view search) {
    TableOptions options;
    options.columns = {{"rank"}, {"track"}, {"start"}, {"duration"}, {"name"}};
    options.columns[2].least_width = 110;
    options.search = search;
    options.write = write_event;
    options.marked = [&](const core::Table& table, std::size_t row) {
        return own.view().selected.valid() && event_of(*own.run(), table, row) == own.view().selected;
    };
    const TablePtr table(list, &list->table);
    const TableHit hit = drawn.draw("events", own.session.pool(), table, options, ImGui::GetContentRegionAvail());
    if (!hit.clicked) return;
    const core::EventRef event = event_of(*own.run(), *hit.table, *hit.clicked);
    if (event.valid()) own.intents.push_back(SelectEvent{event, true});
}

}  // namespace ui
