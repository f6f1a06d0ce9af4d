#include "core/ingest/sqlite/database_reader.hpp"

#include "core/base/format.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/sqlite/sqlite_database.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

constexpr std::uint64_t kTables = 24;  // about how many are read, for progress

// The journal or the write-ahead log of a writer that is not done, or was interrupted.
bool has_beside(std::filesystem::path path, std::string_view ending) {
    path += ending;
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return !unknown && bytes > 0;
}

bool begins_as_database(const std::filesystem::path& path) {
    OpenFile file(path, OpenFor::Reading);
    std::error_code error;
    std::array<char, 16> head{};
    return file && file.read(head, error) == head.size() && std::string_view(head.data(), head.size()) == kSqliteMagic;
}

}  // namespace

DatabaseReader::DatabaseReader(std::filesystem::path path, LoadProgress& progress)
    : path_(std::move(path)), progress_(progress) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path_, unknown);
    file_bytes_ = unknown ? 0 : static_cast<std::uint64_t>(bytes);
}

void DatabaseReader::work(const JobContext& context) {
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock || done_) return;
    done_ = true;
    try {
        if (Result<bool> read = read_all(context); !read) failure_ = std::move(read).error();
        progress_.bytes_done += file_bytes_ - reported_;
    } catch (const std::exception& exception) {
        failure_ = reader_error(exception);
    }
}

void DatabaseReader::report_table(std::uint64_t rows) {
    const std::uint64_t step = std::min(file_bytes_ / kTables, file_bytes_ - reported_);
    progress_.bytes_done += step;
    reported_ += step;
    progress_.events += rows - rows_;
    rows_ = rows;
}

Result<bool> DatabaseReader::keep(Diagnostics diagnostics, bool is_empty) {
    diagnostics_ = std::move(diagnostics);
    if (!is_empty) return true;
    for (const Diagnostic& entry : diagnostics_.entries())
        if (entry.kind->id == "file-truncated")
            return bad_input("no event could be read: " + entry.first + ": copy the file again, or export it again");
    return true;
}

Result<std::vector<RankTracePtr>> DatabaseReader::finish_ranks(const JobContext& context) {
    const std::lock_guard lock(reading_);
    if (context.checkpoint()) return cancelled_error();
    if (failure_) return *failure_;
    std::vector<Rank> ranks = describe_ranks();
    if (ranks.size() > 1)
        diagnostics_.add("ranks-in-one-file", format_plural(ranks.size(), "rank", "ranks") + ", told apart by process");
    std::vector<RankTracePtr> traces;
    for (Rank& rank : ranks) {
        const std::uint64_t share = file_bytes_ / ranks.size();
        rank.info.path = path_;
        rank.info.file_bytes = rank.info.json_bytes = traces.empty() ? file_bytes_ - share * (ranks.size() - 1) : share;
        Diagnostics diagnostics;
        if (traces.empty()) diagnostics = std::move(diagnostics_);
        rank.builder->mark_steps(step_marks_);
        Result<RankTracePtr> trace =
            std::move(*rank.builder).finish(std::move(rank.info), std::move(diagnostics), context);
        if (!trace) return std::move(trace).error();
        traces.push_back(std::move(*trace));
    }
    return traces;
}

Result<bool> check_is_finished(const std::filesystem::path& path) {
    if (!begins_as_database(path)) return bad_input("the database is compressed: decompress it first");
    if (has_beside(path, "-journal"))
        return bad_input("a journal lies beside the database: its writer is not finished; wait, or export it again");
    if (has_beside(path, "-wal"))
        return bad_input(
            "a write-ahead log (-wal) lies beside the database and holds a part of it: close what writes it, or put "
            "the log into the database (sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)')");
    return true;
}

}  // namespace core
