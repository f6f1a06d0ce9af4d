#pragma once
// The index file: everything built from one trace, so it reopens at once and without the trace. It
// is mapped, or read if it is small; a rank's columns and index are views of it.
//
// Never trusted: the header is checked against the source (size, modification time, hash of its
// first and last 64 KiB), the program and the class rules; everything else has checksums, and
// positions are validated. A full check takes as long as reading, so it happens once: a program that
// writes or checks a file leaves a certificate in it (boot, inode, modification time). While it
// holds, nobody changed the file except by resetting its time. A file that was copied, changed, or
// written before the last boot is checked in full and certified again.
//
// Written under another name and renamed, so a name always leads to a whole file. One exception is left: who cuts a
// file that is open elsewhere, instead of replacing it, ends that program.

#include "core/base/jobs.hpp"
#include "core/index/rank_index.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace core {

// Identifies a source file.
struct SourceIdentity {
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
    std::uint64_t ends_hash = 0;  // hash of its first and last 64 KiB
    bool operator==(const SourceIdentity&) const = default;
};
Result<SourceIdentity> identify_source(const std::filesystem::path& path);

struct OpenedIndex {
    RankIndexPtr index;
    std::string rebuilt;  // reason why the derived part was rebuilt; else empty
    bool other_program = false;
};

enum class IndexCheck { AsCertified, InFull };

// source: the trace's current identity; nullopt if there is no trace. `trace` becomes the rank's
// path. NotFound: no such file. BadInput, Io: unusable; the message says why.
Result<OpenedIndex> open_index_file(const std::filesystem::path& file, const std::filesystem::path& trace,
                                    const std::optional<SourceIdentity>& source, const ClassRules& rules,
                                    const JobContext& job, IndexCheck check = IndexCheck::AsCertified);

// Writes the file, with the help of the job's executor. Flushed: it is on the disk when this returns, for files that
// must be kept. Returns its size. Io: nothing has changed.
Result<std::uint64_t> write_index_file(const std::filesystem::path& file, const RankIndex& index,
                                       const SourceIdentity& source, const ClassRules& rules, bool flushed,
                                       const JobContext& job);

}  // namespace core
