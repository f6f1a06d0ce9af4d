#pragma once
// Tells whether the files of a run are those that stored answers were computed from.

#include "core/index/run.hpp"
#include "core/ingest/index_file/index_file.hpp"
#include "core/ingest/load/discover.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace core {

// `sources`: by file, as they were when they were read. `others`: files that answers may read or that ranks were given
// data of, such as logs of GPUs; our own files among them do not count. `places`: of the index file of the first.
// Null where a file has no identity or there are too many others to look at. O(files), others are not read.
std::shared_ptr<const RunFiles> describe_files(std::span<const FoundFile> files,
                                               std::span<const std::optional<SourceIdentity>> sources,
                                               std::span<const std::filesystem::path> others,
                                               std::span<const std::filesystem::path> places);

}  // namespace core
