// The dragged area: what each name costs in it, which classes were busy, and how long the events of one name are.

#include "ui/charts/histogram.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/area_filter.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/result_table.hpp"
#include "ui/widgets/text.hpp"

#include "core/analysis/name_tables.hpp"
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

struct AreaTableKey {
    core::RunPtr run;
    SummaryPtr summary;
    bool operator==(const AreaTableKey&) const = default;
};

struct BinsKey {
    AreaTableKey area;
    AreaName name;
    bool operator==(const BinsKey&) const = default;
};

class AreaPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override {
        return waiting_ || (drawn_ && (!tables_.fresh() || !bins_.fresh() || !names_.fresh()));
    }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_head(Frame& frame);
    void draw_classes(const core::ClassTimes& times) const;
    void draw_names(Frame& frame, ImVec2 size);
    void draw_durations(Frame& frame);
    AreaName name_to_show(const Frame& frame) const;

    Derived<AreaTableKey, core::Table> tables_;
    Derived<BinsKey, core::DurationBins> bins_;
    ResultTable names_;
    std::string search_;
    std::optional<AreaName> chosen_;
    // What the last draw showed.
    SummaryPtr summary_;
    std::shared_ptr<const core::Table> table_;
    std::shared_ptr<const core::DurationBins> shown_bins_;
    AreaName shown_name_;
    std::optional<core::Duration> marked_;
    core::Duration length_{0};
    std::string unsaid_;
    bool drawn_ = false;
    bool waiting_ = false;
};

std::string say_rows(std::size_t rows) {
    if (rows == 0) return "everything";
    return core::format_count(std::uint64_t{rows}) + (rows == 1 ? " row" : " rows");
}

void AreaPanel::draw_head(Frame& frame) {
    input_text("##search", "Search names", search_, px(150));
    ImGui::SameLine(0, px(8));
    const core::RunRange area = *frame.state.area;
    if (quiet_button("Zoom##zoom")) frame.intents.push_back(ShowRange{area});
    ImGui::SameLine(0, px(4));
    const AreaFilter filter = filter_of_area(frame.session, frame.side, area, frame.state.area_rows);
    unsaid_ = filter.unsaid;
    if (quiet_button("Filter##filter")) frame.intents.push_back(SetFilter{filter.filter});
    tooltip(unsaid_.empty() ? "Every table and chart of just this" : unsaid_);
    ImGui::SameLine(0, px(12));
    ImGui::AlignTextToFramePadding();
    fitted_text(core::format_duration(length_) + " of " + say_rows(frame.state.area_rows.size()) + "  \xC2\xB7  " +
                    core::format_count(std::uint64_t{summary_->events}) +
                    " events  \xC2\xB7  durations as far as "
                    "they lie in it",
                color::kMuted);
    if (!unsaid_.empty()) {
        const FontScope font(small_style());
        fitted_text("As a filter: " + unsaid_, color::kWarning);
    }
}

void AreaPanel::draw_classes(const core::ClassTimes& times) const {
    if (times.total().count() == 0) return muted_text("No stream lies in the area");
    struct Share {
        const char* name;
        core::Duration time;
        ImU32 color;
    };
    const std::array shares{Share{"compute", times.compute(), color::kCompute},
                            Share{"exposed communication", times.exposed_communication(), color::kCommunication},
                            Share{"exposed memory", times.exposed_memory(), color::kMemory},
                            Share{"idle", times.idle(), color::kIdle}};
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
        tooltip(core::format_duration(share.time) + " of " + core::format_duration(times.total()) +
                ", summed over the ranks");
        words = word;
    }
}

void AreaPanel::draw_names(Frame& frame, ImVec2 size) {
    TableOptions options;
    options.columns = {{"name"}, {"count"}, {"total"}, {"share"}, {"mean"}, {"min"}, {"max"}, {"ranks"}, {"on"}};
    options.columns.front().least_width = 220;
    options.kept = 1;
    options.sort_column = "total";
    options.bar_column = "share";
    options.search = search_;
    options.marked = [this](const core::Table& table, std::size_t row) {
        return shown_name_.name == table.text(row, table.find_column("name")) &&
               shown_name_.on_gpu == (table.text(row, table.find_column("on")) == "GPU");
    };
    const TableHit hit = names_.draw("names", frame.session.pool(), table_, options, size);
    if (!hit.clicked) return;
    chosen_ = AreaName{std::string(hit.table->text(*hit.clicked, hit.table->find_column("name"))),
                       hit.table->text(*hit.clicked, hit.table->find_column("on")) == "GPU"};
}

