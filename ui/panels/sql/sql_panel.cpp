// SQL over the run: a query, its rows as table or bars. Read-only, with limits on time and memory; Escape stops it.

#include "ui/panels/sql/sql_panel.hpp"

#include "ui/model/panel.hpp"
#include "ui/panels/sql/sql_editor.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/answer_chart.hpp"
#include "ui/table/result_table.hpp"

#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"
#include "core/sql/sql_query.hpp"
#include "core/sql/sql_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace ui {
namespace {

using AnswerOfSql = std::shared_ptr<const core::SqlAnswer>;

constexpr std::size_t kMostRemembered = 50;
constexpr std::size_t kMostBars = 500;
constexpr core::SqlLimits kLimits{
    .time = std::chrono::minutes(1), .memory_bytes = std::uint64_t{512} << 20, .result_bytes = std::uint64_t{64} << 20};
constexpr std::size_t kMostOfLine = 120;  // characters of a query in the history
constexpr double kNotable = 1;  // seconds; longer queries show their time
constexpr float kLeastBeside = 640, kEditorShare = 0.44f;
constexpr float kEditorLines = 4.6f;

struct SqlQuestion {
    std::uint64_t run = 0;
    core::Filter filter;
    std::string query;
    bool operator==(const SqlQuestion&) const = default;
};

bool is_number(const core::Column& column) {
    return column.unit != core::Unit::Text && column.unit != core::Unit::Event && column.unit != core::Unit::Rank;
}

class SqlPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return static_cast<bool>(job_) || (drawn_ && table_.busy()); }
    void describe(nlohmann::json& shown) const override;

private:
    void start(const Frame& own);
    void poll();
    void stop(Frame& frame);
    void draw_bar(Frame& frame);
    void draw_head();
    void draw_history();
    void draw_chart_choices(const core::Table& table);
    void draw_result(Frame& own);
    void draw_table(Frame& own);
    void draw_chart(const core::Table& table);
    std::string format_state() const;

    SqlEditor editor_;
    std::vector<std::string> history_;  // latest first
    int side_ = 0;
    int shown_ = 0;  // table, chart
    SqlQuestion asked_;
    bool repeats_ = false;  // repeats the last query when run or filter change
    core::Job<AnswerOfSql> job_;
    std::chrono::steady_clock::time_point began_;
    double seconds_ = 0;
    AnswerOfSql answer_;
    core::RunPtr run_of_answer_;
    core::RunPtr run_of_job_;
    std::string error_;
    ResultTable table_;
    std::string search_;
    std::string label_, value_;  // columns of the chart
    std::string series_;
    core::OverRanks over_ = core::OverRanks::Mean;
    bool drawn_ = false;
    bool run_pressed_ = false;
};

void SqlPanel::start(const Frame& own) {
    const core::RunPtr run = own.run();
    asked_.run = run->id();
    asked_.filter = own.filter();
    error_.clear();
    repeats_ = true;
    run_of_job_ = run;
    began_ = std::chrono::steady_clock::now();
    job_ = core::Job<AnswerOfSql>::start(
        own.session.pool(), [run, question = asked_](const core::JobContext& context) -> core::Result<AnswerOfSql> {
            core::SqlOptions options;
            options.limits = kLimits;
            options.threads = std::max(1u, std::thread::hardware_concurrency());
            options.with_units = true;
            core::Result<core::SqlAnswer> answer =
                core::run_sql(*run, question.filter, question.query, options, context);
            if (!answer) return std::move(answer).error();
            return std::make_shared<const core::SqlAnswer>(*std::move(answer));
        });
}

void SqlPanel::poll() {
    const auto* result = job_ ? job_.poll() : nullptr;
    if (!result) return;
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (*result) {
        answer_ = **result;
        run_of_answer_ = run_of_job_;
    } else {
        error_ = result->error().message;
        repeats_ = false;
    }
    job_ = {};
}

void SqlPanel::stop(Frame& frame) {
    job_.cancel();
    job_ = {};
    error_ = "Stopped";
    repeats_ = false;
    frame.intents.push_back(TakeEscape{});
}

