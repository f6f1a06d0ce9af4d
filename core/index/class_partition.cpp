#include "core/index/class_partition.hpp"

#include "core/base/saturate.hpp"

#include "core/index/column_grid.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kCheckpointEvery = 32;
constexpr RankTime kNever = RankTime::max();

// The union of one class: disjoint, sorted intervals that never touch.
class Union {
public:
    void add(RankRange range) {
        if (range.empty()) return;
        if (ranges_.empty() || ranges_.back().end < range.begin)
            ranges_.push_back(range);
        else
            ranges_.back().end = std::max(ranges_.back().end, range.end);
    }
    // The next time at which this class becomes active or inactive.
    RankTime next_change() const {
        if (at_ == ranges_.size()) return kNever;
        return active_ ? ranges_[at_].end : ranges_[at_].begin;
    }
    void pass_change() {
        if (active_) ++at_;
        active_ = !active_;
    }
    bool active() const { return active_; }

private:
    std::vector<RankRange> ranges_;
    std::size_t at_ = 0;
    bool active_ = false;
};

template <class Sum>
Sum sum_with(const std::array<Sum, kClassSets>& by_set, KernelClass c) {
    Sum sum{};
    for (std::size_t set = 0; set < kClassSets; ++set) {
        if (set & set_of(c)) sum += by_set[set];
    }
    return sum;
}

}  // namespace

Duration ClassTimes::total() const { return std::accumulate(by_set.begin(), by_set.end(), Duration{0}); }

Duration ClassTimes::with(KernelClass c) const { return sum_with(by_set, c); }

Duration ClassTimes::exposed_communication() const {
    constexpr ClassSet kCommunication = set_of(KernelClass::Communication);
    return by_set[kCommunication] + by_set[kCommunication | set_of(KernelClass::Memory)];
}

Duration ClassTimes::exposed_memory() const { return by_set[set_of(KernelClass::Memory)]; }

ClassPartition::ClassPartition(const RankTrace& trace, const ClassTable& classes, std::span<const EventId> events) {
    if (events.empty()) return;
    std::array<Union, kKernelClasses> unions;
    range_ = trace.range(events.front());
    for (const EventId e : events) {
        range_.end = std::max(range_.end, trace.end(e));
        const KernelClass c = classes.of(e);
        if (c != KernelClass::None) unions[static_cast<std::size_t>(c)].add(trace.range(e));
    }
    std::vector<RankTime> begins;
    std::vector<ClassSet> sets;
    std::vector<Cumulative> checkpoints;
    Cumulative sums{};
    for (;;) {
        const RankTime at = std::min({unions[0].next_change(), unions[1].next_change(), unions[2].next_change()});
        if (at == kNever) break;
        ClassSet set = 0;
        for (std::size_t c = 0; c < kKernelClasses; ++c) {
            if (unions[c].next_change() == at) unions[c].pass_change();
            if (unions[c].active()) set |= set_of(static_cast<KernelClass>(c));
        }
        if (!begins.empty()) sums[sets.back()] += (at - begins.back()).count();
        if (begins.size() % kCheckpointEvery == 0) checkpoints.push_back(sums);
        begins.push_back(at);
        sets.push_back(set);
    }
    begin_ = Values(std::move(begins));
    set_ = Values(std::move(sets));
    checkpoint_ = Values(std::move(checkpoints));
}

void ClassPartition::collect_sections(SectionList& list) const {
    list.add(section::kPartitionRange, std::span(&range_, 1));
    list.add(section::kPartitionBegins, begin_.all());
    list.add(section::kPartitionSets, set_.all());
    list.add(section::kPartitionCheckpoints, checkpoint_.all());
}

