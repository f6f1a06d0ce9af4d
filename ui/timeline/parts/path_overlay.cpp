#include "ui/timeline/parts/path_overlay.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/format.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/timeline/parts/overview.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kPathThick = 3;                            // sizes at scale 1
constexpr float kPathDash = 4;
constexpr float kArrowSpacing = 9;                         // closer arrows would merge
constexpr float kStairSpacing = 5;
constexpr float kArrowHead = 5;
constexpr unsigned kDimmedAlpha = 110;
constexpr unsigned kStairAlpha = 100;                      // within a thread the stacking shows the order

// Outline that separates the path from bars of any colour.
ImU32 path_casing() { return color::with_alpha(color::palette().casing, 230); }

core::Filter narrowed_to_rank(core::Filter filter, core::RankKey rank) {
    filter.terms.push_back({false, core::rank_term(rank)});
    return filter;
}

std::optional<std::size_t> find_accepted(const core::Run& run, const core::Filter& filter) {
    const auto ranks = run.ranks();
    const auto found =
        std::ranges::find_if(ranks, [&](const core::RankSlot& rank) { return filter.accepts_rank(rank.key); });
    if (found == ranks.end()) return std::nullopt;
    return static_cast<std::size_t>(found - ranks.begin());
}

void draw_dashes(ImDrawList* list, float left, float right, float y, float thick, ImU32 color) {
    const float dash = px(kPathDash);
    for (float x = std::floor(left / (2 * dash)) * 2 * dash; x < right; x += 2 * dash) {
        const float from = std::max(x, left), to = std::min(x + dash, right);
        if (from < to) list->AddRectFilled({from, y}, {to, y + thick}, color);
    }
}

// Draws a row; returns the number of spans.
std::size_t draw_path_row(const TimelineFrame& f, const LayoutRow& row, const core::RankSlot& rank, const PathRow& path,
                          ImU32 color, bool marks_found) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::vector<PixelSpan> spans;
    const float thick = px(kPathThick);
    const float bottom = f.row_top(row) + bar_inset(row).bottom - (marks_found ? px(2) : 0);
    const auto x_of = [&](std::int32_t x) { return f.plot.min.x + static_cast<float>(x); };
    collect_path_spans(path.waits, rank, f.view.time, spans);
    for (const PixelSpan& span : spans)
        draw_dashes(list, x_of(span.x0), x_of(span.x1), bottom - px(2), std::max(1.0f, px(1)), color);
    const std::size_t waits = spans.size();
    spans.clear();
    collect_path_spans(path.work, rank, f.view.time, spans);
    for (const PixelSpan& span : spans) {
        list->AddRectFilled({x_of(span.x0), bottom - thick - 1}, {x_of(span.x1), bottom}, path_casing());
        list->AddRectFilled({x_of(span.x0), bottom - thick}, {x_of(span.x1), bottom}, color);
    }
    return waits + spans.size();
}

// A pinned rank has its rows in the band only, so exactly one of the layouts has them.
RowsOfRank find_rows_of(const TimelineFrame& f, std::uint32_t slot) {
    for (const LaneLayout* const layout : {&f.layout, f.pinned}) {
        if (!layout) continue;
        const auto [first, last] = layout->find_rank_rows(slot);
        if (first == last) continue;
        RowsOfRank found{.layout = layout, .first = first};
        const std::size_t lanes = f.run->rank(slot).trace().lanes.size();
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            found.rows.push_back(static_cast<std::uint32_t>(*layout->find_lane_row(*f.run, slot, lane) - first));
        return found;
    }
    return {};
}

// Draws a turn, which takes no time, as a straight line between two rows.
void draw_path_arrow(const TimelineFrame& f, ImU32 color, float x, std::size_t from, std::size_t to, bool head) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const LayoutRow& a = f.layout.rows()[from];
    const LayoutRow& b = f.layout.rows()[to];
    const auto line_of = [&](const LayoutRow& row) { return f.row_top(row) + bar_inset(row).bottom - px(1); };
    const bool down = line_of(b) > line_of(a);
    const float begin = line_of(a);
    const float end = head && down ? f.row_top(b) + bar_inset(b).top + px(kArrowHead) : line_of(b);
    const float top = std::max(std::min(begin, end), f.plot.min.y - px(8));
    const float bottom = std::min(std::max(begin, end), f.plot.max.y + px(8));
    if (bottom < f.plot.min.y || top > f.plot.max.y) return;
    const float thick = std::max(1.0f, px(1));
    if (head) list->AddRectFilled({x - 1, top}, {x + thick + 1, bottom}, path_casing());
    list->AddRectFilled({x, top}, {x + thick, bottom}, color);
    if (!head) return;
    const float middle = x + thick / 2;
    const float base = down ? end - px(kArrowHead) : end + px(kArrowHead + 2);
    const float tip = down ? end : end + px(1);
    const float half = px(kArrowHead - 1);
    if (down)
        list->AddTriangleFilled({middle - half, base}, {middle + half, base}, {middle, tip}, color);
    else
        list->AddTriangleFilled({middle - half, base}, {middle, tip}, {middle + half, base}, color);
}

}  // namespace

