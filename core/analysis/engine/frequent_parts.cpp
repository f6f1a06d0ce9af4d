#include "core/analysis/engine/frequent_parts.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace core {
namespace {

// Grows all parts by one item at a time. The id of a part is derived from the id of the part
// without its last item and that item.
class PartCounter {
public:
    explicit PartCounter(std::span<const Sequence> sequences) : sequences_(sequences) {
        for (const Sequence& sequence : sequences_) {
            std::vector<std::uint32_t>& ids = ids_.emplace_back();
            for (const SequenceItem& item : sequence) ids.push_back(item.name);
        }
    }

    // Parts one item longer than before that occur at least twice.
    std::vector<FrequentPart> grow() {
        ++length_;
        std::unordered_map<std::uint64_t, std::uint32_t> number_of;
        std::vector<Counted> counted;
        for (std::uint32_t s = 0; s < sequences_.size(); ++s) {
            std::vector<std::uint32_t>& ids = ids_[s];
            if (!ids.empty()) ids.pop_back();
            for (std::uint32_t i = 0; i < ids.size(); ++i) {
                const std::uint64_t key =
                    static_cast<std::uint64_t>(ids[i]) << 32 | sequences_[s][i + length_ - 1].name;
                const auto [at, is_new] = number_of.try_emplace(key, static_cast<std::uint32_t>(counted.size()));
                if (is_new)
                    counted.push_back({{.sequence = s, .first = i, .length = length_, .count = 0, .time = 0}, s, 0});
                ids[i] = at->second;
                count(counted[at->second], s, i);
            }
        }
        std::vector<FrequentPart> parts;
        for (const Counted& one : counted) {
            if (one.part.count > 1) parts.push_back(one.part);
        }
        return parts;
    }

private:
    struct Counted {
        FrequentPart part;
        std::uint32_t sequence;  // sequence of the last occurrence
        std::uint32_t free;      // first position where the next may begin
    };

    void count(Counted& one, std::uint32_t s, std::uint32_t i) const {
        if (one.sequence == s && i < one.free) return;
        one.sequence = s;
        one.free = i + length_;
        ++one.part.count;
        for (std::uint32_t k = i; k < i + length_; ++k) one.part.time += sequences_[s][k].time;
    }

    std::span<const Sequence> sequences_;
    std::vector<std::vector<std::uint32_t>> ids_;  // by sequence and first item: id of the part of length_ items
    std::uint32_t length_ = 1;
};

}  // namespace

std::vector<FrequentPart> collect_frequent_parts(std::span<const Sequence> sequences, std::uint32_t longest) {
    PartCounter counter(sequences);
    std::vector<FrequentPart> parts;
    for (std::uint32_t length = 2; length <= longest; ++length) {
        const std::vector<FrequentPart> grown = counter.grow();
        if (grown.empty()) break;
        std::ranges::copy(grown, std::back_inserter(parts));
    }
    return parts;
}

}  // namespace core
