#pragma once
// Fetches whole ranks of a run summary: index files that lie beside the summary or on another machine.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"

#include <filesystem>
#include <string>

namespace core {

struct RankSlot;

class RankPages {
public:
    virtual ~RankPages() = default;
    // A file on this machine that should be the index file of this rank of a summary; it is not checked. May take as
    // long as bringing it here does: for the pool; any thread, several at once. Who has opened it can read on; the file
    // itself may go when others are asked for.
    // NotFound: this rank has none; the message says what was looked for.
    virtual Result<std::filesystem::path> fetch(const RankSlot&, const JobContext&) const = 0;
    // "index files beside the summary", "index files on HOST"
    virtual std::string describe() const = 0;
};

}  // namespace core