// Keeps the rank until an event of another is selected or the filter excludes it.
std::optional<std::size_t> PathOverlay::choose_rank(const TimelineFrame& f) {
    const auto ranks = f.run->ranks();
    const core::Filter& filter = f.frame.filter();
    const auto accepts = [&](std::size_t slot) { return filter.accepts_rank(ranks[slot].key); };
    if (f.view.selected.valid() && accepts(f.view.selected.slot)) rank_ = ranks[f.view.selected.slot].key;
    const bool stays =
        rank_ && filter.accepts_rank(*rank_) && std::ranges::find(ranks, *rank_, &core::RankSlot::key) != ranks.end();
    if (!stays) {
        rank_.reset();
        for (std::size_t i = f.first_row; i < f.last_row && !rank_; ++i)
            if (const std::uint32_t slot = f.layout.rows()[i].slot; accepts(slot)) rank_ = ranks[slot].key;
        if (const auto first = find_accepted(*f.run, filter); !rank_ && first) rank_ = ranks[*first].key;
    }
    if (!rank_) return std::nullopt;
    return find_accepted(*f.run, narrowed_to_rank(filter, *rank_));
}

void PathOverlay::ask_path(TimelineFrame& f) {
    const std::optional<std::size_t> slot = choose_rank(f);
    fresh_ = true;
    error_.clear();
    if (!slot) {
        known_ = {};
        path_ = nullptr;
        return;
    }
    const core::Request request =
        ask(f.frame, "timeline-path", "critical-path", narrowed_to_rank(f.frame.filter(), *rank_));
    error_ = request.error;
    fresh_ = request.fresh;
    if (request.fresh) known_ = {.answer = request.answer, .run = f.run, .slot = *slot};
    if (!request.error.empty()) known_ = {};
    path_ = nullptr;
    if (!known_.answer) return;
    path_ = made_path_.ask(f.frame.session.pool(), known_,
                           [run = f.run, key = known_] { return CriticalPath::of(*run, key.slot, *key.answer); });
    fresh_ = fresh_ && made_path_.fresh();
}

void PathOverlay::lay(const TimelineFrame& f, std::uint64_t layout_version) {
    laid_ = nullptr;
    if (!path_ || !path_->rank) return;
    const auto ranks = f.run->ranks();
    const auto found = std::ranges::find(ranks, path_->rank, &core::RankSlot::index);
    if (found == ranks.end()) return;  // path of another run
    slot_ = static_cast<std::uint32_t>(found - ranks.begin());
    if (!(rows_of_ == f.run) || rows_slot_ != slot_ || rows_version_ != layout_version || !rows_.layout) {
        rows_of_ = f.run;
        rows_slot_ = slot_;
        rows_version_ = layout_version;
        rows_ = find_rows_of(f, slot_);
    }
    if (!rows_.layout) return;
    laid_ = made_layout_.ask(f.frame.session.pool(), {path_, rows_}, [key = LaidKey{path_, rows_}] {
        return Laid{key, lay_path(*key.path, key.rows.rows)};
    });
    // A layout of an older path or other rows would draw in the wrong rows.
    if (laid_ && (laid_->of.path != path_ || laid_->of.rows != rows_)) laid_ = nullptr;
    busy_ = !made_layout_.fresh();
}

void PathOverlay::update(TimelineFrame& f, std::uint64_t layout_version) {
    const bool was_on = std::exchange(on_, f.choices().critical_path && !RunPathOverlay::wanted(f));
    stretches_ = drawn_spans_ = drawn_arrows_ = 0;
    busy_ = false;
    f.path = nullptr;
    if (!on_) {
        if (was_on) *this = {};
        return;
    }
    ask_path(f);
    lay(f, layout_version);
    busy_ = busy_ || (known_.answer && !made_path_.fresh());
    if (!laid_) return;
    f.path = path_.get();
    stretches_ = count_stretches(path_->stretches, f.run->rank(slot_), f.view.time);
}

