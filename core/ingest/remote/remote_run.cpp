#include "core/ingest/remote/remote_run.hpp"

#include "core/base/format.hpp"
#include "core/base/platform/files.hpp"
#include "core/base/platform/processes.hpp"
#include "core/base/terminal_text.hpp"
#include "core/index/run.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/remote/ssh_line.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <unordered_map>

namespace core {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kFolderPrefix = "lockstep-remote-";
constexpr std::uint64_t kLeftFree = std::uint64_t{64} << 20;

// The number of the process in the name of a temporary folder.
std::optional<int> process_of(std::string_view name) {
    if (!name.starts_with(kFolderPrefix)) return std::nullopt;
    name.remove_prefix(kFolderPrefix.size());
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end == name.data() + name.size() || *end != '-') return std::nullopt;
    return number;
}

// Folders a day old whose process has ended.
void remove_left_folders(const fs::path& parent) {
    const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(24);
    std::vector<fs::path> left;
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        const std::optional<int> process = process_of(it->path().filename().string());
        if (!process || is_running(*process)) continue;
        std::error_code unknown;
        const bool is_folder = fs::is_directory(it->symlink_status(unknown));
        if (is_folder && it->last_write_time(unknown) < oldest && !unknown) left.push_back(it->path());
    }
    for (const fs::path& folder : left) fs::remove_all(folder, error);
}

class TemporaryFolder {
public:
    explicit TemporaryFolder(const fs::path& parent) {
        remove_left_folders(parent);
        path_ = create_private_folder(parent, std::string(kFolderPrefix) + std::to_string(own_process()) + "-");
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }  // empty: there is none

private:
    fs::path path_;
};

// A hostile server can announce any size, and a full disk harms others.
Result<bool> check_room(const fs::path& folder, std::uint64_t bytes, const std::string& what) {
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    if (error || (bytes < space.available && space.available - bytes >= kLeftFree)) return true;
    return Error{ErrorCode::Io, what + " takes " + format_bytes(static_cast<std::int64_t>(bytes)) + ", and " +
                                    folder.parent_path().string() + " has " +
                                    format_bytes(static_cast<std::int64_t>(space.available)) +
                                    " left: set TMPDIR to a folder with more room"};
}

class RemotePages final : public RankPages {
public:
    RemotePages(RemotePath path, std::shared_ptr<remote::Connection> connection,
                std::unique_ptr<TemporaryFolder> folder, const RemoteOptions& options)
        : path_(std::move(path)),
          summary_(connection->summary()),
          folder_(std::move(folder)),
          options_(options),
          connection_(std::move(connection)) {}

    Result<fs::path> fetch(const RankSlot&, const JobContext&) const override;
    std::string describe() const override { return "index files on " + path_.host; }

private:
    enum class State : std::uint8_t { Absent, Coming, Here };
    struct Copy {
        State state = State::Absent;
        Clock::time_point asked{};
    };

    using Lock = std::unique_lock<std::mutex>;
    using Files = std::vector<remote::FileEntry>;
    // `talk` over the connection, without the lock meanwhile; once more over a new one where that is lost.
    template <class Talk>
    auto over_line(Lock&, const JobContext&, const Talk& talk) const;
    Result<bool> renew(Lock&, const std::shared_ptr<remote::Connection>& lost, const JobContext&) const;
    Result<std::shared_ptr<remote::Connection>> connect_again(const Files& files, const JobContext&) const;
    Result<bool> list(Lock& lock, const JobContext& job) const;
    Result<std::size_t> find_file(const RankSlot& slot) const;
    fs::path place_of(std::size_t file) const {
        return folder_->path() / (std::to_string(file) + std::string(index_beside("x").string().substr(1)));
    }
    void make_room(std::size_t file) const;
    void wait(Lock& lock) const { changed_.wait_for(lock, std::chrono::milliseconds(50)); }

    const RemotePath path_;
    const remote::FileEntry summary_;
    std::unique_ptr<TemporaryFolder> folder_;
    const RemoteOptions options_;

