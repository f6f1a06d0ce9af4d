// The area dragged on the timeline: cost per name and rank, busy kernel classes, and durations of the events of one
// name. With an area in both runs, compares their costs.

#include "ui/charts/histogram.hpp"
#include "ui/model/charts/duration_click.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/area_filter.hpp"
#include "ui/model/panels/scope_text.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/shell/side_title.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/result_table.hpp"
#include "ui/table/totals_tables.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

using SummaryPtr = std::shared_ptr<const core::AreaSummary>;

struct AreaName {
    std::string name;
    bool on_gpu = false;
    bool operator==(const AreaName&) const = default;
};

// Name in a row of the names table; empty for the ranks table, which may stay visible while the other one is built.
AreaName name_in(const core::Table& table, std::size_t row) {
    const std::size_t name = table.find_column("name");
    if (name == table.columns().size()) return {};
    return {std::string(table.text(row, name)), table.text(row, table.find_column("on")) == "GPU"};
}

struct AreaTableKey {
    WeakKey<core::Run> run;
    SummaryPtr summary;
    bool operator==(const AreaTableKey&) const = default;
};

struct BinsKey {
    AreaTableKey area;
    AreaName name;
    bool operator==(const BinsKey&) const = default;
};

constexpr int kShowRankTotals = 1;
constexpr int kShowDurations = 2;  // separate choice with two runs
constexpr float kLeastDurations = 132;   // height at scale 1

// State of one run.
struct AreaSide {
    Deferred<AreaTableKey, TotalsTables> tables;
    Deferred<BinsKey, core::DurationBins> bins;
    AreaFilterMaker filter;
    ScopeText scope;
    std::optional<AreaName> chosen;
    SummaryPtr nothing_in;  // area in which only the other run has events of the chosen row
    // State of the last draw.
    SummaryPtr summary;
    std::shared_ptr<const TotalsTables> made;
    std::shared_ptr<const core::DurationBins> shown_bins;
    AreaName shown_name;
    std::optional<core::Duration> marked;
    core::Duration length{0};
    std::string scope_words;
    std::string unsaid;
    bool bins_drawn = false;

    bool nothing() const { return nothing_in && nothing_in == summary; }
    // Null while stale: tables of an older area must not be joined with the other run's.
    std::shared_ptr<const TotalsTables> fresh_tables() const { return tables.fresh() ? made : nullptr; }
    bool busy() const { return tables.busy() || (bins_drawn && bins.busy()); }
};

class AreaPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    bool by_rank() const { return shown_what_ == kShowRankTotals; }
    ComparisonTable& comparison() { return comparisons_[by_rank()]; }
    const ComparisonTable& comparison() const { return comparisons_[by_rank()]; }
    void draw_head(Frame& frame, Frame& own);
    void draw_filter(Frame& own);
    void draw_classes(const core::ClassTimes& times, std::size_t ranks) const;
    void draw_run(Frame& own);
    void draw_both(Frame& frame);
    void draw_totals(Frame& own, ImVec2 size);
    void draw_comparison(Frame& frame, ImVec2 size);
    void draw_durations(Frame& own);
    bool update_side(Frame& own);
    void choose_name(Frame& own);
    core::BySide<std::optional<AreaName>> names_of(const core::Comparison& joined, std::size_t row) const;
    std::vector<core::Side> shown_sides() const;

    core::BySide<AreaSide> sides_;
    core::BySide<WeakKey<core::Run>> runs_;  // runs of the last draw; when runs swap sides, their state goes with them
    std::array<ComparisonTable, 2> comparisons_;  // by name, by rank
    ResultTable totals_;
    std::string search_;
    int shown_what_ = 0;  // names, ranks, durations
    bool drawn_ = false;
    bool waiting_ = false;
    core::BySide<bool> shown_{};
};

std::string format_area(const AreaSide& side) {
    return core::format_duration(side.length) + "  \xC2\xB7  " +
           core::format_plural(side.summary->events, "event", "events");
}

std::vector<core::Side> AreaPanel::shown_sides() const {
    std::vector<core::Side> sides;
    for (const core::Side side : core::kSides)
        if (shown_[side]) sides.push_back(side);
    return sides;
}

