#pragma once
// The two runs of a comparison.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace core {

enum class Side : std::uint8_t { Baseline, Candidate };
inline constexpr std::array<Side, 2> kSides = {Side::Baseline, Side::Candidate};

constexpr std::string_view name_of(Side side) { return side == Side::Baseline ? "baseline" : "candidate"; }

constexpr Side other_side(Side side) { return side == Side::Baseline ? Side::Candidate : Side::Baseline; }

// One value per run.
template <class T>
struct BySide {
    T baseline{};
    T candidate{};
    T& operator[](Side side) { return side == Side::Baseline ? baseline : candidate; }
    const T& operator[](Side side) const { return side == Side::Baseline ? baseline : candidate; }
    bool operator==(const BySide&) const = default;
};

}  // namespace core
