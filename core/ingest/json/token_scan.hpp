#pragma once
// Skips single JSON tokens and compares with known text, many bytes at a time. The text must end
// with a NUL byte followed by kScanMargin readable bytes, which no function exceeds, however
// damaged the text. Accepts simple texts only: no escapes, control characters or non-ASCII bytes.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace core {

inline constexpr std::size_t kScanBytes = 16;
inline constexpr std::size_t kScanMargin = 2 * kScanBytes;

#if defined(__SSE2__)
inline __m128i load_bytes(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline std::uint32_t bits_of(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }
// Bit i: the bytes at i are equal.
inline std::uint32_t equal_bytes(const char* a, const char* b) {
    return bits_of(_mm_cmpeq_epi8(load_bytes(a), load_bytes(b)));
}
// Bit i: byte i is a quote, a backslash, a control character or beyond ASCII.
inline std::uint32_t text_marks(const char* p) {
    const __m128i bytes = load_bytes(p);
    const __m128i odd = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));  // signed: non-ASCII bytes are negative
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    return bits_of(_mm_or_si128(_mm_or_si128(odd, quote), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
}
// The same, plus brackets of both kinds.
inline std::uint32_t list_marks(const char* p) {
    const __m128i lower = _mm_or_si128(load_bytes(p), _mm_set1_epi8(0x20));  // [ and { differ in this bit, ] and } too
    const __m128i open = _mm_cmpeq_epi8(lower, _mm_set1_epi8('{'));
    return text_marks(p) | bits_of(_mm_or_si128(open, _mm_cmpeq_epi8(lower, _mm_set1_epi8('}'))));
}
#else
template <class Test>
std::uint32_t bits_where(Test test) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kScanBytes; ++i) bits |= test(i) ? std::uint32_t{1} << i : 0;
    return bits;
}
inline bool is_text_mark(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7F;
}
inline bool is_list_mark(char c) { return is_text_mark(c) || (c | 0x20) == '{' || (c | 0x20) == '}'; }
inline std::uint32_t equal_bytes(const char* a, const char* b) {
    return bits_where([&](std::size_t i) { return a[i] == b[i]; });
}
inline std::uint32_t text_marks(const char* p) {
    return bits_where([&](std::size_t i) { return is_text_mark(p[i]); });
}
inline std::uint32_t list_marks(const char* p) {
    return bits_where([&](std::size_t i) { return is_list_mark(p[i]); });
}
#endif

// True if the text starts with `known`, which has no NUL byte and kScanBytes readable bytes after
// its end.
[[gnu::always_inline]] inline bool begins_with(const char* text, const char* known, std::size_t size) {
    constexpr std::uint32_t kAll = (std::uint32_t{1} << kScanBytes) - 1;
    for (; size >= kScanBytes; size -= kScanBytes, text += kScanBytes, known += kScanBytes) {
        if (equal_bytes(text, known) != kAll) return false;
    }
    return (~equal_bytes(text, known) & ((std::uint32_t{1} << size) - 1)) == 0;
}

// `p` is after an opening quote. Returns the closing one, or null.
[[gnu::always_inline]] inline const char* plain_text_end(const char* p) {
    std::uint32_t marks = text_marks(p);
    for (; marks == 0; marks = text_marks(p)) p += kScanBytes;
    p += std::countr_zero(marks);
    return *p == '"' ? p : nullptr;
}

// `p` is at [ or {. Returns one past its closing bracket, or null.
inline const char* plain_container_end(const char* p) {
    bool in_text = false;
    for (std::size_t depth = 0;; p += kScanBytes) {
        for (std::uint32_t marks = list_marks(p); marks != 0; marks &= marks - 1) {
            const char* const at = p + std::countr_zero(marks);
            if (*at == '"') {
                in_text = !in_text;
            } else if (*at == '[' || *at == '{') {
                depth += in_text ? 0 : 1;
            } else if (*at == ']' || *at == '}') {
                depth -= in_text ? 0 : 1;
                if (depth == 0) return at + 1;
            } else if (in_text || (*at != '\n' && *at != '\r' && *at != '\t')) {
                return nullptr;
            }
        }
    }
}

struct Digits {
    std::uint64_t value = 0;
    std::size_t count = 0;
};

// Scans up to eight digits.
[[gnu::always_inline]] inline Digits scan_few_digits(const char* p) {
    Digits digits;
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, 8);
        word ^= 0x3030303030303030u;  // digits become 0 to 9
        const std::uint64_t others = (word | (word + 0x7676767676767676u)) & 0x8080808080808080u;
        if ((others & 0xFF) != 0) return digits;
        digits.count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
        word <<= 64 - 8 * digits.count;  // as if preceded by zeros
        word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFu;
        word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFu;
        digits.value = (word * 10000 + (word >> 32)) & 0xFFFFFFFFu;
    } else {
        for (; digits.count < 8 && p[digits.count] >= '0' && p[digits.count] <= '9'; ++digits.count) {
            digits.value = digits.value * 10 + static_cast<std::uint64_t>(p[digits.count] - '0');
        }
    }
    return digits;
}

inline constexpr std::size_t kMostDigits = 18;
inline constexpr std::uint64_t kPowersOf10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// A count beyond kMostDigits means too many digits for a value.
[[gnu::always_inline]] inline Digits scan_digits(const char* p) {
    Digits digits = scan_few_digits(p);
    for (Digits more = digits; more.count == 8 && digits.count <= kMostDigits;) {
        more = scan_few_digits(p + digits.count);
        digits.count += more.count;
        digits.value = digits.value * kPowersOf10[more.count] + more.value;
    }
    return digits;
}

}  // namespace core
