#pragma once
// The one way to write a file: a command's -o, an export, a picture, a session, the program's own state. A target is
// replaced only by a complete file: the text goes to a new file of unpredictable name in the same folder, is flushed
// and renamed. A failure leaves the target and its neighbours as they were. Inputs of the run, index files, folders and
// disks are refused. Pipes, terminals and devices are written to as they are. Not for concurrent use.

#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace core {

inline constexpr std::string_view kIndexFileEnding = ".lockstep-index";

// The files that a run reads, known by device and inode, and so through any link. They are listed once, when a target
// is found to exist. A cheap copy; any thread.
class InputFiles {
public:
    using List = std::function<std::vector<std::filesystem::path>()>;

    InputFiles() = default;  // none
    explicit InputFiles(List list);
    bool contains(std::uint64_t device, std::uint64_t inode) const;

private:
    struct Known;
    std::shared_ptr<Known> known_;
};

struct OutputOptions {
    bool gzip = false;
    bool sync = true;  // to the disk before the rename; off for what is written often and can be lost
    InputFiles inputs = {};
};

// Whether the target can be written, before any work is done for it; OutputFile::create asks again.
Result<bool> check_output(const std::filesystem::path& path, const OutputOptions& = {});

class OutputFile {
public:
    OutputFile();  // discards what is written
    static Result<OutputFile> create(const std::filesystem::path& path, const OutputOptions& = {});
    ~OutputFile();  // removes an uncommitted file
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;

    // The first failure is kept, later writes are ignored. A reader that closes its pipe early is not a failure.
    void write(std::string_view text);
    bool failed() const;
    // The file until it is committed, for a library that writes files by name: then nothing is written here, and commit
    // counts nothing. Empty: the target is a pipe or a device.
    std::filesystem::path uncommitted_path() const;
    Result<std::uint64_t> commit();  // closes and renames; the bytes written, packed if so

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;  // null: discards
};

// The bytes written.
Result<std::uint64_t> write_whole_file(const std::filesystem::path& path, std::string_view text,
                                       const OutputOptions& = {});

// For a process that ends at once, from any thread: what uncommitted files hold is lost, and so are their names.
void remove_uncommitted_files();

}  // namespace core
