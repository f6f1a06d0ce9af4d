// What the timeline's search found: totals by name or by rank, and the hits themselves. A click on a row narrows the
// hits to it, a click on a hit goes there.

#include "ui/panels/event_table.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include "core/analysis/name_tables.hpp"
#include "core/base/format.hpp"
#include "core/query/found_summary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct FoundTables {
    core::Table names;
    core::Table ranks;
};

// The row that the hits are narrowed to.
struct FoundChoice {
    std::optional<std::string> name;
    std::optional<bool> on_gpu;
    std::optional<core::RankKey> rank;
    bool operator==(const FoundChoice&) const = default;
    bool any() const { return name || rank; }
};

struct HitsKey {
    core::FoundEventsPtr found;
    FoundChoice choice;
    bool operator==(const HitsKey&) const = default;
};

class FoundPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override {
        return drawn_ && (!tables_.fresh() || !hits_.fresh() || !totals_.fresh() || !hit_table_.fresh());
    }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_head(Frame& frame);
    void draw_filter_button(Frame& frame) const;
    void draw_totals(Frame& frame, ImVec2 size);
    void draw_hits(Frame& frame);
    void choose_row(const core::Table& table, std::size_t row);
    std::string say_hits() const;

    FindStatus status_;
    FoundChoice choice_;
    Derived<core::FoundEventsPtr, FoundTables> tables_;
    Derived<HitsKey, core::EventListPtr> hits_;
    std::shared_ptr<const FoundTables> made_;
    core::EventListPtr listed_;
    ResultTable totals_;
    ResultTable hit_table_;
    std::string search_;
    int by_rank_ = 0;
    bool drawn_ = false;
};

std::string say_search(const FindStatus& status) {
    if (!status.error.empty()) return status.error;
    if (status.searching)
        return status.progress > 0 ? "Looking through arguments, " + core::format_ratio(status.progress) + " done"
                                   : "Searching\xE2\x80\xA6";
    return "";
}

void FoundPanel::draw_filter_button(Frame& frame) const {
    const core::FindText text = core::parse_find_text(status_.text, frame.state.find_arguments);
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
        tooltip("No filter can say arguments");
    else
        tooltip(text.reads_arguments() ? "Filters to the name; no filter can say arguments"
                                       : "Makes the search a part of the filter, for every table and chart");
}

void FoundPanel::draw_head(Frame& frame) {
    choose("by", {"Names", "Ranks"}, by_rank_);
    ImGui::SameLine(0, px(16));
    input_text("##search", "Search the totals", search_, px(150));
    ImGui::SameLine(0, px(8));
    draw_filter_button(frame);
    ImGui::SameLine(0, px(12));
    std::string words = "\"" + status_.text + "\"";
    if (status_.found) {
        const std::size_t count = status_.found->count();
        words += "  \xC2\xB7  " + core::format_count(std::uint64_t{count}) + (count == 1 ? " event" : " events") +
                 "  \xC2\xB7  total " + core::format_duration(status_.found->total());
    }
    if (const std::string said = say_search(status_); !said.empty()) words += "  \xC2\xB7  " + said;
    ImGui::AlignTextToFramePadding();
    fitted_text(words, status_.error.empty() ? color::kMuted : color::kError);
}

void FoundPanel::choose_row(const core::Table& table, std::size_t row) {
    FoundChoice choice;
    if (const std::size_t rank = table.find_column("rank"); rank < table.columns().size()) {
        choice.rank = core::RankKey::unpacked(table.integer(row, rank));
    } else {
        choice.name = table.text(row, table.find_column("name"));
        choice.on_gpu = table.text(row, table.find_column("on")) == "GPU";
    }
    choice_ = choice == choice_ ? FoundChoice{} : choice;
}

