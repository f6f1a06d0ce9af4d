#include "core/store/track_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace core {
namespace {

// Tournament tree over rows: finds the leftmost row that ends at or before a time.
class FreeRows {
public:
    std::uint32_t take(std::int64_t start_ns, std::int64_t end_ns) {
        if (least_[1] > start_ns) double_rows();
        std::size_t node = 1;
        while (node < leaves_) node = least_[2 * node] <= start_ns ? 2 * node : 2 * node + 1;
        const auto row = static_cast<std::uint32_t>(node - leaves_);
        least_[node] = end_ns;
        for (node /= 2; node > 0; node /= 2) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
        return row;
    }

private:
    static constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::min();

    void double_rows() {
        std::vector<std::int64_t> larger(leaves_ * 4, kFree);
        std::copy(least_.begin() + static_cast<std::ptrdiff_t>(leaves_), least_.end(),
                  larger.begin() + static_cast<std::ptrdiff_t>(leaves_ * 2));
        leaves_ *= 2;
        for (std::size_t node = leaves_ - 1; node > 0; --node) {
            larger[node] = std::min(larger[2 * node], larger[2 * node + 1]);
        }
        least_ = std::move(larger);
    }

    std::size_t leaves_ = 8;
    std::vector<std::int64_t> least_ = std::vector<std::int64_t>(16, kFree);
};

}  // namespace

bool comes_before(const TrackKey& a, const TrackKey& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return a.row < b.row;
}

void sort_track(std::vector<TrackKey>& keys) {
    if (std::ranges::is_sorted(keys, comes_before)) return;
    // Keeps a rising subsequence in place. A key that comes too early is a misfit; so is a kept one that turns
    // out to lie far ahead of two in a row, so that one late event cannot make misfits of all that follow.
    std::vector<TrackKey> misfits;
    std::size_t kept = 0;
    for (const TrackKey& key : keys) {
        if (kept > 0 && comes_before(key, keys[kept - 1])) {
            const bool last_is_misfit = kept == 1 || !comes_before(key, keys[kept - 2]);
            misfits.push_back(last_is_misfit ? keys[kept - 1] : key);
            if (last_is_misfit) keys[kept - 1] = key;
            continue;
        }
        keys[kept++] = key;
    }
    std::ranges::sort(misfits, comes_before);
    // Merges from the back, in place.
    std::size_t from = kept;
    std::size_t to = keys.size();
    for (std::size_t m = misfits.size(); m > 0;) {
        if (from > 0 && comes_before(misfits[m - 1], keys[from - 1]))
            keys[--to] = keys[--from];
        else
            keys[--to] = misfits[--m];
    }
}

std::vector<std::uint32_t> assign_rows(const std::vector<TrackKey>& keys) {
    FreeRows free_rows;
    std::vector<std::uint32_t> rows(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        rows[i] = free_rows.take(keys[i].start_ns, std::max(keys[i].end_ns(), keys[i].start_ns + 1));
    }
    return rows;
}

}  // namespace core
