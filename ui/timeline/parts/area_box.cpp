#include "ui/timeline/parts/area_box.hpp"
#include "ui/commands/key_map.hpp"

#include "core/base/format.hpp"
#include "ui/model/panels/area_filter.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kAreaWidth = 292;  // sizes at scale 1
constexpr float kAreaLine = 18;
constexpr float kMargin = 10;
constexpr float kNameLines = 3.5f;   // half a gap and three names
constexpr float kShareLines = 4;

// Sections that fit: length, scope and buttons always, then shares, then names.
struct Parts {
    bool shares, names;
    float height() const {
        const float lines = 2 + (shares ? kShareLines : 0) + (names ? kNameLines : 0);
        return px(kAreaLine) * lines + px(kMargin) * (names ? 3 : 2) + ImGui::GetFrameHeight();
    }
};

Parts choose_parts(float room) {
    for (const Parts parts : {Parts{true, true}, Parts{true, false}})
        if (parts.height() <= room) return parts;
    return {false, false};
}

// Right of the area, else left of it, else over it; below the find bar.
Box place_box(const TimelineFrame& f, core::RunRange area) {
    const float width = std::floor(std::min(px(kAreaWidth), f.plot.width()));
    const float left = f.x_of(area.begin);
    const float right = f.x_of(area.end);
    float x = right + px(8);
    if (x + width > f.plot.max.x) x = left - px(8) - width;
    if (x < f.plot.min.x) x = std::clamp((left + right - width) / 2, f.plot.min.x, f.plot.max.x - width);
    const float y = f.plot.min.y + (f.choices().find_open ? px(52) : px(8));
    const float height = choose_parts(f.plot.max.y - y).height();
    return {{std::floor(x), y}, {std::floor(x) + width, y + height}};
}

std::string count_text(std::size_t count) { return core::format_count(count) + (count == 1 ? " event" : " events"); }

struct Share {
    const char* name;
    core::Duration time;
    ImU32 color;
};

std::array<Share, 4> shares_of(const core::ClassTimes& times) {
    return {{{.name = "compute", .time = times.compute(), .color = color::palette().compute},
             {.name = "communication",
              .time = times.with(core::KernelClass::Communication),
              .color = color::palette().communication},
             {.name = "memory", .time = times.with(core::KernelClass::Memory), .color = color::palette().memory},
             {.name = "idle", .time = times.idle(), .color = color::palette().idle}}};
}

core::AreaSummary failed(const core::Error& error) {
    core::AreaSummary summary;
    summary.error = error.message;
    return summary;
}

// Nullopt if bars of that name may have different colours.
std::optional<ImU32> color_of_bars(const TimelineFrame& f, core::EventRef example) {
    const core::RankSlot& rank = f.run->rank(example.slot);
    const core::KernelClass kernel_class = rank.index->classes().of(example.event);
    if (f.choices().color_by == ColorBy::Class) return color::of_class(kernel_class);
    if (f.choices().color_by == ColorBy::Name)
        return color::of_name(rank.trace().name_text(example.event), kernel_class);
    return std::nullopt;
}

}  // namespace

void AreaBox::ask(Frame& frame, const View& view) {
    const core::RunPtr& run = frame.run();
    const core::RunRange area = *view.area;
    if (asked_run_ == run->id() && asked_range_ == area && asked_filter_ == frame.filter() &&
        asked_rows_ == view.area_rows)
        return;
    summary_.reset();  // belongs to another area, perhaps to another run
    asked_run_ = run->id();
    asked_range_ = area;
    asked_filter_ = frame.filter();
    asked_rows_ = view.area_rows;
    core::AreaQuery query{.run = run, .range = area, .filter = asked_filter_, .selections = {}, .rows = asked_rows_};
    for (std::size_t slot = 0; slot < run->ranks().size(); ++slot)
        query.selections.push_back(frame.results.find_selection(run, slot, asked_filter_));
    job_ = core::Job<core::AreaSummary>::start(
        frame.session.pool(), [query](const core::JobContext& context) { return summarize_area(query, context); });
}

void AreaBox::update(Frame& frame, const View& view, SideEphemera& ephemeral, bool dragging) {
    if (!frame.run() || !view.area || dragging || view.area->empty()) {
        job_ = {};
        summary_.reset();
        asked_run_ = 0;
        ephemeral.area_summary.reset();
        return;
    }
    ask(frame, view);
    if (const auto* result = job_ ? job_.poll() : nullptr) {
        summary_ = std::make_shared<const core::AreaSummary>(*result ? **result : failed(result->error()));
        job_ = {};
    }
    ephemeral.area_summary = summary_;
}

