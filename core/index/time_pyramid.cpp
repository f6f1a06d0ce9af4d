#include "core/index/time_pyramid.hpp"

#include "core/index/column_grid.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kTiers = 4;
constexpr std::array<std::size_t, kTiers> kEventsOfBlock = {1u << 10, 1u << 15, 1u << 20, 1u << 24};
// A lane's tiers end with the first that has one block.
std::size_t blocks_over(std::size_t events, std::size_t tier) {
    return (events + kEventsOfBlock[tier] - 1) / kEventsOfBlock[tier];
}
std::size_t tiers_over(std::size_t events) {
    if (events == 0) return 0;
    std::size_t tiers = 1;
    while (tiers < kTiers && blocks_over(events, tiers - 1) > 1) ++tiers;
    return tiers;
}
constexpr std::size_t kFewEvents = 48;  // walked rather than put into buckets
// Finest buckets of a block: one per 6.4 events where events are next, one per 32 where other blocks are.
std::uint64_t most_buckets(std::size_t tier, std::size_t events) {
    return tier == 0 ? std::max<std::uint64_t>(8, events * 5 / 32) : std::min<std::uint64_t>(events / 32, 1024);
}
constexpr float kLeastShare = 1.0F / 255;

// A share 0..1 as 8 bits on a logarithmic scale (16 steps an octave, down to 2^-16), and back.
constexpr std::uint32_t kCodeOfOne = 0x3F800000u >> 19;
std::uint32_t code_of_share(float share) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(share) >> 19;
    return bits + 255 <= kCodeOfOne ? 0 : std::min(bits + 255 - kCodeOfOne, 255u);
}
float share_of_code(std::uint32_t code) { return std::bit_cast<float>((code + kCodeOfOne - 255) << 19); }

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
        for (std::size_t tier = 0; tier < tiers_over(events); ++tier) {
            const std::size_t each = kEventsOfBlock[tier];
            auto& blocks = tiers_.emplace_back();
            blocks.reserve(blocks_over(events, tier));
            for (std::size_t first = 0; first < events; first += each) {
                blocks.push_back(block_of(tier, first, std::min(each, events - first)));
            }
        }
        for (std::size_t i = 0; i < events; ++i)
            pyramid_.present_ |= 1u << static_cast<unsigned>(classes_.of(event_at(lane_, i)));
        const std::size_t top = tiers_.size() - 1;
        for (std::size_t i = 0; i < tiers_[top].size(); ++i) build_block(top, i);
        for (std::vector<Block>& tier : tiers_) pyramid_.tiers_.emplace_back(std::move(tier));
        pyramid_.buckets_ = Values(std::move(buckets_));
    }