void SqlPanel::draw_history() {
    ImGui::SetNextItemWidth(px(110));
    if (!begin_combo("##history", "History", ImGuiComboFlags_HeightLarge)) return;
    if (history_.empty()) muted_text("No query yet");
    for (std::size_t i = 0; i < history_.size(); ++i) {
        std::string line = history_[i];
        std::ranges::replace(line, '\n', ' ');
        if (selectable((cut_text(line, kMostOfLine) + "##query:" + std::to_string(i)).c_str(), false))
            editor_.set_text(history_[i]);
    }
    ImGui::EndCombo();
}

void SqlPanel::draw_chart_choices(const core::Table& table) {
    const auto choose_column = [&](const char* id, const char* what, std::string& chosen, bool numbers) {
        same_line_for(px(190), px(10));
        ImGui::AlignTextToFramePadding();
        muted_text(what);
        ImGui::SameLine(0, px(4));
        ImGui::SetNextItemWidth(px(130));
        if (!begin_combo(id, chosen)) return;
        for (std::size_t i = 0; i < table.columns().size(); ++i) {
            const core::Column& column = table.columns()[i];
            if (numbers && !is_number(column)) continue;
            const std::string entry = cut_text(column.name, kMostOfLine) + "##column:" + std::to_string(i);
            if (selectable(entry.c_str(), column.name == chosen)) chosen = column.name;
        }
        ImGui::EndCombo();
    };
    choose_column("##label", "label", label_, false);
    choose_column("##value", "value", value_, true);
}

std::string SqlPanel::format_state() const {
    if (job_) return "Running\xE2\x80\xA6  Escape stops";
    if (!answer_) return "";
    std::string words = core::format_plural(answer_->table.rows(), "row", "rows");
    if (seconds_ >= kNotable)
        words += "  \xC2\xB7  " + core::format_duration(core::Duration{static_cast<std::int64_t>(seconds_ * 1e9)});
    if (!asked_.filter.empty()) words += "  \xC2\xB7  selection: " + core::format_filter(asked_.filter);
    return words;
}

void SqlPanel::draw_bar(Frame& frame) {
    if (job_) {
        if (button("Stop##run")) stop(frame);
    } else if (button("Run##run")) {
        run_pressed_ = true;
    }
    ImGui::SameLine(0, px(8));
    draw_history();
    if (frame.candidate) {
        same_line_for(px(170), px(10));
        const ItemScope scope("side");
        choose("side", {"Baseline", "Candidate"}, side_);
    }
}

// How to show the rows, and the state of the query.
void SqlPanel::draw_head() {
    {
        const ItemScope scope("show");
        choose("show", {"Table", "Bars"}, shown_);
    }
    if (answer_ && shown_ == 1) draw_chart_choices(answer_->table);
    if (shown_ == 0) {
        same_line_for(px(150), px(10));
        input_text("##search", "Search the rows", search_, px(150));
    }
    same_line_for(px(160), px(10));
    ImGui::AlignTextToFramePadding();
    fitted_text(error_.empty() ? format_state() : error_,
                error_.empty() ? color::palette().muted : color::palette().error);
}

// A row with an event id selects the event.
void SqlPanel::draw_table(Frame& own) {
    TableOptions options;
    options.search = search_;
    const TablePtr table(answer_, &answer_->table);
    const std::vector<core::Column>& columns = table->columns();
    const auto id =
        static_cast<std::size_t>(std::ranges::find(columns, core::Unit::Event, &core::Column::unit) - columns.begin());
    const auto event_of = [&](const core::Table& shown, std::size_t row) {
        if (run_of_answer_ != own.run() || id >= shown.columns().size() || shown.absent(row, id))
            return core::EventRef{};
        return core::find_sql_event(*run_of_answer_, shown.integer(row, id)).value_or(core::EventRef{});
    };
    if (id < columns.size())
        options.marked = [&](const core::Table& shown, std::size_t row) {
            return own.view().selected.valid() && event_of(shown, row) == own.view().selected;
        };
    const ItemScope scope("rows");
    const TableHit hit = table_.draw("rows", own.session.pool(), table, options, ImGui::GetContentRegionAvail());
    if (hit.escaped) own.intents.push_back(TakeEscape{});
    if (!hit.clicked || hit.table != table) return;
    const core::EventRef event = event_of(*hit.table, *hit.clicked);
    if (event.valid()) own.intents.push_back(SelectEvent{event, true});
}

