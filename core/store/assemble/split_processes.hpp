#pragma once
// Several ranks in one file, each a process that the reader of the file knows as a rank. Threads of other processes go
// to the first rank. Internal to core/store.

#include "core/store/assemble/split_ranks.hpp"

#include <map>
#include <string>

namespace core {

// `ranks`: by the text of the process's number. Nothing if fewer than two of them have events.
std::optional<RankSplit> split_by_process(const Staged&, const std::map<std::string, std::int32_t>& ranks);

}  // namespace core