void AreaPanel::draw_filter(Frame& own) {
    AreaSide& side = sides_[own.side];
    const AreaFilter& filter = side.filter.ask(own.session, own.side, *own.view().area, own.view().area_rows);
    side.unsaid = filter.unsaid;
    if (quiet_button("Filter##filter")) own.intents.push_back(SetFilter{filter.filter});
    tooltip(side.unsaid.empty() ? "Filter every table and chart to the area" : side.unsaid);
}

// own: the run whose area the buttons act on.
void AreaPanel::draw_head(Frame& frame, Frame& own) {
    const std::vector<core::Side> sides = shown_sides();
    if (sides.size() == 2)
        choose("by", {"Names", "Ranks", "Durations"}, shown_what_);
    else
        choose("by", {"Names", "Ranks"}, shown_what_);
    same_line_for(px(130), px(16));
    input_text("##search", by_rank() ? "Search ranks" : "Search names", search_, px(130));
    same_line_for(toggle_width("Zoom") + toggle_width("Filter") + px(4), px(8));
    if (quiet_button("Zoom##zoom")) {  // if locked, the other run follows
        const std::span<const core::Side> moved(sides.data(), frame.choices().locked ? 1 : sides.size());
        for (const core::Side side : moved) frame.of(side).intents.push_back(ShowRange{*frame.of(side).view().area});
    }
    ImGui::SameLine(0, px(4));
    draw_filter(own);
    if (sides.size() == 2) {
        if (shown_what_ != kShowDurations) comparison().draw_choices();
        const std::string& first = sides_.baseline.scope_words;
        const std::string& second = sides_.candidate.scope_words;
        return draw_scope(first == second ? first : first + "  |  " + second);
    }
    same_line_for(px(200), px(12));
    ImGui::AlignTextToFramePadding();
    const AreaSide& side = sides_[own.side];
    std::string words = format_area(side) + "  \xC2\xB7  durations cut to the area, summed over its rows";
    if (frame.candidate)
        words = "only the " + std::string(core::name_of(own.side)) + " has an area  \xC2\xB7  " + words;
    fitted_text(words, color::palette().muted);
    if (!side.unsaid.empty()) {
        const FontScope font(small_style());
        fitted_text("As a filter: " + side.unsaid, color::palette().warning);
    }
    draw_scope(side.scope_words);
}

// ranks: those with a stream in the area.
void AreaPanel::draw_classes(const core::ClassTimes& times, std::size_t ranks) const {
    if (times.total().count() == 0) return muted_text("No stream in the area");
    struct Share {
        const char* name;
        core::Duration time;
        ImU32 color;
    };
    const std::array shares{
        Share{.name = "compute", .time = times.compute(), .color = color::palette().compute},
        Share{.name = "exposed communication",
              .time = times.exposed_communication(),
              .color = color::palette().communication},
        Share{.name = "exposed memory", .time = times.exposed_memory(), .color = color::palette().memory},
        Share{.name = "idle", .time = times.idle(), .color = color::palette().idle}};
    const auto whole = static_cast<double>(times.total().count());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    double passed = 0;
    for (const Share& share : shares) {
        const auto left = static_cast<float>(passed / whole) * width;
        passed += static_cast<double>(share.time.count());
        const auto right = static_cast<float>(passed / whole) * width;
        draw_rect(list, {at.x + std::floor(left), at.y}, {at.x + std::floor(right), at.y + px(10)}, share.color);
    }
    ImGui::Dummy({width, px(12)});
    std::string words;
    const FontScope font(small_style());
    for (const Share& share : shares) {
        const std::string word =
            std::string(share.name) + " " + core::format_ratio(static_cast<double>(share.time.count()) / whole);
        same_line_for(text_width(small_style(), word) + px(26), words.empty() ? 0 : px(12));
        const ImVec2 mark = ImGui::GetCursorScreenPos();
        draw_rect(list, {mark.x, mark.y + px(3)}, {mark.x + px(8), mark.y + px(11)}, share.color, px(2));
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(13));
        muted_text(word);
        const auto mean = [&](core::Duration sum) {
            return core::format_duration(sum / static_cast<std::int64_t>(std::max<std::size_t>(1, ranks)));
        };
        tooltip(mean(share.time) + " of " + mean(times.total()) +
                (ranks > 1 ? ", mean of " + core::format_count(ranks) + " ranks" : ""));
        words = word;
    }
}

