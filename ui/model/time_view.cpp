#include "ui/model/time_view.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double kClosestPxPerNs = 1000;
constexpr double kFarthest = 4e18;  // ns; offsets beyond are cut before they become integers

// Moves the left edge by `ns` (any sign), keeping the fraction in [0, 1).
void move_left_edge(TimeView& view, double ns) {
    const double sum = view.fraction_ns + std::clamp(ns, -kFarthest, kFarthest);
    const double whole = std::floor(sum);
    const double fraction = sum - whole;
    view.t0 += core::Duration{static_cast<std::int64_t>(whole)};
    view.fraction_ns = fraction < 1 ? fraction : 0;
}

double length_ns(core::RunRange range) {
    return static_cast<double>(std::max<std::int64_t>(range.length().count(), 1));
}

}  // namespace

core::RunTime TimeView::to_time(double px) const {
    const double ns = std::clamp(std::floor(fraction_ns + px / px_per_ns), -kFarthest, kFarthest);
    return t0 + core::Duration{static_cast<std::int64_t>(ns)};
}

core::RunRange TimeView::range() const {
    const double end_ns = std::ceil(fraction_ns + static_cast<double>(width_px) / px_per_ns);
    return {t0, t0 + core::Duration{static_cast<std::int64_t>(std::clamp(end_ns, 1.0, kFarthest))}};
}

void TimeView::zoom(double factor, double anchor_px) {
    const double before_ns = anchor_px / px_per_ns;
    px_per_ns = std::clamp(px_per_ns * factor, 1 / kFarthest, kClosestPxPerNs);
    move_left_edge(*this, before_ns - anchor_px / px_per_ns);
}

void TimeView::pan(double px) { move_left_edge(*this, px / px_per_ns); }

void TimeView::fit(core::RunRange range, double margin_share) {
    const double length = length_ns(range);
    const double margin = length * margin_share;
    px_per_ns = std::max(1.0, static_cast<double>(width_px)) / (length + 2 * margin);
    t0 = range.begin;
    fraction_ns = 0;
    move_left_edge(*this, -margin);
}

void TimeView::clamp(core::RunRange bounds) {
    const double width = std::max(1.0, static_cast<double>(width_px));
    const double farthest_out = width / (length_ns(bounds) * 1.1);
    const double wanted = std::clamp(px_per_ns, std::min(farthest_out, kClosestPxPerNs), kClosestPxPerNs);
    if (wanted != px_per_ns) zoom(wanted / px_per_ns, width / 2);
    const double left = to_px(bounds.begin);
    const double right = to_px(bounds.end);
    if (right - left <= width) {  // all of it stays on the screen
        if (left < 0) pan(left);
        if (right > width) pan(right - width);
        return;
    }
    if (left > width)
        pan(left - width);
    else if (right < 0)
        pan(right);
}

}  // namespace ui