void PathOverlay::draw(const TimelineFrame& f, bool marks_found) {
    if (!laid_ || rows_.layout != &f.layout) return;
    const PathLayout& layout = laid_->layout;
    const core::RankSlot& rank = f.run->rank(slot_);
    const std::size_t first = rows_.first, last = std::min(f.last_row, first + layout.rows.size());
    const ImU32 color = fresh_ ? color::palette().path : color::with_alpha(color::palette().path, kDimmedAlpha);
    const auto is_visible = [&](const PathArrow& arrow) {
        const auto [low, high] = std::minmax(arrow.from, arrow.to);
        return first + high >= f.first_row && first + low < f.last_row;
    };
    for (const bool head : {false, true}) {
        arrows_.clear();
        collect_path_arrows(head ? layout.arrows : layout.stairs, rank, f.view.time,
                            px(head ? kArrowSpacing : kStairSpacing), arrows_);
        std::erase_if(arrows_, [&](const PathArrow& arrow) { return !is_visible(arrow); });
        for (const PathArrow& arrow : arrows_)
            draw_path_arrow(f, head ? color : color::with_alpha(color, kStairAlpha),
                            f.plot.min.x + static_cast<float>(arrow.x), first + arrow.from, first + arrow.to, head);
        if (head) drawn_arrows_ = arrows_.size();
    }
    for (std::size_t i = std::max(f.first_row, first); i < last; ++i)
        drawn_spans_ += draw_path_row(f, f.layout.rows()[i], rank, layout.rows[i - first], color, marks_found);
}

void PathOverlay::draw_title(const TimelineFrame& f) const {
    if (!on_) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at{f.corner.min.x + px(10), f.corner.min.y + px(29)};
    const float line = at.y + std::floor(small_style().size_px * 0.6f);
    std::string words = "critical path";
    if (!rank_)
        words += ": no rank";
    else
        words += " of rank " + core::format_rank(*rank_);
    if (!error_.empty())
        words += ": failed";
    else if (!fresh_)
        words += "\xE2\x80\xA6";
    else if (rank_ && path_ && !path_->rank)
        words += ": nothing here";
    list->AddRectFilled({at.x, line}, {at.x + px(12), line + px(kPathThick)}, color::palette().path);
    const float x = at.x + px(18);
    draw_text(list, small_style(), {x, at.y}, color::palette().text, words, f.corner.max.x - x - px(8));
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(at, {f.corner.max.x, at.y + px(16)})) return;
    if (!error_.empty()) return ImGui::SetTooltip("%s", error_.c_str());
    const std::string length = path_ && path_->rank ? core::format_duration(path_->length) : "nothing";
    ImGui::SetTooltip(
        "What bounded the rank's time in the filter, %s in total\nunderlined: running; dashed: "
        "waited for\nSelect nothing (Esc) to show the path across the ranks of the filter",
        length.c_str());
}

void PathOverlay::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_ && !busy_;
    shown["error"] = error_;
    if (rank_) shown["rank"] = core::format_rank(*rank_);
    const bool there = path_ && path_->rank;
    shown["length_ns"] = there ? path_->length.count() : 0;
    shown["all_stretches"] = there ? path_->stretches.size() : 0;
    shown["stretches"] = stretches_;
    shown["spans"] = drawn_spans_;
    shown["arrows"] = drawn_arrows_;
}

// --- Across ranks

bool RunPathOverlay::wanted(const TimelineFrame& f) {
    const auto accepts = [&](const core::RankSlot& rank) { return f.frame.filter().accepts_rank(rank.key); };
    if (f.view.selected.valid() && f.view.selected.slot < f.run->ranks().size() &&
        accepts(f.run->rank(f.view.selected.slot)))
        return false;
    std::size_t accepted = 0;
    for (const core::RankSlot& rank : f.run->ranks())
        if (accepts(rank) && ++accepted > 1) return true;
    return false;
}

void RunPathOverlay::update(TimelineFrame& f, std::uint64_t layout_version) {
    const bool was_on = std::exchange(on_, f.choices().critical_path && wanted(f));
    drawn_spans_ = drawn_arrows_ = drawn_crossings_ = 0;
    f.run_path = nullptr;
    if (!on_) {
        if (was_on) *this = {};
        return;
    }
    const core::Analysis& analysis = *core::find_analysis("critical-path");
    const std::pair<std::string, std::string> of_run[] = {{"of", "run"}};
    const core::Request request =
        ask(f.frame, "timeline-run-path", analysis, core::make_params(analysis, of_run).value());
    error_ = request.error;
    fresh_ = request.fresh;
    if (request.fresh) known_ = {.answer = request.answer, .run = f.run};
    if (!request.error.empty()) known_ = {};
    path_ = nullptr;
    if (known_.answer)
        path_ = made_path_.ask(f.frame.session.pool(), known_,
                               [run = f.run, key = known_] { return RunCriticalPath::of(*run, *key.answer); });
    lay(f, layout_version);
    if (laid_) f.run_path = path_.get();
}

