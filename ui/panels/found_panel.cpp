// Results of the timeline's search: totals by name or rank (compared for two runs), and each run's events. A click on a
// row narrows the events; a click on an event goes to it.

#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/event_table.hpp"
#include "ui/shell/side_title.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/comparison_table.hpp"
#include "ui/table/totals_tables.hpp"

#include "core/base/format.hpp"
#include "core/query/found_summary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr int kShowRanks = 1;
constexpr int kShowHits = 2;  // separate choice with two runs

// Row of one run that narrows the list of events.
struct FoundChoice {
    std::vector<std::string> names;  // empty: any name
    std::optional<bool> on_gpu;
    std::optional<core::RankKey> rank;
    bool nothing = false;  // only the other run has the row
    bool operator==(const FoundChoice&) const = default;
    bool any() const { return nothing || rank || !names.empty(); }
};

struct HitsKey {
    WeakKey<core::FoundEvents> found;
    FoundChoice choice;
    bool operator==(const HitsKey&) const = default;
};

// State of one run.
struct FoundSide {
    FindStatus status;  // valid while drawing
    std::optional<std::size_t> count;  // number of events in status
    FoundChoice choice;
    Deferred<WeakKey<core::FoundEvents>, TotalsTables> tables;
    std::shared_ptr<const TotalsTables> made;
    Deferred<HitsKey, core::EventListPtr> hits;
    core::EventListPtr listed;
    ResultTable hit_table;
    bool lists = false;  // events are listed in this frame

    // Null while stale: tables of an older search must not be joined with the other run's.
    std::shared_ptr<const TotalsTables> fresh_tables() const { return tables.fresh() ? made : nullptr; }
    bool busy() const { return !tables.fresh() || (lists && (!hits.fresh() || (listed && !hit_table.fresh()))); }
};

class FoundPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    bool by_rank() const { return shown_ == kShowRanks; }
    ComparisonTable& comparison() { return comparisons_[by_rank()]; }
    const ComparisonTable& comparison() const { return comparisons_[by_rank()]; }
    void draw_head(Frame& frame);
    void draw_filter_button(Frame& frame) const;
    void draw_found(Frame& frame);
    void draw_run(Frame& frame);
    void draw_both(Frame& frame);
    void draw_totals(Frame& frame, ImVec2 size);
    void draw_comparison(Frame& frame, ImVec2 size);
    void draw_hits(Frame& own);
    void read_status(Frame& own);
    void ask_totals(Frame& own);
    void choose_rows(const core::BySide<FoundChoice>& chosen);
    core::BySide<FoundChoice> choices_of(const core::Comparison& joined, std::size_t row) const;
    std::string format_found(core::Side side) const;

    core::BySide<FoundSide> sides_;  // with one run, the baseline's
    core::BySide<WeakKey<core::Run>> runs_;  // runs of the last draw; when runs swap sides, their state goes with them
    std::array<ComparisonTable, 2> comparisons_;  // by name, by rank
    ResultTable totals_;
    std::string search_;
    int shown_ = 0;  // names, ranks, hits
    bool drawn_ = false;
    bool comparing_ = false;
};

std::string format_search(const FindStatus& status) {
    if (!status.error.empty()) return status.error;
    if (status.searching)
        return status.progress > 0 ? "Searching arguments, " + core::format_ratio(status.progress) + " done"
                                   : "Searching\xE2\x80\xA6";
    return "";
}

void FoundPanel::draw_filter_button(Frame& frame) const {
    const core::FindText text = core::parse_find_text(sides_.baseline.status.text, frame.choices().find_arguments);
    const bool can = !text.name.text.empty();
    if (quiet_button("As filter##as-filter") && can) {
        core::Filter filter = frame.session.filter();
        const core::FilterTerm term{false, text.name};
        if (std::ranges::find(filter.terms, term) == filter.terms.end()) {
            filter.terms.push_back(term);
            frame.intents.push_back(SetFilter{filter});
        }
    }
    if (!can)
        tooltip("Filters have no term for arguments");
    else
        tooltip(text.reads_arguments() ? "Filters by the name only: filters have no term for arguments"
                                       : "Adds the search to the filter of every table and chart");
}

