#include "core/ingest/sqlite/sqlite_pages.hpp"

#include "core/base/platform/files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <system_error>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kFileHeader = 100;  // of the first page
constexpr std::uint8_t kInner = 5, kLeaf = 13;  // of tables
constexpr std::size_t kInnerHeader = 12;
constexpr int kDeepest = 24;

class PageTree {
public:
    explicit PageTree(const std::filesystem::path& path) : file_(path, OpenFor::Reading, error_) {
        std::array<std::byte, kFileHeader> header{};
        if (!error_) error_ = file_.read_at(0, header);
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
        if (error_ || unknown) return;
        page_bytes_ = number(header, 16, 2);
        if (page_bytes_ == 1) page_bytes_ = 65536;
        if (page_bytes_ < 512 || !is_power_of_two(page_bytes_)) return;
        pages_ = bytes / page_bytes_;
        used_.resize(pages_ + 1);
        page_.resize(page_bytes_);
        readable_ = true;
    }

    std::string check(std::span<const std::int64_t> roots) {
        if (!readable_) return {};  // SQLite says why
        for (const std::int64_t root : roots) {
            const std::optional<int> depth = find_depth(static_cast<std::uint64_t>(root));
            if (depth) visit(static_cast<std::uint64_t>(root), *depth);
            if (!fault_.empty()) break;
        }
        return fault_;
    }

private:
    static bool is_power_of_two(std::uint64_t value) { return (value & (value - 1)) == 0; }
    static std::uint64_t number(std::span<const std::byte> from, std::size_t at, std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | std::to_integer<std::uint64_t>(from[at + i]);
        return value;
    }
    static std::size_t header_at(std::uint64_t page) { return page == 1 ? kFileHeader : 0; }

    bool read(std::uint64_t page) {
        return page >= 1 && page <= pages_ && !file_.read_at((page - 1) * page_bytes_, page_);
    }
    std::uint8_t kind(std::uint64_t page) const { return std::to_integer<std::uint8_t>(page_[header_at(page)]); }

    // Levels above the leaves, by the way along the last children: all ways are as long. Nullopt: SQLite finds the
    // fault.
    std::optional<int> find_depth(std::uint64_t page) {
        for (int depth = 0; depth <= kDeepest; ++depth) {
            if (!read(page)) return std::nullopt;
            if (kind(page) == kLeaf) return depth;
            if (kind(page) != kInner) return std::nullopt;
            page = number(page_, header_at(page) + 8, 4);
        }
        return std::nullopt;
    }

    // Leaves are only counted.
    void visit(std::uint64_t page, int depth) {
        if (page < 1 || page > pages_ || !fault_.empty()) return;
        if (used_[page]) {
            fault_ = "page " + std::to_string(page) + " belongs to two places: the file is damaged";
            return;
        }
        used_[page] = true;
        if (depth == 0 || !read(page) || kind(page) != kInner) return;
        const std::size_t begin = header_at(page);
        const std::uint64_t cells = number(page_, begin + 3, 2);
        std::vector<std::uint64_t> children;
        for (std::uint64_t i = 0; i < cells && begin + kInnerHeader + 2 * i + 2 <= page_bytes_; ++i) {
            const std::uint64_t cell = number(page_, begin + kInnerHeader + 2 * i, 2);
            if (cell + 4 <= page_bytes_) children.push_back(number(page_, cell, 4));
        }
        children.push_back(number(page_, begin + 8, 4));
        for (const std::uint64_t child : children) visit(child, depth - 1);
    }

    std::error_code error_;
    OpenFile file_;
    std::uint64_t page_bytes_ = 0, pages_ = 0;
    std::vector<bool> used_;
    std::vector<std::byte> page_;
    bool readable_ = false;
    std::string fault_;
};

}  // namespace

std::string find_page_fault(const std::filesystem::path& path, std::span<const std::int64_t> roots) {
    return PageTree(path).check(roots);
}

}  // namespace core
