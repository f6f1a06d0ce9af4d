#pragma once
// Matrix work that falls short of what the device can do, as findings of one rank: single precision, slow or badly
// shaped operators, recomputation. A device without peaks has only the last.

#include "core/analysis/findings/findings_of_rank.hpp"

namespace core {

// However little they gain. Fails when cancelled.
Result<std::vector<Finding>> find_inefficiency(const RankView& for_findings, const JobContext&);

// Share of its time that each event of a rank would keep if a finding of these kinds were mended everywhere in its
// trace: by event, 1 where nothing changes. All 1 when cancelled.
std::vector<float> factors_if_mended(FindingKind, const Run&, std::size_t slot, const JobContext&);

}  // namespace core
