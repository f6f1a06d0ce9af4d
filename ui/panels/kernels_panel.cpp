// Every kernel by name: of all ranks together or rank by rank, by time or by count.

#include "ui/ask.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/filter_clicks.hpp"
#include "ui/view_models/kernels_model.hpp"
#include "ui/view_models/siblings_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/result_table.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

constexpr std::string_view kHint = "click filters, Ctrl+click charts, double-click shows the longest";

struct LongestKey {
    core::RunPtr run;
    std::string kernel;
    core::Filter filter;
    std::uint64_t asked = 0;   // so that asking again is another search
    bool operator==(const LongestKey&) const = default;
};

bool is_filtered_by(const core::Filter& filter, std::string_view kernel) {
    return std::ranges::any_of(filter.terms, [kernel](const core::FilterTerm& term) {
        const auto* name = std::get_if<core::NameTerm>(&term.what);
        return name && !term.negated && !name->is_regex && name->text == kernel;
    });
}

class KernelsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !merged_.fresh() || !table_.fresh() || !longest_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_hint();
    void draw_table(Frame& frame, const TablePtr& table);
    void choose_kernel(Frame& frame, std::string name);
    void follow_longest(Frame& frame);

    Derived<core::AnswerPtr, core::Table> merged_;
    Derived<LongestKey, core::EventRef> longest_;
    LongestKey wanted_;
    std::string clicked_;     // the kernel of the last plain click
    bool going_ = false;      // to the longest event, once it is found
    ResultTable table_;
    std::string search_;
    int per_rank_ = 0;
    int by_count_ = 0;
    bool fresh_ = false;
};

void KernelsPanel::draw_hint() {
    const std::string rows = core::format_count(static_cast<std::int64_t>(table_.shown_rows())) +
                             (table_.shown_rows() == 1 ? " row" : " rows");
    const std::string long_hint = rows + "  \xC2\xB7  " + std::string(kHint);
    ImGui::SameLine(0, px(16));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string& hint = text_width(small_style(), long_hint) < room ? long_hint : rows;
    if (text_width(small_style(), hint) < room)
        draw_text_right(ImGui::GetWindowDrawList(), small_style(), {at.x + room, at.y + px(5)}, color::kFaint, hint);
    ImGui::NewLine();
}

void KernelsPanel::draw_controls(Frame& frame) {
    choose("ranks", {"All ranks", "Per rank"}, per_rank_);
    ImGui::SameLine(0, px(16));
    choose("by", {"By time", "By count"}, by_count_);
    ImGui::SameLine(0, px(16));
    input_text("##search", "Search kernels", search_, px(180));
    if (!frame.state.chosen_kernels.empty()) {
        ImGui::SameLine(0, px(8));
        if (quiet_button("Clear chosen##clear")) frame.intents.push_back(ChooseKernels{});
    }
    draw_hint();
}

void KernelsPanel::choose_kernel(Frame& frame, std::string name) {
    std::vector<std::string> names = frame.state.chosen_kernels;
    if (const auto found = std::ranges::find(names, name); found != names.end())
        names.erase(found);
    else
        names.push_back(std::move(name));
    frame.intents.push_back(ChooseKernels{std::move(names)});
}

// The search runs on the pool; when it is done the timeline goes there.
void KernelsPanel::follow_longest(Frame& frame) {
    if (wanted_.run != frame.run()) going_ = false;
    if (!going_) return;
    std::vector<core::SelectionPtr> selections;
    for (std::size_t slot = 0; slot < wanted_.run->ranks().size(); ++slot)
        selections.push_back(wanted_.filter.without_time_and_rank().empty()
                                 ? nullptr
                                 : frame.results.find_selection(wanted_.run, slot, wanted_.filter));
    const auto found = longest_.ask(frame.session.pool(), wanted_, [key = wanted_, selections] {
        return find_longest(*key.run, key.kernel, key.filter, selections);
    });
    if (!longest_.fresh()) return;
    going_ = false;
    if (found && found->valid()) frame.intents.push_back(SelectEvent{*found, true});
}

void KernelsPanel::draw_table(Frame& frame, const TablePtr& table) {
    if (table->rows() == 0)
        return empty_state("No GPU event passes the filter", "A trace without a GPU, or a filter that leaves nothing.");
    TableOptions options;
    options.sort_column = by_count_ == 1 ? "count" : "total";
    options.bar_column = by_count_ == 1 && per_rank_ == 0 ? "count_share" : "share";
    if (per_rank_ == 0) options.hidden = {by_count_ == 1 ? "share" : "count_share"};
    options.search = search_;
    const core::Filter& filter = frame.filter();
    options.marked = [&](const core::Table& shown, std::size_t row) {
        const std::string_view kernel = shown.text(row, shown.find_column("kernel"));
        return std::ranges::find(frame.state.chosen_kernels, kernel) != frame.state.chosen_kernels.end() ||
               is_filtered_by(filter, kernel);
    };
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = ImGui::GetContentRegionAvail();
    const TableHit hit = table_.draw("kernels", frame.session.pool(), table, options, size);
    const auto name = [&](std::size_t row) {
        return std::string(hit.table->text(row, hit.table->find_column("kernel")));
    };
    if (hit.clicked && ImGui::GetIO().KeyCtrl) return choose_kernel(frame, name(*hit.clicked));
    if (hit.clicked) {
        clicked_ = name(*hit.clicked);
        frame.intents.push_back(SetFilter{with_name(frame.session.filter(), clicked_)});
    }
    // The first click has filtered the rows: what lies under the pointer now may be another one.
    const bool inside = ImGui::IsMouseHoveringRect(at, {at.x + size.x, at.y + size.y});
    if (clicked_.empty() || !inside || !ImGui::IsMouseDoubleClicked(0)) return;
    wanted_ = {frame.run(), clicked_, filter, wanted_.asked + 1};
    going_ = true;
}

void KernelsPanel::draw(Frame& frame) {
    fresh_ = false;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    const core::Request request = ask(frame, "kernels", "kernels");
    draw_controls(frame);
    follow_longest(frame);
    TablePtr table = per_rank_ == 1 ? main_table(request.answer) : nullptr;
    if (per_rank_ == 0 && request.answer)
        table = merged_.ask(frame.session.pool(), request.answer,
                            [answer = request.answer] { return merge_ranks(answer->main()); });
    fresh_ = request.fresh && merged_.fresh() && table_.fresh();
    if (!begin_answer(request, "kernels", merged_.fresh() && table_.fresh())) return;
    if (table) draw_table(frame, table);
    end_answer();
}

void KernelsPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    shown["per_rank"] = per_rank_ == 1;
    shown["top_by"] = by_count_ == 1 ? "count" : "time";
    shown["search"] = search_;
    table_.describe(shown["table"]);
}

}  // namespace

std::unique_ptr<Panel> make_kernels_panel() { return std::make_unique<KernelsPanel>(); }

}  // namespace ui
