#include "ui/timeline/parts/overview.hpp"

#include "core/index/rank_count.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/theme.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// Ranks are summed in a fixed number of pieces, so that the result does not depend on the number of threads.
constexpr std::size_t kPieces = 8;
constexpr std::size_t kWorthPieces = 64;  // ranks; below, waking threads costs more than it saves

// One pixel column along an edge per cell with content; adjacent ones merge.
struct CellStrip {
    ImVec2 min;
    double width;  // of the run's window, divided into cells
    float height;
};

void draw_cells(ImDrawList* list, const core::FoundEvents& found, const CellStrip& strip, ImU32 color) {
    const auto cells = static_cast<double>(core::FoundEvents::kCells);
    const auto edge = [&](double cell) {
        return strip.min.x + static_cast<float>(std::floor(cell * strip.width / cells));
    };
    std::size_t i = 0;
    while (i < core::FoundEvents::kCells) {
        if (!found.cells().test(i)) {
            ++i;
            continue;
        }
        const float left = edge(static_cast<double>(i));
        float right = left + 1;
        for (; i < core::FoundEvents::kCells && edge(static_cast<double>(i)) <= right; ++i) {
            if (found.cells().test(i)) right = std::max(right, edge(static_cast<double>(i)) + 1);
        }
        list->AddRectFilled({left, strip.min.y}, {right, strip.min.y + strip.height}, color);
    }
}

core::RankCount count_shown(const core::Run& run, const OverviewRanks& ranks) {
    if (!ranks.some) return core::count_ranks(run);
    std::vector<std::uint32_t> slots;
    for (const OverviewRanks::Chosen& chosen : ranks.chosen) slots.push_back(chosen.slot);
    return core::count_ranks(run, slots);
}

std::string words_of_ranks(const core::Run& run, const OverviewRanks& ranks) {
    return core::format_rank_count(count_shown(run, ranks));
}

}  // namespace

std::size_t collect_overview(const core::Run& run, const OverviewRanks& of_ranks, ShownWork work,
                             const core::RunWaitSpans* waits, const TimeView& whole, std::span<std::uint32_t> strip) {
    const std::size_t ranks = of_ranks.some ? of_ranks.chosen.size() : run.ranks().size();
    std::vector<core::CellSums> sums(kPieces, core::CellSums(strip.size()));
    std::vector<std::vector<float>> waiting(kPieces, std::vector<float>(strip.size()));
    core::Executor& executor = core::Executor::instance();
    executor.parallel_for(
        core::Priority::Frame, kPieces, ranks < kWorthPieces ? 1 : executor.threads(), [&](std::size_t piece) {
            for (std::size_t i = piece; i < ranks; i += kPieces) {
                const std::size_t slot = of_ranks.some ? of_ranks.chosen[i].slot : i;
                const core::Selection* const chosen = of_ranks.some ? of_ranks.chosen[i].selection.get() : nullptr;
                const core::RankSlot& rank = run.rank(slot);
                sums[piece].add(find_work(rank, chosen, work), rank.to_rank(whole.t0), whole.fraction_ns,
                                rank.to_rank_length(whole.ns_per_px()));
                if (waits != nullptr)
                    waits->ranks[slot].exposed.add_shares(rank.to_rank(whole.t0), whole.fraction_ns,
                                                          rank.to_rank_length(whole.ns_per_px()), waiting[piece]);
            }
        });
    for (std::size_t piece = 1; piece < kPieces; ++piece) {
        sums.front().merge(sums[piece]);
        for (std::size_t x = 0; x < strip.size(); ++x) waiting.front()[x] += waiting[piece][x];
    }
    const auto counted = static_cast<float>(std::max<std::size_t>(1, count_shown(run, of_ranks).ranks));
    const float each = 1.0f / counted;
    const float captures = static_cast<float>(ranks) / counted;  // captures per rank
    const std::vector<core::ClassPartition::Cell> means = sums.front().means();
    for (std::size_t x = 0; x < strip.size(); ++x)
        strip[x] = pack_captures(means[x], captures, waiting.front()[x] * each);
    return sums.front().visits();
}

TimeView find_overview_view(const View& view, core::RunRange bounds, float width) {
    TimeView whole;
    whole.width_px = width;
    const core::RunRange home = view.whole.range();
    if (!view.fitted || bounds.empty()) {
        whole.fit(bounds, 0);
    } else if (home.begin <= bounds.begin && bounds.end <= home.end) {
        whole = view.whole;
        whole.px_per_ns *= static_cast<double>(width) / static_cast<double>(std::max(1.0f, view.whole.width_px));
        whole.width_px = width;
    } else {
        whole.fit({std::min(home.begin, bounds.begin), std::max(home.end, bounds.end)}, 0);
    }
    return whole;
}

void Overview::set_strip(RectRenderer& renderer, const core::Run& run, ShownWork work,
                         const core::RunWaitSpans* waits) {
    strip_.assign(static_cast<std::size_t>(size_.x), 0);
    collect_overview(run, ranks_, work, waits, whole_, strip_);
    StripQuads quads;
    add_strip_quads(strip_, 0, 0, static_cast<std::int16_t>(size_.y),
                    quads[static_cast<std::size_t>(StripKind::StackedClasses)]);
    renderer.set_strips(static_cast<int>(size_.x), strip_, quads);
}

