#pragma once
// Which devices two runs ran on, and whether that calls for another pairing of their names.

#include "core/diff/name_pairing.hpp"
#include "core/index/run.hpp"

#include <string>

namespace core {

std::string devices_of(const Run&);  // distinct names, joined by ", "; empty where the traces name none
// True if both runs name their devices and these differ. Kernels then have other names for the same work.
bool devices_differ(const Run& baseline, const Run& candidate);
// Operator where the devices differ, else Exact.
NameMatching default_matching(const Run& baseline, const Run& candidate);

}  // namespace core
