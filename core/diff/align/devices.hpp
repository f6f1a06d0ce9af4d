#pragma once
// Devices and programs of two runs: which devices, whether that calls for another pairing of their names, and whether
// they are of one program.

#include "core/diff/align/name_pairing.hpp"
#include "core/index/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

std::string devices_of(const Run&);  // distinct names, joined by ", "; empty where the traces name none
// True if both runs name their devices and these differ. Kernels then have other names for the same work.
bool devices_differ(const Run& baseline, const Run& candidate);
// Operator where the devices differ, else Exact.
NameMatching default_matching(const Run& baseline, const Run& candidate);

// Two runs of one program may have their steps compared: as many ranks, the same devices, and kernels of mostly the
// same names. Kept for thousands of runs: hashes of names, no run. Where it cannot be told, they are not.
struct Program {
    std::size_t ranks = 0;
    std::string devices;  // names, joined; empty where the traces do not say
    // Hashes of the distinct names of GPU work, of a run without any those of all events but steps; rising.
    std::vector<std::uint64_t> names;
};

// Reads the run's first rank that has GPU work, else its first. O(events of that rank).
Program find_program(const Run&);

// Why they are not one program: "8 ranks, before 4", "other devices", "other kernels: 12 % of names in common"; empty
// if they are. In common: of the larger of both sets of names, at least half.
std::string find_other_program(const Program&, const Program& before);

}  // namespace core
