#pragma once
// Several writers in one file without a mark of a rank: processes that each launch GPU work of their own, as files have
// that were concatenated or merged event by event. Known by launches and the numbers that link them to GPU work.
// Internal to core/store.

#include "core/store/assemble/split_ranks.hpp"

#include <optional>
#include <string>

namespace core {

struct WriterSplit {
    std::optional<RankSplit> split{};  // each writer has devices of its own
    std::string refusal{};  // several writers whose GPU work cannot be divided; empty: none
};

// Looks at calls and GPU work by their categories. O(correlations + threads). Neither: the file has one writer.
WriterSplit find_writers_in_file(const Staged&);

}  // namespace core
