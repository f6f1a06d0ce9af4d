#include "core/base/platform/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#include <sys/random.h>
#endif
#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace core {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

std::error_code last_error() { return {errno, std::system_category()}; }
std::error_code error_of(bool success) { return success ? std::error_code() : last_error(); }
int descriptor_of(std::intptr_t handle) { return static_cast<int>(handle); }

FileKind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return FileKind::Regular;
    if (S_ISDIR(mode)) return FileKind::Folder;
    return S_ISBLK(mode) ? FileKind::Disk : FileKind::Other;
}

const timespec& written_of(const struct stat& status) {
#ifdef __APPLE__
    return status.st_mtimespec;
#else
    return status.st_mtim;
#endif
}

FileStatus status_from(const struct stat& status) {
    const timespec& written = written_of(status);
    return {.kind = kind_of(status.st_mode),
            .device = static_cast<std::uint64_t>(status.st_dev),
            .number = static_cast<std::uint64_t>(status.st_ino),
            .bytes = static_cast<std::uint64_t>(status.st_size),
            .written_ns = static_cast<std::int64_t>(written.tv_sec) * kSecondNs + written.tv_nsec,
            .names = static_cast<std::uint64_t>(status.st_nlink),
            .permissions = static_cast<std::uint32_t>(status.st_mode & 0777),
            .is_own = status.st_uid == ::geteuid() || status.st_uid == 0};
}

int flags_of(OpenFor purpose) {
    switch (purpose) {
        case OpenFor::Reading:
            return O_RDONLY | O_NONBLOCK | O_NOCTTY;
        case OpenFor::Changing:
            return O_WRONLY | O_NONBLOCK;
        case OpenFor::Creating:
            return O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
        case OpenFor::Streaming:
            break;
    }
    return O_WRONLY | O_NOCTTY;
}

mode_t mode_of(NewFileAccess access) {
    if (access == NewFileAccess::OwnerOnly) return 0600;
    return access == NewFileAccess::ReadableByAll ? 0644 : 0666;
}

std::optional<int> stream_named(const std::filesystem::path& path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    const std::filesystem::path folder = path.parent_path();
    if (folder != "/dev/fd" && folder != "/proc/self/fd") return std::nullopt;
    const std::string name = path.filename().string();
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size() || number < 0) return std::nullopt;
    return number;
}

}  // namespace

bool is_made_by_system(const std::filesystem::path& path) {
#ifdef __linux__
    constexpr std::int64_t kProc = 0x9fa0, kSys = 0x62656572, kDebug = 0x64626720, kTrace = 0x74726163;
    struct statfs system {};
    if (::statfs(path.c_str(), &system) != 0) return false;
    const auto type = static_cast<std::int64_t>(system.f_type);
    return type == kProc || type == kSys || type == kDebug || type == kTrace;
#else
    static_cast<void>(path);
    return false;
#endif
}

std::optional<FileStatus> find_file_status(const std::filesystem::path& path, LastLink link) {
    struct stat status {};
    const int failed = link == LastLink::Keep ? ::lstat(path.c_str(), &status) : ::stat(path.c_str(), &status);
    if (failed != 0) return std::nullopt;
    return status_from(status);
}

OpenFile::OpenFile(const std::filesystem::path& path, OpenFor purpose, std::error_code& error, NewFileAccess access)
    : handle_(::open(path.c_str(), flags_of(purpose) | O_CLOEXEC, mode_of(access))) {
    error = error_of(handle_ != kNone);
}

std::optional<FileStatus> OpenFile::status(std::error_code& error) const {
    struct stat status {};
    error = error_of(::fstat(descriptor_of(handle_), &status) == 0);
    if (error) return std::nullopt;
    return status_from(status);
}

