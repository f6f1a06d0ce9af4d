#include "core/index/time_pyramid.hpp"

#include "core/index/pyramid_tiers.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace core {
namespace {

// The first tier with a single block is the last.
std::size_t blocks_over(std::size_t events, std::size_t tier) {
    return (events + kEventsOfBlock[tier] - 1) / kEventsOfBlock[tier];
}
std::size_t tiers_over(std::size_t events) {
    if (events == 0) return 0;
    std::size_t tiers = 1;
    while (tiers < kPyramidTiers && blocks_over(events, tiers - 1) > 1) ++tiers;
    return tiers;
}
constexpr std::size_t kFewEvents = 48;  // walked directly, without buckets
// Finest buckets of a block: one per 3.2 events above events, one per 32 above other blocks. Two at least, as the last
// block may have a single event.
std::uint64_t most_buckets(std::size_t tier, std::size_t events) {
    return tier == 0 ? std::max<std::uint64_t>(8, events * 5 / 16) : std::clamp<std::uint64_t>(events / 32, 2, 1024);
}
EventId event_at(const Lane& lane, std::size_t i) {
    return EventId{static_cast<std::uint32_t>(index_of(lane.first) + i)};
}

struct EventTimes {
    std::int64_t begin;
    std::int64_t end;
};
EventTimes times_of(const RankTrace& trace, EventId e) {
    return {ns_of(trace.start[index_of(e)]), ns_of(trace.end(e))};
}

}  // namespace

// --- building

class PyramidBuilder {
public:
    PyramidBuilder(TimePyramid& pyramid, const RankTrace& trace, const ClassTable& classes)
        : pyramid_(pyramid), trace_(trace), classes_(classes), lane_(pyramid.lane_) {}

    void build() {
        const std::size_t events = index_of(lane_.last) - index_of(lane_.first);
        if (events == 0) return;
        for (std::size_t i = 0; i < events; ++i)
            pyramid_.present_ |= 1u << static_cast<unsigned>(classes_.of(event_at(lane_, i)));
        std::size_t buckets = 0;
        for (std::size_t tier = 0; tier < tiers_over(events); ++tier) {
            const std::size_t each = kEventsOfBlock[tier];
            auto& blocks = tiers_.emplace_back();
            blocks.reserve(blocks_over(events, tier));
            for (std::size_t first = 0; first < events; first += each) {
                blocks.push_back(block_of(tier, first, std::min(each, events - first)));
                for (int k = 0; k < blocks.back().levels; ++k) buckets += blocks.back().buckets_at(k);
            }
        }
        buckets_.reserve(buckets);
        const std::size_t top = tiers_.size() - 1;
        for (std::size_t i = 0; i < tiers_[top].size(); ++i) build_block(top, i);
        for (std::vector<Block>& tier : tiers_) pyramid_.tiers_.emplace_back(std::move(tier));
        pyramid_.buckets_ = Values(std::move(buckets_));
    }

private:
    using Block = TimePyramid::Block;
    using Bucket = TimePyramid::Bucket;

    // Exact contents of one bucket.
    struct Tally {
        std::array<std::int64_t, 4> busy{};
        std::int64_t covered = -1;   // by the widest event
        EventId widest = kNoEvent;
        EventId last = kNoEvent;     // the latest event in it: the only one that can reach into the next bucket
        std::uint8_t present = 0;    // bit per class
    };
    struct Level {
        int shift = 0;
        std::int64_t first = 0;      // bucket number of tallies[0]: time >> shift
        std::vector<Tally> tallies;
    };

    Block block_of(std::size_t tier, std::size_t first, std::size_t events) const {
        Block block{};
        block.begin = times_of(trace_, event_at(lane_, first)).begin;
        const EventTimes last = times_of(trace_, event_at(lane_, first + events - 1));
        block.end = std::max({last.end, last.begin + 1, block.begin + 1});
        block.first_event = static_cast<std::uint32_t>(first);
        block.events = static_cast<std::uint32_t>(events);
        if (tier == 0 && events < kFewEvents) return block;
        const auto span = static_cast<std::uint64_t>(block.end) - static_cast<std::uint64_t>(block.begin);
        const std::uint64_t most = most_buckets(tier, events);
        block.shift = static_cast<std::uint8_t>(std::bit_width(span / most));
        while (block.shift > 0 && fits(block, block.shift - 1, most)) --block.shift;
        while (!fits(block, block.shift, most)) ++block.shift;
        block.levels = 1;
        while (block.buckets_at(block.levels - 1) > 2) ++block.levels;
        return block;
    }
    static bool fits(const Block& block, int shift, std::uint64_t most) {
        const std::int64_t buckets = ((block.end - 1) >> shift) - (block.begin >> shift);
        return static_cast<std::uint64_t>(buckets) < most;
    }

