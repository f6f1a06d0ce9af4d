#pragma once
// Interned texts of one rank. A StringTable is a view over two blob sections (offsets, bytes); a
// StringPool collects texts while reading. Ids are dense, in order of first appearance, and local
// to the rank. Id 0 is the empty text.

#include "core/base/units.hpp"

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class StringTable {
public:
    StringTable() = default;
    StringTable(std::span<const std::uint64_t> offsets, std::span<const char> bytes)
        : offsets_(offsets), bytes_(bytes) {}
    std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
    std::string_view text(NameId id) const {
        const std::size_t i = index_of(id);
        if (i >= size()) return {};
        // A mapping may turn to zeros between two reads.
        const std::uint64_t begin = offsets_[i], end = offsets_[i + 1];
        if (begin > end || end > bytes_.size()) return {};
        return {bytes_.data() + begin, end - begin};
    }

private:
    std::span<const std::uint64_t> offsets_;
    std::span<const char> bytes_;
};

// Open addressing over (hash, id); texts are in one growing buffer.
class StringPool {
public:
    StringPool();
    NameId intern(std::string_view text);
    std::string_view text(NameId id) const {
        const std::size_t i = index_of(id);
        return {bytes_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]};
    }
    std::size_t size() const { return offsets_.size() - 1; }
    std::span<const std::uint64_t> offsets() const { return offsets_; }
    std::span<const char> bytes() const { return bytes_; }

private:
    struct Slot {
        std::uint32_t hash;
        std::uint32_t id_plus_one;
    };
    void grow();

    std::vector<std::uint64_t> offsets_;
    std::vector<char> bytes_;
    std::vector<Slot> slots_;
};

// 64-bit hash of a text, the same on every machine.
std::uint64_t hash_text(std::string_view text);

// A faster hash for in-memory tables; its upper bits are the best. Differs between machines.
inline std::uint64_t quick_hash(std::string_view text) {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = text.size();
    const auto mix = [&](std::uint64_t word) { hash = (std::rotl(hash, 23) ^ word) * kMix; };
    for (; text.size() >= 8; text.remove_prefix(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), 8);
        mix(word);
    }
    std::uint64_t rest = 0;
    for (const char c : text) rest = rest << 8 | static_cast<unsigned char>(c);
    mix(rest);
    return hash * kMix;
}

}  // namespace core
