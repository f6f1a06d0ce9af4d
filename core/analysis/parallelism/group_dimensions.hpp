#pragma once
// Which dimension of parallelism a process group serves: by its description, else by what it does, else by its place in
// the mesh of ranks (core/collectives). Never by its size alone; a group that nothing tells is unknown.

#include "core/analysis/parallelism/member_places.hpp"

#include <string>
#include <string_view>

namespace core {

struct GroupDimension {
    std::string name = "unknown";  // "TP", "DP+CP", "other"
    std::string how = "unknown";  // "description", "behaviour: 100 % all_to_all", "mesh of ranks"
    // Whether it is one of the dimensions: "DP".
    bool serves(std::string_view dimension) const;
};

// Finds the dimension that a description names: TP for "TENSOR_MODEL_PARALLEL_GROUP"; empty if none.
std::string dimension_in_description(std::string_view description);
// By group of the run. A group without a chosen member is told by description or mesh only.
std::vector<GroupDimension> find_dimensions(const ChosenMembers&, const MemberPlaces&);

}  // namespace core