    // Fills the buckets of a block and its descendants. Returns the exact tallies of its finest
    // level.
    Level build_block(std::size_t tier, std::size_t index) {
        Block& block = tiers_[tier][index];
        Level finest = level_of(block, 0);
        if (tier == 0) {
            if (block.levels == 0) return finest;
            add_events(block, finest);
        } else {
            const std::size_t fan_out = kEventsOfBlock[tier] / kEventsOfBlock[tier - 1];
            const std::vector<Block>& below = tiers_[tier - 1];
            for (std::size_t c = index * fan_out; c < std::min((index + 1) * fan_out, below.size()); ++c) {
                const Level child = build_block(tier - 1, c);
                if (below[c].levels > 0 && child.shift <= finest.shift)
                    merge(child, finest);
                else
                    add_events(below[c], finest);
            }
        }
        block.first_bucket = static_cast<std::uint32_t>(buckets_.size());
        store(block, finest);
        Level fine;
        for (int k = 1; k < block.levels; ++k) {
            Level coarse = level_of(block, k);
            merge(k == 1 ? finest : fine, coarse);
            store(block, coarse);
            fine = std::move(coarse);
        }
        return finest;
    }

    static Level level_of(const Block& block, int level) {
        if (block.levels == 0) return {};
        return {.shift = block.shift + level,
                .first = block.first_at(level),
                .tallies = std::vector<Tally>(block.buckets_at(level))};
    }

    void add_events(const Block& block, Level& level) const {
        const bool mixed = !std::has_single_bit(pyramid_.present_);
        const auto only_class = static_cast<std::size_t>(std::countr_zero(pyramid_.present_));
        for (std::size_t i = 0; i < block.events; ++i) {
            const EventId e = event_at(lane_, block.first_event + i);
            const std::size_t c = mixed ? static_cast<std::size_t>(classes_.of(e)) : only_class;
            const EventTimes times = times_of(trace_, e);
            const std::int64_t begin = bucket_in(level, times.begin);
            const std::int64_t end = bucket_in(level, std::max(times.begin, times.end - 1));
            if (begin == end) {
                add_part(level, begin, e, c, times.end - times.begin);
                continue;
            }
            for (std::int64_t b = begin; b <= end; ++b) add_part(level, b, e, c, covered_ns(level, b, times));
        }
    }
    // Position in the level; events are inside the block unless the lane's own order is broken.
    static std::int64_t bucket_in(const Level& level, std::int64_t ns) {
        return std::clamp<std::int64_t>((ns >> level.shift) - level.first, 0, std::ssize(level.tallies) - 1);
    }
    static std::int64_t covered_ns(const Level& level, std::int64_t bucket, EventTimes times) {
        const std::int64_t begin = (level.first + bucket) << level.shift;
        const std::int64_t last = begin + static_cast<std::int64_t>((std::uint64_t{1} << level.shift) - 1);
        if (times.end == times.begin) return 0;
        return std::max<std::int64_t>(0, std::min(times.end - 1, last) - std::max(times.begin, begin) + 1);
    }
    static void add_part(Level& level, std::int64_t bucket, EventId e, std::size_t of_class, std::int64_t covered) {
        Tally& tally = level.tallies[static_cast<std::size_t>(bucket)];
        tally.busy[of_class] += covered;
        tally.present = static_cast<std::uint8_t>(tally.present | 1u << of_class);
        tally.last = e;
        replace_if(tally.covered < covered, tally, e, covered);
    }
    // Branchless: the widest event is unpredictable, and compilers turn conditions into branches.
    static void replace_if(bool wider, Tally& tally, EventId e, std::int64_t covered) {
        const std::int64_t ones = -static_cast<std::int64_t>(wider);
        tally.covered ^= (tally.covered ^ covered) & ones;
        tally.widest = static_cast<EventId>(index_of(tally.widest) ^
                                            ((index_of(tally.widest) ^ index_of(e)) & static_cast<std::size_t>(ones)));
    }

    // Adds a finer level to a coarser one. The widest event of a bucket is the widest of a part, or
    // one that spans two parts.
    void merge(const Level& fine, Level& coarse) const {
        const int by = coarse.shift - fine.shift;
        for (std::size_t i = 0; i < fine.tallies.size(); ++i) {
            const Tally& part = fine.tallies[i];
            if (part.present == 0) continue;
            const std::int64_t bucket = ((fine.first + static_cast<std::int64_t>(i)) >> by) - coarse.first;
            Tally& whole = coarse.tallies[static_cast<std::size_t>(bucket)];
            for (std::size_t c = 0; c < 4; ++c) whole.busy[c] += part.busy[c];
            whole.present |= part.present;
            whole.last = part.last;
            consider(whole, part.widest, part.covered);
            consider(whole, part.last, covered_ns(coarse, bucket, times_of(trace_, part.last)));
        }
    }
    static void consider(Tally& tally, EventId e, std::int64_t covered) {
        replace_if((covered > tally.covered) | ((covered == tally.covered) & (e < tally.widest)), tally, e, covered);
    }

