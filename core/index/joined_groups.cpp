#include "core/index/joined_groups.hpp"

#include <algorithm>

namespace core {

std::uint64_t count_joined(const MemberTable& members) {
    if (members.groups().size() < kNoGroup) return 0;
    return static_cast<std::uint64_t>(std::ranges::count(members.events(), kNoGroup, &MemberEvent::group));
}

}  // namespace core