void RunPathOverlay::lay(const TimelineFrame& f, std::uint64_t layout_version) {
    laid_ = nullptr;
    if (!path_ || path_->ranks.size() != f.run->ranks().size()) return;
    if (!(rows_of_ == f.run) || rows_version_ != layout_version || rows_path_ != path_) {
        rows_of_ = f.run;
        rows_version_ = layout_version;
        rows_path_ = path_;
        std::vector<RankRows> all;
        for (std::uint32_t slot = 0; slot < path_->ranks.size(); ++slot) {
            if (path_->ranks[slot].rank != f.run->rank(slot).index) continue;
            if (RowsOfRank found = find_rows_of(f, slot); found.layout) all.push_back({slot, std::move(found)});
        }
        rows_ = std::make_shared<const std::vector<RankRows>>(std::move(all));
    }
    laid_ = made_layout_.ask(f.frame.session.pool(), {path_, rows_}, [key = LaidKey{path_, rows_}] {
        Laid laid{key, {}};
        for (const RankRows& own : *key.rows) laid.layouts.push_back(lay_path(key.path->ranks[own.slot], own.of.rows));
        return laid;
    });
    if (laid_ && (laid_->of.path != path_ || laid_->of.rows != rows_)) laid_ = nullptr;
}

void RunPathOverlay::draw_arrows_of(const TimelineFrame& f, const RankRows& own, const PathLayout& layout,
                                    ImU32 color) {
    arrows_.clear();
    collect_path_arrows(layout.arrows, f.run->rank(own.slot), f.view.time, px(kArrowSpacing), arrows_);
    for (const PathArrow& arrow : arrows_) {
        draw_path_arrow(f, color, f.plot.min.x + static_cast<float>(arrow.x), own.of.first + arrow.from,
                        own.of.first + arrow.to, true);
        ++drawn_arrows_;
    }
}

void RunPathOverlay::draw_crossings(const TimelineFrame& f, ImU32 color) {
    const auto row_of = [&](std::uint32_t slot, std::uint32_t lane) -> std::optional<std::size_t> {
        const auto own = std::ranges::lower_bound(*rows_, slot, {}, &RankRows::slot);
        if (own == rows_->end() || own->slot != slot || own->of.layout != &f.layout) return std::nullopt;
        return own->of.first + own->of.rows[lane];
    };
    const core::RunRange shown = f.view.time.range();
    auto next = std::ranges::lower_bound(path_->crossings, shown.begin, {}, &PathCrossing::at);
    const core::Duration spacing{std::llround(f.view.time.ns_per_px() * static_cast<double>(px(kArrowSpacing)))};
    while (next != path_->crossings.end() && next->at < shown.end) {
        const auto from = row_of(next->from, next->from_lane), to = row_of(next->to, next->to_lane);
        if (from && to) {
            const float x = f.x_of(next->at);
            draw_path_arrow(f, color, x, *from, *to, true);
            ++drawn_crossings_;
            const float top = std::min(f.row_top(f.layout.rows()[*from]), f.row_top(f.layout.rows()[*to]));
            const float bottom = std::max(f.row_top(f.layout.rows()[*from]), f.row_top(f.layout.rows()[*to]));
            const ImVec2 mouse = ImGui::GetMousePos();
            if (ImGui::IsWindowHovered() && std::abs(mouse.x - x) <= px(3) && mouse.y >= top && mouse.y <= bottom &&
                !f.ephemeral.hovered.valid())
                show_tooltip("The critical path goes from rank " + core::format_rank(f.run->rank(next->from).key) +
                             ", the last to arrive, to rank " + core::format_rank(f.run->rank(next->to).key) +
                             ", which waited for it: " + next->what);
        }
        const core::RunTime behind = next->at + std::max(spacing, core::Duration{1});
        next = std::ranges::lower_bound(next, path_->crossings.end(), behind, {}, &PathCrossing::at);
    }
}

void RunPathOverlay::draw(const TimelineFrame& f, bool marks_found) {
    if (!laid_) return;
    const ImU32 color = fresh_ ? color::palette().path : color::with_alpha(color::palette().path, kDimmedAlpha);
    for (std::size_t i = 0; i < rows_->size(); ++i) {
        const RankRows& own = (*rows_)[i];
        const PathLayout& layout = laid_->layouts[i];
        const std::size_t first = own.of.first, last = std::min(f.last_row, first + layout.rows.size());
        if (own.of.layout != &f.layout || first >= f.last_row || last <= f.first_row) continue;
        draw_arrows_of(f, own, layout, color);
        for (std::size_t row = std::max(f.first_row, first); row < last; ++row)
            drawn_spans_ += draw_path_row(f, f.layout.rows()[row], f.run->rank(own.slot), layout.rows[row - first],
                                          color, marks_found);
    }
    draw_crossings(f, color);
}

