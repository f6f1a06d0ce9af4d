#pragma once
// Pixels ↔ time, exact from the whole run to 1 ns across an hour: the left edge is an integer
// nanosecond plus a fraction, and only differences from it ever become floating point.

#include "core/base/units.hpp"

namespace ui {

struct TimeView {
    core::RunTime t0{};         // left edge, whole nanoseconds
    double fraction_ns = 0;     // 0 ≤ fraction < 1, added to t0
    double px_per_ns = 1e-6;
    float width_px = 1000;      // of the plot

    double ns_per_px() const { return 1.0 / px_per_ns; }
    double to_px(core::RunTime t) const { return (static_cast<double>((t - t0).count()) - fraction_ns) * px_per_ns; }
    core::RunTime to_time(double px) const;          // rounded down
    core::RunRange range() const;                    // the plot's range, rounded outwards
    void zoom(double factor, double anchor_px);      // keeps the time under anchor_px there; up to 1000 px per ns
    void pan(double px);
    void fit(core::RunRange range, double margin_share = 0.02);
    // Limits the view to the bounds (± one screen) and the zoom to between 1/1000 ns per pixel and the whole run.
    void clamp(core::RunRange bounds);
    bool operator==(const TimeView&) const = default;
};

}  // namespace ui