// "1,204 events  ·  total 3.1 ms", or why there are none.
std::string FoundPanel::format_found(core::Side side) const {
    const FindStatus& status = sides_[side].status;
    std::string words;
    if (status.found) {
        const std::size_t count = status.found->count();
        words = core::format_count(std::uint64_t{count}) + (count == 1 ? " event" : " events") + "  \xC2\xB7  total " +
                core::format_duration(status.found->total());
    }
    if (const std::string said = format_search(status); !said.empty())
        words += (words.empty() ? "" : "  \xC2\xB7  ") + said;
    return words;
}

void FoundPanel::draw_head(Frame& frame) {
    if (comparing_)
        choose("by", {"Names", "Ranks", "Hits"}, shown_);
    else
        choose("by", {"Names", "Ranks"}, shown_);
    const float search = px(comparing_ ? 130 : 150);
    same_line_for(search, px(16));
    input_text("##search", "Search the totals", search_, search);
    same_line_for(toggle_width("As filter"), px(8));
    draw_filter_button(frame);
    const FindStatus& status = sides_.baseline.status;
    std::string words = "\"" + status.text + "\"";
    if (comparing_) {  // one count per run
        if (shown_ != kShowHits) comparison().draw_choices();
        ImGui::SameLine(0, px(12));
        if (ImGui::GetContentRegionAvail().x < text_width(ui_style(), words)) return ImGui::NewLine();
    } else {
        same_line_for(px(200), px(12));
        if (const std::string said = format_found(core::Side::Baseline); !said.empty()) words += "  \xC2\xB7  " + said;
    }
    ImGui::AlignTextToFramePadding();
    fitted_text(words, status.error.empty() ? color::palette().muted : color::palette().error);
}

// Narrows the events to the chosen row; a second click on it lists all again.
void FoundPanel::choose_rows(const core::BySide<FoundChoice>& chosen) {
    const bool again = sides_.baseline.choice == chosen.baseline && sides_.candidate.choice == chosen.candidate;
    for (const core::Side side : core::kSides) sides_[side].choice = again ? FoundChoice{} : chosen[side];
}

FoundChoice choice_of(const core::Table& table, std::size_t row) {
    FoundChoice choice;
    if (const std::size_t rank = table.find_column("rank"); rank < table.columns().size()) {
        choice.rank = core::RankKey::unpacked(table.integer(row, rank));
    } else {
        choice.names = {std::string(table.text(row, table.find_column("name")))};
        choice.on_gpu = table.text(row, table.find_column("on")) == "GPU";
    }
    return choice;
}

// Choices for a row of both runs, from its source rows.
core::BySide<FoundChoice> FoundPanel::choices_of(const core::Comparison& joined, std::size_t row) const {
    core::BySide<FoundChoice> chosen;
    const core::BySide<core::AnswerPtr> answers = comparison().answers();
    for (const core::Side side : core::kSides) {
        chosen[side].nothing = joined.sources[row][side].empty();
        for (const std::size_t source : joined.sources[row][side]) {
            const FoundChoice of_row = choice_of(answers[side]->main(), source);
            chosen[side].rank = of_row.rank;
            chosen[side].on_gpu = of_row.on_gpu;
            chosen[side].names.insert(chosen[side].names.end(), of_row.names.begin(), of_row.names.end());
        }
    }
    return chosen;
}

void FoundPanel::draw_totals(Frame& frame, ImVec2 size) {
    const FoundSide& own = sides_.baseline;
    TableOptions options;
    options.columns = {{by_rank() ? "rank" : "name"},  {"count"}, {"total"}, {"mean"}, {"min"}, {"max"}, {"share"},
                       {by_rank() ? "names" : "ranks"}};
    if (!by_rank()) options.columns.push_back({"on"});
    if (!by_rank()) options.columns.front().least_width = 260;
    options.kept = 1;
    options.sort_column = "total";
    options.bar_column = "share";
    options.search = search_;
    options.marked = [&own](const core::Table& table, std::size_t row) { return choice_of(table, row) == own.choice; };
    const ItemScope scope("totals");
    const TablePtr table = main_table(by_rank() ? own.made->ranks : own.made->names);
    const TableHit hit = totals_.draw("totals", frame.session.pool(), table, options, size);
    if (hit.clicked) choose_rows({choice_of(*hit.table, *hit.clicked), {}});
}

