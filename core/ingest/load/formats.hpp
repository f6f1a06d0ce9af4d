#pragma once
// The table of formats that Lockstep opens, and of those it recognises but refuses. A new format is a file of its own
// and a row in formats.cpp. The first bytes of a file (unpacked) decide, never its name alone.

#include "core/base/catalogue.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace core {

struct FileHead {
    std::filesystem::path path;
    std::string_view text;  // the first 64 KiB, unpacked
    bool whole = false;     // that is all of it
};

struct Format {
    std::string_view id;
    std::string_view title;
    bool (*recognise)(const FileHead&);
    Result<std::unique_ptr<TraceReader>> (*open)(const std::filesystem::path&, LoadProgress&);
    // For files found in folders. endings: of its names, in lower case; ".gz" may follow.
    std::span<const std::string_view> endings = {};
    // Whether its files may have this name, which others have too, so that the first bytes decide. Null: never.
    bool (*may_be_named)(std::string_view file_name) = nullptr;
};
const Catalogue<Format>& formats();  // the table in formats.cpp
inline std::span<const Format> all_formats() { return formats().rows(); }

// Opens the file with the format that recognises it. NotFound: it is not a trace; the message says what it seems to be
// and what to do. BadInput, Io: it cannot be read.
Result<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& path, LoadProgress& progress);

// Whether a file found in a folder is a trace by the ending of its name; or, for other names that a format may have, by
// its first bytes, which are read.
bool has_format_ending(std::string_view file_name);
bool is_recognised_trace(const std::filesystem::path& path);

// The kind of a file that is recognised but not read, and the next step.
struct UnreadKind {
    std::string_view one, many;  // the noun that counts such files
    std::string next;  // with the file's path; empty: nothing
    bool is_profile = false;  // a profiler or a library wrote into it when things happened: leaving it out is a loss
};
// Absent: it cannot be read, or nobody expects a program for traces to read it.
std::optional<UnreadKind> find_unread_kind(const std::filesystem::path&);
// Whether a file of this name, in lower case, is a profile unless its bytes say otherwise.
bool is_named_like_profile(std::string_view file_name);

// "nccl_trace_rank_" of "nccl_trace_rank_3": the name of a dump without its rank. Empty for other names.
std::string_view dump_stem(std::string_view file_name);
// Whether the file begins like a flight-recorder dump or a memory snapshot, whatever its name.
bool is_recognised_dump(const std::filesystem::path&);

// "16 memory snapshots, 1 text file": the kinds of these files, most frequent first. Reads the head of the first
// kMostIdentified files only; the others are counted as not looked at.
inline constexpr std::size_t kMostIdentified = 256;
std::string describe_kinds(std::span<const std::filesystem::path> files);

}  // namespace core