    void store(const Block& block, const Level& level) {
        const double per_ns = std::ldexp(1.0, -level.shift);
        for (const Tally& tally : level.tallies) {
            Bucket bucket{};
            for (std::size_t c = 0; c < 4; ++c) {
                if ((tally.present >> c & 1) == 0) continue;
                const double share = static_cast<double>(tally.busy[c]) * per_ns * 255;
                bucket.share[c] = static_cast<std::uint8_t>(std::clamp(share + 0.5, 1.0, 255.0));
            }
            if (tally.present != 0) {
                const std::size_t event = index_of(tally.widest) - index_of(lane_.first) - block.first_event;
                const std::uint32_t code =
                    code_of_share(static_cast<float>(static_cast<double>(tally.covered) * per_ns));
                bucket.widest = static_cast<std::uint32_t>(event) | code << 24;
            }
            buckets_.push_back(bucket);
        }
    }

    TimePyramid& pyramid_;
    const RankTrace& trace_;
    const ClassTable& classes_;
    const Lane lane_;
    std::vector<std::vector<Block>> tiers_;
    std::vector<Bucket> buckets_;
};

TimePyramid::TimePyramid(const RankTrace& trace, const ClassTable& classes, const Lane& lane) : lane_(lane) {
    PyramidBuilder(*this, trace, classes).build();
}

void TimePyramid::collect_sections(std::span<const TimePyramid> pyramids, SectionList& list) {
    std::vector<Stored> lanes;
    for (const TimePyramid& pyramid : pyramids) {
        lanes.push_back({static_cast<std::uint32_t>(pyramid.buckets_.size()), pyramid.present_});
        for (const Values<Block>& tier : pyramid.tiers_) list.add(section::kPyramidBlocks, tier.all());
        list.add(section::kPyramidBuckets, pyramid.buckets_.all());
    }
    list.give(section::kPyramidLanes, std::move(lanes));
}

std::vector<TimePyramid> TimePyramid::from_sections(const Blob& blob, std::span<const Lane> lanes) {
    const auto stored = blob.section<Stored>(section::kPyramidLanes);
    auto blocks = blob.section<Block>(section::kPyramidBlocks);
    auto buckets = blob.section<Bucket>(section::kPyramidBuckets);
    if (stored.size() != lanes.size()) return {};
    std::vector<TimePyramid> pyramids(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        TimePyramid& pyramid = pyramids[i];
        pyramid.lane_ = lanes[i];
        pyramid.present_ = stored[i].present;
        const std::size_t events = index_of(lanes[i].last) - index_of(lanes[i].first);
        for (std::size_t tier = 0; tier < tiers_over(events); ++tier) {
            const std::size_t count = blocks_over(events, tier);
            if (blocks.size() < count) return {};
            pyramid.tiers_.push_back(Values<Block>::lent(blocks.first(count)));
            blocks = blocks.subspan(count);
        }
        if (buckets.size() < stored[i].buckets) return {};
        pyramid.buckets_ = Values<Bucket>::lent(buckets.first(stored[i].buckets));
        buckets = buckets.subspan(stored[i].buckets);
    }
    if (!blocks.empty() || !buckets.empty()) return {};
    return pyramids;
}

bool TimePyramid::has_fault() const {
    const std::size_t events = index_of(lane_.last) - index_of(lane_.first);
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
        std::size_t first = 0;
        for (const Block& block : tiers_[tier]) {
            const std::size_t held = std::min(kEventsOfBlock[tier], events - first);
            if (block.first_event != first || block.events != held || !is_sound(block)) return true;
            first += held;
        }
    }
    return false;
}

// True if the block's buckets exist and name events of the block.
bool TimePyramid::is_sound(const Block& block) const {
    if (block.begin >= block.end || block.shift + block.levels > 63) return false;
    std::size_t last = block.first_bucket;
    for (int level = 0; level < block.levels; ++level) {
        const std::int64_t count = block.last_at(level) - block.first_at(level) + 1;
        if (count < 1 || last > buckets_.size() || static_cast<std::uint64_t>(count) > buckets_.size() - last)
            return false;
        last += static_cast<std::size_t>(count);
    }
    const auto held = buckets_.all().subspan(std::min<std::size_t>(block.first_bucket, buckets_.size()));
    return block.levels == 0 || std::ranges::all_of(held.first(last - block.first_bucket), [&](const Bucket& bucket) {
               return (bucket.widest & 0xFFFFFFu) < block.events;
           });
}

std::size_t TimePyramid::resident_bytes() const {
    std::size_t bytes = buckets_.size_bytes() + tiers_.capacity() * sizeof(Values<Block>);
    for (const Values<Block>& tier : tiers_) bytes += tier.size_bytes();
    return bytes;
}

}  // namespace core
