#pragma once
// Communication of one rank as the views of parallelism need it: when and in which pass it was launched, and how much
// of it compute hides. One row per member event that passes the filter, in a table of the rank's partial.

#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/efficiency/rank_work.hpp"
#include "core/analysis/engine/record_table.hpp"

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace core {

struct MemberPlace {
    MemberRef member;
    std::optional<std::int64_t> step;  // that launched it
    Pass pass = Pass::Forward;
    bool by_ddp = false;  // launched below the autograd engine or DistributedDataParallel's reducer
    bool after_matrix = false;  // matrix kernels run between the member of its group before and this one
    std::optional<std::int64_t> launch;  // rank's ns; absent: the call is unknown
    std::int64_t hidden = 0;  // ns beside compute
    std::int64_t exposed = 0;  // the rest of its duration
    std::int64_t stall = 0;  // ns that the next compute kernel of another stream waits for its end
    bool is_prefetched = false;  // such a kernel exists and waits less than kPrefetched
    bool has_user = false;  // such a kernel exists
};
template <>
inline constexpr auto kFields<MemberPlace> = std::tuple{field("slot", &MemberPlace::member, &MemberRef::slot),
                                                        field("member", &MemberPlace::member, &MemberRef::index),
                                                        field("step", &MemberPlace::step),
                                                        field("pass", &MemberPlace::pass),
                                                        field("by_ddp", &MemberPlace::by_ddp),
                                                        field("after_matrix", &MemberPlace::after_matrix),
                                                        field("launch", &MemberPlace::launch),
                                                        field("hidden", &MemberPlace::hidden),
                                                        field("exposed", &MemberPlace::exposed),
                                                        field("stall", &MemberPlace::stall),
                                                        field("is_prefetched", &MemberPlace::is_prefetched),
                                                        field("has_user", &MemberPlace::has_user)};

inline constexpr std::int64_t kPrefetched = 5'000;  // ns

inline constexpr std::string_view kPlacesTable = "member places";
// The members' table as well: merges may call choose_members. Fails if cancelled.
Result<Partial> collect_places(const RankView&, std::vector<Column> main, const JobContext&);

class MemberPlaces {
public:
    explicit MemberPlaces(std::span<const Partial* const> partials);
    std::span<const MemberPlace> all() const { return places_; }  // by slot, then member
    const MemberPlace* find(MemberRef) const;

private:
    std::vector<MemberPlace> places_;
};

}  // namespace core