void Overview::update(const core::RunPtr& run, const OverviewMarks& marks, const TimeView& whole, ImVec2 size) {
    constexpr core::ClassSet kAllClasses = (1u << core::kKernelClasses) - 1;
    const core::ClassSet dimmed = marks.ranks.highlights ? kAllClasses : marks.ranks.dimmed;
    renderer_.set_dimmed(dimmed);
    // Waiting is part of communication, so it is hatched only where communication isn't dimmed.
    const core::RunWaitSpansPtr waits =
        (dimmed & core::set_of(core::KernelClass::Communication)) != 0 ? nullptr : marks.waits;
    const bool same = run->id() == run_id_ && waits == waits_ && marks.ranks == ranks_ && whole == whole_ &&
                      size.x == size_.x && size.y == size_.y;
    waits_ = waits;
    ranks_ = marks.ranks;
    run_id_ = run->id();
    whole_ = whole;
    size_ = size;
    if (same) return;
    set_strip(renderer_, *run, ShownWork::All, waits_.get());
    highlighter_.set_over(true);
    if (ranks_.highlights) set_strip(highlighter_, *run, ShownWork::Chosen, nullptr);
}

// Fades times outside the filter, and outlines the timeline's range.
void Overview::draw_veils(ImDrawList* list, const OverviewMarks& marks, const TimeView& view, ImVec2 position,
                          ImVec2 end) {
    const auto edge = [&](core::RunTime t) {
        return position.x +
               std::floor(static_cast<float>(std::clamp(whole_.to_px(t), 0.0, static_cast<double>(size_.x))) + 0.5f);
    };
    if (marks.ranks.time) {
        const ImU32 fade = color::with_alpha(color::palette().background, 190);
        list->AddRectFilled(position, {edge(marks.ranks.time->begin), end.y}, fade);
        list->AddRectFilled({edge(marks.ranks.time->end), position.y}, end, fade);
    }
    const core::RunRange visible = view.range();
    const float left = std::min(edge(visible.begin), end.x - px(2));
    const float right = std::max(edge(visible.end), left + px(2));
    marked_ = {left - position.x, right - position.x};
    const ImU32 veil = color::with_alpha(color::palette().casing, 150);
    list->AddRectFilled(position, {left, end.y}, veil);
    list->AddRectFilled({right, position.y}, end, veil);
    if (left <= position.x && right >= end.x) return;
    list->AddRect({left, position.y}, {right, end.y},
                  ImGui::IsItemHovered() ? color::palette().accent : color::rgb(0x4C9BE8, 190), 0, 0, px(1));
}

void Overview::draw(const core::RunPtr& run, core::RunRange bounds, const OverviewMarks& marks, View& view,
                    ImVec2 position, ImVec2 size) {
    if (size.x < 8 || size.y < 4) return;
    update(run, marks, find_overview_view(view, bounds, size.x), size);
    ImGui::SetCursorScreenPos(position);
    invisible_button("##overview", size);
    record_item("##overview");
    if (ImGui::IsItemActive()) {
        const core::RunTime wanted = whole_.to_time(static_cast<double>(ImGui::GetIO().MousePos.x - position.x));
        view.time.pan(view.time.to_px(wanted) - static_cast<double>(view.time.width_px) / 2);
    } else {
        tooltip("The whole run, mean of " + words_of_ranks(*run, ranks_) +
                (shows_whole(view) ? "" : ". The box is the time shown below") +
                (ranks_.highlights || ranks_.dimmed != 0 ? ".\nExcluded by the filter: dim" : "") +
                ".\nClick or drag: show that time.");
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{position.x + size.x, position.y + size.y};
    list->PushClipRect(position, end, true);
    fill(list, position, end, color::palette().background);
    renderer_.queue(list, position);
    if (ranks_.highlights) highlighter_.queue(list, position);
    draw_veils(list, marks, view.time, position, end);
    const double first = std::floor(whole_.to_px(run->window().begin));
    const double width = std::floor(whole_.to_px(run->window().end)) - first;
    const float x = position.x + static_cast<float>(first);
    if (marks.unique_events != nullptr)
        draw_cells(list, *marks.unique_events, {.min = {x, position.y}, .width = width, .height = px(3)},
                   marks.only_color);
    if (marks.found != nullptr)
        draw_cells(list, *marks.found, {.min = {x, end.y - px(3)}, .width = width, .height = px(3)},
                   color::palette().found);
    list->PopClipRect();
}

void Overview::describe(nlohmann::json& shown) const {
    const core::RunRange range = whole_.range();
    shown = {{"length_ns", range.length().count()},
             {"px_per_ns", whole_.px_per_ns},
             {"marked_px", {marked_.x, marked_.y}},
             {"ranks", ranks_.some ? ranks_.chosen.size() : 0},
             {"dimmed", ranks_.dimmed},
             {"highlights", ranks_.highlights},
             {"cuts_time", ranks_.time.has_value()}};
}

}  // namespace ui
