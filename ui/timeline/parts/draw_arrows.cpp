// Arrows between the selected event and its links: one colour per kind, labelled on hover. Targets outside the view get
// an arrow at the edge, with their rank if it differs. Straight lines connect a kernel's launch with its callers.
#include "ui/timeline/parts/timeline_parts.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/theme.hpp"

#include "core/base/format.hpp"
#include "core/graphs/describe_node.hpp"
#include "core/query/number_ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostArrows = 64;
constexpr int kCurveParts = 24;  // segments used to measure the pointer's distance
constexpr float kNearArrow = 4;  // px at scale 1

ImU32 color_of(LinkKind kind) {
    switch (kind) {
        case LinkKind::Pass:
            return color::with_alpha(color::palette().accent, 220);
        case LinkKind::Collective:
            return color::with_alpha(color::palette().communication, 220);
        case LinkKind::Arrow:
            return color::with_alpha(color::palette().muted, 220);
        case LinkKind::Launch:
        case LinkKind::Call:
            break;
    }
    return color::with_alpha(color::palette().arrow, 200);
}

struct End {
    ImVec2 at;
    bool outside = false;  // outside the plot: drawn at its edge
    bool below = false;  // outside at the bottom, or else
    bool above = false;  // at the top
};

End end_at(const TimelineFrame& f, ImVec2 at) {
    const float margin = px(5);
    const ImVec2 inside{
        std::clamp(at.x, f.plot.min.x + margin, std::max(f.plot.min.x + margin, f.plot.max.x - margin)),
        std::clamp(at.y, f.plot.min.y + margin, std::max(f.plot.min.y + margin, f.plot.max.y - margin))};
    return {.at = inside,
            .outside = at.x < f.plot.min.x || at.x > f.plot.max.x || at.y < f.plot.min.y || at.y > f.plot.max.y,
            .below = at.y > f.plot.max.y,
            .above = at.y < f.plot.min.y};
}

ImVec2 lower_edge_of(const Box& box) { return {box.min.x, box.max.y}; }
ImVec2 start_of(const Box& box) { return {box.min.x, std::floor((box.min.y + box.max.y) / 2)}; }

// Arrow head at `tip` of a line in direction (dx, dy).
void draw_head(ImDrawList* list, ImVec2 tip, float dx, float dy, ImU32 color) {
    const float length = std::max(std::hypot(dx, dy), 1e-3f);
    const ImVec2 along{dx / length * px(7), dy / length * px(7)};
    const ImVec2 across{-along.y * 0.45f, along.x * 0.45f};
    list->AddTriangleFilled(tip, {tip.x - along.x + across.x, tip.y - along.y + across.y},
                            {tip.x - along.x - across.x, tip.y - along.y - across.y}, color);
}

