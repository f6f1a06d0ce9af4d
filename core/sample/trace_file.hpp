#pragma once
// Where one rank's text goes: a plain or gzip file that gets its name only when complete, or nowhere
// (to count what would be written). Not for concurrent use. The first failure is kept; later writes are ignored.

#include "core/base/result.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace core::sample {

class TraceFile {
public:
    TraceFile();  // discards
    static Result<TraceFile> create(const std::filesystem::path& path, bool gzip);
    ~TraceFile();  // removes an uncommitted file
    TraceFile(TraceFile&&) noexcept;
    TraceFile& operator=(TraceFile&&) noexcept;

    void write(std::string_view text);
    bool failed() const;
    Result<std::uint64_t> commit();  // closes and renames; the size on disk

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;  // null: discards
};

}  // namespace core::sample
