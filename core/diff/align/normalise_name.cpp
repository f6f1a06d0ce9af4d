#include "core/diff/align/normalise_name.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t count_digits(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}
std::size_t count_letters(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, text) != words.end();
}

// Words whose number describes the tuning of a kernel, not its function.
constexpr std::array<std::string_view, 12> kTuningWords = {"align", "sm",   "stage",  "stages", "tile",   "tilesize",
                                                           "MT",    "warp", "splitk", "splitK", "unroll", "kernel"};
constexpr std::array<std::string_view, 8> kSuffixes = {"", "u", "ul", "ull", "l", "ll", "f", "UL"};

// Normalises a word of letters and digits: 128x64 → NxN, 4ul → N, align8 → alignN; other words
// stay.
std::string normalise_word(std::string_view word) {
    const std::size_t letters = count_letters(word);
    const std::string_view numbers = word.substr(letters);
    if (numbers.empty() || (letters > 0 && !is_one_of(word.substr(0, letters), kTuningWords))) return std::string(word);
    std::string normal(word.substr(0, letters));
    std::string_view rest = numbers;
    for (;;) {
        const std::size_t digits = count_digits(rest);
        if (digits == 0) return std::string(word);
        normal += 'N';
        rest.remove_prefix(digits);
        if (is_one_of(rest, kSuffixes)) return normal;
        if (rest[0] != 'x') return std::string(word);
        normal += 'x';
        rest.remove_prefix(1);
    }
}

// Cijk_Alik_Bljk_BBS_BH_…_MT192x16x128_MI16x16x1_…: the part after the tile is tuning.
std::string_view without_tuning(std::string_view name) {
    const std::size_t tile = name.starts_with("Cijk_") ? name.find("_MT") : std::string_view::npos;
    if (tile == std::string_view::npos) return name;
    return name.substr(0, name.find('_', tile + 1));
}

}  // namespace

std::string normalise_kernel_name(std::string_view full) {
    const std::string_view name = without_tuning(full);
    std::string normal;
    for (std::size_t i = 0; i < name.size();) {
        std::size_t end = i;
        while (end < name.size() && (is_digit(name[end]) || is_letter(name[end]))) ++end;
        if (end == i) {
            normal += name[i++];
            continue;
        }
        normal += normalise_word(name.substr(i, end - i));
        i = end;
    }
    return normal;
}

}  // namespace core
