#include "core/cluster/claims.hpp"

#include "core/base/platform/files.hpp"
#include "core/base/platform/processes.hpp"
#include "core/base/small_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace core {
namespace {

namespace fs = std::filesystem;
using FileTime = std::chrono::nanoseconds;  // since the epoch of the file server's clock

constexpr std::string_view kClaimHead = "lockstep-claim 1";
constexpr std::string_view kFailureHead = "lockstep-failure 1";
constexpr std::uint64_t kMostNoteBytes = 1 << 16;

fs::path claim_of(const fs::path& result) {
    fs::path name = result;
    return name += kClaimEnding;
}

fs::path failure_of(const fs::path& result) {
    fs::path name = result;
    return name += kFailureEnding;
}

std::string host_in_claims() {
    std::string clean;
    for (const char c : host_name())
        if (c > ' ' && c < 127) clean += c;
    return clean.empty() ? "unknown" : clean;
}

// Process numbers mean the same to two processes with the same.
std::string machine() { return host_in_claims() + "/" + machine_identity(); }

struct Owner {
    std::string token{};
    std::string machine{};
    std::string host{};
    int process = 0;
    std::string start{};
};

std::string written(const Owner& owner) {
    return fmt::format("{}\n{}\n{}\n{}\n{} {}\n", kClaimHead, owner.token, owner.machine, owner.host, owner.process,
                       owner.start);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::optional<Owner> parse_owner(std::string_view text) {
    const std::vector<std::string_view> lines = lines_of(text);
    if (lines.size() != 5 || lines[0] != kClaimHead) return std::nullopt;
    Owner owner{.token = std::string(lines[1]), .machine = std::string(lines[2]), .host = std::string(lines[3])};
    const std::string_view last = lines[4];
    const std::size_t space = std::min(last.find(' '), last.size());
    const auto [end, error] = std::from_chars(last.data(), last.data() + space, owner.process);
    if (error != std::errc{} || owner.process <= 0) return std::nullopt;
    owner.start = last.substr(std::min(space + 1, last.size()));
    return owner;
}

std::optional<FileTime> time_of(const fs::path& path) {
    const std::optional<FileStatus> status = find_file_status(path, LastLink::Keep);
    if (!status) return std::nullopt;
    return FileTime(status->written_ns);
}

std::string random_text() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
}

Error failed_to(const char* what, const fs::path& path, const std::error_code& error) {
    return {ErrorCode::Io, path.string() + ": " + what + ": " + error.message()};
}

// A new file of this text; the error says whether its name is taken.
struct NewFile {
    bool made = false;
    std::error_code error;
};
NewFile write_new_file(const fs::path& path, std::string_view text) {
    std::error_code error;
    OpenFile file(path, OpenFor::Creating, error, NewFileAccess::ReadableByAll);
    if (error) return {.made = false, .error = error};
    error = file.write(text);
    const std::error_code closed = file.close();
    return {.made = true, .error = error ? error : closed};
}

void remove_file(const fs::path& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
}

// A new file in the same folder, removed at the end; its time is that of the file server.
class Note {
public:
    static Result<Note> create(const fs::path& beside, std::string_view text) {
        fs::path path = beside;
        path += fmt::format(".tmp.{}.{}", own_process(), random_text());
        const NewFile file = write_new_file(path, text);
        if (!file.made) return failed_to("cannot be made", path, file.error);
        Note note(path);
        if (file.error) return failed_to("cannot be written", path, file.error);
        const std::optional<FileTime> time = time_of(path);
        if (!time) return failed_to("cannot be read", path, std::make_error_code(std::errc::no_such_file_or_directory));
        note.time_ = *time;
        return note;
    }
    ~Note() {
        if (!path_.empty()) remove_file(path_);
    }
    Note(Note&& other) noexcept : path_(std::exchange(other.path_, {})), time_(other.time_) {}
    Note& operator=(Note&&) = delete;
    Note(const Note&) = delete;
    Note& operator=(const Note&) = delete;

    FileTime time() const { return time_; }
    const fs::path& path() const { return path_; }

    // Gives the file this name if there is none. An answer of NFS can be lost, so that links are counted.
    Result<bool> link_as(const fs::path& name) const {
        std::error_code error;
        fs::create_hard_link(path_, name, error);
        if (!error) return true;
        const std::optional<FileStatus> status = find_file_status(path_, LastLink::Keep);
        if (status && status->names == 2) return true;
        if (error == std::errc::file_exists) return false;
        if (std::ranges::any_of(kNoLinks, [&](std::errc reason) { return error == reason; })) return copy_as(name);
        return failed_to("cannot be made", name, error);
    }

private:
    explicit Note(fs::path path) : path_(std::move(path)) {}