void AreaPanel::draw_totals(Frame& own, ImVec2 size) {
    AreaSide& side = sides_[own.side];
    TableOptions options;
    options.columns = {{by_rank() ? "rank" : "name"},  {"count"}, {"total"}, {"share"}, {"mean"}, {"min"}, {"max"},
                       {by_rank() ? "names" : "ranks"}};
    if (!by_rank()) options.columns.push_back({"on"});
    if (!by_rank()) options.columns.front().least_width = 260;
    options.kept = 1;
    options.sort_column = "total";
    options.bar_column = "share";
    options.search = search_;
    if (!by_rank())
        options.marked = [&side](const core::Table& table, std::size_t row) {
            return side.shown_name == name_in(table, row);
        };
    const TablePtr table = main_table(by_rank() ? side.made->ranks : side.made->names);
    const TableHit hit = totals_.draw("names", own.session.pool(), table, options, size);
    if (hit.clicked && !by_rank()) side.chosen = name_in(*hit.table, *hit.clicked);
}

// Names for a row of both runs: from the first source row of each side.
core::BySide<std::optional<AreaName>> AreaPanel::names_of(const core::Comparison& joined, std::size_t row) const {
    core::BySide<std::optional<AreaName>> names;
    const core::BySide<core::AnswerPtr> answers = comparisons_[0].answers();
    for (const core::Side side : core::kSides)
        if (!joined.sources[row][side].empty())
            names[side] = name_in(answers[side]->main(), joined.sources[row][side].front());
    return names;
}

void AreaPanel::draw_comparison(Frame& frame, ImVec2 size) {
    ComparisonTable& table = comparison();
    const std::shared_ptr<const core::Comparison> joined = table.comparison();
    if (!joined) return muted_text("Comparing\xE2\x80\xA6");
    ComparisonOptions options = totals_options(search_);
    if (!by_rank())
        options.marked = [&](const core::Table& drawn, std::size_t row) {
            if (&drawn != &joined->table) return false;
            const core::BySide<std::optional<AreaName>> names = names_of(*joined, row);
            return std::ranges::any_of(core::kSides, [&](core::Side side) {
                return names[side] && !sides_[side].nothing() && *names[side] == sides_[side].shown_name;
            });
        };
    const TableHit hit = table.draw("names", frame, options, size);
    if (!hit.clicked || by_rank() || hit.table.get() != &joined->table) return;
    const core::BySide<std::optional<AreaName>> names = names_of(*joined, *hit.clicked);
    for (const core::Side side : core::kSides) {
        sides_[side].chosen = names[side];
        sides_[side].nothing_in = names[side] ? nullptr : sides_[side].summary;
    }
}

// Null if the area has no event of this name.
const core::NameTotals* find_totals(const core::Run& run, const core::AreaSummary& summary, const AreaName& name) {
    const auto found = std::ranges::find_if(summary.names, [&](const core::NameTotals& totals) {
        const core::RankTrace& trace = run.rank(totals.example.slot).trace();
        return name.on_gpu == totals.on_gpu && name.name == trace.name_text(totals.example.event);
    });
    return found == summary.names.end() ? nullptr : &*found;
}

// The colour of its bars on the timeline.
ImU32 color_of(const core::Run& run, const core::AreaSummary& summary, const AreaName& name) {
    const core::NameTotals* totals = find_totals(run, summary, name);
    if (totals == nullptr) return color::of_name(name.name, core::KernelClass::None);
    return color::of_name(name.name, run.rank(totals->example.slot).index->classes().of(totals->example.event));
}

// Chooses the name: the clicked one, else the selected event's, else the one shown for the baseline, else the longest.
void AreaPanel::choose_name(Frame& own) {
    AreaSide& side = sides_[own.side];
    const core::Run& run = *own.run();
    std::vector<AreaName> wanted;
    if (side.chosen) wanted.push_back(*side.chosen);
    if (const core::EventRef selected = own.view().selected; selected.valid()) {
        const core::RankTrace& trace = run.rank(selected.slot).trace();
        wanted.push_back({std::string(trace.name_text(selected.event)), trace.has(selected.event, core::kGpuEvent)});
    }
    if (own.side == core::Side::Candidate && shown_.baseline) wanted.push_back(sides_.baseline.shown_name);
    const auto found = std::ranges::find_if(
        wanted, [&](const AreaName& name) { return find_totals(run, *side.summary, name) != nullptr; });
    const std::vector<core::NameTotals> longest = side.summary->longest();
    side.shown_name = {};
    if (found != wanted.end())
        side.shown_name = *found;
    else if (!longest.empty())
        side.shown_name = {
            std::string(run.rank(longest.front().example.slot).trace().name_text(longest.front().example.event)),
            longest.front().on_gpu};
}

