#include "core/ingest/load/index_cache.hpp"

#include "core/ingest/index_file/index_places.hpp"

#include <algorithm>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

std::vector<fs::path> IndexCache::places_of(const FoundFile& trace) const {
    if (!folder_.empty()) return {index_beside(folder_ / trace.inside)};
    std::vector<fs::path> places = {index_beside(trace.path)};
    if (fs::path cached = index_in_cache(trace.path); !cached.empty()) places.push_back(std::move(cached));
    if (cache_first_) std::ranges::reverse(places);
    return places;
}

IndexCache::Found IndexCache::find(const FoundFile& trace, const JobContext& job) const {
    Found found;
    const Result<SourceIdentity> source = identify_source(trace.path);
    if (!source) return found;
    found.source = *source;
    for (const fs::path& place : places_of(trace)) {
        Result<OpenedIndex> opened = open_index_file(place, trace.path, *source, rules_, job);
        if (opened) {
            found.index = std::move(opened->index);
            found.current = opened->rebuilt.empty();
            found.word = found.current ? "" : place.string() + ": " + opened->rebuilt;
            found.file = place;
            return found;
        }
        if (opened.error().code != ErrorCode::NotFound && found.word.empty())
            found.word = place.string() + ": " + opened.error().message;
    }
    return found;
}

Result<IndexCache::Kept> IndexCache::keep(const FoundFile& trace, const std::optional<SourceIdentity>& source,
                                          const RankIndex& index, const JobContext& job) {
    const Result<SourceIdentity> now = identify_source(trace.path);
    if (!source || !now || *now != *source)
        return Error{ErrorCode::Io, trace.path.string() + ": changed while it was read"};
    Error first{ErrorCode::Io, ""};
    for (const fs::path& place : places_of(trace)) {
        std::error_code error;
        if (place.parent_path() != trace.path.parent_path()) fs::create_directories(place.parent_path(), error);
        const Result<std::uint64_t> bytes = write_index_file(place, index, *source, rules_, !folder_.empty(), job);
        if (bytes) {
            clean(place.parent_path());
            if (cache_limit_ > 0 && place.parent_path() == index_cache_folder()) trim_index_cache(cache_limit_, place);
            return Kept{place, *bytes};
        }
        if (bytes.error().code == ErrorCode::Cancelled) return bytes.error();
        if (first.message.empty()) first = Error(bytes.error()).within(place.string());
    }
    return first;
}

// Once per folder.
void IndexCache::clean(const fs::path& folder) {
    {
        const std::lock_guard lock(mutex_);
        if (!cleaned_.insert(folder).second) return;
    }
    remove_leftovers(folder);
}

}  // namespace core
