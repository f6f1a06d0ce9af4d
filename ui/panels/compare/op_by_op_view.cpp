#include "ui/panels/compare/op_by_op_view.hpp"

#include "core/base/short_name.hpp"
#include "ui/model/charts/words.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

using core::OperatorEdit;
using core::Side;

constexpr float kLaunched = 130;  // widths at scale 1
constexpr float kShapes = 76;
constexpr float kEditWidth = 58;
constexpr float kModule = 96;

ImU32 color_of_edit(std::string_view edit) {
    if (edit == name_of(OperatorEdit::Inserted)) return color::of_side(Side::Candidate);
    if (edit == name_of(OperatorEdit::Removed)) return color::of_side(Side::Baseline);
    if (edit == name_of(OperatorEdit::Same)) return color::palette().faint;
    return color::palette().text;
}

// "Memset (Device); sm90_xmma_gemm… x3": uses the short names of the kernels.
std::string shorten_kernels(std::string_view list) {
    std::string text;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find("; "), list.size());
        std::string_view one = list.substr(0, end);
        list.remove_prefix(std::min(end + 2, list.size()));
        std::string_view times;
        if (const std::size_t x = one.rfind(" x"); x != std::string_view::npos && x + 2 < one.size() &&
                                                   std::ranges::all_of(one.substr(x + 2), core::is_digit)) {
            times = one.substr(x);
            one = one.substr(0, x);
        }
        text.append(text.empty() ? "" : "; ").append(core::short_name(one).normal).append(times);
    }
    return text;
}

bool lists_kernels(std::string_view column) {
    return column.starts_with("launched.") || column == "before" || column == "after";
}

bool paint_op_by_op(const core::Table& table, std::size_t row, std::size_t column, ImVec2 at, ImVec2 size) {
    const std::string& name = table.columns()[column].name;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (name == "edit") {
        const std::string_view edit = table.text(row, column);
        draw_text(list, ui_style(), at, color_of_edit(edit), edit, size.x);
        return true;
    }
    if (!lists_kernels(name) || table.absent(row, column) || table.text(row, column).empty()) return false;
    const std::string_view whole = table.text(row, column);
    draw_text(list, ui_style(), at, color::palette().text, shorten_kernels(whole), size.x);
    if (ImGui::IsMouseHoveringRect(at, {at.x + size.x, at.y + size.y}) && ImGui::IsWindowHovered()) show_tooltip(whole);
    return true;
}

TableColumn side_column(std::string_view measure, core::Side side, float width) {
    return {std::string(measure) + "." + std::string(name_of(side)), side == Side::Baseline ? "Baseline" : "Candidate",
            color::of_side(side), title_of(measure), width};
}

void add_pair(std::vector<TableColumn>& columns, std::string_view measure, float width) {
    for (const Side side : core::kSides) columns.push_back(side_column(measure, side, width));
}

}  // namespace

core::Result<OpByOpView::Made> OpByOpView::make(const Key& key, const core::BySide<core::RunPtr>& runs,
                                                const core::RunAlignment& alignment, const core::JobContext& context) {
    const core::BySide<const core::Run*> both{runs.baseline.get(), runs.candidate.get()};
    core::Result<core::OperatorComparison> compared =
        core::compare_operators(both, alignment, key.filter, key.names, context);
    if (!compared && compared.error().code == core::ErrorCode::Cancelled) return std::move(compared).error();
    Made made;
    if (!compared) {
        made.error = compared.error().message;
        return made;
    }
    made.operators = core::to_comparison(*compared, both, true);
    made.kernels = core::to_kernel_comparison(*compared, both, false);
    made.compared = *std::move(compared);
    return made;
}

void OpByOpView::choose_rows() {
    if (chosen_of_ == shown_ && chosen_ == edits_) return;
    const bool any = std::ranges::count(edits_, true) > 0;
    std::vector<bool> only;
    for (const core::AlignedOperator& row : shown_->compared.rows)
        only.push_back(any ? edits_[static_cast<std::size_t>(row.edit)] : row.edit != OperatorEdit::Same);
    only_ = std::make_shared<const std::vector<bool>>(std::move(only));
    chosen_of_ = shown_;
    chosen_ = edits_;
}

void OpByOpView::draw_controls() {
    {
        const ItemScope scope("rows");
        choose("rows", {"Operators", "Kernels"}, view_);
    }
    tooltip("Every operator in order, or the kernels that operators launched before and after, summed up");
    if (view_ != 0) return;
    const ItemScope scope("edit");
    for (const OperatorEdit edit : core::kOperatorEdits) {
        const std::string label = title_of(name_of(edit)) + " " +
                                  core::format_count(static_cast<std::uint64_t>(shown_->compared.count(edit))) + "##" +
                                  std::string(name_of(edit));
        same_line_for(toggle_width(label.c_str()), px(edit == OperatorEdit::Same ? 16 : 2));
        toggle(label.c_str(), &edits_[static_cast<std::size_t>(edit)]);
    }
    tooltip("Shows only these; none chosen: all except equal ones");
}