void AreaPanel::draw_durations(Frame& own) {
    AreaSide& side = sides_[own.side];
    const BinsKey key{{own.run(), side.summary}, side.shown_name};
    core::AreaQuery query;
    if (!side.bins.is_asked(key)) {
        query = {.run = own.run(),
                 .range = *own.view().area,
                 .filter = own.filter(),
                 .selections = {},
                 .rows = own.view().area_rows};
        for (std::size_t slot = 0; slot < own.run()->ranks().size(); ++slot)
            query.selections.push_back(own.results.find_selection(own.run(), slot, own.filter()));
    }
    side.shown_bins =
        side.bins.ask(own.session.pool(), key, [query, name = side.shown_name](const core::JobContext& job) {
            const auto durations = core::collect_durations(query, name.name, name.on_gpu, job);
            return durations ? core::count_durations(*durations) : core::DurationBins{};
        });
    side.bins_drawn = true;
    draw_classes(side.summary->times, side.summary->times_of_ranks.size());
    ImGui::Dummy({0, px(2)});
    heading("Durations");
    ImGui::SameLine(0, px(8));
    fitted_text(side.nothing() ? "none of this name" : side.shown_name.name, color::palette().muted);
    if (side.nothing()) return;
    if (const core::EventRef selected = own.view().selected; selected.valid()) {
        const core::RankTrace& trace = own.run()->rank(selected.slot).trace();
        const AreaName own_name{std::string(trace.name_text(selected.event)),
                                trace.has(selected.event, core::kGpuEvent)};
        if (own_name == side.shown_name) side.marked = trace.duration[core::index_of(selected.event)];
    }
    if (!side.shown_bins) return;
    const std::optional<std::size_t> pointed = draw_histogram(
        "##durations",
        {.bins = *side.shown_bins, .marked = side.marked, .bar = color_of(*own.run(), *side.summary, side.shown_name)},
        ImGui::GetContentRegionAvail());
    if (!pointed || side.shown_bins->counts[*pointed] == 0) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left))
        own.intents.push_back(
            SetFilter{with_durations(own.session.filter(), durations_of_bin(*side.shown_bins, *pointed))});
}

// Updates the side's state. False while there is nothing to show.
bool AreaPanel::update_side(Frame& own) {
    AreaSide& side = sides_[own.side];
    side.length = own.view().area->length();
    side.scope_words = side.scope.ask(own.run(), own.filter(), {*own.view().area, own.view().area_rows, false});
    if (own.view().area_rows.empty()) side.scope_words += " \xC2\xB7 all rows";
    side.summary = own.ephemeral().area_summary;
    if (!side.summary) {
        waiting_ = true;
        empty_state("Adding up\xE2\x80\xA6", "The area is summed when the drag ends.");
        return false;
    }
    if (!side.summary->error.empty()) {
        empty_state("Cannot sum the area", side.summary->error);
        return false;
    }
    const AreaTableKey key{own.run(), side.summary};
    side.made = side.tables.ask(own.session.pool(), key, [run = own.run(), key] {
        return tabulate_totals(*run, key.summary->names, key.summary->ranks);
    });
    return true;
}