bool is_near_curve(ImVec2 mouse, const std::array<ImVec2, 4>& curve) {
    for (int i = 0; i <= kCurveParts; ++i) {
        const float t = static_cast<float>(i) / kCurveParts;
        const float u = 1 - t;
        const std::array<float, 4> weights{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
        ImVec2 at{0, 0};
        for (std::size_t k = 0; k < 4; ++k) {
            at.x += weights[k] * curve[k].x;
            at.y += weights[k] * curve[k].y;
        }
        if (std::hypot(mouse.x - at.x, mouse.y - at.y) < px(kNearArrow)) return true;
    }
    return false;
}

// Ranks above or below the plot that arrows lead to.
struct EdgeRanks {
    std::vector<std::int64_t> numbers;
    ImVec2 at{};

    void add(std::int64_t number, ImVec2 where) {
        if (numbers.empty()) at = where;
        numbers.push_back(number);
    }
};

class ArrowPen {
public:
    ArrowPen(const TimelineFrame& f, ImDrawList* list) : f_(f), list_(list) {}

    // Arrows that are not drawn still add their rank to the labels at the edges.
    void note(const EventLink& link) {
        const std::optional<Box> box = f_.event_box(link.event);
        const std::optional<Box> own = f_.event_box(f_.view.selected);
        if (!box || !own || link.event.slot == f_.view.selected.slot || end_at(f_, start_of(*own)).outside) return;
        note_edge(link, end_at(f_, start_of(*box)));
    }

    // Draws a vertical line at the callee's start, which the caller covers. True if drawn.
    bool draw_call(const CallArrow& call) {
        const std::optional<Box> caller = f_.event_box(call.from);
        const std::optional<Box> callee = f_.event_box(call.to);
        if (!caller || !callee || caller->max.y > callee->min.y) return false;
        const float x = callee->min.x + px(3);
        const float top = std::max(std::floor((caller->min.y + caller->max.y) / 2), f_.plot.min.y);
        const float bottom = std::min(callee->min.y, f_.plot.max.y);
        if (x < f_.plot.min.x || x >= f_.plot.max.x || bottom - top < px(2)) return false;
        const ImU32 color = color_of(LinkKind::Call);
        list_->AddLine({x, top}, {x, bottom}, color, std::max(1.0f, px(1)));
        if (bottom == callee->min.y) draw_head(list_, {x, bottom}, 0, 1, color);
        if (top > f_.plot.min.y) list_->AddCircleFilled({x, top}, px(2), color);
        return true;
    }

    void draw(const EventLink& link) {
        const core::EventRef selected = f_.view.selected;
        // The head is at the effect, the tail at the cause.
        const core::EventRef tail = link.forward ? selected : link.event;
        const core::EventRef head = link.forward ? link.event : selected;
        const ImU32 color = color_of(link.kind);
        const std::optional<Box> tail_box = f_.event_box(tail);
        const std::optional<Box> head_box = f_.event_box(head);
        if (!tail_box || !head_box) return;  // the rank is hidden
        const bool head_folded = !f_.shows(head);
        const bool tail_folded = !f_.shows(tail);
        const ImVec2 goal = head_folded ? lower_edge_of(*head_box) : start_of(*head_box);
        const ImVec2 origin = tail_folded ? lower_edge_of(*tail_box) : start_of(*tail_box);
        const End a = end_at(f_, origin);
        const End b = end_at(f_, goal);
        if (a.outside && b.outside) return;
        const float reach = std::clamp(std::fabs(b.at.x - a.at.x) / 2, px(12), px(120));
        const std::array<ImVec2, 4> curve{a.at, {a.at.x + reach, a.at.y}, {b.at.x - reach, b.at.y}, b.at};
        list_->AddBezierCubic(curve[0], curve[1], curve[2], curve[3], color, std::max(1.0f, px(1)));
        // Outside the view, the head shows the direction; inside it points right, like the end of the curve. An event
        // without a row of its own ends at the edge of the row that represents it.
        if (head_folded && !b.outside)
            draw_folded_end(b.at, color);
        else if (b.outside)
            draw_head(list_, b.at, goal.x - b.at.x, goal.y - b.at.y, color);
        else
            draw_head(list_, b.at, 1, 0, color);
        if (tail_folded && !a.outside)
            draw_folded_end(a.at, color);
        else if (!a.outside)
            list_->AddCircleFilled(a.at, px(5) / 2, color);
        if (link.event.slot != selected.slot) note_edge(link, link.forward ? b : a);
        if (!pointed_ && is_near_curve(ImGui::GetIO().MousePos, curve)) pointed_ = link;
    }

    void draw_edge_labels() const {
        for (const EdgeRanks* edge : {&above_, &below_}) {
            if (edge->numbers.empty()) continue;
            std::vector<std::int64_t> numbers = edge->numbers;
            std::ranges::sort(numbers);
            numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
            const std::string label =
                (numbers.size() == 1 ? "rank " : "ranks ") + core::format_ranges(core::join_numbers(numbers));
            const float width = text_width(small_style(), label);
            const float x = std::clamp(edge->at.x + px(8), f_.plot.min.x + px(4),
                                       std::max(f_.plot.min.x + px(4), f_.plot.max.x - width - px(8)));
            const float y = edge->at.y - small_style().size_px / 2;
            const float inside = edge == &above_ ? std::max(y, f_.plot.min.y + px(3))
                                                 : std::min(y, f_.plot.max.y - small_style().size_px - px(4));
            list_->AddRectFilled({x - px(3), inside - px(1)},
                                 {x + width + px(3), inside + small_style().size_px + px(3)}, color::palette().raised,
                                 px(3));
            draw_text(list_, small_style(), {x, inside}, color::palette().text, label);
            record_rect("arrows:" + label, {x, inside}, {x + width, inside + small_style().size_px}, false);
        }
    }

    void draw_word(core::PeerMatch match) const {
        const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(f_.plot.min, f_.plot.max);
        if (!pointed_ || !over || f_.ephemeral.hovered.valid()) return;
        const core::RankSlot& rank = f_.run->rank(pointed_->event.slot);
        const core::EventId event = pointed_->event.event;
        std::string words = pointed_->word;
        if (pointed_->kind == LinkKind::Collective) words += ", " + std::string(core::name_of(match));
        words += "\nrank " + core::format_rank(rank.key) + " \xC2\xB7 " + f_.names.label(rank, event).name.normal +
                 " \xC2\xB7 " + core::format_duration(rank.trace().duration[core::index_of(event)]);
        ImGui::SetTooltip("%s", words.c_str());
    }

private:
    // Two bars across the lower edge of the row that contains the hidden other end.
    void draw_folded_end(ImVec2 at, ImU32 color) {
        for (const float y : {at.y - px(1), at.y + px(2)})
            list_->AddLine({at.x - px(6), y}, {at.x + px(6), y}, color, std::max(1.0f, px(1)));
        record_rect("arrows:folded:" + std::to_string(folded_), {at.x - px(6), at.y - px(2)},
                    {at.x + px(6), at.y + px(3)}, false);
        ++folded_;
    }
    void note_edge(const EventLink& link, const End& end) {
        if (end.above) above_.add(f_.run->rank(link.event.slot).key.number, end.at);
        if (end.below) below_.add(f_.run->rank(link.event.slot).key.number, end.at);
    }

    const TimelineFrame& f_;
    ImDrawList* list_;
    EdgeRanks above_;
    EdgeRanks below_;
    std::optional<EventLink> pointed_;
    std::size_t folded_ = 0;  // ends in rows that represent others
};

// A bracket over the replay of a graph that the selected event is a node of, above its row.
void draw_replay(const TimelineFrame& f, ImDrawList* list) {
    const core::EventRef selected = f.view.selected;
    const std::optional<core::ReplayWords> replay =
        core::describe_replay(*f.run->rank(selected.slot).index, selected.event);
    if (!replay || !f.shows(selected)) return;
    const std::optional<Box> own = f.event_box(selected);
    const std::optional<Box> first = f.event_box({selected.slot, replay->first});
    const std::optional<Box> last = f.event_box({selected.slot, replay->last});
    if (!own || !first || !last) return;
    const float left = std::max(first->min.x, f.plot.min.x), right = std::min(last->max.x, f.plot.max.x);
    const float y = own->min.y;
    if (right - left < px(4) || y < f.plot.min.y || y > f.plot.max.y) return;
    const ImU32 color = color_of(LinkKind::Launch);
    const float thick = std::max(1.0f, px(1)), foot = px(4);
    list->AddLine({left, y}, {right, y}, color, thick);
    if (first->min.x >= f.plot.min.x) list->AddLine({left, y}, {left, y + foot}, color, thick);
    if (last->max.x <= f.plot.max.x) list->AddLine({right, y}, {right, y + foot}, color, thick);
    const float width = text_width(small_style(), replay->text);
    const float top = y - small_style().size_px - px(4);
    if (width + px(8) > right - left || top < f.plot.min.y) return;
    list->AddRectFilled({left, top}, {left + width + px(6), y}, color::palette().raised, px(3));
    draw_text(list, small_style(), {left + px(3), top + px(1)}, color::palette().text, replay->text);
    record_rect("replay:" + replay->text, {left, top}, {left + width, y}, false);
}

// Launches are known at once; other links arrive from the pool after an event is selected.
EventLinks collect_launches(const core::RankTrace& trace, core::EventRef ref) {
    EventLinks launches;
    if (trace.has(ref.event, core::kGpuEvent)) {
        if (const core::EventId call = trace.parent[core::index_of(ref.event)]; call != core::kNoEvent)
            launches.links.push_back({LinkKind::Launch, false, {ref.slot, call}, "launched by"});
        return launches;
    }
    const auto launched = trace.launched_by(ref.event);
    for (const core::EventId work : launched.first(std::min(launched.size(), kMostArrows)))
        launches.links.push_back({LinkKind::Launch, true, {ref.slot, work}, "launches"});
    return launches;
}

}  // namespace

