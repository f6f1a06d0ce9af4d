#pragma once
// What Lockstep can open, and what it knows by sight but cannot. To read a new format: a file of its own and a row in
// formats.cpp. Files are told by their first bytes (unpacked), never by their names alone.

#include "core/base/catalogue.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <memory>
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
};
Catalogue<Format>& formats();  // the table in formats.cpp
inline std::span<const Format> all_formats() { return formats().rows(); }

// Opens the file with the format that recognises it. NotFound: it is no trace; the message says what it seems to be and
// what to do. BadInput, Io: it cannot be read.
Result<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& path, LoadProgress& progress);

// Whether the content is that of a dump, which writers give names that say nothing. Reads the head of the file.
bool is_dump(const std::filesystem::path& path);

// "16 memory snapshots, 1 text file": the kinds of these files, most frequent first. Reads the head of the first
// kMostIdentified files only; the others are counted as not looked at.
inline constexpr std::size_t kMostIdentified = 256;
std::string describe_kinds(std::span<const std::filesystem::path> files);

}  // namespace core