TableOptions OpByOpView::table_options(std::string_view search) const {
    TableOptions options;
    options.search = search;
    if (view_ == 0) {
        options.only = only_;
        options.kept = 2;
        options.columns = {{"edit", "Edit", 0, {}, kEditWidth, true},
                           {"operator", "Operator", 0, {}, kLaunched},
                           {"module", "Module", 0, {}, kModule, true}};
        add_pair(options.columns, "launched", kLaunched);
        add_pair(options.columns, "inputs", kShapes);
        add_pair(options.columns, "kernel_time", 62);
    } else {
        options.columns = {{"operator", "Operator"},
                           {"difference", "Kernels", 0, {}, kModule, true},
                           {"before", "Before", color::of_side(Side::Baseline)},
                           {"after", "After", color::of_side(Side::Candidate)}};
        add_pair(options.columns, "calls", 54);
        add_pair(options.columns, "kernel_time", 62);
    }
    options.columns.push_back({"kernel_time.change", "Change", 0, title_of("kernel_time"), 82});
    options.write = [](const core::Table& table, std::size_t row, std::size_t column) {
        if (table.absent(row, column)) return CellText{.text = std::string(kAbsentText), .ink = color::palette().faint};
        const bool is_change = table.columns()[column].name.ends_with(".change");
        const std::string text = core::format_cell(table, row, column);
        const double value = table.number(row, column);
        return CellText{.text = is_change && value > 0 ? "+" + text : text,
                        .ink = !is_change || value == 0 ? color::palette().text
                               : value > 0              ? color::palette().worse
                                                        : color::palette().better,
                        .exact = core::format_cell_exact(table, row, column)};
    };
    options.paint = paint_op_by_op;
    options.marked = [selected = selected_](const core::Table&, std::size_t row) { return selected == row; };
    return options;
}

// Selects the operators of a row on both sides; a double click also aligns both timelines at them.
void OpByOpView::follow(Frame& frame, const TableHit& hit) {
    const std::optional<std::size_t> row = hit.clicked ? hit.clicked : hit.activated ? hit.activated : hit.shown;
    const core::Comparison& rows = view_ == 0 ? shown_->operators : shown_->kernels;
    // The hit may be of the previous table, whose rows mean other operators.
    if (!row || *row >= rows.sources.size() || hit.table.get() != &rows.table) return;
    selected_ = *row;
    core::BySide<std::optional<core::EventRef>> events;
    for (const Side side : core::kSides) {
        const std::vector<std::size_t>& places = rows.sources[*row][side];
        const core::OperatorSequence& sequence = shown_->compared.sequences[side];
        if (!places.empty())
            events[side] = {static_cast<std::uint32_t>(sequence.slot), sequence.operators[places.front()].event};
    }
    if (events.baseline && events.candidate && !hit.clicked) {
        core::BySide<core::RunRange> ranges;
        core::AlignBy by{.kind = core::AlignBy::Kind::Moments, .step = 0, .moments = {}, .names = {}};
        core::Duration longer{1000};
        for (const Side side : core::kSides) {
            const core::Run& run = *frame.session.run(side);
            ranges[side] = run.range_of(*events[side]);
            by.moments[side] = ranges[side].begin;
            by.names[side] = std::string(run.rank(events[side]->slot).trace().name_text(events[side]->event));
            longer = std::max(longer, ranges[side].length());
        }
        frame.intents.push_back(AlignRuns{std::move(by)});
        for (const Side side : core::kSides)
            frame.of(side).intents.push_back(ShowRange{{ranges[side].begin - longer, ranges[side].begin + longer * 4}});
    }
    for (const Side side : core::kSides)
        if (events[side]) frame.of(side).intents.push_back(SelectEvent{*events[side], true});
}

void OpByOpView::draw(Frame& frame, std::string_view search) {
    const core::BySide<core::RunPtr> runs{frame.session.run(Side::Baseline), frame.session.run(Side::Candidate)};
    const core::RunAlignment& alignment = *frame.session.alignment();
    const Key key{{runs.baseline->id(), runs.candidate->id()},
                  frame.session.filter(),
                  {frame.session.filter(Side::Baseline), frame.session.filter(Side::Candidate)},
                  frame.session.names_by()};
    if (!made_.is_asked(key)) selected_.reset();
    shown_ = made_.ask(frame.session.pool(), key, [key, runs, alignment](const core::JobContext& context) {
        return make(key, runs, alignment, context);
    });
    if (!shown_) return;
    if (!shown_->error.empty()) return empty_state("No operators to align", shown_->error);
    choose_rows();
    draw_controls();
    {
        const FontScope font(small_style());
        for (const std::string& note : shown_->operators.notes) fitted_text(note, color::palette().muted);
    }
    const core::Comparison& rows = view_ == 0 ? shown_->operators : shown_->kernels;
    // An aliasing pointer: the table lives as long as the comparison that holds it.
    const TablePtr table(shown_, &rows.table);
    const TableHit hit =
        table_.draw("table", frame.session.pool(), table, table_options(search), ImGui::GetContentRegionAvail());
    follow(frame, hit);
}

void OpByOpView::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["error"] = shown_->error;
    if (!shown_->error.empty()) return;
    shown["notes"] = shown_->operators.notes;
    for (const OperatorEdit edit : core::kOperatorEdits)
        shown["counts"][std::string(name_of(edit))] = shown_->compared.count(edit);
    if (selected_) shown["selected"] = *selected_;
    table_.describe(shown["table"]);
}

}  // namespace ui
