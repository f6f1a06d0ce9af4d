#include "ui/timeline/parts/tree_row.hpp"

#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/lost_launches.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kIndent = 12;

std::string format_percent(core::Duration part, core::Duration whole) {
    if (whole.count() <= 0) return "\xE2\x80\x93";
    const double percent = 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
    if (percent > 0 && percent < 0.5) return "<1 %";
    return std::to_string(std::lround(percent)) + " %";
}

// Times over the rank's GPU window, or over its visible part if the breakdown follows the view; none where launches
// have no GPU event.
core::ClassTimes times_of(const TimelineFrame& f, std::uint32_t slot) {
    const core::RankSlot& rank = f.run->rank(slot);
    const RankLook& look = f.looks.of(slot);
    const core::ClassPartition& partition = find_work(rank, look.selection.get());
    core::RankRange window = look.selection ? look.selection->window() : rank.index->gpu_window();
    if (f.choices().follow_visible) {
        const core::RankRange visible = rank.to_rank(f.view.time.range());
        window = {std::max(window.begin, visible.begin), std::min(window.end, visible.end)};
    }
    if (window.empty() || core::are_launches_lost(*rank.index, window)) return {};
    return partition.times(window);
}

// The rank of a folded group with the greatest share of its own time.
struct WorstRank {
    std::uint32_t slot = 0;
    core::Duration part{}, whole{};
    double share = 0;

    void consider(std::uint32_t of, core::Duration its_part, core::Duration its_whole) {
        if (its_whole.count() <= 0) return;
        const double its_share = static_cast<double>(its_part.count()) / static_cast<double>(its_whole.count());
        if (its_share <= share) return;
        *this = {.slot = of, .part = its_part, .whole = its_whole, .share = its_share};
    }
    std::string words(const core::Run& run, std::string_view what) const {
        if (share <= 0) return {};
        return std::string("\n").append(what).append(": rank ") + core::format_rank(run.rank(slot).key) + ", " +
               format_percent(part, whole);
    }
};

}  // namespace

TreeRow::TreeRow(const TimelineFrame& frame, const LayoutRow& of, const Place& place, TreeClicks& said,
                 std::string& shown)
    : f(frame),
      row(of),
      box(place.box),
      top(place.top),
      sticky(place.sticky),
      hovered(ImGui::IsItemHovered() && ImGui::IsMouseHoveringRect(place.box.min, place.box.max)),
      list(ImGui::GetWindowDrawList()),
      clicks(said),
      tooltip(shown) {}

float TreeRow::left() const { return f.tree.min.x + px(8) + px(kIndent) * static_cast<float>(row.depth) + px(14); }

float TreeRow::text_y(const TextStyle& style) const {
    return top + std::floor((row.height - px(1) - style.size_px) / 2);
}

ImU32 TreeRow::text_color() const {
    return rejected() ? color::palette().faint : hovered ? color::palette().text : color::palette().muted;
}

void TreeRow::fill_behind(ImU32 color) const {
    fill(list, box.min, {box.max.x, std::min(top + row.height - px(1), box.max.y)}, color);
}

void TreeRow::draw_triangle(float x) const {
    const ImVec2 centre{x, middle()};
    const ImU32 color = hovered ? color::palette().text : color::palette().faint;
    const float r = px(7) / 2;
    if (row.open)
        list->AddTriangleFilled({centre.x - r, centre.y - r * 0.6f}, {centre.x + r, centre.y - r * 0.6f},
                                {centre.x, centre.y + r * 0.8f}, color);
    else
        list->AddTriangleFilled({centre.x - r * 0.6f, centre.y - r}, {centre.x + r * 0.8f, centre.y},
                                {centre.x - r * 0.6f, centre.y + r}, color);
}

void TreeRow::draw_triangle() const {
    const float indent = f.tree.min.x + px(8) + px(kIndent) * static_cast<float>(row.depth);
    if (row.opens) draw_triangle(indent + px(4));
}

void TreeRow::draw_unique_events() const {
    const core::FoundEventsPtr only = f.unique_events();
    const std::size_t count = only ? row.kind->count_events(*only, *f.run, row) : 0;
    if (count == 0) return;
    list->AddCircleFilled({f.tree.min.x + px(4), middle()}, px(4) / 2, color::of_side(f.frame.side));
    if (hovered)
        tooltip = core::format_plural(count, "event", "events") + " with a name that only the " +
                  std::string(core::name_of(f.frame.side)) + " has";
}

