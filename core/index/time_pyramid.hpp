#pragma once
// A zoomed-out lane: the busy share per kernel class and the widest event of time-aligned buckets
// of 2^k ns, so drawing costs pixels, not events, and stays accurate. Immutable; 3 to 5 bytes per
// event.

#include "core/index/class_rules.hpp"

#include <array>
#include <span>
#include <vector>

namespace core {

// One pixel column of one lane. Shares of the column's time, 0..1; other = CPU and unclassed events.
struct PixelColumn {
    float compute = 0;
    float communication = 0;
    float memory = 0;
    float other = 0;
    EventId widest = kNoEvent;  // the event that covers most of it; kNoEvent if none
    float busy() const { return compute + communication + memory + other; }
};

// A lane is split into blocks of 1024 events, then of 32 blocks, and so on; every block has buckets as fine as its own
// span allows, so a burst in an hour of silence draws as cheaply as an even lane. Below the finest bucket the events
// themselves are read: at most six per column on average.
class TimePyramid {
public:
    TimePyramid() = default;
    TimePyramid(const RankTrace&, const ClassTable&, const Lane&);

    // Converts the pyramids of a rank's lanes to and from sections of an index file; empty if
    // incomplete.
    static void collect_sections(std::span<const TimePyramid>, SectionList&);
    static std::vector<TimePyramid> from_sections(const Blob&, std::span<const Lane> lanes);
    bool has_fault() const;

    // Columns of ns_per_px each from t0 + t0_fraction_ns, left to right. Every event that overlaps
    // a column contributes at least 1/255, instants included. A bucket that crosses a column edge
    // is split evenly, so shares are exact for events read directly and otherwise blurred by less
    // than a column. O(columns) at any zoom, plus at worst a few thousand events at the edges of
    // the view.
    void collect_columns(const RankTrace&, const ClassTable&, RankTime t0, double t0_fraction_ns, double ns_per_px,
                         std::span<PixelColumn> out) const;
    std::size_t resident_bytes() const;

private:
    struct Bucket {
        std::array<std::uint8_t, 4> share;  // of the bucket, 255 = all of it; never rounded down to 0
        std::uint32_t widest;  // low 24 bits: event in its block; high 8: how much it covers, coded
    };
    struct Block {
        std::int64_t begin;  // first start and last end, at least 1 ns apart
        std::int64_t end;
        std::uint32_t first_event;  // in the lane
        std::uint32_t events;
        std::uint32_t first_bucket;  // finest level; coarser ones follow
        std::uint8_t shift;  // finest bucket length is 2^shift ns
        std::uint8_t levels;  // 0: too few events
        Padding<2> unused{};
        std::int64_t first_at(int level) const { return begin >> (shift + level); }
        std::int64_t last_at(int level) const { return (end - 1) >> (shift + level); }
        std::uint32_t buckets_at(int level) const {
            return static_cast<std::uint32_t>(last_at(level) - first_at(level) + 1);
        }
    };
    friend class PyramidBuilder;
    template <class Classes>
    friend class ColumnCollector;

    bool is_sound(const Block&) const;

    Lane lane_{};
    unsigned present_ = 0;  // bit per class that occurs in the lane
    struct Stored {  // of one lane, in a file
        std::uint32_t buckets;
        std::uint32_t present;
    };
    std::vector<Values<Block>> tiers_;  // [0]: blocks of 1024 events; the last has few blocks
    Values<Bucket> buckets_;
};

}  // namespace core
