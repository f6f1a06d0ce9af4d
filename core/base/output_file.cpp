#include "core/base/output_file.hpp"

#include "core/base/platform/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <zlib.h>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr int kGzipOutputWindow = 15 + 16;  // the largest window, with a gzip header
constexpr int kGzipOutputLevel = 4;
constexpr int kTemporaryTries = 16;

Error output_error(const fs::path& path, std::string_view what, const std::error_code& error) {
    return Error{ErrorCode::Io, path.string() + ": " + std::string(what) + ": " + error.message()};
}

// The C library's last one, after a call for a stream.
std::error_code stream_error() { return {errno, std::generic_category()}; }

void remove_file(const fs::path& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
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
        for (const fs::path& path : paths_) remove_file(path);
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

// Also where a link of another name leads to one.
bool is_named_like_index(const fs::path& path) {
    std::error_code unknown;
    const fs::path real = fs::weakly_canonical(path, unknown);
    return path.native().ends_with(kIndexFileEnding) || (!unknown && real.native().ends_with(kIndexFileEnding));
}

enum class TargetKind { NewFile, Existing, Device, OpenStream };

struct OutputTarget {
    TargetKind kind = TargetKind::NewFile;
    std::uint32_t permissions = 0;  // of an existing file
};

Result<OutputTarget> check_folder_of(const fs::path& path) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::optional<FileStatus> status = find_file_status(folder);
    if (!status) return refuse_output(path, "cannot create: the folder " + folder.string() + " does not exist");
    if (status->kind != FileKind::Folder)
        return refuse_output(path, "cannot create: " + folder.string() + " is not a folder");
    return OutputTarget{};
}

Result<OutputTarget> examine_target(const fs::path& path, const OutputOptions& options) {
    if (path.empty()) return bad_input("the output file has no name");
    if (names_open_stream(path)) return OutputTarget{.kind = TargetKind::OpenStream};
    if (!path.has_filename()) return refuse_output(path, "is a folder: name a file in it");
    if (is_named_like_index(path)) return refuse_output(path, "is the name of an index file: choose another name");
    const std::optional<FileStatus> status = find_file_status(path);
    if (!status) return check_folder_of(path);
    switch (status->kind) {
        case FileKind::Folder:
            return refuse_output(path, "is a folder: name a file in it");
        case FileKind::Disk:
            return refuse_output(path, "is a disk: choose another name");
        case FileKind::Other:
            return OutputTarget{.kind = TargetKind::Device};
        case FileKind::Regular:
            break;
    }
    if (options.inputs.contains(status->device, status->number))
        return refuse_output(path, "is an input of this run: choose another name");
    if (const std::error_code error = check_writable(path)) return output_error(path, "cannot replace", error);
    return OutputTarget{.kind = TargetKind::Existing, .permissions = status->permissions};
}

// 64 random bits: nobody can put a link or a file in the way beforehand.
Result<fs::path> random_name_beside(const fs::path& path) {
    const std::optional<std::uint64_t> bits = unpredictable_bits();
    if (!bits) return Error{ErrorCode::Io, path.string() + ": no random name for a temporary file"};
    return path.parent_path() / fmt::format(".lockstep-{:016x}.part", *bits);
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
            if (const std::optional<FileStatus> status = find_file_status(path))
                known_->files.emplace(status->device, status->number);
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
    std::error_code error;
    z_stream deflate_state{};

    ~Impl() {
        if (gzip) deflateEnd(&deflate_state);
        if (file != nullptr) std::fclose(file);
        remove_temporary();
    }

    void remove_temporary() {
        if (temporary.empty()) return;
        remove_file(temporary);
        uncommitted_files().remove(std::exchange(temporary, {}));
    }

    void fail(const std::error_code& number) {
        failed = true;
        error = number ? number : std::make_error_code(std::errc::io_error);
        reader_left = temporary.empty() && error == std::errc::broken_pipe;
    }

    void put(const void* data, std::size_t size) {
        if (failed || size == 0) return;
        errno = 0;
        if (std::fwrite(data, 1, size, file) != size) return fail(stream_error());
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
        OpenFile opened;
        std::error_code trouble;
        if (target.kind == TargetKind::OpenStream) {
            opened = reopen_stream(path, trouble);
        } else if (target.kind == TargetKind::Device) {
            opened = OpenFile(path, OpenFor::Streaming, trouble);
        } else {
            Result<OpenFile> made = create_temporary(target.kind == TargetKind::Existing);
            if (!made) return std::move(made).error();
            opened = std::move(*made);
            if (target.kind == TargetKind::Existing) static_cast<void>(opened.set_permissions(target.permissions));
        }
        if (trouble) return output_error(path, "cannot write", trouble);
        file = opened.release_as_stream();
        if (file != nullptr) return true;
        return output_error(path, "cannot write", std::make_error_code(std::errc::not_enough_memory));
    }

    // The new file is of this process alone until it has the permissions of the file that it replaces.
    Result<OpenFile> create_temporary(bool replaces) {
        std::error_code trouble;
        for (int tries = 0; tries < kTemporaryTries; ++tries) {
            Result<fs::path> name = random_name_beside(path);
            if (!name) return std::move(name).error();
            uncommitted_files().add(*name);
            OpenFile made(*name, OpenFor::Creating, trouble,
                          replaces ? NewFileAccess::OwnerOnly : NewFileAccess::Usual);
            if (made) {
                temporary = *std::move(name);
                return made;
            }
            uncommitted_files().remove(*name);
            if (trouble != std::errc::file_exists) break;
        }
        return output_error(path, "cannot create a file in its folder", trouble);
    }

    void flush() {
        if (failed) return;
        if (std::fflush(file) != 0) return fail(stream_error());
        if (temporary.empty() || !sync) return;
        const std::error_code trouble = flush_to_disk(file);
        // Some file systems cannot.
        const bool is_refused = trouble == std::errc::invalid_argument || trouble == std::errc::not_supported;
        if (trouble && !is_refused) fail(trouble);
    }

    void close() {
        const bool closed = std::fclose(std::exchange(file, nullptr)) == 0;
        if (!closed && !failed) fail(stream_error());
    }

    void rename_temporary() {
        if (failed || temporary.empty()) return;
        std::error_code trouble;
        fs::rename(temporary, path, trouble);
        if (trouble) return fail(trouble);
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