std::optional<GroupWorst> TreeRow::find_worst() const {
    constexpr double kStandsOut = 0.02;  // relative to the rank's time, above the mean
    const bool by_exposed = f.choices().ranks.sort == RankSort::Exposed;
    const auto part_of = [&](const core::ClassTimes& times) {
        return by_exposed ? times.exposed_communication() : times.idle();
    };
    const std::vector<std::uint32_t> ranks = collect_shown_ranks(f, row);
    core::ClassTimes all;
    WorstRank worst;
    for (const std::uint32_t slot : ranks) {
        const core::ClassTimes own = times_of(f, slot);
        add_times(all, own);
        worst.consider(slot, part_of(own), own.total());
    }
    if (ranks.size() < 2 || all.total().count() <= 0) return std::nullopt;
    const double mean = static_cast<double>(part_of(all).count()) / static_cast<double>(all.total().count());
    if (worst.share < mean + kStandsOut) return std::nullopt;
    return GroupWorst{.slot = worst.slot,
                      .share = format_percent(worst.part, worst.whole),
                      .what = by_exposed ? "exposed" : "idle",
                      .mean = format_percent(part_of(all), all.total())};
}

float TreeRow::draw_shares(ImU32 color) const {
    core::ClassTimes times;
    WorstRank idlest;
    WorstRank most_exposed;
    const std::vector<std::uint32_t> ranks = collect_shown_ranks(f, row);
    for (const std::uint32_t slot : ranks) {
        const core::ClassTimes own = times_of(f, slot);
        add_times(times, own);
        idlest.consider(slot, own.idle(), own.total());
        most_exposed.consider(slot, own.exposed_communication(), own.total());
    }
    if (hovered && ranks.size() > 1)
        tooltip = "mean of " + core::format_rank_count(core::count_ranks(*f.run, ranks)) +
                  idlest.words(*f.run, "most idle") + most_exposed.words(*f.run, "most exposed");
    const float text_top = text_y(small_style());
    const std::string idle = format_percent(times.idle(), times.total());
    const std::string exposed = format_percent(times.exposed_communication(), times.total());
    draw_text_right(list, small_style(), {right(), text_top}, color, idle);
    draw_text_right(list, small_style(), {right() - px(kTreeNumberWidth), text_top}, color, exposed);
    return px(2 * kTreeNumberWidth);
}

void TreeRow::draw_label(const std::string& label, const TextStyle& style, ImU32 color, float right_end) const {
    const ImVec2 at{left(), text_y(style)};
    const bool cut = !label.empty() && draw_text(list, style, at, color, label, right_end - left());
    if (hovered && cut) tooltip = tooltip.empty() ? label : label + "\n" + tooltip;
}

void TreeRow::handle_clicks(const std::string& label, bool on_button) const {
    const bool is_lane = row.kind->lane_of(row).has_value();
    if (hovered && ImGui::IsMouseClicked(1)) {
        clicks.menu = row.slot;
        clicks.menu_track = is_lane ? std::optional(row.track) : std::nullopt;
        clicks.menu_pin = row.kind->pin_name(*f.run, row);
    }
    if (row.kind->is_plot() && !label.empty())
        record_rect(
            "counter:" + (row.pinned ? "" : "rank " + core::format_rank(f.run->rank(row.slot).key) + ":") + label,
            box.min, box.max, hovered);
    if (is_lane && !label.empty())
        record_rect("track:" + (row.pinned ? "" : "rank " + core::format_rank(f.run->rank(row.slot).key) + ":") + label,
                    box.min, box.max, hovered);
    if (hovered && !on_button && row.opens && ImGui::IsMouseClicked(0)) {
        clicks.opened.emplace_back(key_of(*f.run, row), !row.open);
        if (sticky) clicks.scroll_to = row.y - room_for_heading(f.layout, row.slot);
    }
    if (row.opens) record_rect("row:" + label, box.min, box.max, hovered);
}

void TreeRow::draw_plain() const {
    const std::string label = format_row_label(*f.run, row);
    draw_triangle();
    draw_unique_events();
    draw_label(label, small_style(), text_color(), right());
    handle_clicks(label);
}

}  // namespace ui
