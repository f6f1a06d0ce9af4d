#include "core/base/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr int kGzipOutputWindow = 15 + 16;  // the largest window, with a gzip header
constexpr int kGzipOutputLevel = 4;
constexpr int kTemporaryTries = 16;
constexpr mode_t kNewFileMode = 0666;  // before the umask

Error output_error(const fs::path& path, std::string_view what, int code) {
    return Error{ErrorCode::Io, path.string() + ": " + std::string(what) + ": " + std::strerror(code)};
}

Error refuse_output(const fs::path& path, std::string_view why) {
    return bad_input(path.string() + ": " + std::string(why));
}

// Names of uncommitted files, for remove_uncommitted_files.
class UncommittedFiles {
public:
    void add(const fs::path& path) {
        const std::lock_guard lock(mutex_);
        paths_.insert(path);
    }
    void remove(const fs::path& path) {
        const std::lock_guard lock(mutex_);
        paths_.erase(path);
    }
    void remove_all() {
        const std::lock_guard lock(mutex_);
        for (const fs::path& path : paths_) ::unlink(path.c_str());
    }

private:
    std::mutex mutex_;
    std::set<fs::path> paths_;
};

// Never destroyed: a thread may ask for it while the program ends.
UncommittedFiles& uncommitted_files() {
    static UncommittedFiles& files = *new UncommittedFiles;
    return files;
}

std::optional<struct stat> status_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

// Also where a link of another name leads to one.
bool is_named_like_index(const fs::path& path) {
    std::error_code unknown;
    const fs::path real = fs::weakly_canonical(path, unknown);
    return path.native().ends_with(kIndexFileEnding) || (!unknown && real.native().ends_with(kIndexFileEnding));
}

// The descriptor that a name such as /dev/stdout or /dev/fd/3 stands for: opening the name would write a redirected
// file from its start.
std::optional<int> descriptor_of(const fs::path& path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    const fs::path folder = path.parent_path();
    if (folder != "/dev/fd" && folder != "/proc/self/fd") return std::nullopt;
    const std::string name = path.filename().string();
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size() || number < 0) return std::nullopt;
    return number;
}

enum class TargetKind { NewFile, Existing, Device, Descriptor };

struct OutputTarget {
    TargetKind kind = TargetKind::NewFile;
    mode_t mode = 0;      // of an existing file
    int descriptor = -1;  // of a Descriptor
};

Result<OutputTarget> check_folder_of(const fs::path& path) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::optional<struct stat> status = status_of(folder);
    if (!status) return refuse_output(path, "cannot create: the folder " + folder.string() + " does not exist");
    if (!S_ISDIR(status->st_mode)) return refuse_output(path, "cannot create: " + folder.string() + " is not a folder");
    return OutputTarget{};
}

Result<OutputTarget> examine_target(const fs::path& path, const OutputOptions& options) {
    if (path.empty()) return bad_input("the output file has no name");
    if (const std::optional<int> descriptor = descriptor_of(path))
        return OutputTarget{.kind = TargetKind::Descriptor, .mode = 0, .descriptor = *descriptor};
    if (!path.has_filename()) return refuse_output(path, "is a folder: name a file in it");
    if (is_named_like_index(path)) return refuse_output(path, "is the name of an index file: choose another name");
    const std::optional<struct stat> status = status_of(path);
    if (!status) return check_folder_of(path);
    if (S_ISDIR(status->st_mode)) return refuse_output(path, "is a folder: name a file in it");
    if (S_ISBLK(status->st_mode)) return refuse_output(path, "is a disk: choose another name");
    if (!S_ISREG(status->st_mode)) return OutputTarget{.kind = TargetKind::Device, .mode = 0, .descriptor = -1};
    if (options.inputs.contains(status->st_dev, status->st_ino))
        return refuse_output(path, "is an input of this run: choose another name");
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return output_error(path, "cannot replace", errno);
    return OutputTarget{.kind = TargetKind::Existing, .mode = status->st_mode & 0777, .descriptor = -1};
}

// 64 random bits: nobody can put a link or a file in the way beforehand.
Result<fs::path> random_name_beside(const fs::path& path) {
    std::uint64_t bits = 0;
    if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
        return output_error(path, "no random name for a temporary file", errno);
    return path.parent_path() / fmt::format(".lockstep-{:016x}.part", bits);
}

}  // namespace

struct InputFiles::Known {
    List list;
    std::once_flag once;
    std::set<std::pair<std::uint64_t, std::uint64_t>> files;
};

InputFiles::InputFiles(List list) : known_(std::make_shared<Known>()) { known_->list = std::move(list); }

bool InputFiles::contains(std::uint64_t device, std::uint64_t inode) const {
    if (!known_) return false;
    std::call_once(known_->once, [&] {
        for (const fs::path& path : known_->list())
            if (const std::optional<struct stat> status = status_of(path))
                known_->files.emplace(status->st_dev, status->st_ino);
    });
    return known_->files.contains({device, inode});
}

struct OutputFile::Impl {
    fs::path path;
    fs::path temporary;  // empty: written in place
    std::FILE* file = nullptr;
    std::uint64_t bytes = 0;
    bool sync = true;
    bool gzip = false;
    bool failed = false;
    bool reader_left = false;  // of a pipe
    int error = 0;
    z_stream deflate_state{};

