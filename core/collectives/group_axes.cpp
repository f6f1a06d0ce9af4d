// Axes of a mesh of ranks, told by the member sets of groups and by what the groups do.

#include "core/collectives/matched_run.hpp"

#include <map>
#include <set>

namespace core {
namespace {

// Groups of one size and stride.
struct Family {
    std::set<std::int32_t> covered;
    std::set<std::vector<std::int32_t>> members;
    bool overlaps = false;
    std::vector<std::size_t> groups;
    std::uint32_t operations = 0;
};
using FamilyKey = std::pair<std::int64_t, std::int64_t>;  // stride, size
using Families = std::map<FamilyKey, Family>;

constexpr std::uint32_t bit_of(Operation operation) { return 1U << static_cast<unsigned>(operation); }

// Distance between neighbours; 0 where it varies.
std::int64_t stride_of(std::span<const std::int32_t> members) {
    const std::int64_t stride = std::int64_t{members[1]} - members[0];
    for (std::size_t i = 2; i < members.size(); ++i)
        if (std::int64_t{members[i]} - members[i - 1] != stride) return 0;
    return stride;
}

Families collect_families(std::span<const RunGroup> groups, std::span<const std::uint32_t> operations) {
    Families families;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::vector<std::int32_t>& members = groups[g].members;
        if (members.size() < 2 || stride_of(members) == 0) continue;
        Family& family = families[{stride_of(members), static_cast<std::int64_t>(members.size())}];
        family.groups.push_back(g);
        family.operations |= operations[g];
        if (!family.members.insert(members).second) continue;  // a second communicator
        for (const std::int32_t rank : members) family.overlaps |= !family.covered.insert(rank).second;
    }
    return families;
}

std::int64_t count_ranks(std::span<const RunGroup> groups) {
    std::int64_t ranks = 0;
    for (const RunGroup& group : groups)
        if (!group.members.empty()) ranks = std::max(ranks, std::int64_t{group.members.back()} + 1);
    return ranks;
}

// The finest mesh: from stride 1 on, the smallest groups that divide all ranks, each axis's stride the ranks of those
// before it. Empty where the axes do not reach all ranks.
std::vector<const Family*> find_mesh(const Families& families, std::int64_t ranks) {
    std::vector<const Family*> mesh;
    std::int64_t stride = 1;
    while (stride < ranks) {
        const auto divides = [&](const Families::value_type& one) {
            return one.first.first == stride && !one.second.overlaps &&
                   static_cast<std::int64_t>(one.second.covered.size()) == ranks;
        };
        const auto axis = std::ranges::find_if(families, divides);  // of one stride by size
        if (axis == families.end()) return {};
        mesh.push_back(&axis->second);
        stride *= axis->first.second;
    }
    return mesh.size() < 2 || stride != ranks ? std::vector<const Family*>{} : mesh;
}

constexpr std::uint32_t kPairs = bit_of(Operation::Send) | bit_of(Operation::Recv) | bit_of(Operation::SendRecv);

bool only_pairs(const Family& family) {
    const std::uint32_t operations = family.operations & ~kRing;
    return operations != 0 && (operations & ~kPairs) == 0;
}
bool only_exchanges(const Family& family) { return family.operations == bit_of(Operation::AllToAll); }

// Axes of messages alone, from the innermost: stages of a pipeline are the farthest apart, so the outermost axis, or of
// several the outer one, is PP. An inner one is CP if its messages go round a ring; of two ranks that does not show.
GroupAxis axis_of_pairs(const Family& family, bool is_outermost, bool is_last_of_pairs, bool is_only) {
    if (is_outermost || (!is_only && is_last_of_pairs)) return GroupAxis::Pipeline;
    if (!is_only || (family.operations & kRing) != 0) return GroupAxis::Context;
    return family.members.begin()->size() > 2 ? GroupAxis::Pipeline : GroupAxis::None;
}

// By what the groups of each axis do; None where that does not tell.
std::vector<GroupAxis> axes_of_operations(std::span<const Family* const> mesh) {
    std::vector<GroupAxis> axes(mesh.size(), GroupAxis::None);
    const auto last_of = [&](bool (*is)(const Family&)) {
        std::size_t last = mesh.size(), count = 0;
        for (std::size_t i = 0; i < mesh.size(); ++i)
            if (is(*mesh[i])) last = i, ++count;
        return std::pair(last, count);
    };
    const auto [last_pairs, pairs] = last_of(only_pairs);
    const auto [last_exchanges, exchanges] = last_of(only_exchanges);
    for (std::size_t i = 0; i < mesh.size(); ++i) {
        if (only_pairs(*mesh[i])) axes[i] = axis_of_pairs(*mesh[i], i + 1 == mesh.size(), i == last_pairs, pairs == 1);
        // Experts are spread over ranks that share data, farther apart than those that share a sequence.
        if (only_exchanges(*mesh[i]))
            axes[i] = exchanges > 1 && i != last_exchanges ? GroupAxis::Context : GroupAxis::Expert;
    }
    return axes;
}

}  // namespace

void name_axes(std::vector<RunGroup>& groups, std::span<const std::uint32_t> uses) {
    const Families families = collect_families(groups, uses);
    const std::vector<const Family*> mesh = find_mesh(families, count_ranks(groups));
    const std::vector<GroupAxis> axes = axes_of_operations(mesh);
    const auto name = [&](const Family& family, GroupAxis axis) {
        for (const std::size_t g : family.groups) groups[g].axis = axis;
    };
    std::vector<const Family*> others;
    for (std::size_t i = 0; i < mesh.size(); ++i) {
        name(*mesh[i], axes[i]);
        if (!only_pairs(*mesh[i]) && !only_exchanges(*mesh[i])) others.push_back(mesh[i]);
    }
    if (others.size() < 2) return;  // which axis a single one is, neither its ranks nor its operations tell
    name(*others.front(), GroupAxis::Tensor);
    name(*others.back(), GroupAxis::Data);
}

}  // namespace core
