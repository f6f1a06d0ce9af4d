#include "ui/timeline/parts/overview.hpp"

#include "ui/theme.hpp"
#include "ui/widgets/fill.hpp"
#include "ui/style/items.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace ui {
namespace {

// Ranks are added up in fixed pieces, so that the sum does not depend on how many threads there were.
constexpr std::size_t kPieces = 8;

// Along an edge, a pixel column for each cell that holds something; neighbours in one piece.
struct CellStrip {
    ImVec2 min;
    double width;  // of the run's window, which the cells cut up
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

void collect_overview(const core::Run& run, const TimeView& whole, std::span<std::uint32_t> strip) {
    using Cell = core::ClassPartition::Cell;
    std::array<std::vector<Cell>, kPieces> sums;
    const std::size_t ranks = run.ranks().size();
    core::parallel_for(kPieces, ranks < 8 ? 1 : std::max(1u, std::thread::hardware_concurrency()),
                       [&](std::size_t piece) {
                           std::vector<Cell>& sum = sums[piece];
                           sum.assign(strip.size(), {});
                           std::vector<Cell> cells(strip.size());
                           for (std::size_t slot = piece; slot < ranks; slot += kPieces) {
                               const core::RankSlot& rank = run.rank(slot);
                               rank.index->partition().collect_cells(rank.clock.to_rank(whole.t0), whole.fraction_ns,
                                                                     whole.ns_per_px() / (1 + rank.clock.drift), cells);
                               for (std::size_t x = 0; x < cells.size(); ++x) {
                                   sum[x].compute += cells[x].compute;
                                   sum[x].communication += cells[x].communication;
                                   sum[x].memory += cells[x].memory;
                               }
                           }
                       });
    for (std::size_t x = 0; x < strip.size(); ++x) {
        Cell total{};
        for (const std::vector<Cell>& sum : sums) {
            total.compute += sum[x].compute;
            total.communication += sum[x].communication;
            total.memory += sum[x].memory;
        }
        strip[x] =
            pack_shares(total.compute / static_cast<float>(ranks), total.communication / static_cast<float>(ranks),
                        total.memory / static_cast<float>(ranks));
    }
}

void Overview::update(const core::RunPtr& run, core::RunRange span, ImVec2 size) {
    if (run->id() == run_id_ && span == span_ && size.x == size_.x && size.y == size_.y) return;
    run_id_ = run->id();
    span_ = span;
    size_ = size;
    whole_.width_px = size.x;
    whole_.fit(span, 0);
    strip_.assign(static_cast<std::size_t>(size.x), 0);
    collect_overview(*run, whole_, strip_);
    StripQuads quads;
    add_strip_quads(strip_, 0, 0, static_cast<std::int16_t>(size.y),
                    quads[static_cast<std::size_t>(StripKind::StackedClasses)]);
    renderer_.set_strips(static_cast<int>(size.x), strip_, quads);
}

void Overview::draw(const core::RunPtr& run, core::RunRange span, const OverviewMarks& marks, TimeView& view,
                    ImVec2 position, ImVec2 size) {
    if (size.x < 8 || size.y < 4) return;
    update(run, span, size);
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
    fill(list, position, end, color::kBackground);
    renderer_.queue(list, position);
    const core::RunRange visible = view.range();
    const auto edge = [&](core::RunTime t) {
        return position.x +
               std::floor(static_cast<float>(std::clamp(whole_.to_px(t), 0.0, static_cast<double>(size.x))) + 0.5f);
    };
    const float left = std::min(edge(visible.begin), end.x - px(2));
    const float right = std::max(edge(visible.end), left + px(2));
    const ImU32 veil = color::with_alpha(color::kCasing, 150);
    list->AddRectFilled(position, {left, end.y}, veil);
    list->AddRectFilled({right, position.y}, end, veil);
    const bool is_part = left > position.x || right < end.x;
    if (is_part)
        list->AddRect({left, position.y}, {right, end.y},
                      ImGui::IsItemHovered() ? color::kAccent : color::rgb(0x4C9BE8, 190), 0, 0, px(1));
    const double first = std::floor(whole_.to_px(run->window().begin));
    const double width = std::floor(whole_.to_px(run->window().end)) - first;
    const float x = position.x + static_cast<float>(first);
    if (marks.only_here != nullptr)
        draw_cells(list, *marks.only_here, {{x, position.y}, width, px(3)}, marks.only_color);
    if (marks.found != nullptr) draw_cells(list, *marks.found, {{x, end.y - px(3)}, width, px(3)}, color::kFound);
    list->PopClipRect();
}

}  // namespace ui
