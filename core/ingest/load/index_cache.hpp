#pragma once
// Finds a trace's index file and keeps one for the next time: beside the trace, else in the user's
// cache, or the other way round, or in a requested folder. Thread-safe for different traces.

#include "core/ingest/index_file/index_file.hpp"
#include "core/ingest/load/discover.hpp"

#include <mutex>
#include <set>
#include <string>

namespace core {

class IndexCache {
public:
    // folder: location of index files; empty: beside the traces or in the cache.
    IndexCache(const ClassRules& rules, std::filesystem::path folder) : rules_(rules), folder_(std::move(folder)) {}

    // The cache folder before the place beside the trace; limit: of that folder, bytes, 0: none.
    void use_cache(bool first, std::uint64_t limit) { cache_first_ = first, cache_limit_ = limit; }

    struct Found {
        RankIndexPtr index;  // null if none is usable
        bool current = false;  // up to date
        std::string word;  // names an existing unusable index file and the reason
        std::filesystem::path file;
        std::optional<SourceIdentity> source;  // the trace's current identity, for keep()
    };
    Found find(const FoundFile& trace, const JobContext& job) const;
    // Places where it would be kept, best first.
    std::vector<std::filesystem::path> places_of(const FoundFile& trace) const;

    struct Kept {
        std::filesystem::path file;
        std::uint64_t bytes = 0;
    };
    // Fails if the trace changed while it was read.
    Result<Kept> keep(const FoundFile& trace, const std::optional<SourceIdentity>& source, const RankIndex& index,
                      const JobContext& job);

private:
    void clean(const std::filesystem::path& folder);

    const ClassRules& rules_;
    std::filesystem::path folder_;
    bool cache_first_ = false;
    std::uint64_t cache_limit_ = 0;
    std::mutex mutex_;
    std::set<std::filesystem::path> cleaned_;
};

}  // namespace core
