#pragma once
// Which files of a folder that a job writes into are complete. A file is finished if two looks at least a second apart
// found it unchanged, and its end is where a writer of its kind ends. Others are being written and must not be read.
// Nothing is asked of the system but listings, sizes and times, so it works on network folders.

#include "core/base/jobs.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

// Identifies the state of a file: equal if it is unchanged.
struct FileState {
    std::uint64_t device = 0;
    std::uint64_t file = 0;  // inode
    std::uint64_t bytes = 0;
    std::int64_t changed_ns = 0;  // its content
    bool operator==(const FileState&) const = default;
};
std::optional<FileState> read_file_state(const std::filesystem::path&);  // absent: not there

// Whether writers give such names to what they have not finished: hidden, or .tmp, .part, .partial, .crdownload, ~.
bool is_temporary_name(std::string_view file_name);
// Reads the file once, at most. JSON ends with } or ], gzip is whole and its content as well, pickles end with their
// stop, databases have all their pages and no journal. Text and unknown kinds are complete as they are.
bool is_complete_file(const std::filesystem::path&, const JobContext&);

struct FolderState {
    std::map<std::filesystem::path, FileState> finished;  // traces only
    std::vector<std::filesystem::path> growing;  // traces that are not finished, by name
    bool operator==(const FolderState&) const = default;
};

class FinishedFiles {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kQuiet{1'000};

    explicit FinishedFiles(std::vector<std::filesystem::path> paths, std::chrono::milliseconds quiet = kQuiet)
        : paths_(std::move(paths)), quiet_(quiet) {}
    // O(files) listings; reads the ends of files that have finished since the last look. One thread at a time.
    FolderState look(Clock::time_point now, const JobContext&);
    std::span<const std::filesystem::path> paths() const { return paths_; }

private:
    enum class Verdict : std::uint8_t { Unknown, Complete, Incomplete, NoTrace };
    struct Entry {
        FileState state;
        Clock::time_point since;
        Verdict verdict = Verdict::Unknown;
        bool seen = false;
    };
    void visit(const std::filesystem::path& folder, int depth, Clock::time_point now, const JobContext&);
    void visit_file(const std::filesystem::path& file, Clock::time_point now);

    std::vector<std::filesystem::path> paths_;
    std::chrono::milliseconds quiet_;
    std::map<std::filesystem::path, Entry> entries_;
};

}  // namespace core
