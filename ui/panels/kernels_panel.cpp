#include "ui/ask.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/kernels_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/result_table.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include "core/base/format.hpp"

#include <algorithm>

namespace ui {
namespace {

core::Filter with_name(core::Filter filter, std::string_view name) {
    filter.terms.push_back({false, core::NameTerm{std::string(name), false}});
    return filter;
}

class KernelsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !merged_.fresh(); }

private:
    void draw_table(Frame& frame, const core::Table& table, const void* identity);
    void update_marks(const Frame& frame, const core::Table& table, const void* identity);

    Derived<core::AnswerPtr, core::Table> merged_;
    ResultTable table_;
    std::string search_;
    int per_rank_ = 0;
    std::vector<bool> marks_;
    std::pair<const void*, std::vector<std::string>> marked_for_;
};

void KernelsPanel::update_marks(const Frame& frame, const core::Table& table, const void* identity) {
    if (marked_for_.first == identity && marked_for_.second == frame.state.chosen_kernels &&
        marks_.size() == table.rows())
        return;
    marked_for_ = {identity, frame.state.chosen_kernels};
    marks_.assign(table.rows(), false);
    const std::size_t kernel = table.find_column("kernel");
    const std::vector<std::string>& chosen = frame.state.chosen_kernels;
    if (chosen.empty() || kernel == table.columns().size()) return;
    for (std::size_t row = 0; row < table.rows(); ++row)
        marks_[row] = std::ranges::find(chosen, table.text(row, kernel)) != chosen.end();
}

void KernelsPanel::draw_table(Frame& frame, const core::Table& table, const void* identity) {
    if (table.rows() == 0)
        return empty_state("No GPU event passes the filter", "A trace without a GPU, or a filter that leaves nothing.");
    update_marks(frame, table, identity);
    TableOptions options;
    options.bar_column = "share";
    options.sort_column = "total";
    options.search = search_;
    options.marked_rows = &marks_;
    const TableHit hit = table_.draw("kernels", table, identity, options, ImGui::GetContentRegionAvail());
    const std::size_t kernel = table.find_column("kernel");
    if (hit.clicked) {
        std::vector<std::string> names;
        if (ImGui::GetIO().KeyCtrl) names = frame.state.chosen_kernels;
        const std::string name(table.text(*hit.clicked, kernel));
        if (const auto found = std::ranges::find(names, name); found != names.end())
            names.erase(found);
        else
            names.push_back(name);
        frame.intents.push_back(ChooseKernels{std::move(names)});
    }
    if (hit.activated)
        frame.intents.push_back(SetFilter{with_name(frame.session.filter(), table.text(*hit.activated, kernel))});
}

void KernelsPanel::draw(Frame& frame) {
    const core::Request request = ask(frame, "kernels", "kernels");
    choose("by", {"All ranks", "Per rank"}, per_rank_);
    ImGui::SameLine(0, px(16));
    input_text("##search", "Search kernels", search_, px(220));
    if (!frame.state.chosen_kernels.empty()) {
        ImGui::SameLine(0, px(8));
        if (quiet_button("Clear chosen##clear")) frame.intents.push_back(ChooseKernels{});
    }
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string hint = core::format_count(static_cast<std::int64_t>(table_.shown_rows())) +
                             " rows  \xC2\xB7  click shows durations, double-click filters";
    ImGui::SameLine(0, px(16));
    const float width = text_width(small_style(), hint);
    if (ImGui::GetCursorPosX() + width < room) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        draw_text_right(ImGui::GetWindowDrawList(), small_style(),
                        {at.x + ImGui::GetContentRegionAvail().x, at.y + px(5)}, color::kFaint, hint);
    }
    ImGui::NewLine();
    if (!begin_answer(request, "kernels")) return;
    if (per_rank_ == 1) {
        draw_table(frame, request.answer->main(), request.answer.get());
    } else {
        const auto merged = merged_.ask(frame.session.pool(), request.answer,
                                        [answer = request.answer] { return merge_ranks(answer->main()); });
        if (merged) draw_table(frame, *merged, merged.get());
    }
    end_answer();
}

}  // namespace

std::unique_ptr<Panel> make_kernels_panel() { return std::make_unique<KernelsPanel>(); }

}  // namespace ui
