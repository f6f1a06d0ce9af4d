// Collects pixel columns from a time pyramid: from buckets where a column has many events, from the
// events where it has few. Branches on which event is widest, or reaches into the next column, are
// unpredictable: both paths are branchless and count in integer units of 2^-30 of a column.

#include "core/index/column_grid.hpp"
#include "core/index/pyramid_tiers.hpp"
#include "core/index/time_pyramid.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <memory>

namespace core {
namespace {

using Pair64 = std::uint64_t __attribute__((vector_size(16)));
using PairDouble = double __attribute__((vector_size(16)));
using Quad32 = std::uint32_t __attribute__((vector_size(16)));
using QuadInt = std::int32_t __attribute__((vector_size(16)));
using QuadFloat = float __attribute__((vector_size(16)));
using QuadByte = std::uint8_t __attribute__((vector_size(4)));

constexpr int kFine = 30;
constexpr std::uint32_t kWhole = std::uint32_t{1} << kFine;  // one column
constexpr float kPerWhole = 1.0F / static_cast<float>(kWhole);
constexpr std::size_t kChunk = 32;  // events per batch
constexpr std::size_t kMany = 12;   // events per column from which the dense path pays off

template <class To, class From>
To load(const From* from) {
    To to;
    static_assert(sizeof(to) % sizeof(*from) == 0);
    std::memcpy(&to, from, sizeof(to));
    return to;
}
template <class From, class To>
void store(From from, To* to) {
    std::memcpy(to, &from, sizeof(from));
}
Quad32 all(std::uint32_t n) { return Quad32{n, n, n, n}; }
Quad32 low_halves(Pair64 a, Pair64 b) {
    return __builtin_shufflevector(std::bit_cast<Quad32>(a), std::bit_cast<Quad32>(b), 0, 2, 4, 6);
}

// Converts two times at once to columns in units of 2^-kFine. Valid inside a view below 2^51 ns and
// 2^20 columns: adding 2^52 to a double leaves its integer part in the low bits.
class Positions {
public:
    Positions(std::int64_t t0, double fraction, double column_ns)
        : scale_(std::ldexp(1 / column_ns, kFine)),
          bias_(std::bit_cast<std::uint64_t>(kBig) - static_cast<std::uint64_t>(t0)),
          offset_(kBig - std::floor(fraction * scale_ + 0.5)) {}
    static bool fit(std::int64_t begin, std::int64_t end, std::size_t columns) {
        return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) < std::uint64_t{1} << 50 &&
               columns < std::size_t{1} << 20;
    }
    Pair64 of(Pair64 times) const {
        const PairDouble ns = std::bit_cast<PairDouble>(times + bias_) - kBig;
        return std::bit_cast<Pair64>(ns * scale_ + offset_) - std::bit_cast<std::uint64_t>(kBig);
    }

private:
    static constexpr double kBig = 0x1.8p52;
    double scale_;
    std::uint64_t bias_;
    double offset_;
};

// Share of a bucket that its widest event covers, by code.
constexpr std::array<std::uint32_t, 256> kPartOfCode = [] {
    std::array<std::uint32_t, 256> parts{};
    for (std::uint32_t code = 0; code < 256; ++code)
        parts[code] = static_cast<std::uint32_t>(share_of_code(code) * static_cast<float>(kWhole));
    return parts;
}();

// Combines an event and the part of the column it covers into one key that orders by part, then
// earlier event first. Part 0: no event.
std::uint64_t key_of(std::uint64_t part, std::uint32_t event) { return part << 32 | (0xFFFFFFFFu - event); }

// Sums per class: one number instead of four for lanes of a single class, the common case.
struct OneClass {
    using Sums = std::uint32_t;
    using Shares = float;
};
struct AnyClass {
    using Sums = Quad32;
    using Shares = QuadFloat;
};

}  // namespace

template <class Classes>
class ColumnCollector {
public:
    ColumnCollector(const TimePyramid& pyramid, const RankTrace& trace, const ClassTable& classes,
                    const ColumnGrid& grid, std::span<PixelColumn> out)
        : pyramid_(pyramid),
          trace_(trace),
          classes_(classes),
          grid_(grid),
          positions_(ns_of(grid.edge(0).whole), grid.edge(0).fraction, grid.column_ns()),
          out_(out),
          only_class_(static_cast<std::size_t>(std::countr_zero(pyramid.present_)) % 4),
          columns_(static_cast<double>(out.size())),
          begin_(grid.begin_ns()),
          end_(grid.end_ns()),
          fits_(Positions::fit(begin_, end_, out.size())),
          column_shift_(static_cast<int>(std::floor(std::log2(grid.column_ns())))) {}

