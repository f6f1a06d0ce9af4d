#include "ui/timeline/model/rank_map.hpp"

#include <algorithm>
#include <cmath>

namespace ui {

RankValues collect_not_computing(const core::Run& run) {
    RankValues values;
    for (const core::RankSlot& rank : run.ranks()) {
        const core::RankRange window = rank.index->gpu_window();
        const core::ClassTimes times = window.empty() ? core::ClassTimes{} : rank.index->partition().times(window);
        const double whole = static_cast<double>(times.total().count());
        const double lost = static_cast<double>((times.idle() + times.exposed_communication()).count());
        values.push_back(whole > 0 ? lost / whole : std::nan(""));
    }
    return values;
}

RankValues collect_measures(const core::Run& run, const RankMeasures& measures) {
    RankValues values;
    for (const core::RankSlot& rank : run.ranks()) {
        const auto known = measures.find(rank.key.packed());
        values.push_back(known == measures.end() ? std::nan("") : known->second);
    }
    return values;
}

RankMap RankMap::of(const LaneLayout& layout, const RankValues& values, std::size_t pixels) {
    RankMap map{.pixels = std::vector<double>(pixels, std::nan("")), .scale = core::find_heat_scale(values)};
    if (pixels == 0 || layout.height() <= 0) return map;
    const float per_px = layout.height() / static_cast<float>(pixels);
    const auto add = [&](const LayoutRow& row, std::uint32_t slot) {
        if (slot >= values.size() || !std::isfinite(values[slot])) return;
        const auto first = static_cast<std::size_t>(std::max(0.0f, row.y / per_px));
        const auto last = static_cast<std::size_t>(std::max(0.0f, (row.y + row.height) / per_px));
        for (std::size_t px = first; px <= last && px < pixels; ++px)
            if (!(map.pixels[px] >= values[slot])) map.pixels[px] = values[slot];
    };
    for (const LayoutRow& row : layout.rows()) {
        if (is_folded(row))
            for (const std::uint32_t slot : *row.slots) add(row, slot);
        else if (!is_heading(row))
            add(row, row.slot);
    }
    return map;
}

}  // namespace ui
