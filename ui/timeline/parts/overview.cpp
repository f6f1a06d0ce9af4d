#include "ui/timeline/parts/overview.hpp"

#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/theme.hpp"

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
    double width;  // of the run's window, divided into the cells
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

}  // namespace

std::size_t collect_overview(const core::Run& run, const OverviewRanks& of_ranks, const core::RunWaitSpans* waits,
                             const TimeView& whole, std::span<std::uint32_t> strip) {
    const std::size_t ranks = of_ranks.some ? of_ranks.chosen.size() : run.ranks().size();
    std::vector<core::CellSums> sums(kPieces, core::CellSums(strip.size()));
    std::vector<std::vector<float>> waiting(kPieces, std::vector<float>(strip.size()));
    core::Executor& executor = core::Executor::instance();
    executor.share(
        core::Priority::Frame, kPieces, ranks < kWorthPieces ? 1 : executor.threads(), [&](std::size_t piece) {
            for (std::size_t i = piece; i < ranks; i += kPieces) {
                const std::size_t slot = of_ranks.some ? of_ranks.chosen[i].slot : i;
                const core::Selection* const chosen = of_ranks.some ? of_ranks.chosen[i].selection.get() : nullptr;
                const core::RankSlot& rank = run.rank(slot);
                sums[piece].add(chosen ? chosen->partition() : rank.index->partition(), rank.to_rank(whole.t0),
                                whole.fraction_ns, rank.to_rank_length(whole.ns_per_px()));
                if (waits != nullptr)
                    waits->ranks[slot].exposed.add_shares(rank.to_rank(whole.t0), whole.fraction_ns,
                                                          rank.to_rank_length(whole.ns_per_px()), waiting[piece]);
            }
        });
    for (std::size_t piece = 1; piece < kPieces; ++piece) {
        sums.front().merge(sums[piece]);
        for (std::size_t x = 0; x < strip.size(); ++x) waiting.front()[x] += waiting[piece][x];
    }
    const float each = 1.0f / static_cast<float>(std::max<std::size_t>(1, ranks));
    const std::vector<core::ClassPartition::Cell> means = sums.front().means();
    for (std::size_t x = 0; x < strip.size(); ++x)
        strip[x] = pack_shares(means[x].compute, means[x].communication, means[x].memory, waiting.front()[x] * each);
    return sums.front().visits();
}

void Overview::update(const core::RunPtr& run, const OverviewMarks& marks, core::RunRange span, ImVec2 size) {
    renderer_.set_dimmed(marks.ranks.dimmed);
    if (run->id() == run_id_ && marks.waits == waits_ && marks.ranks == ranks_ && span == span_ && size.x == size_.x &&
        size.y == size_.y)
        return;
    waits_ = marks.waits;
    ranks_ = marks.ranks;
    run_id_ = run->id();
    span_ = span;
    size_ = size;
    whole_.width_px = size.x;
    whole_.fit(span, 0);
    strip_.assign(static_cast<std::size_t>(size.x), 0);
    collect_overview(*run, ranks_, waits_.get(), whole_, strip_);
    StripQuads quads;
    add_strip_quads(strip_, 0, 0, static_cast<std::int16_t>(size.y),
                    quads[static_cast<std::size_t>(StripKind::StackedClasses)]);
    renderer_.set_strips(static_cast<int>(size.x), strip_, quads);
}

void Overview::draw(const core::RunPtr& run, core::RunRange span, const OverviewMarks& marks, TimeView& view,
                    ImVec2 position, ImVec2 size) {
    if (size.x < 8 || size.y < 4) return;
    update(run, marks, span, size);
    ImGui::SetCursorScreenPos(position);
    invisible_button("##overview", size);
    record_item("##overview");
    if (ImGui::IsItemActive()) {
        const core::RunTime wanted = whole_.to_time(static_cast<double>(ImGui::GetIO().MousePos.x - position.x));
        view.pan(view.to_px(wanted) - static_cast<double>(view.width_px) / 2);
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{position.x + size.x, position.y + size.y};
    list->PushClipRect(position, end, true);
    fill(list, position, end, color::palette().background);
    renderer_.queue(list, position);
    const core::RunRange visible = view.range();
    const auto edge = [&](core::RunTime t) {
        return position.x +
               std::floor(static_cast<float>(std::clamp(whole_.to_px(t), 0.0, static_cast<double>(size.x))) + 0.5f);
    };
    const float left = std::min(edge(visible.begin), end.x - px(2));
    const float right = std::max(edge(visible.end), left + px(2));
    const ImU32 veil = color::with_alpha(color::palette().casing, 150);
    list->AddRectFilled(position, {left, end.y}, veil);
    list->AddRectFilled({right, position.y}, end, veil);
    const bool is_part = left > position.x || right < end.x;
    if (is_part)
        list->AddRect({left, position.y}, {right, end.y},
                      ImGui::IsItemHovered() ? color::palette().accent : color::rgb(0x4C9BE8, 190), 0, 0, px(1));
    const double first = std::floor(whole_.to_px(run->window().begin));
    const double width = std::floor(whole_.to_px(run->window().end)) - first;
    const float x = position.x + static_cast<float>(first);
    if (marks.only_here != nullptr)
        draw_cells(list, *marks.only_here, {.min = {x, position.y}, .width = width, .height = px(3)}, marks.only_color);
    if (marks.found != nullptr)
        draw_cells(list, *marks.found, {.min = {x, end.y - px(3)}, .width = width, .height = px(3)},
                   color::palette().found);
    list->PopClipRect();
}

}  // namespace ui
