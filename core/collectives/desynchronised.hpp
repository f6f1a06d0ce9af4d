#pragma once
// Collectives on which ranks do not agree: operations or sizes that differ within one number, and numbers
// that a rank never came to though its work goes on. Input of the trace doctor and the findings.

#include "core/collectives/matched_run.hpp"

namespace core {

// A collective matched by number whose members state other operations or sizes.
struct DifferingCollective {
    std::uint32_t collective = 0;
    MemberRef usual;  // states what most members do; of equal parts the lowest rank's
    std::vector<MemberRef> odd;  // state something else
};
std::vector<DifferingCollective> find_differing(const MatchedRun&);

// A collective matched by number, and a rank that came to an earlier one of the group, not to this one, and worked on
// for at least 10 ms after the others had left it: no record that was cut off.
struct UnjoinedCollective {
    std::uint32_t collective = 0;
    std::uint32_t slot = 0;
};
std::vector<UnjoinedCollective> find_unjoined(const MatchedRun&);

// "number 5 of group dp", "all_reduce of 32 B".
std::string format_number_of(const MatchedRun&, const Collective&);
std::string format_statement(const MemberEvent&);

}  // namespace core
