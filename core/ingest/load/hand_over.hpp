#pragma once
// Decides when a load publishes a Run of the ranks read so far. Publishing is O(ranks), so arrivals are batched: the
// first ranks appear one by one, later ones in growing batches, and a load of n ranks publishes O(n) ranks in all.

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace core {

class HandOver {
public:
    // `since`: the time since the last hand-over. `last_files`: no file is left to begin.
    bool is_due(std::size_t arrived, std::chrono::microseconds since, bool last_files) const {
        if (arrived == published_) return false;
        return arrived - published_ >= batch_of(arrived) || last_files || since > longest_wait(arrived);
    }
    void publish(std::size_t arrived) { published_ = arrived; }
    bool is_complete(std::size_t arrived) const { return arrived == published_; }

private:
    static std::size_t batch_of(std::size_t arrived) {
        constexpr std::size_t kMany = 2048;
        return std::max<std::size_t>(1, arrived / (arrived < kMany ? 48 : 4));
    }
    // The window needs longer for a Run of more ranks; it must not be busy with publishing alone.
    static std::chrono::microseconds longest_wait(std::size_t arrived) {
        return std::chrono::microseconds{250'000 + 250 * arrived};
    }

    std::size_t published_ = 0;
};

}  // namespace core
