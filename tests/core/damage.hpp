#pragma once
// Damage that files suffer: a stretch is cut out, overwritten, repeated or never written.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace core::testing {

enum class DamageKind : std::uint8_t { Cut, Corrupt, Duplicate, Zero };
inline constexpr std::array<DamageKind, 4> kDamageKinds = {DamageKind::Cut, DamageKind::Corrupt, DamageKind::Duplicate,
                                                           DamageKind::Zero};

struct Damage {
    DamageKind kind = DamageKind::Cut;
    std::size_t at = 0;
    std::size_t size = 0;
    std::uint32_t seed = 0;  // of the bytes that overwrite others
};

// Places and sizes beyond the end are cut to it.
inline std::string damaged(std::string_view whole, const Damage& damage) {
    const std::size_t at = std::min(damage.at, whole.size());
    const std::string stretch(whole.substr(at, damage.size));
    std::string other;
    std::minstd_rand random(damage.seed);
    switch (damage.kind) {
        case DamageKind::Cut:
            break;
        case DamageKind::Corrupt:
            other = stretch;
            for (char& c : other) c = static_cast<char>(random() >> 8);
            break;
        case DamageKind::Duplicate:
            other = stretch + stretch;
            break;
        case DamageKind::Zero:
            other.assign(stretch.size(), '\0');
            break;
    }
    return std::string(whole.substr(0, at)) + other + std::string(whole.substr(at + stretch.size()));
}

}  // namespace core::testing