    void collect() {
        visit_blocks(pyramid_.tiers_.size() - 1, 0, pyramid_.tiers_.back().size());
        if (!parts_.empty() && !longest_.empty())
            finish<true, true>();
        else if (!parts_.empty())
            finish<true, false>();
        else if (!longest_.empty())
            finish<false, true>();
        else
            std::ranges::fill(out_, PixelColumn{});
    }

private:
    using Block = TimePyramid::Block;
    using Bucket = TimePyramid::Bucket;
    using Sums = typename Classes::Sums;
    using Shares = typename Classes::Shares;
    static constexpr bool kMixed = std::is_same_v<Classes, AnyClass>;

    void visit_blocks(std::size_t tier, std::size_t first, std::size_t last) {
        const std::span<const Block> blocks(pyramid_.tiers_[tier].data() + first, last - first);
        auto it = std::ranges::upper_bound(blocks, begin_, {}, &Block::end);
        for (; it != blocks.end() && it->begin < end_; ++it) {
            visit(tier, first + static_cast<std::size_t>(it - blocks.begin()), *it);
        }
    }
    void visit(std::size_t tier, std::size_t index, const Block& block) {
        if (block.levels > 0 && block.shift <= column_shift_) {
            add_buckets(block, std::clamp(column_shift_ - block.shift, 0, block.levels - 1));
        } else if (tier == 0) {
            walk_events(block);
        } else {
            const std::size_t fan_out = kEventsOfBlock[tier] / kEventsOfBlock[tier - 1];
            visit_blocks(tier - 1, index * fan_out, std::min((index + 1) * fan_out, pyramid_.tiers_[tier - 1].size()));
        }
    }

    // --- buckets

    // Contributions of buckets to a column.
    struct Parts {
        Shares shares{};
        std::uint64_t widest = 0;
        void add(const Parts& other) {
            shares += other.shares;
            widest = widest > other.widest ? widest : other.widest;
        }
    };

    void add_buckets(const Block& block, int level) {
        if (parts_.empty()) parts_.resize(out_.size() + 3);
        std::size_t offset = block.first_bucket;
        for (int k = 0; k < level; ++k) offset += block.buckets_at(k);
        const int shift = block.shift + level;
        const std::int64_t first = std::max(block.first_at(level), begin_ >> shift);
        const std::int64_t last = std::min(block.last_at(level), (end_ - 1) >> shift);
        const Bucket* bucket = pyramid_.buckets_.data() + offset + (first - block.first_at(level));
        const std::int64_t width = std::llround(std::ldexp(1 / grid_.column_ns(), shift + kFinest));
        const std::int64_t part = std::max<std::int64_t>(1, rounded(width));  // short events stay visible
        const auto first_event = static_cast<std::uint32_t>(index_of(pyramid_.lane_.first)) + block.first_event;
        // Shifted by one column, as the first bucket may begin before the view.
        const double left = std::max(0.0, grid_.position(first << shift) + 1);
        std::int64_t x = std::llround(std::ldexp(left, kFinest));
        // Parts of the column in which the last bucket began and of the next one, kept here until
        // another column begins.
        Parts here, next;
        std::size_t current = 0;
        std::uint32_t known = 0xFFFFFFFFu;  // the last bucket's widest event and its parts of these columns
        std::uint64_t has_here = 0, has_next = 0;
        for (std::int64_t i = first; i <= last; ++i, ++bucket, x += width) {
            if (std::bit_cast<std::uint32_t>(bucket->share) == 0) continue;
            const auto column = static_cast<std::size_t>(x >> kFinest);
            if (column + 1 >= parts_.size()) break;
            if (column != current) {
                parts_[current].add(here);
                const bool follows = column == current + 1;
                if (!follows) parts_[current + 1].add(next);
                here = follows ? next : Parts{};
                has_here = follows ? has_next : 0;
                current = column;
            }
            const std::int64_t past = rounded((x & ((std::int64_t{1} << kFinest) - 1)) + width) - kWhole;
            const std::int64_t beyond = past & ~(past >> 63);
            const std::int64_t inside = part - std::min(beyond, part);
            const Shares shares = shares_of(*bucket);
            const std::uint64_t covered = kPartOfCode[bucket->widest >> 24];
            const std::uint32_t event = first_event + (bucket->widest & 0xFFFFFFu);
            has_here = part_of(covered, inside) + (event == known ? has_here : 0);
            has_next = part_of(covered, beyond);
            known = event;
            here.add({shares * weight_of(inside), key_of(has_here, event)});
            next = {shares * weight_of(beyond), key_of(has_next, event)};
        }
        parts_[current].add(here);
        parts_[current + 1].add(next);
    }
    static constexpr int kFinest = 42;  // keeps the error of thousands of summed widths well below 2^-kFine
    static std::int64_t rounded(std::int64_t n) { return (n + (1 << (kFinest - kFine - 1))) >> (kFinest - kFine); }
    Shares shares_of(const Bucket& bucket) const {
        if constexpr (kMixed)
            return __builtin_convertvector(load<QuadByte>(bucket.share.data()), QuadFloat);
        else
            return static_cast<float>(bucket.share[only_class_]);
    }
    static float weight_of(std::int64_t part) {
        return static_cast<float>(static_cast<std::int32_t>(part)) * (kPerWhole * kLeastShare);
    }
    static std::uint64_t part_of(std::uint64_t covered, std::int64_t weight) {
        return (covered * static_cast<std::uint64_t>(weight) >> kFine) + (weight > 0 ? 1 : 0);
    }

