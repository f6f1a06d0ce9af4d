#pragma once
// The index file: everything made of one trace, so that it opens again at once and without its trace. It is mapped, and
// a rank's columns and index are views of it.
//
// Never trusted: the header is checked against the source (size, time of change, hash of its first and last 64 KiB),
// the program, and the class rules; everything else has checksums, and what is used as a position is checked to be one.
// Checking all of it takes as long as reading it, so it is done once: who has written or checked a file leaves a
// certificate in it (this start of this machine, this inode, this time of change), and as long as that holds nobody
// can have changed the file but by the means of setting its time back. A file that was copied here, was changed, or is
// from before the last start of the machine, is checked in full and certified anew.
//
// Written under another name and renamed, so a name always leads to a whole file. One exception is left: who cuts a
// file that is open elsewhere, instead of replacing it, ends that program.

#include "core/base/jobs.hpp"
#include "core/index/rank_index.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace core {

// What a source file is known again by.
struct SourceIdentity {
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
    std::uint64_t ends_hash = 0;  // of its first and last 64 KiB
    bool operator==(const SourceIdentity&) const = default;
};
Result<SourceIdentity> identify_source(const std::filesystem::path& path);

struct OpenedIndex {
    RankIndexPtr index;
    std::string rebuilt;  // why the part that is made of the columns was made anew; else empty
    bool other_program = false;
};

enum class IndexCheck { AsCertified, InFull };

// source: what the trace is now; none if there is no trace to compare with. `trace` becomes the rank's path.
// NotFound: there is no such file. BadInput, Io: it cannot be used; the message says why.
Result<OpenedIndex> open_index_file(const std::filesystem::path& file, const std::filesystem::path& trace,
                                    const std::optional<SourceIdentity>& source, const ClassRules& rules,
                                    const JobContext& job, IndexCheck check = IndexCheck::AsCertified);

// Writes the file, with the crew's help. Flushed: it is on the disk when this returns, for files that are to be kept.
// How large it is. Io: nothing has changed.
Result<std::uint64_t> write_index_file(const std::filesystem::path& file, const RankIndex& index,
                                       const SourceIdentity& source, const ClassRules& rules, bool flushed,
                                       const JobContext& job);

}  // namespace core
