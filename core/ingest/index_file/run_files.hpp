#pragma once
// Tells whether the files of a run are those that stored answers were computed from.

#include "core/index/run.hpp"
#include "core/ingest/index_file/index_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace core {

struct ReadFile {
    std::filesystem::path path;
    std::filesystem::path inside;  // from the folder that was opened
    bool only_captures = false;  // whatever it holds, it is not a rank
    std::optional<SourceIdentity> source{};  // as it was when it was read; absent: unknown
};

// `others`: files that answers may read or that ranks were given data of, such as logs of GPUs; our own files among
// them do not count. `places`: of the index file of the first. Null where a file has no identity or there are too many
// others to look at. O(files), others are not read.
std::shared_ptr<const RunFiles> describe_files(std::span<const ReadFile> files,
                                               std::span<const std::filesystem::path> others,
                                               std::span<const std::filesystem::path> places);

}  // namespace core
