#include "core/base/output_file.hpp"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace core {
namespace {

constexpr int kGzipOutputWindow = 15 + 16;  // the largest window, with a gzip header
constexpr int kGzipOutputLevel = 4;

Error output_error(const std::filesystem::path& path, const char* what, int code) {
    return Error{ErrorCode::Io, path.string() + ": " + what + ": " + std::strerror(code)};
}

}  // namespace

struct OutputFile::Impl {
    std::filesystem::path path;
    std::filesystem::path temporary;
    std::FILE* file = nullptr;
    bool in_place = false;  // a pipe or device: a rename would put a file where it is
    bool gzip = false;
    bool failed = false;
    int error = 0;
    z_stream deflate_state{};

    ~Impl() {
        if (gzip) deflateEnd(&deflate_state);
        if (file == nullptr) return;
        std::fclose(file);
        remove_temporary();
    }

    void remove_temporary() const {
        std::error_code ignored;
        if (!in_place) std::filesystem::remove(temporary, ignored);
    }

    void put(const void* data, std::size_t size) {
        if (failed || size == 0) return;
        errno = 0;
        if (std::fwrite(data, 1, size, file) == size) return;
        failed = true;
        error = errno != 0 ? errno : EIO;
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
};

OutputFile::OutputFile() = default;
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

Result<OutputFile> OutputFile::create(const std::filesystem::path& path, bool gzip) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->temporary = path;
    std::error_code unknown;
    impl->in_place = std::filesystem::is_other(path, unknown);
    if (!impl->in_place) impl->temporary += ".part";
    impl->file = std::fopen(impl->temporary.c_str(), "wb");
    if (impl->file == nullptr) return output_error(path, "cannot create", errno);
    if (gzip) {
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

bool OutputFile::failed() const { return impl_ && impl_->failed; }

Result<std::uint64_t> OutputFile::commit() {
    if (!impl_) return std::uint64_t{0};
    if (impl_->gzip) impl_->compress({}, Z_FINISH);
    if (!impl_->failed && std::fflush(impl_->file) != 0) {
        impl_->failed = true;
        impl_->error = errno;
    }
    if (impl_->failed) return output_error(impl_->path, "cannot write", impl_->error);
    const bool closed = std::fclose(impl_->file) == 0;
    const int close_error = errno;
    impl_->file = nullptr;
    std::error_code error;
    if (closed) std::filesystem::rename(impl_->temporary, impl_->path, error);
    if (closed && !error) return static_cast<std::uint64_t>(std::filesystem::file_size(impl_->path, error));
    const int code = closed ? error.value() : close_error;
    std::filesystem::remove(impl_->temporary, error);
    return output_error(impl_->path, "cannot write", code);
}

}  // namespace core