std::optional<ClassPartition> ClassPartition::from_sections(const Blob& blob) {
    ClassPartition partition;
    const auto range = blob.section<RankRange>(section::kPartitionRange);
    if (range.size() != 1) return std::nullopt;
    partition.range_ = range.front();
    partition.begin_ = Values<RankTime>::lent(blob.section<RankTime>(section::kPartitionBegins));
    partition.set_ = Values<ClassSet>::lent(blob.section<ClassSet>(section::kPartitionSets));
    partition.checkpoint_ = Values<Cumulative>::lent(blob.section<Cumulative>(section::kPartitionCheckpoints));
    const std::size_t segments = partition.segments();
    const bool agree = partition.begin_.size() == segments &&
                       partition.checkpoint_.size() == (segments + kCheckpointEvery - 1) / kCheckpointEvery;
    return agree ? std::optional(std::move(partition)) : std::nullopt;
}

bool ClassPartition::has_fault(RankRange window) const {
    const std::span<const RankTime> begins = begin_.all();
    const bool empty = range_.begin == RankTime{} && range_.end == RankTime{};
    const bool inside = window.begin <= range_.begin && range_.begin <= range_.end && range_.end <= window.end;
    const auto is_sum = [&](std::int64_t sum) { return sum >= 0 && sum <= window.length().count(); };
    return !(inside || empty) || !std::ranges::is_sorted(begins) ||
           (!begins.empty() && (begins.front() < range_.begin || begins.back() > range_.end)) ||
           !std::ranges::all_of(checkpoint_.all(),
                                [&](const Cumulative& sums) { return std::ranges::all_of(sums, is_sum); }) ||
           std::ranges::any_of(set_, [](ClassSet set) { return set >= kClassSets; });
}

std::size_t ClassPartition::segment_at(RankTime t) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begin_.all(), t) - begin_.all().begin()) - 1;
}

ClassPartition::Cumulative ClassPartition::cumulative_to(std::size_t segment) const {
    Cumulative sums = checkpoint_[segment / kCheckpointEvery];
    for (std::size_t s = segment / kCheckpointEvery * kCheckpointEvery; s < segment; ++s) {
        sums[set_[s]] += (begin_[s + 1] - begin_[s]).count();
    }
    return sums;
}

ClassPartition::Cumulative ClassPartition::cumulative_at(RankTime t) const {
    const std::size_t segment = segment_at(t);
    Cumulative sums = cumulative_to(segment);
    sums[set_[segment]] += (t - begin_[segment]).count();
    return sums;
}

ClassTimes ClassPartition::times(RankRange window) const {
    ClassTimes times;
    if (window.empty()) return times;
    std::int64_t idle = saturating_subtract(ns_of(window.end), ns_of(window.begin));
    const RankRange inside =
        begin_.empty() ? RankRange{}
                       : RankRange{std::max(window.begin, begin_.front()), std::min(window.end, begin_.back())};
    if (!inside.empty()) {
        const Cumulative before = cumulative_at(inside.begin);
        const Cumulative until = cumulative_at(inside.end);
        for (std::size_t set = 1; set < kClassSets; ++set) {
            times.by_set[set] = Duration{until[set] - before[set]};
            idle -= times.by_set[set].count();
        }
    }
    times.by_set[0] = Duration{idle};
    return times;
}

ClassSet ClassPartition::active_at(RankTime t) const {
    if (begin_.empty() || t < begin_.front()) return 0;
    return set_[segment_at(t)];
}

std::vector<RankRange> ClassPartition::collect_exposed(KernelClass with, KernelClass without, RankRange window) const {
    std::vector<RankRange> exposed;
    for (std::size_t s = 0; s + 1 < segments(); ++s) {
        const RankRange part{std::max(begin_[s], window.begin), std::min(begin_[s + 1], window.end)};
        const bool runs = (set_[s] & set_of(with)) != 0 && (set_[s] & set_of(without)) == 0;
        if (!runs || part.empty()) continue;
        if (!exposed.empty() && exposed.back().end == part.begin)
            exposed.back().end = part.end;
        else
            exposed.push_back(part);
    }
    return exposed;
}

// Moves right over the segments, keeping the sums before the current one.
class CellWalker {
public:
    using Shares = std::array<float, kKernelClasses>;