void FoundPanel::draw_comparison(Frame& frame, ImVec2 size) {
    ComparisonTable& table = comparison();
    const std::shared_ptr<const core::Comparison> joined = table.comparison();
    if (!joined) return muted_text("Comparing\xE2\x80\xA6");
    ComparisonOptions options = totals_options(search_);
    options.marked = [&](const core::Table& drawn, std::size_t row) {
        if (&drawn != &joined->table || !(sides_.baseline.choice.any() || sides_.candidate.choice.any())) return false;
        const core::BySide<FoundChoice> of_row = choices_of(*joined, row);
        return of_row.baseline == sides_.baseline.choice && of_row.candidate == sides_.candidate.choice;
    };
    const ItemScope scope("totals");
    const TableHit hit = table.draw("totals", frame, options, size);
    if (hit.clicked && hit.table.get() == &joined->table) choose_rows(choices_of(*joined, *hit.clicked));
}

std::string format_hits(const FoundSide& side) {
    if (side.choice.nothing) return "none of this";
    if (!side.listed) return "Listing\xE2\x80\xA6";
    const std::string count = core::format_count(side.listed->count);
    if (side.listed->count > side.listed->table.rows())
        return "the " + core::format_count(std::uint64_t{side.listed->table.rows()}) + " longest of " + count + " hits";
    return count + (side.listed->count == 1 ? " hit" : " hits");
}

std::string format_choice(const FoundChoice& choice) {
    if (choice.rank) return "rank " + core::format_rank(*choice.rank);
    if (choice.names.empty()) return "all";
    return choice.names.front() + (choice.names.size() > 1 ? " and others" : "");
}

void FoundPanel::draw_hits(Frame& own) {
    FoundSide& side = sides_[own.side];
    const HitsKey key{side.status.found, side.choice};
    const auto made =
        side.hits.ask(own.session.pool(), key, [key, found = side.status.found](const core::JobContext& job) {
            core::FoundListQuery query{
                .found = found, .names = key.choice.names, .on_gpu = key.choice.on_gpu, .rank = key.choice.rank};
            return key.choice.nothing ? core::Result<core::EventListPtr>(core::EventListPtr()) : list_found(query, job);
        });
    side.listed = made ? *made : nullptr;
    side.lists = true;
    {
        const FontScope font(small_style());
        ImGui::AlignTextToFramePadding();
        const std::string found = comparing_ && !side.choice.any() ? format_found(own.side) : format_hits(side);
        muted_text(found);
        if (side.choice.any()) {
            ImGui::SameLine(0, px(8));
            const std::string fitted =
                fit_text(small_style(), format_choice(side.choice), ImGui::GetContentRegionAvail().x - px(32));
            if (quiet_button((fitted + " \xC3\x97##all-hits").c_str())) choose_rows({});
            tooltip("Lists all hits again");
        }
    }
    if (side.listed) draw_event_table(own, side.hit_table, side.listed, {});
}

// Reads the search status of the side's timeline.
void FoundPanel::read_status(Frame& own) {
    FoundSide& side = sides_[own.side];
    side.made = nullptr;
    side.listed = nullptr;
    side.lists = false;
    if (own.ephemeral().search.text != side.status.text) choose_rows({});
    side.status = own.ephemeral().search;
    // The search predates ranks that arrived since.
    if (side.status.found && side.status.found->run() != own.run()) side.status.found = nullptr;
    side.count = side.status.found ? std::optional(side.status.found->count()) : std::nullopt;
}

void FoundPanel::ask_totals(Frame& own) {
    FoundSide& side = sides_[own.side];
    if (!side.status.found) return;
    side.made = side.tables.ask(own.session.pool(), side.status.found,
                                [found = side.status.found](const core::JobContext& job) -> core::Result<TotalsTables> {
                                    const core::Result<core::FoundSummary> summary = core::summarize_found(*found, job);
                                    if (!summary) return summary.error();
                                    return tabulate_totals(*found->run(), summary->names, summary->ranks);
                                });
}

