#include "core/store/assemble/track_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace core {
namespace {

// Tournament tree over lanes: finds the leftmost lane that ends at or before a time.
class FreeLanes {
public:
    std::uint32_t take(std::int64_t start_ns, std::int64_t end_ns) {
        if (least_[1] > start_ns) double_lanes();
        std::size_t node = 1;
        while (node < leaves_) node = least_[2 * node] <= start_ns ? 2 * node : 2 * node + 1;
        const auto lane = static_cast<std::uint32_t>(node - leaves_);
        least_[node] = end_ns;
        for (node /= 2; node > 0; node /= 2) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
        return lane;
    }

private:
    static constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::min();

    void double_lanes() {
        std::vector<std::int64_t> larger(leaves_ * 4, kFree);
        std::copy(least_.begin() + static_cast<std::ptrdiff_t>(leaves_), least_.end(),
                  larger.begin() + static_cast<std::ptrdiff_t>(leaves_ * 2));
        leaves_ *= 2;
        for (std::size_t node = leaves_ - 1; node > 0; --node) {
            larger[node] = std::min(larger[2 * node], larger[2 * node + 1]);
        }
        least_ = std::move(larger);
    }

    std::size_t leaves_ = 1;  // most tracks need few
    std::vector<std::int64_t> least_ = std::vector<std::int64_t>(2, kFree);
};

class BySortOrder {
public:
    explicit BySortOrder(const StagedTimes& times) : times_(times) {}
    bool operator()(std::uint32_t a, std::uint32_t b) const {
        if (times_.start_ns[a] != times_.start_ns[b]) return times_.start_ns[a] < times_.start_ns[b];
        if (times_.duration_ns[a] != times_.duration_ns[b]) return times_.duration_ns[a] > times_.duration_ns[b];
        return a < b;
    }

private:
    const StagedTimes& times_;
};

bool is_sorted(std::span<const std::uint32_t> rows, const BySortOrder& comes_before, const JobContext& job) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && job.checkpoint()) return true;
        if (comes_before(rows[i], rows[i - 1])) return false;
    }
    return true;
}

// Keeps a sorted subsequence in place and removes the misfits. A row that is too early is a misfit; so is a
// kept row that is far ahead of the next two, or else one late event would make misfits of all that follow.
std::vector<std::uint32_t> remove_misfits(const BySortOrder& comes_before, std::vector<std::uint32_t>& rows,
                                          const JobContext& job) {
    std::vector<std::uint32_t> misfits;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && job.checkpoint()) break;
        const std::uint32_t row = rows[i];
        if (kept > 0 && comes_before(row, rows[kept - 1])) {
            const bool last_is_misfit = kept == 1 || !comes_before(row, rows[kept - 2]);
            misfits.push_back(last_is_misfit ? rows[kept - 1] : row);
            if (last_is_misfit) rows[kept - 1] = row;
            continue;
        }
        rows[kept++] = row;
    }
    rows.resize(kept);
    return misfits;
}

}  // namespace

void sort_track(const StagedTimes& times, std::vector<std::uint32_t>& rows, const JobContext& job) {
    const BySortOrder comes_before(times);
    if (is_sorted(rows, comes_before, job) || job.checkpoint()) return;
    std::vector<std::uint32_t> misfits = remove_misfits(comes_before, rows, job);
    if (misfits.size() <= rows.size())
        sort_track(times, misfits, job);  // often sorted among themselves
    else
        std::ranges::sort(misfits, comes_before);
    // Merges from the back, in place.
    std::size_t from = rows.size();
    rows.resize(from + misfits.size());
    std::size_t to = rows.size();
    for (std::size_t m = misfits.size(); m > 0;) {
        if (to % kEventsBetweenChecks == 0 && job.checkpoint()) return;
        if (from > 0 && comes_before(misfits[m - 1], rows[from - 1]))
            rows[--to] = rows[--from];
        else
            rows[--to] = misfits[--m];
    }
}

std::vector<std::uint32_t> assign_lanes(const StagedTimes& times, std::span<const std::uint32_t> rows,
                                        const JobContext& job) {
    FreeLanes free_lanes;
    std::vector<std::uint32_t> lanes(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && job.checkpoint()) break;
        const std::int64_t start_ns = times.start_ns[rows[i]];
        lanes[i] = free_lanes.take(start_ns, std::max(times.end_ns(rows[i]), start_ns + 1));
    }
    return lanes;
}

}  // namespace core