    CellWalker(const ClassPartition& partition, const ColumnGrid& grid, std::size_t cells)
        : partition_(partition), grid_(grid), cells_(cells), sums_(partition.checkpoint_.front()) {}

    // Calls visit(first, last, shares) for cells with the same shares, left to right, and leaves out idle ones. Cells
    // that lie within one segment are one call, so the cost is O(segments in view · log segments) or O(cells).
    template <class Visit>
    void visit_stretches(Visit visit) {
        std::array<double, kKernelClasses> before{};
        bool knows_before = false;
        for (std::size_t i = 0; i < cells_;) {
            const ColumnGrid::Edge left = grid_.edge(i);
            if (const std::size_t last = end_of_stretch(left.whole, i); last > i) {
                if (const ClassSet set = active_at(left.whole); set != 0) visit(i, last, full_shares(set));
                i = last;
                knows_before = false;
                continue;
            }
            if (!knows_before) before = busy_until(left.whole, left.fraction);
            const ColumnGrid::Edge right = grid_.edge(i + 1);
            const std::array<double, kKernelClasses> until = busy_until(right.whole, right.fraction);
            Shares shares{};
            for (std::size_t c = 0; c < kKernelClasses; ++c)
                shares[c] = static_cast<float>(std::clamp((until[c] - before[c]) / grid_.column_ns(), 0.0, 1.0));
            visit(i, i + 1, shares);
            before = until;
            knows_before = true;
            ++i;
        }
    }

private:
    static Shares full_shares(ClassSet set) {
        Shares shares{};
        for (std::size_t c = 0; c < kKernelClasses; ++c)
            shares[c] = (set & set_of(static_cast<KernelClass>(c))) != 0 ? 1.0f : 0.0f;
        return shares;
    }
    ClassSet active_at(RankTime t) const { return t < partition_.begin_.front() ? ClassSet{0} : partition_.set_[at_]; }

    // One past the last cell that ends within the segment at t, where cell i begins; i if that cell does not.
    std::size_t end_of_stretch(RankTime t, std::size_t i) {
        const std::span<const RankTime> begin = partition_.begin_.all();
        if (t >= begin.front()) move_to(t);
        const std::size_t next = t < begin.front() ? 0 : at_ + 1;
        if (next == begin.size()) return cells_;
        const double at = grid_.position(ns_of(begin[next]));
        if (!(at >= static_cast<double>(i + 1))) return i;
        std::size_t last = at >= static_cast<double>(cells_) ? cells_ : static_cast<std::size_t>(at);
        const auto ends_inside = [&](std::size_t edge) {
            const ColumnGrid::Edge end = grid_.edge(edge);
            return end.whole < begin[next] || (end.whole == begin[next] && end.fraction == 0);
        };
        while (last > i && !ends_inside(last)) --last;  // positions are rounded
        return last;
    }

    // Time per class from the first segment to `whole` + `fraction` ns.
    std::array<double, kKernelClasses> busy_until(RankTime whole, double fraction) {
        if (whole < partition_.begin_.front()) return {};
        move_to(whole);
        ClassPartition::Cumulative sums = sums_;
        const ClassSet set = partition_.set_[at_];
        if (set != 0) sums[set] += (whole - partition_.begin_[at_]).count();
        std::array<double, kKernelClasses> busy;
        for (std::size_t c = 0; c < kKernelClasses; ++c) {
            const KernelClass kernel_class = static_cast<KernelClass>(c);
            busy[c] = static_cast<double>(sum_with(sums, kernel_class)) + ((set & set_of(kernel_class)) ? fraction : 0);
        }
        return busy;
    }