// A stretch of the strip's lower edge per stay, at a height given by the rank's place among visited ranks.
void RunPathOverlay::draw_visits_in_overview(const TimelineFrame& f) const {
    const float width = f.overview.width(), height = f.overview.height();
    if (!path_ || width <= 0 || path_->visits.empty()) return;
    const TimeView whole = find_overview_view(f.view, f.bounds(), width);
    std::vector<std::uint32_t> place(path_->ranks.size(), 0);
    std::uint32_t visited = 0;
    for (std::uint32_t slot = 0; slot < place.size(); ++slot)
        if (path_->ranks[slot].rank) place[slot] = visited++;
    const float row = height / static_cast<float>(std::max(visited, 1u)), thick = std::clamp(row - 1, 1.0f, px(2));
    std::vector<float> drawn(path_->ranks.size(), -1);
    for (const auto& [range, slot] : path_->visits) {
        const auto left = std::max(static_cast<float>(std::floor(whole.to_px(range.begin))), drawn[slot]);
        const float right = std::max(static_cast<float>(std::ceil(whole.to_px(range.end))), left + 1);
        if (right <= drawn[slot] || left >= width || right <= 0) continue;
        drawn[slot] = right;
        const float y = f.overview.min.y + (static_cast<float>(place[slot]) + 0.5f) * row - thick / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({f.overview.min.x + std::max(left, 0.0f), y},
                                                  {f.overview.min.x + std::min(right, width), y + thick},
                                                  color::palette().path);
    }
}

void RunPathOverlay::draw_around_plot(const TimelineFrame& f) const {
    if (!on_) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_visits_in_overview(f);
    if (laid_) {
        list->PushClipRect(f.tree.min, f.tree.max, true);
        for (const RankRows& own : *rows_) {
            if (own.of.layout != &f.layout || own.of.first >= f.last_row || own.of.first < f.first_row) continue;
            const LayoutRow& row = f.layout.rows()[own.of.first];
            const float top = f.row_top(row) + px(2);
            list->AddRectFilled({f.tree.max.x - px(5), top}, {f.tree.max.x - px(2), top + px(14)},
                                color::palette().path);
        }
        list->PopClipRect();
    }
    const ImVec2 at{f.corner.min.x + px(10), f.corner.min.y + px(29)};
    const float line = at.y + std::floor(small_style().size_px * 0.6f);
    std::string words = "critical path of all ranks";
    if (!error_.empty())
        words += ": failed";
    else if (!fresh_ || !path_)
        words += "\xE2\x80\xA6";
    else if (path_->stretches == 0)
        words += ": nothing here";
    list->AddRectFilled({at.x, line}, {at.x + px(12), line + px(kPathThick)}, color::palette().path);
    const float x = at.x + px(18);
    draw_text(list, small_style(), {x, at.y}, color::palette().text, words, f.corner.max.x - x - px(8));
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(at, {f.corner.max.x, at.y + px(16)})) return;
    if (!error_.empty()) return ImGui::SetTooltip("%s", error_.c_str());
    const std::string length = core::format_duration(path_ ? path_->length : core::Duration{});
    ImGui::SetTooltip(
        "What bounded the run in the filter, %s in total, across its ranks\nunderlined: running; dashed: waited for; "
        "arrows: from the last to arrive to a rank that waited for it\nIn the tree and the strip above: the ranks that "
        "it visits\nSelect an event to show the path of its rank alone",
        length.c_str());
}

void RunPathOverlay::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    shown["error"] = error_;
    shown["of"] = "run";
    shown["length_ns"] = path_ ? path_->length.count() : 0;
    shown["all_stretches"] = path_ ? path_->stretches : 0;
    shown["all_crossings"] = path_ ? path_->crossings.size() : 0;
    nlohmann::json visited = nlohmann::json::array();
    for (std::size_t slot = 0; path_ && slot < path_->ranks.size(); ++slot)
        if (path_->ranks[slot].rank) visited.push_back(slot);
    shown["visited_slots"] = visited;
    shown["spans"] = drawn_spans_;
    shown["arrows"] = drawn_arrows_;
    shown["crossings"] = drawn_crossings_;
}

}  // namespace ui
