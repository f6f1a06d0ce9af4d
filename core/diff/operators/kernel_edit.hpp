#pragma once
// Changes of the kernels that an operator launches, derived from their names.

#include "core/diff/align/name_pairing.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace core {

// From least to most.
enum class KernelEdit : std::uint8_t {
    Same,   // the same names in the same order
    Tuning,  // the same but for numbers in the names: tile sizes, stages, architecture
    Type,   // the same but for element types and numbers
    Other,  // as many, of other names
    Fewer,  // as after a fusion
    More,
};
std::string_view name_of(KernelEdit);  // "same", "other tuning", "other type", "other kernel", "fewer kernels", …
KernelEdit compare_kernels(std::span<const std::string_view> baseline, std::span<const std::string_view> candidate,
                           const NamePairing&);

}  // namespace core
