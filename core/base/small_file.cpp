#include "core/base/small_file.hpp"

#include "core/base/format.hpp"
#include "core/base/platform/files.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <system_error>

namespace core {
namespace {

Error cannot_read(const std::error_code& error) {
    if (error == std::errc::no_such_file_or_directory) return {ErrorCode::NotFound, "does not exist"};
    return {ErrorCode::Io, "cannot be read: " + error.message()};
}

// Sizes are not trusted: files of /proc have none, others grow.
Result<std::string> read_bounded(OpenFile& file, std::uint64_t most_bytes) {
    constexpr std::size_t kPiece = std::size_t{64} << 10;
    std::string text;
    for (;;) {
        const std::size_t filled = text.size();
        text.resize(filled + kPiece);
        std::error_code error;
        const std::size_t got = file.read(std::span(text).subspan(filled), error);
        text.resize(filled + got);
        if (error) return cannot_read(error);
        if (got == 0) return text;
        if (text.size() > most_bytes)
            return bad_input("larger than " + format_bytes(static_cast<std::int64_t>(most_bytes)) +
                             ", the most that is read of such a file");
    }
}

Result<std::string> read_regular(const std::filesystem::path& path, std::uint64_t most_bytes) {
    std::error_code error;
    OpenFile file(path, OpenFor::Reading, error);
    if (error == std::errc::no_such_device_or_address) return bad_input("is a socket or a device, not a regular file");
    if (error) return cannot_read(error);
    const std::optional<FileStatus> status = file.status(error);
    if (!status) return cannot_read(error);
    if (status->kind == FileKind::Folder) return bad_input("is a folder, not a file");
    if (!status->is_regular())
        return bad_input("is a pipe or a device, not a regular file: save what it gives as a file");
    return read_bounded(file, most_bytes);
}

Result<std::string> read_standard_input(std::uint64_t most_bytes) {
    OpenFile file = open_standard_input();
    return read_bounded(file, most_bytes);
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& path, std::uint64_t most_bytes,
                                    StandardInput standard_input) {
    const bool is_standard_input = standard_input == StandardInput::Allow && path == "-";
    Result<std::string> text = is_standard_input ? read_standard_input(most_bytes) : read_regular(path, most_bytes);
    if (!text) return std::move(text).error().within(is_standard_input ? "standard input" : path.string());
    return text;
}

}  // namespace core
