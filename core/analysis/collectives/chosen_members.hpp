#pragma once
// Shared by analyses of collectives: which member events pass the filter, on every rank, and the waits of the run.
// A collective is chosen if one of its members is; its numbers are always those of all its members.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/collectives/waits.hpp"

namespace core {

struct ChosenRank {
    std::int64_t key = 0;  // RankKey::packed
    std::uint32_t slot = 0;
    Duration window{0};
};

template <>
inline constexpr auto kFields<ChosenRank> =
    std::tuple{field("rank", &ChosenRank::key), field("slot", &ChosenRank::slot), field("window", &ChosenRank::window)};
template <>
inline constexpr auto kFields<MemberRef> =
    std::tuple{field("slot", &MemberRef::slot), field("member", &MemberRef::index)};

struct ChosenMembers {
    WaitsPtr waits;
    const Run* run = nullptr;
    std::vector<ChosenRank> ranks;         // that pass the filter, in order
    std::vector<bool> member;              // by position in MatchedRun::members
    std::vector<bool> collective;          // by collective
    std::vector<std::uint32_t> collectives;  // chosen ones, in order

    const MatchedRun& matches() const { return *waits->matched; }
    bool has_rank(std::uint32_t slot) const { return position_of(slot).has_value(); }
    std::optional<std::size_t> position_of(std::uint32_t slot) const;  // in ranks
    // "default_pg (dp) [0-3]", and the session where there are several.
    std::string group_of(const Collective& c) const;
    Cell step_cell(const Collective& c) const;
};

inline constexpr std::string_view kMembersTable = "members";

// A rank's partial: its window, and the indices of its member events that pass the filter.
Partial collect_members(const RankView&);
void add_members(const RankView&, Partial&);  // the same, to a partial with tables of its own
ChosenMembers choose_members(std::span<const Partial* const>, const Run&, const MatchParams& = {});

// The head of every answer: the clocks, their residual and error, and why they were refused.
NamedTable clocks_table(const ChosenMembers&);
std::vector<Column> clocks_columns();
inline constexpr SecondaryTable kClocksTable{"clocks", clocks_columns};
inline constexpr SecondaryTable kClocksOnly[] = {kClocksTable};
Answer make_answer(const ChosenMembers&, Table main, std::span<const Partial* const>);

// Sorts by a measure, largest first; ties keep their order.
void sort_descending(Table& table, std::string_view column);

// Distributes an integer over shares so that the parts add up to it: largest remainder first.
std::vector<std::int64_t> share_out_whole(std::int64_t whole, std::span<const double> shares);

}  // namespace core
