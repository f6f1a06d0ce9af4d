#pragma once
// The copies and sets of one rank by kind; the basis of `memory-bandwidth`.

#include "core/analysis/engine/analysis.hpp"

#include <map>
#include <string>
#include <vector>

namespace core {

// "HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "memset", or the name itself if it has no direction.
std::string_view copy_kind(std::string_view name);

enum class SizeSource : std::uint8_t { Stated, FromBandwidth, Unknown };

struct Copy {
    EventId event;
    RankRange visible;      // cut to the time range
    std::int64_t bytes;     // visible part; 0 if unknown
    double bandwidth;       // whole copy, bytes per second; 0 if unknown or instantaneous
    SizeSource source;
};

// By kind; each by start.
Result<std::map<std::string_view, std::vector<Copy>>> collect_copies(const RankView&, const JobContext&);

}  // namespace core
