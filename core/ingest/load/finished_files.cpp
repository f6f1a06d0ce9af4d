#include "core/ingest/load/finished_files.hpp"

#include "core/base/platform/files.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/formats.hpp"
#include "core/ingest/source/byte_source.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 64;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0'; }

bool has_journal(const fs::path& path) {
    for (const char* ending : {"-journal", "-wal"}) {
        fs::path beside = path;
        beside += ending;
        std::error_code unknown;
        const std::uintmax_t bytes = fs::file_size(beside, unknown);
        if (!unknown && bytes > 0) return true;
    }
    return false;
}

std::uint64_t big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

// The header names the size of a page and how many there are; 1 stands for 65536.
bool has_all_pages(const fs::path& path, std::string_view head) {
    std::error_code unknown;
    const std::uintmax_t bytes = fs::file_size(path, unknown);
    if (unknown || head.size() < 32) return false;
    const std::uint64_t stated = big_endian(head.substr(16, 2));
    return bytes >= (stated == 1 ? 65'536 : stated) * big_endian(head.substr(28, 4));
}

struct FileEnds {
    std::string head;  // the first bytes, unpacked
    char last = '\0';  // that is not blank; none: NUL
    char end = '\0';   // the very last
};

// Absent: the packed data ends in the middle.
std::optional<FileEnds> read_ends(const fs::path& path, const JobContext& context) {
    constexpr std::size_t kHead = 64;
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::nullopt;
    FileEnds ends;
    std::vector<char> block(std::size_t{1} << 18);
    while (true) {
        const Result<std::size_t> got = (*source)->read(block);
        if (!got || context.cancelled()) return std::nullopt;
        if (*got == 0) return ends;
        const std::string_view text(block.data(), *got);
        if (ends.head.size() < kHead) ends.head.append(text.substr(0, kHead - ends.head.size()));
        ends.end = text.back();
        const auto last = std::find_if_not(text.rbegin(), text.rend(), is_blank);
        if (last != text.rend()) ends.last = *last;
    }
}

}  // namespace

std::optional<FileState> read_file_state(const fs::path& path) {
    const std::optional<FileStatus> status = find_file_status(path);
    if (!status || !status->is_regular()) return std::nullopt;
    return FileState{
        .device = status->device, .file = status->number, .bytes = status->bytes, .changed_ns = status->written_ns};
}

bool is_temporary_name(std::string_view file_name) {
    constexpr std::string_view kEndings[] = {".tmp", ".temp", ".part",    ".partial", ".crdownload",
                                             ".swp", "~",     "-journal", "-wal",     "-shm"};
    return file_name.starts_with('.') ||
           std::ranges::any_of(kEndings, [&](std::string_view ending) { return file_name.ends_with(ending); });
}

bool is_complete_file(const fs::path& path, const JobContext& context) {
    const std::optional<FileEnds> ends = read_ends(path, context);
    if (!ends || ends->head.empty()) return false;
    if (ends->head.starts_with("SQLite format 3")) return !has_journal(path) && has_all_pages(path, ends->head);
    if (ends->head[0] == '\x80') return ends->end == '.';
    const auto first = std::find_if_not(ends->head.begin(), ends->head.end(), is_blank);
    const char begins = first == ends->head.end() ? '\0' : *first;
    if (begins == '{') return ends->last == '}';
    // Some writers of lists leave out the bracket at the end, so that they can go on.
    if (begins == '[') return ends->last == ']' || ends->last == '}';
    return true;
}

void FinishedFiles::visit_file(const fs::path& file, Clock::time_point now) {
    const std::string name = file.filename().string();
    if (is_temporary_name(name) || is_index_file(name)) return;
    const std::optional<FileState> state = read_file_state(file);
    if (!state) return;
    Entry& entry = entries_.try_emplace(file, Entry{.state = *state, .since = now}).first->second;
    if (entry.state != *state) entry = {.state = *state, .since = now};
    entry.seen = true;
}

void FinishedFiles::visit(const fs::path& folder, int depth, Clock::time_point now, const JobContext& context) {
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end && !context.cancelled(); it.increment(error)) {
        std::error_code unknown;
        if (!it->is_directory(unknown))
            visit_file(it->path(), now);
        else if (depth < kDeepest && !it->path().filename().string().starts_with('.'))
            visit(it->path(), depth + 1, now, context);
    }
}

FolderState FinishedFiles::look(Clock::time_point now, const JobContext& context) {
    for (auto& [path, entry] : entries_) entry.seen = false;
    for (const fs::path& path : paths_) {
        std::error_code unknown;
        if (fs::is_directory(path, unknown))
            visit(path, 0, now, context);
        else
            visit_file(path, now);
    }
    std::erase_if(entries_, [](const auto& one) { return !one.second.seen; });
    FolderState look;
    for (auto& [path, entry] : entries_) {
        if (context.cancelled()) return look;
        const bool named = is_named_like_trace(path.filename().string());
        if (entry.verdict == Verdict::Unknown && now - entry.since >= quiet_) {
            const bool trace = named || is_recognised_trace(path);
            entry.verdict = !trace                            ? Verdict::NoTrace
                            : is_complete_file(path, context) ? Verdict::Complete
                                                              : Verdict::Incomplete;
            if (context.cancelled() || read_file_state(path) != entry.state)
                entry.verdict = Verdict::Unknown;  // written meanwhile
        }
        if (entry.verdict == Verdict::Complete)
            look.finished.emplace(path, entry.state);
        else if (named || entry.verdict == Verdict::Incomplete)
            look.growing.push_back(path);
    }
    return look;
}

}  // namespace core