ArrowsDrawn draw_arrows(const TimelineFrame& f) {
    const core::EventRef selected = f.view.selected;
    ArrowsDrawn drawn;
    if (!selected.valid()) return drawn;
    EventLinks launches;
    if (f.links == nullptr) launches = collect_launches(f.run->rank(selected.slot).trace(), selected);
    const EventLinks& links = f.links != nullptr ? *f.links : launches;
    draw_replay(f, ImGui::GetWindowDrawList());
    ArrowPen pen(f, ImGui::GetWindowDrawList());
    for (const EventLink& link : links.links) {
        // A kernel directly above or below its call needs no arrow.
        if (link.kind == LinkKind::Call) continue;
        if (drawn.links == kMostArrows) {
            pen.note(link);
            continue;
        }
        pen.draw(link);
        ++drawn.links;
    }
    const bool on_gpu = f.run->rank(selected.slot).trace().has(selected.event, core::kGpuEvent);
    for (const CallArrow& call : links.calls) {
        if (on_gpu && !pen.draw_call(call)) continue;
        if (!on_gpu) pen.draw({.kind = LinkKind::Launch, .forward = true, .event = call.to, .word = "launched in it"});
        ++drawn.calls;
    }
    pen.draw_edge_labels();
    pen.draw_word(links.match);
    return drawn;
}

}  // namespace ui
