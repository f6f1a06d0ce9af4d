#pragma once
// What Lockstep can open, and what it knows by sight but cannot. To read a new format: a file of its own and a row in
// formats.cpp. Files are told by their first bytes (unpacked), never by their names alone.

#include "core/ingest/trace_reader.hpp"

#include <memory>
#include <span>
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
std::span<const Format> all_formats();

// Opens the file with the format that recognises it. NotFound: it is no trace; the message says what it seems to be and
// what to do. BadInput, Io: it cannot be read.
Result<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
