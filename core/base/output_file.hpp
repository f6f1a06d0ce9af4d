#pragma once
// Where a long text goes, piece by piece: a plain or gzip file that gets its name only when complete, or nowhere
// (to count what would be written). Pipes and devices are written to as they are. Not for concurrent use. The first
// failure is kept; later writes are ignored.

#include "core/base/result.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace core {

class OutputFile {
public:
    OutputFile();  // discards
    static Result<OutputFile> create(const std::filesystem::path& path, bool gzip);
    ~OutputFile();  // removes an uncommitted file
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;

    void write(std::string_view text);
    bool failed() const;
    Result<std::uint64_t> commit();  // closes and renames; the size on disk

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;  // null: discards
};

}  // namespace core
