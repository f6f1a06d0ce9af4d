#pragma once
// Whether the files of an open run are still those that were read. An open run does not need them, but what is shown
// then differs from what is on the disk. Any thread; O(files), no file is read.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

class SourceStamps {
public:
    SourceStamps() = default;
    // Stamps the opened paths and the trace of each rank, as they are now.
    SourceStamps(std::span<const std::filesystem::path> opened, const Run&, const JobContext&);

    // "traces: was replaced", "2 of 8 files are gone or changed, first rank3.json"; empty: all is as it was. What
    // cannot be looked at counts as gone.
    Result<std::string> find_changes(const JobContext&) const;

private:
    struct Identity {
        std::uint64_t device = 0;
        std::uint64_t file = 0;  // inode
        std::uint64_t bytes = 0;
        std::int64_t changed_ns = 0;  // when its content was
        bool operator==(const Identity&) const = default;
    };
    struct Stamp {
        std::filesystem::path path;
        std::optional<Identity> identity;  // unset: there was none, as for a run of index files alone
    };
    static std::optional<Identity> identify(const std::filesystem::path&, bool is_file);

    std::vector<Stamp> opened_;  // folders, and files opened by name
    std::vector<Stamp> traces_;
};

}  // namespace core
