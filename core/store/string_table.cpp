#include "core/store/string_table.hpp"

#include <cstring>

namespace core {

// Multiply-and-fold over 8-byte words (as wyhash does), little endian.
std::uint64_t hash_text(std::string_view text) {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ull;
    std::uint64_t h = text.size() * kMix;
    const auto fold = [&](std::uint64_t word) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(h ^ word) * (kMix | 1u);
        h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, 8);
        fold(word);
    }
    std::uint64_t tail = 0;
    if (i < text.size()) std::memcpy(&tail, text.data() + i, text.size() - i);
    fold(tail ^ 0xe7037ed1a0b428dbull);
    return h;
}

StringPool::StringPool() : offsets_{0}, slots_(64, Slot{0, 0}) { intern(""); }

NameId StringPool::intern(std::string_view text) {
    const auto hash = static_cast<std::uint32_t>(hash_text(text) >> 16);
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i].id_plus_one != 0; i = (i + 1) & (slots_.size() - 1)) {
        if (slots_[i].hash != hash) continue;
        const NameId id{slots_[i].id_plus_one - 1};
        if (this->text(id) == text) return id;
    }
    const auto id = static_cast<std::uint32_t>(size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    offsets_.push_back(bytes_.size());
    slots_[i] = {hash, id + 1};
    if (size() * 2 > slots_.size()) grow();
    return NameId{id};
}

void StringPool::grow() {
    std::vector<Slot> larger(slots_.size() * 4, Slot{0, 0});
    for (const Slot& slot : slots_) {
        if (slot.id_plus_one == 0) continue;
        std::size_t i = slot.hash & (larger.size() - 1);
        while (larger[i].id_plus_one != 0) i = (i + 1) & (larger.size() - 1);
        larger[i] = slot;
    }
    slots_ = std::move(larger);
}

}  // namespace core
