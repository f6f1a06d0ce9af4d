#pragma once
// Finds the index file of a trace and keeps one for the next time: beside the trace, where that cannot be in the user's
// cache, or in a folder that was asked for. Any thread may call, for several traces at once.

#include "core/ingest/discover.hpp"
#include "core/ingest/index_file/index_file.hpp"

#include <mutex>
#include <set>
#include <string>

namespace core {

class IndexKeeper {
public:
    // folder: where index files go and are looked for; empty: beside the traces or in the cache.
    IndexKeeper(const ClassRules& rules, std::filesystem::path folder) : rules_(rules), folder_(std::move(folder)) {}

    struct Found {
        RankIndexPtr index;  // null if none can be used
        bool current = false;  // nothing needs to be written
        std::string word;  // of one that is there and cannot be used as it is: which and why
        std::filesystem::path file;
        std::optional<SourceIdentity> source;  // what the trace is now, for keep()
    };
    Found find(const FoundFile& trace, const JobContext& job) const;

    struct Kept {
        std::filesystem::path file;
        std::uint64_t bytes = 0;
    };
    // Not if the trace is no longer what it was before it was read.
    Result<Kept> keep(const FoundFile& trace, const std::optional<SourceIdentity>& source, const RankIndex& index,
                      const JobContext& job);

private:
    std::vector<std::filesystem::path> places_of(const FoundFile& trace) const;
    void clean(const std::filesystem::path& folder);

    const ClassRules& rules_;
    std::filesystem::path folder_;
    std::mutex mutex_;
    std::set<std::filesystem::path> cleaned_;
};

}  // namespace core
