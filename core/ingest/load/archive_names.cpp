#include "core/ingest/load/archive_names.hpp"

#include "core/base/platform/files.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace core {
namespace {

constexpr std::string_view kEndMark = "PK\x05\x06", kEntryMark = "PK\x01\x02";
constexpr std::size_t kEndBytes = 22, kEntryBytes = 46;
constexpr std::size_t kMostComment = 0xFFFF;
constexpr std::size_t kMostDirectory = std::size_t{4} << 20;
constexpr std::size_t kTarBlock = 512;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::string read_piece(const OpenFile& file, std::uint64_t from, std::size_t size) {
    std::string text(size, '\0');
    if (file.read_at(from, std::as_writable_bytes(std::span(text)))) text.clear();
    return text;
}

std::vector<std::string> names_in_directory(std::string_view directory) {
    std::vector<std::string> names;
    while (directory.size() >= kEntryBytes && directory.starts_with(kEntryMark) && names.size() < kMostArchiveNames) {
        const std::size_t name = number_at(directory, 28, 2);
        const std::size_t entry = kEntryBytes + name + number_at(directory, 30, 2) + number_at(directory, 32, 2);
        if (directory.size() < kEntryBytes + name) break;
        names.emplace_back(directory.substr(kEntryBytes, name));
        directory.remove_prefix(std::min(entry, directory.size()));
    }
    return names;
}

// Octal, ended by a space or a zero byte.
std::optional<std::uint64_t> octal(std::string_view field) {
    std::uint64_t value = 0;
    for (const char c : field.substr(std::min(field.find_first_not_of(' '), field.size()))) {
        if (c == ' ' || c == '\0') break;
        if (c < '0' || c > '7') return std::nullopt;
        value = value << 3 | static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

}  // namespace

bool is_zip(std::string_view head) { return head.starts_with("PK\x03\x04") || head.starts_with(kEndMark); }
bool is_tar(std::string_view head) { return head.size() > 262 && head.substr(257, 5) == "ustar"; }

std::vector<std::string> list_zip(const std::filesystem::path& path) {
    const OpenFile file(path, OpenFor::Reading);
    std::error_code unknown;
    const std::optional<FileStatus> status = file.status(unknown);
    if (!status || !status->is_regular() || status->bytes < kEndBytes) return {};
    const std::size_t tail_bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(status->bytes, kEndBytes + kMostComment));
    const std::string tail = read_piece(file, status->bytes - tail_bytes, tail_bytes);
    const std::size_t end = tail.rfind(kEndMark);
    if (end == std::string::npos || tail.size() - end < kEndBytes) return {};
    const std::uint64_t size = number_at(tail, end + 12, 4), at = number_at(tail, end + 16, 4);
    if (at + size > status->bytes) return {};
    return names_in_directory(
        read_piece(file, at, static_cast<std::size_t>(std::min<std::uint64_t>(size, kMostDirectory))));
}

std::vector<std::string> list_tar(std::string_view head) {
    std::vector<std::string> names;
    while (is_tar(head) && head.size() >= kTarBlock && names.size() < kMostArchiveNames) {
        const std::string_view name = head.substr(0, 100);
        const std::optional<std::uint64_t> size = octal(head.substr(124, 12));
        names.emplace_back(name.substr(0, name.find('\0')));
        if (!size || *size > head.size()) break;
        const std::uint64_t next = kTarBlock + (*size + kTarBlock - 1) / kTarBlock * kTarBlock;
        if (next >= head.size()) break;
        head.remove_prefix(static_cast<std::size_t>(next));
    }
    return names;
}

}  // namespace core
