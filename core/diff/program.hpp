#pragma once
// Whether two runs are of one program, so that their steps may be compared: as many ranks, the same devices, and kernels
// of mostly the same names. Says no where it cannot tell. Kept for thousands of runs: hashes of names, no run.

#include "core/index/run.hpp"

#include <cstdint>

namespace core {

struct Program {
    std::size_t ranks = 0;
    std::string devices;  // names, joined; empty where the traces do not say
    // Hashes of the distinct names of GPU work, of a run without any those of all events but steps; rising.
    std::vector<std::uint64_t> names;
};

// Of the run's first rank that has GPU work, else of its first. O(events of that rank).
Program find_program(const Run&);

// Why they are not one program: "8 ranks, before 4", "other devices", "other kernels: 12 % of names in common"; empty
// if they are. In common: of the larger of both sets of names, at least half.
std::string find_other_program(const Program&, const Program& before);

}  // namespace core
