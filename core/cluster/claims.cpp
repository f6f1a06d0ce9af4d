#include "core/cluster/claims.hpp"

#include "core/base/small_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

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

std::string read_line_of(const char* path) {
    const Result<std::string> text = read_small_file(path, kMostNoteBytes);
    return text ? text->substr(0, text->find('\n')) : "";
}

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    std::string clean;
    for (const char c : std::string_view(name.data()))
        if (c > ' ' && c < 127) clean += c;
    return clean.empty() ? "unknown" : clean;
}

// Process numbers mean the same to two processes with the same machine, boot and namespace.
std::string machine() {
    std::array<char, 128> space{};
    const ssize_t length = ::readlink("/proc/self/ns/pid", space.data(), space.size() - 1);
    return host_name() + "/" + read_line_of("/proc/sys/kernel/random/boot_id") + "/" +
           std::string(space.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
}

// Tells a process from a later one of the same number. Empty if there is none.
std::string start_of_process(int process) {
    const std::string stat = read_line_of(fmt::format("/proc/{}/stat", process).c_str());
    std::size_t at = stat.rfind(')');  // the name before it can hold anything
    if (at == std::string::npos) return "";
    constexpr int kFieldsBeforeStart = 19;
    for (int field = 0; field <= kFieldsBeforeStart && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
    return at == std::string::npos ? "" : stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

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
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
    return std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
}

std::string random_text() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
}

Error failed_to(const char* what, const fs::path& path) {
    return {ErrorCode::Io, path.string() + ": " + what + ": " + std::strerror(errno)};
}

// A new file in the same folder, removed at the end; its time is that of the file server.
class Note {
public:
    static Result<Note> create(const fs::path& beside, std::string_view text) {
        fs::path path = beside;
        path += fmt::format(".tmp.{}.{}", ::getpid(), random_text());
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (file < 0) return failed_to("cannot be made", path);
        const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        const bool closed = ::close(file) == 0;
        Note note(path);
        if (!whole || !closed) return failed_to("cannot be written", path);
        const std::optional<FileTime> time = time_of(path);
        if (!time) return failed_to("cannot be read", path);
        note.time_ = *time;
        return note;
    }
    ~Note() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    Note(Note&& other) noexcept : path_(std::exchange(other.path_, {})), time_(other.time_) {}
    Note& operator=(Note&&) = delete;
    Note(const Note&) = delete;
    Note& operator=(const Note&) = delete;

    FileTime time() const { return time_; }
    const fs::path& path() const { return path_; }

    // Gives the file this name if there is none. An answer of NFS can be lost, so that links are counted.
    Result<bool> link_as(const fs::path& name) const {
        if (::link(path_.c_str(), name.c_str()) == 0) return true;
        const int error = errno;
        struct stat status {};
        if (::lstat(path_.c_str(), &status) == 0 && status.st_nlink == 2) return true;
        if (error == EEXIST) return false;
        if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK) return copy_as(name);
        errno = error;
        return failed_to("cannot be made", name);
    }

private:
    explicit Note(fs::path path) : path_(std::move(path)) {}

    // Where there are no links.
    Result<bool> copy_as(const fs::path& name) const {
        const Result<std::string> text = read_small_file(path_, kMostNoteBytes);
        if (!text) return text.error();
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (file < 0 && errno == EEXIST) return false;
        if (file < 0) return failed_to("cannot be made", name);
        const bool whole = ::write(file, text->data(), text->size()) == static_cast<ssize_t>(text->size());
        if (::close(file) == 0 && whole) return true;
        ::unlink(name.c_str());
        return failed_to("cannot be written", name);
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
               .host = host_name(),
               .process = ::getpid(),
               .start = start_of_process(::getpid())} {
        renewing = std::jthread([this](const std::stop_token& stop) { renew(stop); });
    }

    // Shows that this process lives.
    void renew(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            wake.wait_for(lock, stop, timeout / 5, [] { return false; });
            const std::set<fs::path> now = held;
            lock.unlock();
            for (const fs::path& claim : now) ::utimensat(AT_FDCWD, claim.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
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
        aside += fmt::format(".tmp.{}.{}.{}", why, ::getpid(), random_text());
        if (::rename(claim.c_str(), aside.c_str()) != 0) return;
        const Result<std::string> moved = read_small_file(aside, kMostNoteBytes);
        const bool is_anothers = moved && *moved != text;
        // Where that fails, a third process has the claim by now.
        [[maybe_unused]] const bool is_back = is_anothers && ::link(aside.c_str(), claim.c_str()) == 0;
        ::unlink(aside.c_str());
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