void FoundPanel::draw_run(Frame& frame) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x > px(560);
    const ImVec2 size = beside ? ImVec2{std::floor(room.x * 0.55f), room.y}
                               : ImVec2{room.x, std::max(least_table_height(), std::floor(room.y / 2))};
    draw_totals(frame, size);
    if (beside) ImGui::SameLine(0, px(12));
    const float rest = least_table_height() + ImGui::GetFrameHeightWithSpacing();
    ImGui::BeginChild("hits", {0, std::max(rest, ImGui::GetContentRegionAvail().y)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    {
        const ItemScope scope("hits");
        draw_hits(frame);
    }
    ImGui::EndChild();
}

// Draws both totals in one table and, if there is room, each run's events next to it or below.
void FoundPanel::draw_both(Frame& frame) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 at = ImGui::GetCursorPos();
    const bool beside = room.x > px(1100);
    const bool below = !beside && room.y > px(420);
    if (shown_ != kShowHits) {
        const ImVec2 size{beside ? std::floor(room.x * 0.5f) : room.x, below ? std::floor(room.y * 0.55f) : room.y};
        draw_comparison(frame, size);
        if (!beside && !below) return;
        ImGui::SetCursorPos(beside ? ImVec2{at.x + size.x + px(12), at.y} : ImVec2{at.x, at.y + size.y + px(6)});
    }
    const ItemScope scope("hits");
    draw_side_by_side(frame, [&](Frame& own) { draw_hits(own); });
}

void FoundPanel::draw(Frame& frame) {
    draw_found(frame);
    for (FoundSide* side : {&sides_.baseline, &sides_.candidate}) side->status.found = nullptr;
}

void FoundPanel::draw_found(Frame& frame) {
    drawn_ = false;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (runs_.candidate == frame.run()) std::swap(sides_.baseline, sides_.candidate);
    runs_ = {frame.run(), frame.session.run(core::Side::Candidate)};
    comparing_ = frame.candidate != nullptr;
    if (!comparing_ && sides_.baseline.choice.nothing) choose_rows({});
    if (!comparing_) shown_ = std::min(shown_, kShowRanks);
    for (const core::Side side : core::kSides)
        if (side == core::Side::Baseline || comparing_) read_status(frame.of(side));
    if (sides_.baseline.status.text.empty())
        return empty_state("No search", "Press / and type a part of a name, /regex/ or arg:key=value.");
    std::size_t count = 0;
    bool all_known = true;
    for (const core::Side side : core::kSides) {
        if (side == core::Side::Candidate && !comparing_) continue;
        ask_totals(frame.of(side));
        const core::FoundEventsPtr& found = sides_[side].status.found;
        all_known = all_known && found;
        if (found) count += found->count();
    }
    if (comparing_)
        update_totals(comparison(), frame, by_rank() ? kFoundRanks : kFoundNames,
                      {sides_.baseline.fresh_tables(), sides_.candidate.fresh_tables()}, by_rank(),
                      totals_options(search_));
    draw_head(frame);
    if (!all_known) return;
    if (count == 0)
        return empty_state("No such event",
                           frame.filter().empty()
                               ? "No event of this run matches. Try a shorter text."
                               : "No event in the filter matches. Loosen the filter, or shorten the text.");
    drawn_ = true;
    if (comparing_) return draw_both(frame);
    if (sides_.baseline.made) draw_run(frame);
}

bool FoundPanel::busy() const {
    if (!drawn_) return false;
    if (!comparing_) return sides_.baseline.busy() || (sides_.baseline.made && !totals_.fresh());
    return sides_.baseline.busy() || sides_.candidate.busy() || comparison().busy();
}

void describe_found(const FoundSide& side, nlohmann::json& shown) {
    shown["text"] = side.status.text;
    shown["error"] = side.status.error;
    shown["searching"] = side.status.searching;
    if (side.count) shown["events"] = *side.count;
    if (!side.choice.names.empty()) shown["name"] = side.choice.names.front();
    if (side.choice.rank) shown["rank"] = core::format_rank(*side.choice.rank);
    if (!side.listed) return;
    shown["hits"] = side.listed->count;
    shown["listed"] = side.listed->table.rows();
    side.hit_table.describe(shown["table"]);
}

void FoundPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    describe_found(sides_.baseline, shown);
    if (comparing_) {
        describe_found(sides_.candidate, shown["candidate"]);
        if (drawn_) comparison().describe(shown["comparison"]);
    } else if (sides_.baseline.made) {
        totals_.describe(shown["totals"]);
    }
}

}  // namespace

std::unique_ptr<Panel> make_found_panel() { return std::make_unique<FoundPanel>(); }

}  // namespace ui