    mutable std::mutex mutex_;  // of all below
    mutable std::condition_variable changed_;
    mutable std::shared_ptr<remote::Connection> connection_;
    mutable bool renewing_ = false;
    mutable Clock::time_point not_before_{};
    mutable State listed_ = State::Absent;
    mutable Files files_;
    struct Named {
        std::vector<std::size_t> files;
        std::vector<fs::path> names;
    };
    mutable std::unordered_map<std::string, Named> by_name_;  // last part of the name
    mutable std::map<std::size_t, Copy> copies_;
};

template <class Talk>
auto RemotePages::over_line(Lock& lock, const JobContext& job, const Talk& talk) const {
    const std::shared_ptr<remote::Connection> first = connection_;
    lock.unlock();
    auto said = talk(*first);
    lock.lock();
    if (said || !first->is_lost() || !options_.line_again) return said;
    const Result<bool> renewed = renew(lock, first, job);
    if (!renewed) {
        said = renewed.error();
        return said;
    }
    const std::shared_ptr<remote::Connection> second = connection_;
    lock.unlock();
    said = talk(*second);
    lock.lock();
    return said;
}

// By one thread for all that have lost the connection.
Result<bool> RemotePages::renew(Lock& lock, const std::shared_ptr<remote::Connection>& lost,
                                const JobContext& job) const {
    while (renewing_) {
        if (job.checkpoint()) return cancelled_error();
        wait(lock);
    }
    if (connection_ != lost) return true;
    if (Clock::now() < not_before_)
        return Error{ErrorCode::Io, path_.host +
                                        ": the connection was lost and could not be made again: wait, or open "
                                        "the run again"};
    renewing_ = true;
    const Files files = files_;
    lock.unlock();
    Result<std::shared_ptr<remote::Connection>> made = connect_again(files, job);
    lock.lock();
    renewing_ = false;
    changed_.notify_all();
    if (made) {
        connection_ = *made;
        return true;
    }
    if (made.error().code != ErrorCode::Cancelled) not_before_ = Clock::now() + options_.pause;
    return std::move(made).error();
}

// Numbers of files mean the same only if all are what they were.
Result<std::shared_ptr<remote::Connection>> RemotePages::connect_again(const Files& files,
                                                                       const JobContext& job) const {
    Result<std::unique_ptr<remote::Line>> line = options_.line_again();
    if (!line) return std::move(line).error();
    Result<std::unique_ptr<remote::Connection>> opened = remote::Connection::open(std::move(*line), path_, job);
    if (!opened) return std::move(opened).error();
    const std::shared_ptr<remote::Connection> connection = std::move(*opened);
    bool is_same = connection->summary() == summary_;
    if (is_same && !files.empty()) {
        const Result<Files> now = connection->list(job);
        if (!now) return now.error();
        is_same = *now == files;
    }
    if (!is_same)
        return Error{ErrorCode::Io, path_.host +
                                        ": the connection was lost, and the files there have changed since: "
                                        "open the run again"};
    return connection;
}

Result<bool> RemotePages::list(Lock& lock, const JobContext& job) const {
    while (listed_ == State::Coming) {
        if (job.checkpoint()) return cancelled_error();
        wait(lock);
    }
    if (listed_ == State::Here) return true;
    listed_ = State::Coming;
    Result<Files> files = over_line(lock, job, [&](remote::Connection& line) { return line.list(job); });
    listed_ = files ? State::Here : State::Absent;
    changed_.notify_all();
    if (!files) return std::move(files).error();
    files_ = std::move(*files);
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const fs::path name = files_[i].name;
        if (!is_index_file(files_[i].name)) continue;
        Named& named = by_name_[name.filename().string()];
        named.files.push_back(i);
        named.names.push_back(name);
    }
    return true;
}

Result<std::size_t> RemotePages::find_file(const RankSlot& slot) const {
    const fs::path& trace = slot.trace().info.summarised;
    const std::string name = index_beside(trace.filename()).string();
    const auto named = by_name_.find(name);
    if (named == by_name_.end())
        return Error{ErrorCode::NotFound, path_.host + ": no " + terminal_text(name) + " beside the summary"};
    if (const auto found = find_index_file(trace, named->second.names)) return named->second.files[*found];
    return Error{ErrorCode::NotFound, path_.host + ": several index files could be " + terminal_text(name)};
}