std::size_t OpenFile::read(std::span<char> to, std::error_code& error) {
    for (;;) {
        const ssize_t got = ::read(descriptor_of(handle_), to.data(), to.size());
        if (got < 0 && errno == EINTR) continue;
        error = error_of(got >= 0);
        return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
}

void OpenFile::rewind() { ::lseek(descriptor_of(handle_), 0, SEEK_SET); }

std::error_code OpenFile::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(descriptor_of(handle_), text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return last_error();
        if (put == 0) return std::make_error_code(std::errc::no_space_on_device);
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

std::error_code OpenFile::read_at(std::uint64_t offset, std::span<std::byte> to) const {
    while (!to.empty()) {
        const ssize_t got = ::pread(descriptor_of(handle_), to.data(), to.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return last_error();
        if (got == 0) return std::make_error_code(std::errc::io_error);
        to = to.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

std::error_code OpenFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(descriptor_of(handle_), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return last_error();
        if (put == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return {};
}

std::error_code OpenFile::resize(std::uint64_t bytes) const {
    return error_of(::ftruncate(descriptor_of(handle_), static_cast<off_t>(bytes)) == 0);
}

std::error_code OpenFile::flush_to_disk() const { return error_of(::fsync(descriptor_of(handle_)) == 0); }

std::error_code OpenFile::set_written(std::int64_t written_ns) const {
    timespec written{};
    written.tv_sec = static_cast<time_t>(written_ns / kSecondNs);
    written.tv_nsec = static_cast<long>(written_ns % kSecondNs);
    const std::array<timespec, 2> times = {timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, written};
    return error_of(::futimens(descriptor_of(handle_), times.data()) == 0);
}

std::error_code OpenFile::set_permissions(std::uint32_t permissions) const {
    return error_of(::fchmod(descriptor_of(handle_), static_cast<mode_t>(permissions)) == 0);
}

std::error_code OpenFile::close() {
    const std::intptr_t handle = std::exchange(handle_, kNone);
    return error_of(handle == kNone || ::close(descriptor_of(handle)) == 0);
}

std::FILE* OpenFile::release_as_stream() {
    std::FILE* const stream = ::fdopen(descriptor_of(handle_), "wb");
    if (stream != nullptr) handle_ = kNone;
    return stream;
}

bool names_open_stream(const std::filesystem::path& path) { return stream_named(path).has_value(); }

OpenFile reopen_stream(const std::filesystem::path& path, std::error_code& error) {
    constexpr int kAfterStandardStreams = 3;
    OpenFile file;
    if (const std::optional<int> stream = stream_named(path))
        file.handle_ = ::fcntl(*stream, F_DUPFD_CLOEXEC, kAfterStandardStreams);
    else
        errno = EBADF;
    error = error_of(static_cast<bool>(file));
    return file;
}

OpenFile open_standard_input() {
    std::error_code ignored;
    return reopen_stream("/dev/fd/0", ignored);
}

OpenFile open_below(const std::filesystem::path& folder, const std::filesystem::path& inside, std::error_code& error) {
    constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    error = std::make_error_code(std::errc::invalid_argument);
    if (inside.empty() || inside.is_absolute() || !inside.has_filename()) return {};
    for (const std::filesystem::path& part : inside)
        if (part.empty() || part == "." || part == "..") return {};
    OpenFile at;
    at.handle_ = ::open(folder.c_str(), kFolder);
    error = error_of(static_cast<bool>(at));
    for (auto part = inside.begin(); at && part != inside.end(); ++part) {
        const bool is_last = std::next(part) == inside.end();
        OpenFile next;
        next.handle_ = ::openat(descriptor_of(at.handle_), part->c_str(),
                                (is_last ? flags_of(OpenFor::Reading) : kFolder) | O_NOFOLLOW | O_CLOEXEC);
        error = error_of(static_cast<bool>(next));
        at = std::move(next);
    }
    return at;
}

std::error_code flush_to_disk(std::FILE* stream) { return error_of(::fsync(::fileno(stream)) == 0); }

std::error_code flush_folder_to_disk(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return last_error();
    const std::error_code error = error_of(::fsync(descriptor) == 0);
    ::close(descriptor);
    return error;
}

std::error_code check_writable(const std::filesystem::path& path) {
    return error_of(::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0);
}

std::error_code touch_file(const std::filesystem::path& path) {
    return error_of(::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0);
}

#ifdef __linux__
bool is_on_network(const std::filesystem::path& path) {
    // NFS, SMB and its successors, Lustre, FUSE, GPFS: magic numbers of statfs(2).
    constexpr std::array<std::int64_t, 7> kRemote = {0x6969,     0x517B,     0xFF534D42, 0xFE534D42,
                                                     0x0BD00BD0, 0x65735546, 0x47504653};
    struct statfs system {};
    if (::statfs(path.c_str(), &system) != 0) return false;
    return std::ranges::find(kRemote, static_cast<std::int64_t>(system.f_type) & 0xFFFFFFFF) != kRemote.end();
}
#else
bool is_on_network(const std::filesystem::path&) { return false; }
#endif

std::filesystem::path create_private_folder(const std::filesystem::path& parent, std::string_view prefix) {
    std::string name = (parent / prefix).string() + "XXXXXX";
    return ::mkdtemp(name.data()) != nullptr ? std::filesystem::path(name) : std::filesystem::path();
}

std::optional<std::uint64_t> unpredictable_bits() {
    std::uint64_t bits = 0;
    if (::getentropy(&bits, sizeof bits) != 0) return std::nullopt;
    return bits;
}

}  // namespace core