    static constexpr std::errc kNoLinks[] = {std::errc::operation_not_permitted, std::errc::operation_not_supported,
                                             std::errc::function_not_supported, std::errc::too_many_links};
    // For file systems without links.
    Result<bool> copy_as(const fs::path& name) const {
        const Result<std::string> text = read_small_file(path_, kMostNoteBytes);
        if (!text) return text.error();
        const NewFile file = write_new_file(name, *text);
        if (!file.error) return true;
        if (file.error == std::errc::file_exists) return false;
        if (!file.made) return failed_to("cannot be made", name, file.error);
        remove_file(name);
        return failed_to("cannot be written", name, file.error);
    }

    fs::path path_;
    FileTime time_{};
};

}  // namespace

struct Claims::Impl {
    explicit Impl(std::chrono::milliseconds patience)
        : timeout(patience),
          self{.token = random_text(),
               .machine = core::machine(),
               .host = host_in_claims(),
               .process = own_process(),
               .start = start_of_process(own_process())} {
        renewing = std::jthread([this](const std::stop_token& stop) { renew(stop); });
    }

    // Shows that this process lives.
    void renew(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            wake.wait_for(lock, stop, timeout / 5, [] { return false; });
            const std::set<fs::path> now = held;
            lock.unlock();
            for (const fs::path& claim : now) static_cast<void>(touch_file(claim));
            lock.lock();
        }
    }

    bool is_dead(const Owner& owner, FileTime age) const {
        if (owner.machine == self.machine && start_of_process(owner.process) != owner.start) return true;
        return age > timeout;
    }

    // Only what nobody has touched since: another process may have taken over in between.
    void remove(const fs::path& claim, std::string_view text, std::string_view why) const {
        fs::path aside = claim;
        aside += fmt::format(".tmp.{}.{}.{}", why, own_process(), random_text());
        std::error_code error;
        fs::rename(claim, aside, error);
        if (error) return;
        const Result<std::string> moved = read_small_file(aside, kMostNoteBytes);
        const bool is_anothers = moved && *moved != text;
        // If that fails, a third process has the claim by now.
        if (is_anothers) fs::create_hard_link(aside, claim, error);
        remove_file(aside);
    }

    const std::chrono::milliseconds timeout;
    const Owner self;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::set<fs::path> held;                   // names of claims
    std::map<fs::path, FileTime> began;  // by folder: when this process first asked
    std::jthread renewing;  // last: it uses the others
};

Claims::Claims(std::chrono::milliseconds timeout) : impl_(std::make_unique<Impl>(timeout)) {}

Claims::~Claims() {
    impl_->renewing.request_stop();
    impl_->renewing.join();
    const std::string own = written(impl_->self);
    for (const fs::path& claim : impl_->held) impl_->remove(claim, own, "given-back");
}

Result<Claims::Answer> Claims::claim(const fs::path& result) {
    const fs::path claim = claim_of(result);
    const std::string own = written(impl_->self);
    const Result<Note> note = Note::create(claim, own);
    if (!note) return note.error();
    FileTime began;
    {
        const std::lock_guard lock(impl_->mutex);
        began = impl_->began.try_emplace(claim.parent_path(), note->time()).first->second;
    }
    const fs::path failure = failure_of(result);
    if (const std::optional<FileTime> failed = time_of(failure)) {
        const Result<std::string> text = read_small_file(failure, kMostNoteBytes);
        if (text && *failed >= began && text->starts_with(kFailureHead))
            return Answer{.failure = text->substr(std::min(kFailureHead.size() + 1, text->size()))};
        if (text) impl_->remove(failure, *text, "old");
    }
    constexpr int kTries = 3;  // the claim can be given back or taken over between two looks
    Answer answer;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const Result<bool> linked = note->link_as(claim);
        if (!linked) return linked.error();
        if (*linked) {
            const std::lock_guard lock(impl_->mutex);
            impl_->held.insert(claim);
            return Answer{.mine = true};
        }
        const std::optional<FileTime> renewed = time_of(claim);
        const Result<std::string> text = read_small_file(claim, kMostNoteBytes);
        if (!renewed || !text) continue;
        const std::optional<Owner> owner = parse_owner(*text);
        answer.owner = owner ? fmt::format("{}, process {}", owner->host, owner->process) : "an unreadable claim";
        const FileTime age = note->time() - *renewed;
        if (owner ? !impl_->is_dead(*owner, age) : age <= impl_->timeout) return answer;
        impl_->remove(claim, *text, "stale");
    }
    return answer;
}

void Claims::release(const fs::path& result) {
    const fs::path claim = claim_of(result);
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->held.erase(claim) == 0) return;
    }
    impl_->remove(claim, written(impl_->self), "done");
}

void Claims::fail(const fs::path& result, std::string_view why) {
    const fs::path failure = failure_of(result);
    if (const Result<Note> note = Note::create(failure, fmt::format("{}\n{}", kFailureHead, why)))
        static_cast<void>(note->link_as(failure));
    release(result);
}

}  // namespace core