// Before this file comes.
void RemotePages::make_room(std::size_t file) const {
    std::uint64_t bytes = files_[file].bytes;
    std::vector<std::pair<Clock::time_point, std::size_t>> old;
    for (const auto& [other, copy] : copies_) {
        if (other == file || copy.state == State::Absent) continue;
        bytes += files_[other].bytes;
        if (copy.state == State::Here && Clock::now() - copy.asked >= options_.spare)
            old.emplace_back(copy.asked, other);
    }
    std::ranges::sort(old);
    for (const auto& [asked, other] : old) {
        if (bytes <= options_.kept_bytes) return;
        std::error_code ignored;
        fs::remove(place_of(other), ignored);
        bytes -= files_[other].bytes;
        copies_.erase(other);
    }
}

Result<fs::path> RemotePages::fetch(const RankSlot& slot, const JobContext& job) const {
    std::unique_lock lock(mutex_);
    if (Result<bool> listed = list(lock, job); !listed) return std::move(listed).error();
    const Result<std::size_t> found = find_file(slot);
    if (!found) return found.error();
    const std::size_t file = *found;
    while (copies_[file].state == State::Coming) {
        if (job.checkpoint()) return cancelled_error();
        wait(lock);
    }
    copies_[file].asked = Clock::now();
    if (copies_[file].state == State::Here) return place_of(file);
    copies_[file].state = State::Coming;
    make_room(file);
    const remote::FileEntry entry = files_[file];
    Result<bool> copied = check_room(folder_->path(), entry.bytes, path_.host + ": " + terminal_text(entry.name));
    if (copied)
        copied = over_line(
            lock, job, [&](remote::Connection& line) { return line.copy(file, entry, place_of(file), nullptr, job); });
    copies_[file] = {.state = copied ? State::Here : State::Absent, .asked = Clock::now()};
    changed_.notify_all();
    if (!copied) return std::move(copied).error();
    return place_of(file);
}

// Progress is that of the summary while it comes.
class Fetching {
public:
    explicit Fetching(LoadProgress& progress) : progress_(progress) { progress_.fetching = true; }
    ~Fetching() {
        progress_.bytes_done = 0;
        progress_.bytes_total = 0;
        progress_.fetching = false;
    }
    Fetching(const Fetching&) = delete;
    Fetching& operator=(const Fetching&) = delete;

private:
    LoadProgress& progress_;
};

}  // namespace

Result<RemoteRun> open_remote_run(const RemotePath& path, std::unique_ptr<remote::Line> line, LoadProgress& progress,
                                  const JobContext& context, const RemoteOptions& options) {
    const Fetching fetching(progress);
    JobContext job = context;
    job.pulse = &progress.pulse;
    Result<std::unique_ptr<remote::Connection>> opened = remote::Connection::open(std::move(line), path, job);
    if (!opened) return std::move(opened).error();
    const std::shared_ptr<remote::Connection> connection = std::move(*opened);
    std::error_code error;
    const fs::path parent = options.parent.empty() ? fs::temp_directory_path(error) : options.parent;
    auto folder = std::make_unique<TemporaryFolder>(parent);
    if (error || folder->path().empty())
        return Error{ErrorCode::Io, parent.string() + ": no temporary folder can be made: set TMPDIR to another place"};
    const remote::FileEntry& entry = connection->summary();
    if (Result<bool> room = check_room(folder->path(), entry.bytes, path.host + ": the summary"); !room)
        return std::move(room).error();
    progress.bytes_total = entry.bytes;
    const fs::path summary = folder->path() / kSummaryFileName;
    if (Result<bool> copied = connection->copy(0, entry, summary, &progress.bytes_done, job); !copied)
        return std::move(copied).error();
    return RemoteRun{.summary = summary,
                     .name = name_of_remote(path),
                     .pages = std::make_shared<const RemotePages>(path, connection, std::move(folder), options),
                     .connection = connection};
}

Result<RemoteRun> open_remote_run(const RemotePath& path, LoadProgress& progress, const JobContext& context,
                                  const RemoteOptions& options) {
    Result<std::unique_ptr<remote::Line>> line = remote::start_ssh(path);
    if (!line) return std::move(line).error();
    RemoteOptions renewing = options;
    if (!renewing.line_again) renewing.line_again = [path] { return remote::start_ssh(path); };
    return open_remote_run(path, std::move(*line), progress, context, renewing);
}

}  // namespace core