void AreaPanel::draw_run(Frame& own) {
    sides_[own.side].nothing_in = nullptr;  // was set for two runs
    choose_name(own);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x > px(560);
    const ImVec2 size = beside ? ImVec2{std::floor(room.x * 0.58f), room.y}
                               : ImVec2{room.x, std::max(least_table_height(), std::floor(room.y / 2))};
    draw_totals(own, size);
    if (beside) ImGui::SameLine(0, px(12));
    ImGui::BeginChild("durations", {0, std::max(px(kLeastDurations), ImGui::GetContentRegionAvail().y)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    draw_durations(own);
    ImGui::EndChild();
}

// Draws both totals in one table and, if there is room, each run's own details next to it or below.
void AreaPanel::draw_both(Frame& frame) {
    for (const core::Side side : core::kSides) choose_name(frame.of(side));
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 at = ImGui::GetCursorPos();
    const bool beside = room.x > px(1100);
    const bool below = !beside && room.y > px(420);
    if (shown_what_ != kShowDurations) {
        const ImVec2 size{beside ? std::floor(room.x * 0.5f) : room.x, below ? std::floor(room.y * 0.55f) : room.y};
        draw_comparison(frame, size);
        if (!beside && !below) return;
        ImGui::SetCursorPos(beside ? ImVec2{at.x + size.x + px(12), at.y} : ImVec2{at.x, at.y + size.y + px(6)});
    }
    draw_side_by_side(frame, [&](Frame& own) {
        fitted_text(format_area(sides_[own.side]), color::palette().muted);
        draw_durations(own);
    });
}

void AreaPanel::draw(Frame& frame) {
    drawn_ = waiting_ = false;
    shown_ = {};
    for (AreaSide* side : {&sides_.baseline, &sides_.candidate}) {
        side->made = nullptr;
        side->shown_bins = nullptr;
        side->bins_drawn = false;
        side->summary = nullptr;
        side->marked.reset();
    }
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (runs_.candidate == frame.run()) std::swap(sides_.baseline, sides_.candidate);
    runs_ = {frame.run(), frame.session.run(core::Side::Candidate)};
    bool any = false;
    for (const core::Side side : core::kSides) {
        if (side == core::Side::Candidate && !frame.candidate) continue;
        const std::optional<core::RunRange>& area = frame.of(side).view().area;
        any |= area.has_value();
        shown_[side] = area && !area->empty();
    }
    if (!any) return empty_state("No area", "Drag over rows of the timeline, or along its ruler for everything.");
    const std::vector<core::Side> sides = shown_sides();
    if (sides.size() < 2) shown_what_ = std::min(shown_what_, kShowRankTotals);
    if (sides.empty()) return empty_state("An instant", "Empty time range. Drag to select a longer one.");
    for (const core::Side side : sides)
        if (!update_side(frame.of(side))) return;
    if (sides.size() == 2) {
        ComparisonOptions options = totals_options(search_);
        options.averages = false;  // areas cut steps, so averages would mislead
        update_totals(comparison(), frame, by_rank() ? kAreaRanks : kAreaNames,
                      {sides_.baseline.fresh_tables(), sides_.candidate.fresh_tables()}, by_rank(), options);
    }
    Frame own = frame.of(sides.front());
    own.candidate = nullptr;
    draw_head(frame, own);
    const bool is_empty =
        std::ranges::all_of(sides, [&](core::Side side) { return sides_[side].summary->events == 0; });
    if (is_empty) return empty_state("No event", "Nothing in the area passes the filter.");
    drawn_ = true;
    if (sides.size() == 2) return draw_both(frame);
    if (sides_[own.side].made) draw_run(own);
}

bool AreaPanel::busy() const {
    if (waiting_) return true;
    if (!drawn_) return false;
    const std::vector<core::Side> sides = shown_sides();
    if (std::ranges::any_of(sides, [&](core::Side side) { return sides_[side].busy(); })) return true;
    const ComparisonTable& compared = comparison();
    return sides.size() == 2 ? compared.busy() : sides_[sides.front()].made && totals_.busy();
}

void describe_area(const AreaSide& side, nlohmann::json& shown) {
    if (!side.summary) return;
    if (!side.summary->error.empty()) shown["error"] = side.summary->error;
    shown["length_ns"] = side.length.count();
    shown["events"] = side.summary->events;
    shown["unsaid"] = side.unsaid;
    shown["of"] = side.scope_words;
    shown["busy"] = {{"compute_ns", side.summary->times.compute().count()},
                     {"exposed_communication_ns", side.summary->times.exposed_communication().count()},
                     {"exposed_memory_ns", side.summary->times.exposed_memory().count()},
                     {"idle_ns", side.summary->times.idle().count()}};
    if (!side.shown_bins) return;
    shown["histogram"]["name"] = side.shown_name.name;
    shown["histogram"]["counts"] = side.shown_bins->counts;
    for (const core::Duration edge : side.shown_bins->edges) shown["histogram"]["edges_ns"].push_back(edge.count());
    if (side.marked) shown["histogram"]["marked_ns"] = side.marked->count();
}

void AreaPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    if (shown_.baseline) describe_area(sides_.baseline, shown);
    if (shown_.candidate) describe_area(sides_.candidate, shown["candidate"]);
    if (!drawn_) return;
    if (shown_.baseline && shown_.candidate)
        comparison().describe(shown["comparison"]);
    else
        totals_.describe(shown["names"]);
}

}  // namespace

std::unique_ptr<Panel> make_area_panel() { return std::make_unique<AreaPanel>(); }

}  // namespace ui
