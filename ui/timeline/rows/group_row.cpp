// The heading of a group of ranks, which represents all of them while the group is folded; or the line below pinned
// ranks.
#include "core/base/format.hpp"
#include "core/doctor/losses.hpp"
#include "core/index/rank_count.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

constexpr std::string_view kBeforeMembers = " \xC2\xB7 ";  // in the title of a group

constexpr std::pair<std::string_view, std::string_view> kShortKinds[] = {
    {"tensor", "tp"}, {"data", "dp"}, {"pipeline", "pp"}, {"expert", "ep"}, {"context", "cp"}, {"sequence", "sp"}};

// "data parallel" gives "dp"; other words stay.
std::string shorten_kind(std::string_view kind) {
    for (const auto& [word, brief] : kShortKinds)
        if (kind == word || kind == std::string(word) + " parallel" || kind == std::string(word) + " model parallel")
            return std::string(brief);
    return std::string(kind);
}

// Title and count of a heading, shortened to fit: "tensor · ranks 0–7" and "8 ranks", then "tensor 3 · 8 ranks", "tp 3
// · 8 ranks", "tp 3".
struct HeadingText {
    std::string count;  // at the right end; empty: in the title
    std::string title;
    bool brief = false;  // the title omits the members
};
HeadingText fit_heading(const LayoutRow& row, const std::string& count, float room) {
    HeadingText whole{count, *row.title, false};
    const std::size_t members = row.title->find(kBeforeMembers);
    if (text_width(small_style(), whole.title) + px(8) + text_width(small_style(), count) <= room) return whole;
    if (members == std::string::npos) return {{}, *row.title, false};
    const std::string kind = row.title->substr(0, members);
    const std::string number = " " + std::to_string(row.item);
    HeadingText text{{}, {}, true};
    for (const std::string& title :
         {kind + number + std::string(kBeforeMembers) + count,
          shorten_kind(kind) + number + std::string(kBeforeMembers) + count, shorten_kind(kind) + number}) {
        text.title = title;
        if (text_width(small_style(), title) <= room) break;
    }
    return text;
}

// "8 ranks", "4 ranks \u00D7 2 captures"; for one rank "2 captures".
std::string count_members(const core::Run& run, const LayoutRow& row) {
    const core::RankCount count = core::count_ranks(run, *row.slots);
    return count.ranks == 1 && count.captures > 1 ? core::format_plural(count.captures, "capture", "captures")
                                                  : core::format_rank_count(count);
}

class GroupRow final : public RowKind {
public:
    std::string_view id() const override { return "group"; }

    std::uint32_t node_item(const LayoutRow& row) const override { return row.item; }
    std::string format_label(const core::Run&, const LayoutRow& row) const override { return *row.title; }
    std::size_t count_events(const core::FoundEvents& found, const core::Run&, const LayoutRow& row) const override {
        std::size_t count = 0;
        if (!is_folded(row)) return count;
        for (const std::uint32_t slot : *row.slots) count += found.events(slot).count();
        return count;
    }
    void add_area_rows(const core::Run& run, const LayoutRow& row, std::span<const LayoutRow>,
                       std::vector<core::TrackRows>& rows) const override {
        if (!is_folded(row)) return;
        for (const std::uint32_t slot : *row.slots)
            rows.push_back(core::TrackRows{.rank = run.rank(slot).key, .whole_rank = true});
    }
    RowIdentity identity(const core::Run&, const LayoutRow& row) const override {
        return RowIdentity::of_name(*row.title);
    }

    RowInset inset(const LayoutRow& row) const override {
        return is_folded(row) ? inset_of_shares(row) : inset_of_bars(row);
    }
    bool stacks_classes(const LayoutRow& row) const override { return is_folded(row); }
    void collect(const RowCollect& c) const override {
        if (!is_folded(c.row)) return;
        if (c.query.groups) {
            const GroupStrips::ByRow& strips = c.query.groups->of(c.work);
            const auto known = strips.find(c.index);
            if (known != strips.end() && known->second.size() == c.strip.size()) {
                std::ranges::copy(known->second, c.strip.begin());
                return;
            }
        }
        collect_group_utilisation(collect_group_ranks(c.query, *c.row.slots, c.work), c.query.view, c.group_cells,
                                  c.strip);
    }
    void draw_behind(const TimelineFrame& f, const LayoutRow& row) const override {
        ImDrawList* const list = ImGui::GetWindowDrawList();
        const float top = f.row_top(row);
        const float middle = std::floor(top + row.height / 2);
        if (is_folded(row))
            fill(list, {f.plot.min.x, top - 1}, {f.plot.max.x, top}, color::palette().raised);
        else if (row.title->empty())
            fill(list, {f.plot.min.x, middle}, {f.plot.max.x, middle + 1}, color::palette().line);
        else
            fill(list, {f.plot.min.x, top}, {f.plot.max.x, top + row.height}, color::palette().panel);
    }
    void draw_in_tree(TreeRow& r) const override;
    void draw_tooltip(const TimelineFrame& f, const LayoutRow& row) const override {
        if (is_folded(row)) draw_utilisation_tooltip(f, row);
    }
};