void SqlPanel::draw_chart(const core::Table& table) {
    const std::vector<core::Column>& columns = table.columns();
    const std::size_t label = table.find_column(label_), value = table.find_column(value_);
    if (label >= columns.size() || value >= columns.size())
        return empty_state("No bars", "Bars need a column of numbers. Choose label and value above.");
    core::ChartModel chart;
    chart.kind = core::ChartKind::Bars;
    chart.unit = columns[value].unit;
    chart.parts = {columns[value].name};
    chart.parts_are_names = true;
    chart.category = label;
    chart.measure = columns[value].name;
    chart.has_numbers = true;
    for (std::size_t row = 0; row < std::min(table.rows(), kMostBars); ++row) {
        const bool known = !table.absent(row, value);
        chart.items.push_back({.label = core::format_cell(table, row, label),
                               .values = {known ? table.number(row, value) : 0},
                               .row = row,
                               .known = known,
                               .rows_of_parts = {}});
    }
    if (table.rows() > kMostBars)
        muted_text("the first " + std::to_string(kMostBars) + " of " +
                   core::format_plural(table.rows(), "row", "rows"));
    draw_answer_chart(chart, nullptr, series_, over_, ImGui::GetContentRegionAvail(), {});
}

void SqlPanel::draw_result(Frame& own) {
    if (!answer_) {
        if (!job_) empty_state("No rows", "Type a query and press Ctrl+Enter. After  from  the tables are listed.");
        return;
    }
    if (answer_->table.rows() == 0) return empty_state("No rows", "The query has no result.");
    const core::Table& table = answer_->table;
    const std::vector<core::Column>& columns = table.columns();
    if (table.find_column(label_) >= columns.size()) label_ = columns.empty() ? "" : columns.front().name;
    const std::size_t value = table.find_column(value_);
    if (value >= columns.size() || !is_number(columns[value])) {
        value_.clear();
        for (const core::Column& column : columns)
            if (is_number(column) && column.name != label_) value_ = column.name;  // the last one, usually the sort key
    }
    drawn_ = shown_ == 0;
    if (shown_ == 0)
        draw_table(own);
    else
        draw_chart(table);
}

void SqlPanel::draw(Frame& frame) {
    drawn_ = false;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (!frame.candidate) side_ = 0;
    Frame& own = frame.of(side_ == 0 ? core::Side::Baseline : core::Side::Candidate);
    poll();
    run_pressed_ = false;
    // Next to each other if there is room, because drawers are wider than high.
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x > px(kLeastBeside);
    const float lines = std::floor(ImGui::GetTextLineHeight() * kEditorLines);
    bool entered = false;
    if (beside) {
        ImGui::BeginChild("editor", {std::floor(room.x * kEditorShare), room.y});
        entered = editor_.draw({ImGui::GetContentRegionAvail().x, std::max(lines, room.y - px(76))});
        draw_bar(frame);
        ImGui::EndChild();
        ImGui::SameLine(0, px(12));
        ImGui::BeginChild("result", {0, room.y});
        draw_head();
    } else {
        entered = editor_.draw({room.x, lines});
        draw_bar(frame);
        draw_head();
    }
    if (entered || run_pressed_) {
        asked_.query = editor_.text();
        std::erase(history_, asked_.query);
        history_.insert(history_.begin(), asked_.query);
        history_.resize(std::min(history_.size(), kMostRemembered));
        start(own);
    } else if (repeats_ && (asked_.run != own.run()->id() || !(asked_.filter == own.filter()))) {
        start(own);
    }
    const bool escaped = job_ && !escape_is_spent() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false);
    if (escaped) stop(frame);
    draw_result(own);
    if (beside) ImGui::EndChild();
}

void SqlPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    editor_.describe(shown);
    shown["error"] = error_;
    shown["running"] = static_cast<bool>(job_);
    shown["history"] = history_;
    shown["selection"] = core::format_filter(asked_.filter);
    shown["shows"] = shown_ == 0 ? "table" : "bars";
    if (!answer_) return;
    shown["rows"] = answer_->table.rows();
    if (shown_ == 0)
        table_.describe(shown["table"]);
    else
        shown["bars"] = {{"label", label_}, {"value", value_}};
}

}  // namespace

std::unique_ptr<Panel> make_sql_panel() { return std::make_unique<SqlPanel>(); }

}  // namespace ui