    // --- events

    void walk_events(const Block& block) {
        if (longest_.empty()) {
            longest_.resize(out_.size() + 2);
            sums_ = std::make_unique<Sums[]>(out_.size() + 2);
        }
        const std::size_t first = index_of(pyramid_.lane_.first) + block.first_event;
        const std::size_t last = first + block.events;
        std::size_t i = block.begin > begin_ ? first : first_reaching(first, last);
        while (i < last && (!fits_ || ns_of(trace_.start[i]) <= begin_) && ns_of(trace_.start[i]) < end_)
            add_cut_event(i++);
        while (i + 4 <= last && ns_of(trace_.start[i]) < end_) {
            const std::size_t whole = whole_events(i, std::min(kChunk, last - i)) & ~std::size_t{3};
            if (whole == 0) break;
            const std::size_t column = add_whole_events(i, whole);
            i = add_inside(column, i + whole, last);
        }
        while (i < last && ns_of(trace_.start[i]) < end_) add_cut_event(i++);
    }
    // The first event that ends inside or after the view; ends are sorted within a lane.
    std::size_t first_reaching(std::size_t low, std::size_t high) const {
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (end_of(middle) < begin_)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    std::int64_t end_of(std::size_t i) const { return ns_of(trace_.start[i] + trace_.duration[i]); }
    // Number of events from i on that end inside the view.
    std::size_t whole_events(std::size_t i, std::size_t count) const {
        while (count > 0 && end_of(i + count - 1) >= end_) --count;
        return count;
    }

    // For each event: its first and last column, its length, the rest of the first column after its
    // start, and how much of that rest it covers.
    struct Places {
        std::array<std::uint32_t, kChunk> column;
        std::array<std::uint32_t, kChunk> last;
        std::array<std::uint32_t, kChunk> length;
        std::array<std::uint32_t, kChunk> room;
        std::array<std::uint32_t, kChunk> here;
    };
    void find_places(std::size_t first, std::size_t count, Places& at) const {
        for (std::size_t i = 0; i < count; i += 4) {
            const auto* start = &trace_.start[first + i];
            const auto* duration = &trace_.duration[first + i];
            const Pair64 starts0 = load<Pair64>(start);
            const Pair64 starts1 = load<Pair64>(start + 2);
            const Pair64 begin0 = positions_.of(starts0);
            const Pair64 begin1 = positions_.of(starts1);
            const Pair64 end0 = positions_.of(starts0 + load<Pair64>(duration));
            const Pair64 end1 = positions_.of(starts1 + load<Pair64>(duration + 2));
            const Quad32 begin = low_halves(begin0, begin1);
            const Quad32 length = low_halves(end0, end1) - begin;
            const Quad32 room = all(kWhole) - (begin & all(kWhole - 1));
            const Quad32 past = length - room;
            const auto ends_here = std::bit_cast<Quad32>(std::bit_cast<QuadInt>(past) >> 31);
            store(low_halves(begin0 >> kFine, begin1 >> kFine), &at.column[i]);
            store(low_halves(end0 >> kFine, end1 >> kFine), &at.last[i]);
            store(length, &at.length[i]);
            store(room, &at.room[i]);
            store(length - (past & ~ends_here), &at.here[i]);
        }
    }
    // Returns the column in which the last of them ends.
    std::size_t add_whole_events(std::size_t first, std::size_t count) {
        Places at;
        find_places(first, count, at);
        Sums sum = sum_;
        std::uint64_t* const longest = longest_.data();
        Sums* const sums = sums_.get();
        for (std::size_t i = 0; i < count; ++i) {
            const auto event = static_cast<std::uint32_t>(first + i);
            const std::size_t column = at.column[i];
            const Sums of_class = ones_of(event);
            if (at.last[i] > column + 1) {
                sum = add_long_event(event, column, at.last[i], at.length[i], at.room[i], sum);
                continue;
            }
            const std::uint32_t here = at.here[i];
            const std::uint64_t key = key_of(std::uint64_t{here} + 1, event);
            longest[column] = longest[column] > key ? longest[column] : key;
            longest[column + 1] = key_of(at.length[i] - here, event);
            sums[column] = sum + (here & of_class);
            sum += at.length[i] & of_class;
            sums[column + 1] = sum;
        }
        sum_ = sum;
        return at.last[count - 1];
    }
    // Adds the events from i on that end inside this column, in which the previous event ended, if
    // there are many. Returns the next event.
    std::size_t add_inside(std::size_t column, std::size_t i, const std::size_t last) {
        const std::int64_t limit = grid_.end_of(column);
        if (i + kMany > last || end_of(i + kMany - 1) >= limit) return i;
        std::array<std::int64_t, 4> busy{};
        std::int64_t total = 0;
        std::int64_t most = -1;
        std::size_t widest = i;
        for (; i < last; ++i) {
            const std::int64_t length = trace_.duration[i].count();
            if (ns_of(trace_.start[i]) + length >= limit) break;
            if constexpr (kMixed) busy[class_of(static_cast<std::uint32_t>(i))] += length;
            total += length;
            widest = length > most ? i : widest;
            most = length > most ? length : most;
        }
        const auto event = static_cast<std::uint32_t>(widest);
        longest_[column] = std::max(longest_[column], key_of(std::uint64_t{fine(most)} + 1, event));
        if constexpr (kMixed)
            sum_ += Quad32{fine(busy[0]), fine(busy[1]), fine(busy[2]), fine(busy[3])};
        else
            sum_ += fine(total);
        sums_[column] = sum_;
        return i;
    }
    std::uint32_t fine(std::int64_t ns) const {
        return static_cast<std::uint32_t>(std::llround(static_cast<double>(ns) / grid_.column_ns() * kWhole));
    }
    // Adds an event that reaches beyond the next column.
    Sums add_long_event(std::uint32_t event, std::size_t column, std::size_t last, std::uint32_t length,
                        std::uint32_t room, Sums sum) {
        const Sums of_class = ones_of(event);
        const Sums whole = kWhole & of_class;
        longest_[column] = std::max(longest_[column], key_of(room, event));
        Sums to = sum + (room & of_class);
        sums_[column] = to;
        for (++column; column < last; ++column) {
            longest_[column] = key_of(kWhole, event);
            to += whole;
            sums_[column] = to;
        }
        sum += length & of_class;
        longest_[last] = key_of((length - room) & (kWhole - 1), event);
        sums_[last] = sum;
        return sum;
    }
    // Adds an event that the view may cut, or any event of a very wide view.
    void add_cut_event(std::size_t i) {
        const std::int64_t starts = ns_of(trace_.start[i]);
        const double from = std::max(0.0, grid_.position_near(std::max(starts, begin_)));
        const double to = std::min(columns_, grid_.position_near(std::min(end_of(i), end_)));
        if (from >= columns_ || to < from || (to == from && trace_.duration[i].count() > 0)) return;
        const auto begin = static_cast<std::uint64_t>(std::llround(from * kWhole));
        const auto end = static_cast<std::uint64_t>(std::llround(to * kWhole));
        const std::uint64_t room = kWhole - (begin & (kWhole - 1));
        const auto event = static_cast<std::uint32_t>(i);
        const auto column = static_cast<std::size_t>(begin >> kFine);
        const auto length = static_cast<std::uint32_t>(end - begin);
        if (end - begin > room) {
            sum_ = add_long_event(event, column, end >> kFine, length, static_cast<std::uint32_t>(room), sum_);
            return;
        }
        longest_[column] = std::max(longest_[column], key_of(std::uint64_t{length} + 1, event));
        sum_ += length & ones_of(event);
        sums_[column] = sum_;
    }
    std::size_t class_of(std::uint32_t event) const {
        return kMixed ? static_cast<std::size_t>(classes_.of(EventId{event})) : only_class_;
    }
    // A mask of ones at the sum of the event's class.
    Sums ones_of(std::uint32_t event) const {
        if constexpr (kMixed)
            return kOnly[class_of(event)];
        else
            return kOnes;
    }

    // --- both

    template <bool kBuckets, bool kEvents>
    void finish() const {
        const Parts* const parts = kBuckets ? parts_.data() + 1 : nullptr;
        const std::uint64_t* const longest = longest_.data();
        const Sums* const sums = sums_.get();
        Sums before{};
        for (std::size_t i = 0; i < out_.size(); ++i) {
            Shares shares{};
            std::uint64_t widest = 0;
            if constexpr (kBuckets) {
                shares = parts[i].shares;
                widest = parts[i].widest;
            }
            if constexpr (kEvents) {
                const Sums known = Sums{} - (longest[i] >> 32 != 0 ? 1u : 0u);
                const Sums now = (sums[i] & known) | (before & ~known);
                shares += columns_of(now - before);
                before = now;
                widest = std::max(widest, longest[i]);
            }
            PixelColumn& column = out_[i];
            const bool any = widest >> 32 != 0;
            const float busy = set_shares(column, shares);
            column.widest = any ? EventId{0xFFFFFFFFu - static_cast<std::uint32_t>(widest)} : kNoEvent;
            if ((any && busy < kLeastShare) || busy > 1) mend(column, busy);
        }
    }
    static Shares columns_of(Sums sums) {
        if constexpr (kMixed)
            return __builtin_convertvector(std::bit_cast<QuadInt>(sums), QuadFloat) * kPerWhole;
        else
            return static_cast<float>(static_cast<std::int32_t>(sums)) * kPerWhole;
    }
    // Returns the sum of the shares.
    float set_shares(PixelColumn& column, Shares shares) const {
        if constexpr (kMixed) {
            store(shares, &column.compute);
            return (shares[0] + shares[1]) + (shares[2] + shares[3]);
        } else {
            store(QuadFloat{}, &column.compute);
            column.*kShares[only_class_] = shares;
            return shares;
        }
    }
    // Raises present classes to the least share and limits the sum to 1.
    void mend(PixelColumn& column, float busy) const {
        const std::size_t of_class = class_of(static_cast<std::uint32_t>(index_of(column.widest)));
        if (busy == 0) column.*kShares[of_class] = kLeastShare;
        const float by = busy > 1 ? 1 / busy : busy > 0 ? kLeastShare / busy : 1;
        column.compute *= by;
        column.communication *= by;
        column.memory *= by;
        column.other *= by;
    }

    static constexpr std::array<float PixelColumn::*, 4> kShares = {&PixelColumn::compute, &PixelColumn::communication,
                                                                    &PixelColumn::memory, &PixelColumn::other};
    static constexpr std::uint32_t kOnes = 0xFFFFFFFFu;
    static constexpr std::array<Quad32, 4> kOnly = {Quad32{kOnes, 0, 0, 0}, Quad32{0, kOnes, 0, 0},
                                                    Quad32{0, 0, kOnes, 0}, Quad32{0, 0, 0, kOnes}};

    const TimePyramid& pyramid_;
    const RankTrace& trace_;
    const ClassTable& classes_;
    const ColumnGrid& grid_;
    const Positions positions_;
    std::span<PixelColumn> out_;
    std::vector<Parts> parts_;  // per column, plus one before and two after
    // Per column, plus two after: the longest part of an event and, if there is one, the coverage
    // of all events up to its end, per class and modulo 4 columns.
    std::vector<std::uint64_t> longest_;
    std::unique_ptr<Sums[]> sums_;
    Sums sum_{};
    const std::size_t only_class_;  // if there is just one
    const double columns_;
    const std::int64_t begin_;  // whole ns around the view
    const std::int64_t end_;
    const bool fits_;  // the view fits the range of Positions
    const int column_shift_;  // 2^column_shift_ ns fit into a column
};

void TimePyramid::collect_columns(const RankTrace& trace, const ClassTable& classes, RankTime t0, double t0_fraction_ns,
                                  double ns_per_px, std::span<PixelColumn> out) const {
    assert(ns_per_px > 0);
    if (out.empty() || tiers_.empty()) {
        std::ranges::fill(out, PixelColumn{});
        return;
    }
    const ColumnGrid grid(t0, t0_fraction_ns, ns_per_px, out.size());
    if (std::has_single_bit(present_))
        ColumnCollector<OneClass>(*this, trace, classes, grid, out).collect();
    else
        ColumnCollector<AnyClass>(*this, trace, classes, grid, out).collect();
}

}  // namespace core