    void move_to(RankTime t) {
        const std::span<const RankTime> begin = partition_.begin_.all();
        std::size_t low = at_;
        std::size_t reach = 1;
        while (low + reach < begin.size() && begin[low + reach] <= t) {
            low += reach;
            reach *= 2;
        }
        const auto limit = begin.begin() + static_cast<std::ptrdiff_t>(std::min(low + reach, begin.size()));
        const auto next = std::upper_bound(begin.begin() + static_cast<std::ptrdiff_t>(low), limit, t);
        const auto to = static_cast<std::size_t>(next - begin.begin()) - 1;
        if (to / kCheckpointEvery != at_ / kCheckpointEvery) {
            at_ = to / kCheckpointEvery * kCheckpointEvery;
            sums_ = partition_.checkpoint_[at_ / kCheckpointEvery];
        }
        for (; at_ < to; ++at_) sums_[partition_.set_[at_]] += (begin[at_ + 1] - begin[at_]).count();
    }

    const ClassPartition& partition_;
    const ColumnGrid& grid_;
    std::size_t cells_;
    ClassPartition::Cumulative sums_;
    std::size_t at_ = 0;
};

void ClassPartition::collect_cells(RankTime t0, double t0_fraction_ns, double cell_ns, std::span<Cell> out) const {
    std::ranges::fill(out, Cell{.compute = 0, .communication = 0, .memory = 0});
    if (begin_.empty() || out.empty()) return;
    const ColumnGrid grid(t0, t0_fraction_ns, cell_ns, out.size());
    CellWalker(*this, grid, out.size())
        .visit_stretches([&](std::size_t first, std::size_t last, const CellWalker::Shares& shares) {
            std::fill(out.begin() + static_cast<std::ptrdiff_t>(first), out.begin() + static_cast<std::ptrdiff_t>(last),
                      Cell{.compute = shares[0], .communication = shares[1], .memory = shares[2]});
        });
}

CellSums::CellSums(std::size_t cells) : single_(cells), rises_(cells + 1) {}

void CellSums::add(const ClassPartition& partition, RankTime t0, double t0_fraction_ns, double cell_ns) {
    ++added_;
    if (partition.begin_.empty() || single_.empty()) return;
    const ColumnGrid grid(t0, t0_fraction_ns, cell_ns, single_.size());
    CellWalker(partition, grid, single_.size())
        .visit_stretches([&](std::size_t first, std::size_t last, const CellWalker::Shares& shares) {
            ++visits_;
            if (last == first + 1) {
                single_[first].compute += shares[0];
                single_[first].communication += shares[1];
                single_[first].memory += shares[2];
                return;
            }
            for (std::size_t c = 0; c < kKernelClasses; ++c) {
                const auto whole = static_cast<std::int64_t>(shares[c]);
                rises_[first][c] += whole;
                rises_[last][c] -= whole;
            }
        });
}

void CellSums::merge(const CellSums& other) {
    assert(other.single_.size() == single_.size());
    added_ += other.added_;
    visits_ += other.visits_;
    for (std::size_t i = 0; i < single_.size(); ++i) {
        single_[i].compute += other.single_[i].compute;
        single_[i].communication += other.single_[i].communication;
        single_[i].memory += other.single_[i].memory;
    }
    for (std::size_t i = 0; i < rises_.size(); ++i)
        for (std::size_t c = 0; c < kKernelClasses; ++c) rises_[i][c] += other.rises_[i][c];
}

std::vector<ClassPartition::Cell> CellSums::means() const {
    std::vector<ClassPartition::Cell> means(single_.size(), {0, 0, 0});
    if (added_ == 0) return means;
    const float part = 1.0f / static_cast<float>(added_);
    std::array<std::int64_t, kKernelClasses> whole{};
    for (std::size_t i = 0; i < means.size(); ++i) {
        for (std::size_t c = 0; c < kKernelClasses; ++c) whole[c] += rises_[i][c];
        means[i] = {.compute = (single_[i].compute + static_cast<float>(whole[0])) * part,
                    .communication = (single_[i].communication + static_cast<float>(whole[1])) * part,
                    .memory = (single_[i].memory + static_cast<float>(whole[2])) * part};
    }
    return means;
}

std::size_t ClassPartition::resident_bytes() const {
    return begin_.size_bytes() + set_.size_bytes() + checkpoint_.size_bytes();
}

}  // namespace core
