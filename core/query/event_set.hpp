#pragma once
// A bit set of one rank's events with rank and select queries in near-constant time. Fill with
// add(), then seal; query only after that. 1.5 bits per event of the rank.

#include "core/base/bits.hpp"
#include "core/base/units.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <vector>

namespace core {

class EventSet {
public:
    EventSet() : EventSet(0) {}
    explicit EventSet(std::size_t events) : words_(events / 64 + 1), before_(words_.size()) {}

    void add(EventId e) { words_[index_of(e) / 64] |= std::uint64_t{1} << (index_of(e) % 64); }
    void seal() {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            before_[i] = static_cast<std::uint32_t>(count_);
            count_ += count_bits(words_[i]);
        }
    }

    std::size_t count() const { return count_; }
    bool contains(EventId e) const {  // false beyond the size it was constructed with
        const std::size_t word = index_of(e) / 64;
        return word < words_.size() && (words_[word] >> (index_of(e) % 64) & 1) != 0;
    }
    // Number of members with a lower id; e may be one past the rank's last event.
    std::size_t count_before(EventId e) const {
        const std::size_t word = index_of(e) / 64;
        const std::uint64_t lower = (std::uint64_t{1} << (index_of(e) % 64)) - 1;
        return before_[word] + count_bits(words_[word] & lower);
    }
    // Calls visit(event) in order of id until it returns false. Returns true if it never did.
    template <class Visit>
    bool visit_each(const Visit& visit) const {
        for (std::size_t word = 0; word < words_.size(); ++word)
            for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
                if (!visit(static_cast<EventId>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)))))
                    return false;
        return true;
    }
    EventId nth(std::size_t k) const {  // by id, from 0; k < count()
        assert(k < count_);
        const std::size_t word = static_cast<std::size_t>(std::ranges::upper_bound(before_, k) - before_.begin()) - 1;
        std::uint64_t bits = words_[word];
        for (std::size_t skip = k - before_[word]; skip > 0; --skip) bits &= bits - 1;
        return static_cast<EventId>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }

private:
    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> before_;  // members in earlier words
    std::size_t count_ = 0;
};

}  // namespace core