// The one that was clicked; else that of the selected event; else the longest.
AreaName AreaPanel::name_to_show(const Frame& frame) const {
    const core::Run& run = *frame.run();
    const auto name_of = [&](core::EventRef event) { return run.rank(event.slot).trace().name_text(event.event); };
    const core::EventRef selected = frame.state.selected;
    const std::string_view selected_name = selected.valid() ? name_of(selected) : std::string_view();
    const bool on_gpu = selected.valid() && run.rank(selected.slot).trace().has(selected.event, core::kGpuEvent);
    bool holds_selected = false;
    for (const core::NameTotals& totals : summary_->names) {
        const std::string_view name = name_of(totals.example);
        if (chosen_ && chosen_->name == name && chosen_->on_gpu == totals.on_gpu) return *chosen_;
        holds_selected |= name == selected_name && totals.on_gpu == on_gpu;
    }
    if (holds_selected && !selected_name.empty()) return {std::string(selected_name), on_gpu};
    const std::vector<core::NameTotals> longest = summary_->longest();
    if (longest.empty()) return {};
    return {std::string(name_of(longest.front().example)), longest.front().on_gpu};
}

void AreaPanel::draw_durations(Frame& frame) {
    const BinsKey key{{frame.run(), summary_}, shown_name_};
    core::AreaQuery query{frame.run(), *frame.state.area, frame.filter(), {}, frame.state.area_rows};
    for (std::size_t slot = 0; slot < frame.run()->ranks().size(); ++slot)
        query.selections.push_back(frame.results.find_selection(frame.run(), slot, frame.filter()));
    shown_bins_ = bins_.ask(frame.session.pool(), key, [query, name = shown_name_] {
        const auto durations = core::collect_durations(query, name.name, name.on_gpu, {});
        return durations ? core::count_durations(*durations) : core::DurationBins{};
    });
    draw_classes(summary_->times);
    ImGui::Dummy({0, px(2)});
    heading("Durations");
    ImGui::SameLine(0, px(8));
    fitted_text(shown_name_.name, color::kMuted);
    marked_.reset();
    if (const core::EventRef selected = frame.state.selected; selected.valid()) {
        const core::RankTrace& trace = frame.run()->rank(selected.slot).trace();
        if (trace.name_text(selected.event) == shown_name_.name)
            marked_ = trace.duration[core::index_of(selected.event)];
    }
    if (!shown_bins_) return;
    draw_histogram("##durations", {*shown_bins_, marked_, color::of_name(shown_name_.name)},
                   ImGui::GetContentRegionAvail());
}

void AreaPanel::draw(Frame& frame) {
    drawn_ = waiting_ = false;
    table_ = nullptr;
    shown_bins_ = nullptr;
    summary_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (!frame.state.area)
        return empty_state("No area", "Drag over rows of the timeline, or along its ruler for everything.");
    if (frame.state.area->empty())
        return empty_state("An instant", "Nothing lies in an area without length: drag it over more time.");
    length_ = frame.state.area->length();
    summary_ = frame.state.area_summary;
    if (!summary_) {
        waiting_ = true;
        return empty_state("Adding up\xE2\x80\xA6", "The area is summed up once the drag is over.");
    }
    if (!summary_->error.empty()) return empty_state("The area could not be summed up", summary_->error);
    draw_head(frame);
    if (summary_->events == 0) return empty_state("No event", "Nothing in the area passes the filter.");
    const AreaTableKey key{frame.run(), summary_};
    table_ = tables_.ask(frame.session.pool(), key, [key] { return tabulate_names(*key.run, key.summary->names); });
    drawn_ = true;
    if (!table_) return;
    shown_name_ = name_to_show(frame);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x > px(560);
    const ImVec2 size = beside ? ImVec2{std::floor(room.x * 0.58f), room.y} : ImVec2{room.x, std::floor(room.y / 2)};
    draw_names(frame, size);
    if (beside) ImGui::SameLine(0, px(12));
    ImGui::BeginChild("durations", {0, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    draw_durations(frame);
    ImGui::EndChild();
}

void AreaPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    if (!summary_) return;
    if (!summary_->error.empty()) shown["error"] = summary_->error;
    shown["length_ns"] = length_.count();
    shown["events"] = summary_->events;
    shown["unsaid"] = unsaid_;
    shown["busy"] = {{"compute_ns", summary_->times.compute().count()},
                     {"exposed_communication_ns", summary_->times.exposed_communication().count()},
                     {"exposed_memory_ns", summary_->times.exposed_memory().count()},
                     {"idle_ns", summary_->times.idle().count()}};
    if (table_) names_.describe(shown["names"]);
    if (!shown_bins_) return;
    shown["histogram"]["name"] = shown_name_.name;
    shown["histogram"]["counts"] = shown_bins_->counts;
    for (const core::Duration edge : shown_bins_->edges) shown["histogram"]["edges_ns"].push_back(edge.count());
    if (marked_) shown["histogram"]["marked_ns"] = marked_->count();
}

}  // namespace

std::unique_ptr<Panel> make_area_panel() { return std::make_unique<AreaPanel>(); }

}  // namespace ui
