#include "ui/timeline/model/ruler.hpp"

#include <algorithm>
#include <cmath>

namespace ui {

core::Duration choose_tick_step(double px_per_ns, double least_px) {
    constexpr std::int64_t kLongest = 1'000'000'000'000'000'000;
    for (std::int64_t power = 1; power < kLongest; power *= 10) {
        for (const std::int64_t factor : {1, 2, 5}) {
            if (static_cast<double>(power * factor) * px_per_ns >= least_px) return core::Duration{power * factor};
        }
    }
    return core::Duration{kLongest};
}

std::vector<Tick> collect_ticks(const TimeView& view, core::RunTime origin, core::Duration step) {
    std::vector<Tick> ticks;
    const std::int64_t from_origin = (view.t0 - origin).count();
    const std::int64_t before =
        from_origin >= 0 ? from_origin / step.count() : -((-from_origin + step.count() - 1) / step.count());
    const double width = static_cast<double>(view.width_px);
    const auto most = static_cast<std::size_t>(std::max(width, 1.0)) + 2;
    for (core::Duration offset{before * step.count()}; ticks.size() < most; offset += step) {
        const double px = std::floor(view.to_px(origin + offset) + 0.5);
        if (px >= width) break;
        ticks.push_back({static_cast<float>(std::max(px, -1e6)), offset});
    }
    return ticks;
}

}  // namespace ui
