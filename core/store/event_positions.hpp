#pragma once
// A bit set of events with rank queries, which lays out columns that only some events have.
// Internal to core/store.

#include "core/base/bits.hpp"
#include "core/base/units.hpp"

#include <vector>

namespace core {

class EventPositions {
public:
    explicit EventPositions(std::size_t event_count) : words_(event_count / 64 + 1) {}

    void add(EventId e) { words_[index_of(e) / 64].bits |= bit_of(e); }
    bool contains(EventId e) const { return (words_[index_of(e) / 64].bits & bit_of(e)) != 0; }
    // Call after the last add() and before position(). Returns the size of the set.
    std::size_t close() {
        std::uint32_t count = 0;
        for (Word& word : words_) {
            word.before = count;
            count += count_bits(word.bits);
        }
        return count;
    }
    // Number of set members before this event.
    std::size_t position(EventId e) const {
        const Word& word = words_[index_of(e) / 64];
        return word.before + count_bits(word.bits & (bit_of(e) - 1));
    }

private:
    struct Word {
        std::uint64_t bits = 0;
        std::uint32_t before = 0;
    };
    static std::uint64_t bit_of(EventId e) { return std::uint64_t{1} << index_of(e) % 64; }

    std::vector<Word> words_;
};

}  // namespace core
