#pragma once
// What a lane looks like from afar: for time-aligned buckets of 2^k ns, the busy share per kernel
// class and the widest event, so that a zoomed-out lane costs pixels and still tells the truth.
// Below the finest level the lane's own sorted events are searched, skipping what shares a pixel.
// Immutable; about 3 bytes per event.

#include "core/index/class_rules.hpp"

#include <span>
#include <vector>

namespace core {

// One pixel column of one lane. Shares of the column's time, 0..1; other = CPU and unclassed events.
struct PixelColumn {
    float compute = 0;
    float communication = 0;
    float memory = 0;
    float other = 0;
    EventId widest = kNoEvent;  // the event that covers most of it; kNoEvent when nothing does
    float busy() const { return compute + communication + memory + other; }
};

class TimePyramid {
public:
    TimePyramid() = default;
    TimePyramid(const RankTrace&, const ClassTable&, const Lane&);

    // Columns of ns_per_px each from t0 + t0_fraction_ns, left to right. Every event that overlaps a column
    // contributes to it (an event shorter than a column shows in it). O(columns · log) at any zoom.
    void collect_columns(const RankTrace&, const ClassTable&, RankTime t0, double t0_fraction_ns, double ns_per_px,
                         std::span<PixelColumn> out) const;
    std::size_t resident_bytes() const;

private:
    struct Bucket {
        std::uint8_t share[4];  // of the bucket, 255 = all of it; nothing busy is rounded to 0
        EventId widest;
    };
    struct Level {
        int shift;              // bucket length is 2^shift ns
        std::int64_t first;     // bucket number of buckets[0]: time >> shift
        std::vector<Bucket> buckets;
    };
    Lane lane_{};
    std::vector<Level> levels_;  // finest first
};

}  // namespace core
