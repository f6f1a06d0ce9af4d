#include "ui/table/explainer.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/event_counts.hpp"
#include "core/analysis/engine/explain_column.hpp"
#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"
#include "core/store/string_table.hpp"
#include "ui/model/row_facets.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/result_table.hpp"

namespace ui {
namespace {

constexpr float kHintWidth = 430;          // at scale 1: about 60 characters
constexpr std::size_t kLongestRow = 1000;  // for a row's name

struct HintLine {  // empty text: a gap
    std::string words;
    ImU32 ink = color::palette().muted;
};
using HintLines = std::vector<HintLine>;

void draw_hint(const std::string& head, const std::string& beside, const HintLines& lines) {
    std::string all = beside.empty() ? head : head + "  " + beside;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(px(kHintWidth));
    heading(head);
    if (!beside.empty()) {
        ImGui::SameLine(0, px(10));
        muted_text(beside);
    }
    for (const HintLine& line : lines) {
        if (line.words.empty())
            ImGui::Dummy({0, px(2)});
        else
            text(line.words, line.ink);
        if (!line.words.empty()) all += "\n" + line.words;
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    record_tooltip(all);
}

// "12 of 40 GPU events". The analysis's definition says which of them it counts.
std::string count_words(std::uint64_t passed, std::uint64_t all, std::string_view what) {
    const std::string of_what = " " + std::string(what);
    if (passed == all) return "All " + core::format_count(all) + of_what;
    return core::format_count(passed) + " of " + core::format_count(all) + of_what + " in the filter, " +
           core::format_count(all - passed) + " left out";
}

// Lines for one run: GPU events and, if relevant, CPU events.
HintLines count_lines(Frame& own, const std::string& whose, bool with_cpu) {
    const std::uint64_t slot = core::hash_text("explain/counts") + static_cast<std::uint64_t>(own.side);
    const core::Request request = own.results.request(slot, core::event_counting(), own.run(), own.filter(), {});
    if (!request.error.empty()) return {{whose + request.error, color::palette().warning}};
    if (!request.fresh || !request.answer) return {{whose + "Counting events\xE2\x80\xA6"}};
    const core::EventCounts counts = core::counts_of(*request.answer);
    HintLines lines;
    if (counts.gpu > 0 || !with_cpu)
        lines.push_back({whose + count_words(counts.gpu_passed, counts.gpu, "GPU events")});
    if (with_cpu) lines.push_back({whose + count_words(counts.cpu_passed, counts.cpu, "CPU events")});
    return lines;
}

// "Total, change" for a comparison's "total.change".
std::string title_of_column(const core::Column& column) {
    const std::size_t dot = column.name.find('.');
    if (dot == std::string::npos) return title_of(column.name);
    return title_of(column.name.substr(0, dot)) + ", " + column.name.substr(dot + 1);
}

std::string filter_words(const core::Filter& filter) {
    return "Filter: " + (filter.empty() ? std::string("none, the whole run") : core::format_filter(filter));
}

}  // namespace

std::string explain_briefly(const core::Analysis& analysis, std::string_view name) {
    for (const core::Column& column : analysis.columns()) {
        if (column.name != name) continue;
        const core::Explanation said = core::explain_column(analysis, column);
        return title_of_column(column) + ", " + std::string(said.unit) +
               (said.meaning.empty() ? "" : ": " + said.meaning);
    }
    return {};
}

ChartNotes notes_of_column(const core::Analysis& analysis, std::string_view column) {
    return {[&analysis, name = std::string(column)](std::size_t) { return explain_briefly(analysis, name); }, false};
}

void Explainer::draw_column(const core::Column& column) const {
    const core::Explanation said = core::explain_column(analysis_, column);
    HintLines lines;
    if (!said.meaning.empty()) lines.push_back({said.meaning, color::palette().text});
    lines.push_back({});
    lines.push_back({std::string(said.summary)});
    lines.push_back({said.definition});
    lines.push_back({});
    lines.push_back({filter_words(frame_.named_filter()), color::palette().text});
    for (const core::Side side : core::kSides) {
        if (side != frame_.side && !frame_.candidate) continue;
        std::string whose = frame_.candidate ? title_of(core::name_of(side)) + ": " : std::string();
        for (HintLine& line : count_lines(frame_.of(side), whose, analysis_.of_cpu)) lines.push_back(std::move(line));
        if (!answers_[side]) continue;
        for (const core::Excluded& excluded : answers_[side]->excluded)
            lines.push_back({whose + "Left out: " + core::format_count(excluded.count) + " " + excluded.what});
    }
    if (core::find_analysis(analysis_.id))
        lines.push_back({"Full definition: lockstep analyses " + std::string(analysis_.id), color::palette().faint});
    draw_hint(title_of_column(column), std::string(said.unit), lines);
}

void Explainer::draw_column(std::string_view name) const {
    for (const core::Column& column : analysis_.columns())
        if (column.name == name) draw_column(column);
}

void Explainer::draw_value(const core::Table& table, std::size_t row, std::size_t column, std::string_view shown,
                           std::string_view exact) const {
    const core::Explanation said = core::explain_column(analysis_, table.columns()[column]);
    std::string name = core::name_of_row(table, row);
    if (name.size() > kLongestRow) name = name.substr(0, kLongestRow) + "\xE2\x80\xA6";
    HintLines lines{{std::move(name), color::palette().text},
                    {title_of_column(table.columns()[column]) + ": " + said.meaning}};
    lines.push_back({filter_words(frame_.named_filter())});
    if (is_one_event(table, row))
        lines.push_back({"A click selects the event, a double click shows it", color::palette().faint});
    else if (!facets_of(table, row).empty())
        lines.push_back({"A right click lists the events", color::palette().faint});
    draw_hint(std::string(exact), shown == exact ? std::string() : std::string(shown), lines);
}

}  // namespace ui