private:
    using Block = TimePyramid::Block;
    using Bucket = TimePyramid::Bucket;

    // What is known of one bucket, exactly.
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

    // Fills the buckets of a block and of all below it. The exact tallies of its finest level.
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
        return {block.shift + level, block.first_at(level), std::vector<Tally>(block.buckets_at(level))};
    }

    void add_events(const Block& block, Level& level) const {
        for (std::size_t i = 0; i < block.events; ++i) {
            const EventId e = event_at(lane_, block.first_event + i);
            const EventTimes times = times_of(trace_, e);
            const std::int64_t begin = bucket_in(level, times.begin);
            const std::int64_t end = bucket_in(level, std::max(times.begin, times.end - 1));
            for (std::int64_t b = begin; b <= end; ++b) add_event(level, b, e, times);
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
    void add_event(Level& level, std::int64_t bucket, EventId e, EventTimes times) const {
        Tally& tally = level.tallies[static_cast<std::size_t>(bucket)];
        const std::int64_t covered = covered_ns(level, bucket, times);
        const auto c = static_cast<std::size_t>(classes_.of(e));
        tally.busy[c] += covered;
        tally.present = static_cast<std::uint8_t>(tally.present | 1u << c);
        tally.last = e;
        if (covered > tally.covered) {
            tally.covered = covered;
            tally.widest = e;
        }
    }

    // Adds a finer level to a coarser one. The widest event of the whole is the widest of a part, or one that
    // reaches from a part into the next.
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
            consider(coarse, bucket, part.widest);
            if (part.last != part.widest) consider(coarse, bucket, part.last);
        }
    }
    void consider(Level& level, std::int64_t bucket, EventId e) const {
        Tally& tally = level.tallies[static_cast<std::size_t>(bucket)];
        const std::int64_t covered = covered_ns(level, bucket, times_of(trace_, e));
        if (covered > tally.covered || (covered == tally.covered && e < tally.widest)) {
            tally.covered = covered;
            tally.widest = e;
        }
    }

    void store(const Block& block, const Level& level) {
        const double per_ns = std::ldexp(1.0, -level.shift);
        for (const Tally& tally : level.tallies) {
            Bucket bucket{};
            for (std::size_t c = 0; c < 4; ++c) {
                if ((tally.present >> c & 1) == 0) continue;
                const double share = static_cast<double>(tally.busy[c]) * per_ns * 255;
                bucket.share[c] = static_cast<std::uint8_t>(std::clamp(std::lround(share), 1L, 255L));
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

// Its buckets are there and name events of the block.
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

// --- drawing

class ColumnCollector {
public:
    ColumnCollector(const TimePyramid& pyramid, const RankTrace& trace, const ClassTable& classes,
                    const ColumnGrid& grid, std::span<PixelColumn> out)
        : pyramid_(pyramid),
          trace_(trace),
          classes_(classes),
          grid_(grid),
          out_(out),
          widest_(out.size()),
          mixed_(!std::has_single_bit(pyramid.present_)),
          only_class_(static_cast<std::size_t>(std::countr_zero(pyramid.present_)) % 4),
          columns_(static_cast<double>(out.size())),
          share_per_ns_(static_cast<float>(1 / grid.column_ns())),
          begin_(grid.begin_ns()),
          end_(grid.end_ns()),
          column_shift_(static_cast<int>(std::floor(std::log2(grid.column_ns())))) {}

    void collect() {
        visit_blocks(pyramid_.tiers_.size() - 1, 0, pyramid_.tiers_.back().size());
        for (std::size_t i = 0; i < out_.size(); ++i) {
            PixelColumn& column = out_[i];
            const float busy = column.busy();
            if (busy > 0) column.widest = widest_[i].event();
            if (busy > 1)
                scale(column, 1 / busy);
            else if (busy > 0 && busy < kLeastShare)
                scale(column, kLeastShare / busy);
        }
    }

private:
    using Block = TimePyramid::Block;
    using Bucket = TimePyramid::Bucket;

    // How much of a column an event covers, and which: as one number that grows with the part, the earlier event
    // first. Nothing (0) has no event.
    struct Widest {
        std::uint64_t key = 0;
        Widest() = default;
        Widest(float part, EventId e)
            : key(static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(part)) << 32 |
                  (0xFFFFFFFFu - static_cast<std::uint32_t>(e))) {}
        float part() const { return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32)); }
        EventId event() const { return EventId{0xFFFFFFFFu - static_cast<std::uint32_t>(key)}; }
    };

    static void scale(PixelColumn& column, float by) {
        column.compute *= by;
        column.communication *= by;
        column.memory *= by;
        column.other *= by;
    }

    void visit_blocks(std::size_t tier, std::size_t first, std::size_t last) {
        const std::span<const Block> blocks(pyramid_.tiers_[tier].data() + first, last - first);
        auto it = std::ranges::upper_bound(blocks, begin_, {}, &Block::end);
        for (; it != blocks.end() && it->begin < end_; ++it) {
            visit(tier, first + static_cast<std::size_t>(it - blocks.begin()), *it);
        }
    }
    void visit(std::size_t tier, std::size_t index, const Block& block) {
        if (block.levels > 0 && block.shift <= column_shift_) {
            add_buckets(block, std::clamp(column_shift_ - 1 - block.shift, 0, block.levels - 1));
        } else if (tier == 0) {
            walk_events(block);
        } else {
            const std::size_t fan_out = kEventsOfBlock[tier] / kEventsOfBlock[tier - 1];
            visit_blocks(tier - 1, index * fan_out, std::min((index + 1) * fan_out, pyramid_.tiers_[tier - 1].size()));
        }
    }

    void add_buckets(const Block& block, int level) {
        std::size_t offset = block.first_bucket;
        for (int k = 0; k < level; ++k) offset += block.buckets_at(k);
        const int shift = block.shift + level;
        const std::int64_t first = std::max(block.first_at(level), begin_ >> shift);
        const std::int64_t last = std::min(block.last_at(level), (end_ - 1) >> shift);
        const Bucket* bucket = pyramid_.buckets_.data() + offset + (first - block.first_at(level));
        const double left = grid_.position(first << shift);
        const double width = std::ldexp(1.0, shift) / grid_.column_ns();  // at most one column
        for (std::int64_t i = 0; i <= last - first; ++i, ++bucket) {
            if (std::bit_cast<std::uint32_t>(bucket->share) == 0) continue;
            const double x = left + static_cast<double>(i) * width;
            if (x + width <= 0) continue;
            if (x >= columns_) break;
            const auto column = static_cast<std::ptrdiff_t>(x + 1) - 1;  // rounds down, as x > -1
            const double beyond = std::max(0.0, x + width - static_cast<double>(column + 1));
            const EventId widest = event_at(pyramid_.lane_, block.first_event + (bucket->widest & 0xFFFFFFu));
            if (column >= 0) add_bucket(column, *bucket, widest, static_cast<float>(width - beyond));
            if (beyond > 0 && column + 1 < std::ssize(out_))
                add_bucket(column + 1, *bucket, widest, static_cast<float>(beyond));
        }
    }
    void add_bucket(std::ptrdiff_t column, const Bucket& bucket, EventId widest, float weight) {
        PixelColumn& to = out_[static_cast<std::size_t>(column)];
        const float unit = weight * kLeastShare;
        to.compute += static_cast<float>(bucket.share[0]) * unit;
        to.communication += static_cast<float>(bucket.share[1]) * unit;
        to.memory += static_cast<float>(bucket.share[2]) * unit;
        to.other += static_cast<float>(bucket.share[3]) * unit;
        Widest& known = widest_[static_cast<std::size_t>(column)];
        const float part = share_of_code(bucket.widest >> 24) * weight;
        const Widest other(known.event() == widest ? known.part() + part : part, widest);
        known.key = known.key > other.key ? known.key : other.key;
    }

    void walk_events(const Block& block) {
        const std::size_t first = index_of(pyramid_.lane_.first) + block.first_event;
        const std::size_t last = first + block.events;
        const bool dense = is_dense(block);
        std::size_t i = first_reaching(first, last);
        while (i < last && ns_of(trace_.start[i]) < end_) {
            if (dense) i = add_short_events(i, last);
            if (i == last) break;
            const std::ptrdiff_t column = add_event(i);
            ++i;
            if (!dense && column >= 0) i = add_inside(static_cast<std::size_t>(column), i, last);
        }
    }

    // Whether the block's events can be added by add_short_events, mostly.
    bool is_dense(const Block& block) const {
        const double block_columns = static_cast<double>(block.end - block.begin) / grid_.column_ns();
        return !mixed_ && static_cast<double>(block.events) > block_columns && grid_.column_ns() >= kNarrowest &&
               grid_.column_ns() * columns_ < kWidestView;
    }

    // What a column has of the events walked, in units of 2^-kFine ns: their sum, and the longest part with the event
    // it is of, the earlier one first, in the bits below kIdBits. 0: nothing is in it.
    struct Walked {
        std::int64_t busy = 0;
        std::int64_t longest = 0;
    };
    static constexpr int kFine = 14;
    static constexpr int kIdBits = 11;
    static constexpr std::int64_t kNoId = -(std::int64_t{1} << kIdBits);
    static constexpr double kWidestView = 1e14;  // ns that fit with kFine bits behind the point
    static constexpr double kNarrowest = 16;  // ns a column, beside which those bits are nothing

    // Compilers make branches of comparisons; these depend on the data.
    static std::int64_t ones_if_negative(std::int64_t n) { return n >> 63; }
    static std::int64_t select(std::int64_t ones, std::int64_t a, std::int64_t b) { return b ^ (ones & (a ^ b)); }

    // Adds events of one class from i on, each of which begins at most one column after the one before and reaches at
    // most into the next, with what is in the column summed up in registers. The first event that needs more care.
    std::size_t add_short_events(const std::size_t first, const std::size_t last) {
        const std::int64_t origin = ns_of(trace_.start[first]);
        const double at = grid_.position_near(std::max(origin, begin_));
        if (origin < begin_ || at < 0 || at + 1 >= columns_) return first;
        walked_.resize(out_.size() + 1);
        const auto first_column = static_cast<std::size_t>(at);
        const double scaled = std::ldexp(grid_.column_ns(), kFine);
        const auto width = static_cast<std::int64_t>(scaled);
        const std::int64_t end = grid_.end_of(out_.size() - 1);
        auto edge = static_cast<std::int64_t>((static_cast<double>(first_column + 1) - at) * scaled);
        Walked* walked = walked_.data() + first_column;
        Walked here, next;
        std::size_t i = first;
        for (; i < last; ++i) {
            const std::int64_t starts_ns = ns_of(trace_.start[i]);
            const std::int64_t length_ns = trace_.duration[i].count();
            if (starts_ns + length_ns >= end) break;
            const std::int64_t starts = (starts_ns - origin) << kFine;
            const std::int64_t length = length_ns << kFine;
            const std::int64_t stays = ones_if_negative(starts - edge);
            const std::int64_t then = edge + (width & ~stays);
            const std::int64_t past = starts + length - then;
            if (starts >= then || past > width) break;
            const std::int64_t beyond = past & ~ones_if_negative(past);
            const std::int64_t inside = length - beyond;
            const auto id = static_cast<std::int64_t>(1024 - (i - first));
            edge = then;
            walked -= ~stays;
            here.busy = select(stays, here.busy, next.busy) + inside;
            here.longest = std::max(select(stays, here.longest, next.longest), (inside & kNoId) | id);
            next.busy = beyond;
            next.longest = ((beyond & kNoId) | id) & ones_if_negative(-beyond);
            walked[0] = here;
            walked[1] = next;
        }
        if (i > first) take_walked(first, first_column, static_cast<std::size_t>(walked - walked_.data()));
        return i;
    }
    void take_walked(std::size_t first_event, std::size_t first_column, std::size_t last_column) {
        float PixelColumn::*const share = kShares[only_class_];
        const float part = std::ldexp(share_per_ns_, -kFine);
        for (std::size_t c = first_column; c < std::min(last_column + 2, out_.size()); ++c) {
            const Walked walked = std::exchange(walked_[c], {});
            if (walked.longest == 0) continue;
            const std::size_t event = first_event + 1024 - static_cast<std::size_t>(walked.longest & ~kNoId);
            add_part(static_cast<std::ptrdiff_t>(c), EventId{static_cast<std::uint32_t>(event)}, share,
                     std::max(static_cast<float>(walked.busy) * part, kMoment),
                     static_cast<float>(walked.longest & kNoId) * part);
        }
    }
    // Adds the events from i on that end inside this column, where the event before them ended. The next one.
    std::size_t add_inside(std::size_t column, std::size_t i, std::size_t last) {
        const std::int64_t limit = grid_.end_of(column);
        std::array<std::int64_t, 4> busy{};
        std::int64_t total = 0;
        std::int64_t most = -1;
        std::size_t widest = i;
        const std::size_t first = i;
        for (; i < last; ++i) {
            const std::int64_t length = trace_.duration[i].count();
            if (ns_of(trace_.start[i]) + std::max<std::int64_t>(length, 1) > limit) break;
            total += length;
            if (mixed_) busy[class_of(i)] += length;
            widest = length > most ? i : widest;
            most = length > most ? length : most;
        }
        if (i == first) return i;
        if (!mixed_) busy[only_class_] = total;
        for (std::size_t c = mixed_ ? 0 : only_class_; c < (mixed_ ? 4 : only_class_ + 1); ++c) {
            out_[column].*kShares[c] += static_cast<float>(busy[c]) * share_per_ns_;
        }
        add_part(static_cast<std::ptrdiff_t>(column), EventId{static_cast<std::uint32_t>(widest)},
                 kShares[class_of(widest)], most > 0 ? 0 : kMoment, static_cast<float>(most) * share_per_ns_);
        return i;
    }
    std::size_t class_of(std::size_t i) const {
        return mixed_ ? static_cast<std::size_t>(classes_.of(EventId{static_cast<std::uint32_t>(i)})) : only_class_;
    }
    // The first event that is not over before the view begins; ends rise within a lane.
    std::size_t first_reaching(std::size_t low, std::size_t high) const {
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (ns_of(trace_.start[middle] + trace_.duration[middle]) < begin_)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    // Without branches that depend on the data: which event of a column is the widest cannot be predicted, nor
    // whether an event reaches into the next column. The column in which the event ends, or -1.
    std::ptrdiff_t add_event(std::size_t i) {
        const std::int64_t starts = ns_of(trace_.start[i]);
        const std::int64_t length = trace_.duration[i].count();
        const double at = grid_.position_near(std::max(starts, begin_));
        const double end = grid_.position_near(std::min(starts + length, end_));
        const double from = at > 0 ? at : 0;
        const double to = end < columns_ ? end : columns_;
        if (from >= columns_ || to < from || (to == from && length > 0)) return -1;
        const EventId e{static_cast<std::uint32_t>(i)};
        float PixelColumn::*const share = kShares[class_of(i)];
        const auto column = static_cast<std::ptrdiff_t>(from);
        const auto edge = static_cast<double>(column + 1);
        const auto here = static_cast<float>((to < edge ? to : edge) - from);
        add_part(column, e, share, here > kMoment ? here : kMoment, here);
        if (column + 1 == std::ssize(out_)) return to < edge ? column : -1;
        const double beyond = to > edge ? to - edge : 0;
        const auto there = static_cast<float>(beyond < 1 ? beyond : 1);
        add_part(column + 1, e, share, there, there);  // often nothing
        if (beyond > 1) add_long_event(column + 2, to, e, share);
        return to < columns_ ? static_cast<std::ptrdiff_t>(to) : -1;
    }
    void add_long_event(std::ptrdiff_t column, double to, EventId e, float PixelColumn::*share) {
        const auto last = static_cast<std::ptrdiff_t>(to);
        for (; column < last; ++column) add_part(column, e, share, 1, 1);
        const auto rest = static_cast<float>(to - static_cast<double>(last));
        if (rest > 0) add_part(last, e, share, rest, rest);
    }
    void add_part(std::ptrdiff_t column, EventId e, float PixelColumn::*share, float busy, float part) {
        out_[static_cast<std::size_t>(column)].*share += busy;
        Widest& widest = widest_[static_cast<std::size_t>(column)];
        const Widest other(part, e);
        widest.key = widest.key > other.key ? widest.key : other.key;
    }

    static constexpr float kMoment = 1e-9F;  // raised to the least share if nothing else is there
    static constexpr std::array<float PixelColumn::*, 4> kShares = {&PixelColumn::compute, &PixelColumn::communication,
                                                                    &PixelColumn::memory, &PixelColumn::other};

    const TimePyramid& pyramid_;
    const RankTrace& trace_;
    const ClassTable& classes_;
    const ColumnGrid& grid_;
    std::span<PixelColumn> out_;
    std::vector<Widest> widest_;  // of each column
    std::vector<Walked> walked_;  // of each column and the one after the last; empty between blocks
    bool mixed_;  // events of several classes in the lane
    std::size_t only_class_;  // unless mixed
    double columns_;
    float share_per_ns_;
    std::int64_t begin_;  // whole ns around the view
    std::int64_t end_;
    int column_shift_;  // 2^column_shift_ ns fit into a column
};

void TimePyramid::collect_columns(const RankTrace& trace, const ClassTable& classes, RankTime t0, double t0_fraction_ns,
                                  double ns_per_px, std::span<PixelColumn> out) const {
    assert(ns_per_px > 0);
    std::ranges::fill(out, PixelColumn{});
    if (out.empty() || tiers_.empty()) return;
    const ColumnGrid grid(t0, t0_fraction_ns, ns_per_px, out.size());
    ColumnCollector(*this, trace, classes, grid, out).collect();
}

}  // namespace core
