#include "core/base/small_file.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace core {
namespace {

class SmallFile {
public:
    explicit SmallFile(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
    ~SmallFile() {
        if (owned_ && descriptor_ >= 0) ::close(descriptor_);
    }
    SmallFile(const SmallFile&) = delete;
    SmallFile& operator=(const SmallFile&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
    bool owned_;
};

Error cannot_read(int number) {
    const ErrorCode code = number == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
    return {code, number == ENOENT ? "does not exist" : std::string("cannot be read: ") + std::strerror(number)};
}

// Sizes are not trusted: files of /proc have none, others grow.
Result<std::string> read_bounded(int descriptor, std::uint64_t most_bytes) {
    constexpr std::size_t kPiece = std::size_t{64} << 10;
    std::string text;
    for (;;) {
        const std::size_t filled = text.size();
        text.resize(filled + kPiece);
        const ssize_t got = ::read(descriptor, text.data() + filled, kPiece);
        const int number = errno;
        text.resize(filled + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && number == EINTR) continue;
        if (got < 0) return cannot_read(number);
        if (got == 0) return text;
        if (text.size() > most_bytes)
            return bad_input("larger than " + format_bytes(static_cast<std::int64_t>(most_bytes)) +
                             ", the most that is read of such a file");
    }
}

Result<std::string> read_regular(const std::filesystem::path& path, std::uint64_t most_bytes) {
    // Non-blocking: opening a named pipe would wait for its writer.
    const SmallFile file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), true);
    if (file.get() < 0 && errno == ENXIO) return bad_input("is a socket or a device, not a regular file");
    if (file.get() < 0) return cannot_read(errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return cannot_read(errno);
    if (S_ISDIR(status.st_mode)) return bad_input("is a folder, not a file");
    if (!S_ISREG(status.st_mode))
        return bad_input("is a pipe or a device, not a regular file: save what it gives as a file");
    return read_bounded(file.get(), most_bytes);
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& path, std::uint64_t most_bytes,
                                    StandardInput standard_input) {
    const bool is_standard_input = standard_input == StandardInput::Allow && path == "-";
    Result<std::string> text =
        is_standard_input ? read_bounded(STDIN_FILENO, most_bytes) : read_regular(path, most_bytes);
    if (!text) return std::move(text).error().within(is_standard_input ? "standard input" : path.string());
    return text;
}

}  // namespace core