// Draws a red mark left of the count of a folded group with damaged ranks.
void draw_losses(const TreeRow& r, float right, float y) {
    const std::shared_ptr<const core::Losses> losses = core::find_losses(*r.f.run);
    if (losses->damaged == 0) return;
    const core::Loss* first = nullptr;
    std::size_t count = 0;
    for (const std::uint32_t slot : *r.row.slots) {
        const core::Loss* const loss = losses->find(r.f.run->rank(slot).key);
        if (!loss) continue;
        ++count;
        if (!first) first = loss;
    }
    if (count == 0) return;
    draw_text_right(r.list, heading_style(), {right, y}, color::palette().error, "!");
    if (r.hovered)
        r.tooltip += "\n" + first->text() + (count > 1 ? "\nand " + core::format_count(count - 1) + " more" : "");
}

// Draws the rank of a folded group that stands out, left of `right`; a click shows it below the group, another hides
// it. Returns the width used. `on_it`: the pointer is on it.
float draw_worst(TreeRow& r, float right, bool& on_it) {
    const std::optional<GroupWorst> worst = r.find_worst();
    if (!worst) return 0;
    const std::string rank = "rank " + core::format_rank(r.f.run->rank(worst->slot).key);
    const std::string words = rank + ": " + worst->share;
    const float width = text_width(small_style(), words) + px(8);
    const ImVec2 min{right - width, r.top + px(1)}, max{right, r.top + r.row.height - px(2)};
    on_it = r.hovered && ImGui::IsMouseHoveringRect(min, max);
    if (on_it) r.list->AddRectFilled(min, max, color::palette().line, px(3));
    draw_text(r.list, small_style(), {min.x + px(4), r.text_y(small_style())}, color::palette().warning, words);
    record_rect("worst:" + *r.row.title, min, max, on_it);
    if (!on_it) return width + px(6);
    const std::vector<std::int64_t> names = names_of_ranks(r.f.frame.session, r.f.frame.side);
    const std::int64_t name = worst->slot < names.size() ? names[worst->slot] : r.f.run->rank(worst->slot).key.packed();
    const bool shown = r.f.choices().ranks.singled.contains(name);
    r.tooltip = rank + " has the largest " + worst->what + " time: " + worst->share + ", mean " + worst->mean +
                (shown ? "\nA click hides its rows" : "\nA click shows its rows below the group");
    if (!ImGui::IsMouseClicked(0)) return width + px(6);
    r.clicks.fold = r.f.choices().ranks;
    flip_membership(r.clicks.fold->singled, name);
    return width + px(6);
}

void GroupRow::draw_in_tree(TreeRow& r) const {
    if (r.row.title->empty())
        return fill(r.list, {r.box.min.x, r.middle()}, {r.box.max.x, r.middle() + 1}, color::palette().line);
    const bool folded = is_folded(r.row);
    if (folded) r.fill_behind(color::palette().raised);
    const float y = r.top + std::floor((r.row.height - px(folded ? 1 : 0) - small_style().size_px) / 2);
    const float left = r.box.min.x + px(22);
    if (r.row.opens) r.draw_triangle(r.box.min.x + px(12));
    float right = r.right() - (folded ? r.draw_shares(color::palette().muted) : 0);
    bool on_worst = false;
    std::string worst_tooltip;
    if (folded) {
        std::swap(worst_tooltip, r.tooltip);
        right -= draw_worst(r, right, on_worst);
        std::swap(worst_tooltip, r.tooltip);
    }
    const std::string count = count_members(*r.f.run, r.row);
    const HeadingText text = fit_heading(r.row, count, right - left);
    draw_text_right(r.list, small_style(), {right, y}, color::palette().faint, text.count);
    const float room = right - left - (text.count.empty() ? 0 : text_width(small_style(), text.count) + px(8));
    const ImU32 color = folded || r.hovered ? color::palette().text : color::palette().muted;
    const bool cut = draw_text(r.list, small_style(), {left, y}, color, text.title, room) || text.brief;
    if (r.hovered && (cut || folded))
        r.tooltip = *r.row.title + "\n" + count + (r.tooltip.empty() ? "" : "\n" + r.tooltip);
    if (folded) r.draw_unique_events();
    if (on_worst) r.tooltip = worst_tooltip;
    if (folded) draw_losses(r, right - text_width(small_style(), text.count) - px(4), y);
    record_rect("group:" + *r.row.title, r.box.min, r.box.max, r.hovered);
    if (!r.row.opens || !r.hovered || on_worst || !ImGui::IsMouseClicked(0)) return;
    r.clicks.fold = r.f.choices().ranks;
    fold_group(*r.clicks.fold, *r.row.title, !folded);
    if (r.sticky) r.clicks.scroll_to = r.row.y;
}

}  // namespace

const RowKind& group_kind() {
    static const GroupRow kKind;
    return kKind;
}

}  // namespace ui
