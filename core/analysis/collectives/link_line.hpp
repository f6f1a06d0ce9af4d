#pragma once
// The line t = alpha + S / B through transfer times of one operation, by least relative error, and what it predicts.
// Definitions: docs/definitions.md, link-model.

#include <cstdint>
#include <span>
#include <vector>

namespace core {

struct SizePoint {
    double bytes = 0;
    double time = 0;  // ns, median
};

// Least input of a line, and the fit from which on it is poor.
struct LineLimits {
    std::int64_t sizes = 3;   // different ones
    std::int64_t span = 8;    // largest over smallest
    std::int64_t poor = 25;   // percent of median relative error
};

struct LinkLine {
    bool identifiable = false;  // enough sizes that span enough
    bool poor = false;          // the median relative error is above the limit
    double alpha = 0;           // ns
    double bandwidth = 0;       // bytes per ns
    double r2 = 0;              // of times
    double median_error = 0;    // relative
    double largest_error = 0;
    double time_of(double bytes) const { return alpha + bytes / bandwidth; }
};

// points: one per size. The line with alpha ≥ 0 and bandwidth > 0 whose relative errors add up to least; ties: the
// smaller alpha. O(sizes³) for at most 256 sizes; of more, the median point of each eighth of an octave.
LinkLine fit_link_line(std::vector<SizePoint> points, const LineLimits& = {});

}  // namespace core
