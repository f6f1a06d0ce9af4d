#pragma once
// Counts of records read, skipped, repaired and guessed. No ImGui.

#include "core/index/run.hpp"

#include <array>
#include <string>
#include <vector>

namespace ui {

struct ImportEntry {
    core::Diagnostic diagnostic;         // merged over all files; the first example names its file
    std::vector<core::RankKey> ranks;    // ranks whose files have it; empty: the run as a whole
};

struct ImportModel {
    std::size_t files = 0;
    std::uint64_t bytes = 0;             // on disk
    core::RecordCounts records;          // over all files
    std::vector<ImportEntry> entries;    // losses first, then by id
    std::array<std::size_t, 4> kinds{};  // number of entries per severity

    static ImportModel of(const core::Run&);
};

// Whether records were left out, repaired or guessed. Counted once per run: O(ranks).
bool needs_import(const core::Run&);

}  // namespace ui
