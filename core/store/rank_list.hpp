#pragma once
// The ranks of a process group. Each of 10,000 ranks names all 10,000: equal lists of a program are one list in memory.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

namespace core {

// Ranks that rise, or fall, by equal steps: whatever a list is, it is some of them, mostly one.
struct RankStretch {
    std::int32_t first = 0;
    std::int32_t step = 0;
    std::uint32_t count = 0;
    bool operator==(const RankStretch&) const = default;
};

// Any thread.
class RankList {
public:
    RankList() = default;
    RankList(std::vector<std::int32_t> ranks);  // implicit, as a vector is assigned
    RankList(std::initializer_list<std::int32_t> ranks) : RankList(std::vector<std::int32_t>(ranks)) {}
    // Absent: a rank leaves 32 bits, a stretch is empty, or there are more than 2^20 ranks.
    static std::optional<RankList> of(std::vector<RankStretch> stretches);

    const std::vector<std::int32_t>& get() const { return shared_ ? *shared_ : kNone; }
    operator const std::vector<std::int32_t>&() const { return get(); }
    auto begin() const { return get().begin(); }
    auto end() const { return get().end(); }
    std::size_t size() const { return get().size(); }
    bool empty() const { return get().empty(); }
    bool operator==(const RankList& other) const { return shared_ == other.shared_ || get() == other.get(); }
    std::vector<RankStretch> stretches() const;

private:
    static const std::vector<std::int32_t> kNone;
    std::shared_ptr<const std::vector<std::int32_t>> shared_;  // null: empty
};

}  // namespace core