    ~Impl() {
        if (gzip) deflateEnd(&deflate_state);
        if (file != nullptr) std::fclose(file);
        remove_temporary();
    }

    void remove_temporary() {
        if (temporary.empty()) return;
        ::unlink(temporary.c_str());
        uncommitted_files().remove(std::exchange(temporary, {}));
    }

    void fail(int number) {
        failed = true;
        error = number != 0 ? number : EIO;
        reader_left = temporary.empty() && error == EPIPE;
    }

    void put(const void* data, std::size_t size) {
        if (failed || size == 0) return;
        errno = 0;
        if (std::fwrite(data, 1, size, file) != size) return fail(errno);
        bytes += size;
    }

    void compress(std::string_view text, int flush) {
        std::array<unsigned char, 65536> out;
        deflate_state.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
        deflate_state.avail_in = static_cast<unsigned>(text.size());
        int status = Z_OK;
        do {
            deflate_state.next_out = out.data();
            deflate_state.avail_out = static_cast<unsigned>(out.size());
            status = deflate(&deflate_state, flush);
            put(out.data(), out.size() - deflate_state.avail_out);
        } while (deflate_state.avail_out == 0 || (flush == Z_FINISH && status == Z_OK));
    }

    Result<bool> open(const OutputTarget& target) {
        int descriptor = -1;
        if (target.kind == TargetKind::Descriptor) {
            descriptor = ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 3);
        } else if (target.kind == TargetKind::Device) {
            descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        } else {
            const Result<int> made = create_temporary(target.kind == TargetKind::Existing);
            if (!made) return made.error();
            descriptor = *made;
            if (target.kind == TargetKind::Existing) (void)::fchmod(descriptor, target.mode);
        }
        if (descriptor < 0) return output_error(path, "cannot write", errno);
        file = ::fdopen(descriptor, "wb");
        if (file != nullptr) return true;
        ::close(descriptor);
        return output_error(path, "cannot write", ENOMEM);
    }

    // The new file is of this process alone until it has the permissions of the file that it replaces.
    Result<int> create_temporary(bool replaces) {
        for (int tries = 0; tries < kTemporaryTries; ++tries) {
            Result<fs::path> name = random_name_beside(path);
            if (!name) return std::move(name).error();
            uncommitted_files().add(*name);
            const int descriptor = ::open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                          replaces ? mode_t{0600} : kNewFileMode);
            if (descriptor >= 0) {
                temporary = *std::move(name);
                return descriptor;
            }
            const int number = errno;
            uncommitted_files().remove(*name);
            if (number != EEXIST) return output_error(path, "cannot create a file in its folder", number);
        }
        return output_error(path, "cannot create a file in its folder", EEXIST);
    }

    void flush() {
        if (failed) return;
        if (std::fflush(file) != 0) return fail(errno);
        const bool is_synced = temporary.empty() || !sync || ::fsync(::fileno(file)) == 0;
        if (!is_synced && errno != EINVAL && errno != ENOTSUP) fail(errno);
    }

    void close() {
        const bool closed = std::fclose(std::exchange(file, nullptr)) == 0;
        if (!closed && !failed) fail(errno);
    }

    void rename_temporary() {
        if (failed || temporary.empty()) return;
        if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(errno);
        uncommitted_files().remove(std::exchange(temporary, {}));
    }
};

OutputFile::OutputFile() = default;
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

Result<bool> check_output(const fs::path& path, const OutputOptions& options) {
    const Result<OutputTarget> target = examine_target(path, options);
    if (!target) return target.error();
    return true;
}

Result<OutputFile> OutputFile::create(const fs::path& path, const OutputOptions& options) {
    const Result<OutputTarget> target = examine_target(path, options);
    if (!target) return target.error();
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->sync = options.sync;
    if (Result<bool> opened = impl->open(*target); !opened) return std::move(opened).error();
    if (options.gzip) {
        if (deflateInit2(&impl->deflate_state, kGzipOutputLevel, Z_DEFLATED, kGzipOutputWindow, 8,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            return Error{ErrorCode::Internal, path.string() + ": cannot start compression"};
        impl->gzip = true;
    }
    OutputFile file;
    file.impl_ = std::move(impl);
    return file;
}

void OutputFile::write(std::string_view text) {
    if (!impl_) return;
    if (!impl_->gzip) return impl_->put(text.data(), text.size());
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size())))
        impl_->compress(text.substr(0, kPiece), Z_NO_FLUSH);
}

bool OutputFile::failed() const { return impl_ && impl_->failed && !impl_->reader_left; }

fs::path OutputFile::uncommitted_path() const { return impl_ ? impl_->temporary : fs::path(); }

Result<std::uint64_t> OutputFile::commit() {
    if (!impl_) return std::uint64_t{0};
    if (impl_->gzip) impl_->compress({}, Z_FINISH);
    impl_->flush();
    impl_->close();
    impl_->rename_temporary();
    impl_->remove_temporary();
    if (failed()) return output_error(impl_->path, "cannot write", impl_->error);
    return impl_->bytes;
}

Result<std::uint64_t> write_whole_file(const fs::path& path, std::string_view text, const OutputOptions& options) {
    Result<OutputFile> file = OutputFile::create(path, options);
    if (!file) return std::move(file).error();
    file->write(text);
    return file->commit();
}

void remove_uncommitted_files() { uncommitted_files().remove_all(); }

}  // namespace core
