#pragma once
// Files in an opened folder that are recognised but not read: each is named with what it is and what to do. Those that
// a profiler wrote are a loss, others a note. Kinds are rows of the table in formats.cpp; a kind that gets a reader
// needs no change here.

#include "core/base/diagnostics.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/formats.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct LeftOut {
    std::filesystem::path path;
    UnreadKind kind;
    std::filesystem::path same{};  // the file that is read and holds the same recording in another form
};

// Whether a file is named like a program, a picture, weights or settings: its head needs no look. name: in lower case.
bool is_named_like_others(std::string_view name);

// In the order of names. Reads the head of files that their names do not tell apart, kMostHeads at most.
inline constexpr std::size_t kMostHeads = 4096;
std::vector<LeftOut> find_left_out(const Discovery&);

// "2 rocprofv3 databases (a.db, b.db): for each, convert …; 1 ZIP archive (x.zip): unpack it …"
std::string describe_left_out(std::span<const LeftOut>);

// Counts them as profile-left-out and file-left-out.
void add_left_out(std::span<const LeftOut>, Diagnostics&);

}  // namespace core
