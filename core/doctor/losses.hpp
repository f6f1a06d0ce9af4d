#pragma once
// Missing parts of a run: ranks without a file, files that end early or are damaged, ranks without the GPU events
// that others have. One place for the words, said alike by the window, the report and the command line.
// O(ranks); made once per run. Not here: what is whole but could mislead (core/doctor/doctor.hpp).

#include "core/base/units.hpp"
#include "core/query/number_ranges.hpp"

#include <memory>
#include <optional>
#include <set>

namespace core {

struct Loss {
    std::optional<RankKey> rank;  // absent: of the run as a whole
    std::string what;             // "file ends at byte 81,920; 0 GPU events"
    std::string text() const;     // "rank 7: file ends at byte 81,920; 0 GPU events"
};

struct Losses {
    std::vector<Loss> entries;         // ranks that are missing, then damaged ranks in order, then files and folders
    std::vector<NumberRange> missing;  // of the world that the files state
    std::size_t damaged = 0;           // ranks
    std::size_t files = 0;             // files and folders that gave no rank
    std::size_t left_out = 0;          // profiles in the folder that are recognised but not read

    bool empty() const { return entries.empty(); }
    const Loss* find(RankKey) const;
    std::string headline() const;                     // "rank 7 is damaged, 2 ranks are missing"
    std::string text(std::size_t most_lines) const;   // a line per entry
};

// Ranks that are still being read are missing as well: ask once a run is complete.
std::shared_ptr<const Losses> find_losses(const Run&);

std::optional<std::int64_t> stated_world_size(const Run&);  // the largest
std::vector<NumberRange> find_missing(const std::set<std::int64_t>& present, std::int64_t world);
std::uint64_t count_numbers(std::span<const NumberRange>);

}  // namespace core
