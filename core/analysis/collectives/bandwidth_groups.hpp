#pragma once
// Transfers of the chosen collectives by group, operation and size, and the line through them.

#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/collectives/link_line.hpp"

#include <map>

namespace core {

struct SizeGroup {
    std::vector<std::uint32_t> collectives;
    std::int64_t transfer = 0;  // median, ns
    double concurrent = 0;      // share of the transfers during which another collective ran on the rank
};

struct OperationGroup {
    std::string group;
    Operation operation = Operation::Unknown;
    std::optional<std::int64_t> members;
    std::map<std::int64_t, SizeGroup> sizes;  // by bytes
    LinkLine line;
};

// Collectives whose members all leave together or exchange all with all, without doubt, that nobody left early and
// whose size is known. By group and operation.
std::vector<OperationGroup> collect_bandwidth_groups(const ChosenMembers&, const LineLimits& = {});
// Algorithm and protocol that a kernel's name states, as in "RING LL128"; empty where it states none. A hint only.
std::string algorithm_in_name(std::string_view kernel);
// Stated speed of the links that a collective of `size` members ran over, bytes per second; absent where a device or
// host is unknown, or hosts differ.
std::optional<double> find_link_speed(const ChosenMembers&, std::uint32_t collective, std::int64_t size);
// Concurrent share of one collective, over its members.
double concurrent_share(const ChosenMembers&, std::uint32_t collective);

}  // namespace core