void FoundPanel::draw_totals(Frame& frame, ImVec2 size) {
    TableOptions options;
    options.columns = {{by_rank_ == 1 ? "rank" : "name"},  {"count"}, {"total"}, {"mean"}, {"min"}, {"max"}, {"share"},
                       {by_rank_ == 1 ? "names" : "ranks"}};
    if (by_rank_ == 0) options.columns.push_back({"on"});
    if (by_rank_ == 0) options.columns.front().least_width = 220;
    options.kept = 1;
    options.sort_column = "total";
    options.bar_column = "share";
    options.search = search_;
    options.marked = [this](const core::Table& table, std::size_t row) {
        if (const std::size_t rank = table.find_column("rank"); rank < table.columns().size())
            return choice_.rank == core::RankKey::unpacked(table.integer(row, rank));
        return choice_.name == table.text(row, table.find_column("name")) &&
               choice_.on_gpu == (table.text(row, table.find_column("on")) == "GPU");
    };
    const TablePtr table(made_, by_rank_ == 1 ? &made_->ranks : &made_->names);
    const ItemScope scope("totals");
    const TableHit hit = totals_.draw("totals", frame.session.pool(), table, options, size);
    if (hit.clicked) choose_row(*hit.table, *hit.clicked);
}

std::string FoundPanel::say_hits() const {
    if (!listed_) return "Listing\xE2\x80\xA6";
    const std::string count = core::format_count(listed_->count);
    if (listed_->count > listed_->table.rows())
        return "the " + core::format_count(std::uint64_t{listed_->table.rows()}) + " longest of " + count + " hits";
    return count + (listed_->count == 1 ? " hit" : " hits");
}

void FoundPanel::draw_hits(Frame& frame) {
    const HitsKey key{status_.found, choice_};
    const auto made = hits_.ask(frame.session.pool(), key, [key] {
        core::FoundListQuery query{key.found, key.choice.name, key.choice.on_gpu, key.choice.rank};
        const core::Result<core::EventListPtr> list = core::list_found(query, {});
        return list ? *list : core::EventListPtr();
    });
    listed_ = made ? *made : nullptr;
    {
        const FontScope font(small_style());
        ImGui::AlignTextToFramePadding();
        muted_text(say_hits());
        if (choice_.any()) {
            ImGui::SameLine(0, px(8));
            const std::string of = choice_.name ? *choice_.name : "rank " + core::format_rank(*choice_.rank);
            const std::string fitted = fit_text(small_style(), of, ImGui::GetContentRegionAvail().x - px(32));
            if (quiet_button((fitted + " \xC3\x97##all-hits").c_str())) choice_ = {};
            tooltip("Lists all hits again");
        }
    }
    if (listed_) draw_event_table(frame, hit_table_, listed_, {});
}

void FoundPanel::draw(Frame& frame) {
    drawn_ = false;
    made_ = nullptr;
    listed_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (frame.state.search.text != status_.text) choice_ = {};
    status_ = frame.state.search;
    if (status_.text.empty())
        return empty_state("Nothing is searched for", "Press / and type a part of a name, /regex/ or arg:key=value.");
    draw_head(frame);
    if (!status_.found) return;
    if (status_.found->run() != frame.run()) return;  // of ranks that were there before
    if (status_.found->count() == 0)
        return empty_state("No such event", frame.filter().empty() ? "Of this run; try a shorter text."
                                                                   : "In the filter; loosen it or the text.");
    made_ = tables_.ask(frame.session.pool(), status_.found, [found = status_.found] {
        const core::Result<core::FoundSummary> summary = core::summarize_found(*found, {});
        if (!summary) return FoundTables{};
        return FoundTables{tabulate_names(*found->run(), summary->names),
                           tabulate_ranks(*found->run(), summary->ranks)};
    });
    drawn_ = true;
    if (!made_) return;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x > px(560);
    const ImVec2 size = beside ? ImVec2{std::floor(room.x * 0.55f), room.y} : ImVec2{room.x, std::floor(room.y / 2)};
    draw_totals(frame, size);
    if (beside) ImGui::SameLine(0, px(12));
    ImGui::BeginChild("hits", {0, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    {
        const ItemScope scope("hits");
        draw_hits(frame);
    }
    ImGui::EndChild();
}

void FoundPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    shown["text"] = status_.text;
    shown["error"] = status_.error;
    shown["searching"] = status_.searching;
    if (status_.found) shown["events"] = status_.found->count();
    if (choice_.name) shown["name"] = *choice_.name;
    if (choice_.rank) shown["rank"] = core::format_rank(*choice_.rank);
    if (made_) totals_.describe(shown["totals"]);
    if (!listed_) return;
    shown["hits"] = listed_->count;
    shown["listed"] = listed_->table.rows();
    hit_table_.describe(shown["table"]);
}

}  // namespace

std::unique_ptr<Panel> make_found_panel() { return std::make_unique<FoundPanel>(); }

}  // namespace ui