void AreaBox::draw(TimelineFrame& f) {
    if (asked_run_ == 0) return;
    scope_words_ = scope_.ask(f.run, asked_filter_, {asked_range_, asked_rows_, false});
    const Box box = place_box(f, *f.view.area);
    ImGui::SetCursorScreenPos(box.min);
    ImGui::BeginChild("area", {box.width(), std::min(box.height(), std::max(1.0f, f.plot.max.y - box.min.y))}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    {
        const ItemScope scope("area");
        ImDrawList* list = ImGui::GetWindowDrawList();
        fill(list, box.min, box.max, color::palette().raised);
        list->AddRect(box.min, box.max, color::palette().faint, 0, 0, 1);
        draw_summary(f, box);
        draw_buttons(f, box);
    }
    ImGui::EndChild();
}

void AreaBox::draw_summary(const TimelineFrame& f, const Box& box) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = box.min.x + px(kMargin);
    const float right = box.max.x - px(kMargin);
    float y = box.min.y + px(kMargin);
    draw_text(list, heading_style(), {left, y - px(2)}, color::palette().text,
              core::format_duration(asked_range_.length()));
    if (!summary_)
        return draw_text_right(list, small_style(), {right, y}, color::palette().muted, "Adding up\xE2\x80\xA6");
    if (!summary_->error.empty()) {
        draw_text(list, small_style(), {left, y + px(kAreaLine)}, color::palette().error, summary_->error,
                  right - left);
        return;
    }
    draw_text_right(list, small_style(), {right, y}, color::palette().muted, count_text(summary_->events));
    y += px(kAreaLine);
    draw_text(list, small_style(), {left, y}, color::palette().faint, scope_words_, right - left);
    const double whole = static_cast<double>(std::max<std::int64_t>(summary_->times.total().count(), 1));
    const Parts parts = choose_parts(f.plot.max.y - box.min.y);
    if (!parts.shares) return;
    for (const Share& share : shares_of(summary_->times)) {
        y += px(kAreaLine);
        list->AddRectFilled({left, y + px(3)}, {left + px(8), y + px(11)}, share.color, px(2));
        draw_text(list, small_style(), {left + px(14), y}, color::palette().muted, share.name);
        draw_text_right(list, small_style(), {right, y}, color::palette().text,
                        core::format_ratio(static_cast<double>(share.time.count()) / whole));
    }
    if (parts.names) draw_names(f, {{left, y + px(kAreaLine * 1.5f)}, {right, box.max.y}});
}

void AreaBox::draw_names(const TimelineFrame& f, const Box& room) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = room.min.x;
    const float right = room.max.x;
    float y = room.min.y;
    list->AddRectFilled({left, y - px(4)}, {right, y - px(4) + 1}, color::palette().line);
    const std::vector<core::NameTotals> longest = summary_->longest();
    if (longest.empty()) draw_text(list, small_style(), {left, y}, color::palette().muted, "No event");
    for (const core::NameTotals& name : longest) {
        const std::string total = core::format_duration(name.total);
        const core::RankSlot& rank = f.run->rank(name.example.slot);
        if (const auto color = color_of_bars(f, name.example))
            list->AddRectFilled({left, y + px(3)}, {left + px(8), y + px(11)}, *color, px(2));
        draw_text_right(list, small_style(), {right, y}, color::palette().text, total);
        const float words = right - left - px(14) - text_width(small_style(), total) - px(12);
        draw_text(list, small_style(), {left + px(14), y}, color::palette().muted,
                  f.names.label(rank, name.example.event).name.normal, words);
        y += px(kAreaLine);
    }
}

void AreaBox::draw_buttons(TimelineFrame& f, const Box& box) {
    const core::RunRange area = *f.view.area;
    ImGui::SetCursorScreenPos({box.min.x + px(kMargin), box.max.y - px(kMargin) - ImGui::GetFrameHeight()});
    const bool ours = f.ephemeral.has_keys && keys_are_ours();
    if (button("Zoom##zoom") || (ours && key_map().pressed("zoom-to-area"))) f.view.time.fit(area, 0);
    tooltip("Zoom to the area   Z");
    ImGui::SameLine(0, px(6));
    const AreaFilter& filter = filter_.ask(f.frame.session, f.frame.side, area, f.view.area_rows);
    if (button("Filter##filter") || (ours && key_map().pressed("filter-to-area"))) {
        f.frame.intents.push_back(SetFilter{filter.filter});
        f.view.area.reset();
    }
    tooltip("Filter every table and chart to the area   Enter" + (filter.unsaid.empty() ? "" : "\n" + filter.unsaid));
    ImGui::SameLine(0, px(6));
    if (button("Details##details")) f.frame.intents.push_back(ShowPanel{"area"});
    tooltip("All names and their durations, in a panel");
}

void AreaBox::describe(nlohmann::json& shown, core::RunRange area) const {
    shown = {{"length_ns", area.length().count()}};
    if (!summary_) return;
    if (!summary_->error.empty()) shown["error"] = summary_->error;
    shown["events"] = summary_->events;
    shown["gpu_events"] = summary_->gpu_events;
    for (const Share& share : shares_of(summary_->times))
        shown["busy"][std::string(share.name) + "_ns"] = share.time.count();
    shown["rows"] = asked_rows_.size();
    shown["of"] = scope_words_;
    shown["longest"] = nlohmann::json::array();
    for (const core::NameTotals& name : summary_->longest())
        shown["longest"].push_back({{"count", name.count}, {"total_ns", name.total.count()}});
}

}  // namespace ui
