#pragma once
// Counts of what reading left out, repaired or guessed, and of what it read. No ImGui.

#include "core/index/run.hpp"

#include <array>
#include <string>
#include <vector>

namespace ui {

struct ImportEntry {
    core::Diagnostic diagnostic;         // of all files together; the first example names its file
    std::vector<core::RankKey> ranks;    // whose files have it; empty: the run as a whole
};

struct ImportModel {
    std::size_t files = 0;
    std::uint64_t bytes = 0;             // on disk
    core::RecordCounts records;          // of all files
    std::vector<ImportEntry> entries;    // losses first, then by id
    std::array<std::size_t, 4> kinds{};  // how many entries of each severity

    static ImportModel of(const core::Run&);
};

}  // namespace ui
