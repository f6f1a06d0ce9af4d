#include "core/ingest/json/json_scan.hpp"

#include "core/base/bits.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace core {
namespace {

constexpr std::size_t kBlock = 64;

struct Masks {
    std::uint64_t quote = 0;
    std::uint64_t backslash = 0;
    std::uint64_t open = 0;
    std::uint64_t close = 0;
};

#if defined(__SSE2__)
Masks masks_of(const char* p) {
    Masks masks;
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i * 16));
        const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // [ and { differ in this bit, ] and } too
        const auto bits = [&](__m128i equal) {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))) << (i * 16);
        };
        masks.quote |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
        masks.backslash |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
        masks.open |= bits(_mm_cmpeq_epi8(lower, _mm_set1_epi8('{')));
        masks.close |= bits(_mm_cmpeq_epi8(lower, _mm_set1_epi8('}')));
    }
    return masks;
}
#else
Masks masks_of(const char* p) {
    Masks masks;
    for (std::size_t i = 0; i < kBlock; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        masks.quote |= p[i] == '"' ? bit : 0;
        masks.backslash |= p[i] == '\\' ? bit : 0;
        masks.open |= (p[i] | 0x20) == '{' ? bit : 0;
        masks.close |= (p[i] | 0x20) == '}' ? bit : 0;
    }
    return masks;
}
#endif

// The four masks of up to 64 bytes; bytes after the end count as spaces.
Masks masks_at(std::string_view text, std::size_t at) {
    if (text.size() - at >= kBlock) return masks_of(text.data() + at);
    std::array<char, kBlock> padded;
    padded.fill(' ');
    std::memcpy(padded.data(), text.data() + at, text.size() - at);
    return masks_of(padded.data());
}

// Processes blocks in order, carrying string state from one to the next.
class StringTracker {
public:
    // Unescaped quotes.
    std::uint64_t real_quotes(const Masks& masks) {
        std::uint64_t escaped = escape_next_ ? 1 : 0;
        escape_next_ = false;
        for (std::uint64_t rest = masks.backslash; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            if ((escaped >> bit & 1) != 0) continue;
            if (bit == kBlock - 1)
                escape_next_ = true;
            else
                escaped |= std::uint64_t{2} << bit;
        }
        return masks.quote & ~escaped;
    }
    // Bits from an opening quote up to its closing one, exclusive.
    std::uint64_t inside(std::uint64_t quotes) {
        for (int shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
        quotes ^= in_text_;
        in_text_ = (quotes >> 63) != 0 ? ~std::uint64_t{0} : 0;
        return quotes;
    }

private:
    bool escape_next_ = false;
    std::uint64_t in_text_ = 0;
};

}  // namespace

std::size_t find_container_end(std::string_view text) {
    StringTracker strings;
    std::int64_t depth = 0;
    for (std::size_t at = 0; at < text.size(); at += kBlock) {
        const Masks masks = masks_at(text, at);
        const std::uint64_t outside = ~strings.inside(strings.real_quotes(masks));
        const std::uint64_t open = masks.open & outside;
        const std::uint64_t close = masks.close & outside;
        if (const std::int64_t closed = count_bits(close); closed < depth) {
            depth += std::int64_t{count_bits(open)} - closed;
            continue;
        }
        for (std::uint64_t rest = open | close; rest != 0; rest &= rest - 1) {
            const std::uint64_t bit = rest & (~rest + 1);
            depth += (open & bit) != 0 ? 1 : -1;
            if (depth <= 0) return at + static_cast<std::size_t>(std::countr_zero(bit)) + 1;
        }
    }
    return kNotFound;
}

std::size_t find_string_end(std::string_view text) {
    StringTracker strings;
    for (std::size_t at = 0; at < text.size(); at += kBlock) {
        std::uint64_t quotes = strings.real_quotes(masks_at(text, at));
        if (at == 0) quotes &= ~std::uint64_t{1};
        if (quotes != 0) return at + static_cast<std::size_t>(std::countr_zero(quotes)) + 1;
    }
    return kNotFound;
}

namespace {

// True for a ] that may close the list of events: after an event, a comma or a space.
bool is_outer_bracket(std::string_view text, std::size_t i) {
    if (text[i] != ']') return false;
    return i == 0 || text[i - 1] == '}' || text[i - 1] == ',' || is_json_space(text[i - 1]);
}

#if defined(__SSE2__)
constexpr std::size_t kBracketBlock = 32;

// Skips whole blocks without an outer bracket from `from` (at least 1) on. May stop early, at
// non-ASCII bytes.
std::size_t skip_blocks(std::string_view text, std::size_t from) {
    const auto load = [&](std::size_t at) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    };
    const auto brackets = [&](std::size_t at) { return _mm_cmpeq_epi8(load(at), _mm_set1_epi8(']')); };
    const auto closes = [&](std::size_t at) {
        const __m128i before = load(at - 1);
        const __m128i space = _mm_cmpgt_epi8(_mm_set1_epi8('!'), before);
        return _mm_or_si128(space, _mm_or_si128(_mm_cmpeq_epi8(before, _mm_set1_epi8('}')),
                                                _mm_cmpeq_epi8(before, _mm_set1_epi8(','))));
    };
    for (; from + kBracketBlock <= text.size(); from += kBracketBlock) {
        const __m128i first = brackets(from);
        const __m128i second = brackets(from + 16);
        if (_mm_movemask_epi8(_mm_or_si128(first, second)) == 0) continue;
        const __m128i outer =
            _mm_or_si128(_mm_and_si128(first, closes(from)), _mm_and_si128(second, closes(from + 16)));
        if (_mm_movemask_epi8(outer) != 0) break;
    }
    return from;
}

// The same with AVX2.
[[gnu::target("avx2")]] std::size_t skip_blocks_avx2(std::string_view text, std::size_t from) {
    const __m256i bracket = _mm256_set1_epi8(']');
    for (; from + kBracketBlock <= text.size(); from += kBracketBlock) {
        const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + from));
        const __m256i brackets = _mm256_cmpeq_epi8(at, bracket);
        if (_mm256_testz_si256(brackets, brackets)) continue;
        const __m256i before = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + from - 1));
        const __m256i closes = _mm256_or_si256(_mm256_cmpeq_epi8(before, _mm256_set1_epi8('}')),
                                               _mm256_cmpeq_epi8(before, _mm256_set1_epi8(',')));
        const __m256i space = _mm256_cmpgt_epi8(_mm256_set1_epi8('!'), before);
        if (!_mm256_testz_si256(brackets, _mm256_or_si256(space, closes))) break;
    }
    return from;
}
#endif

}  // namespace

std::size_t find_outer_bracket(std::string_view text, std::size_t from) {
    const auto find_until = [&](std::size_t end) {
        while (from < end && !is_outer_bracket(text, from)) ++from;
        return from < end;
    };
    if (from == 0 && find_until(std::min<std::size_t>(1, text.size()))) return from;
#if defined(__SSE2__)
    static const auto kSkip = __builtin_cpu_supports("avx2") ? skip_blocks_avx2 : skip_blocks;
    while (from + kBracketBlock <= text.size()) {
        from = kSkip(text, from);
        if (find_until(std::min(from + kBracketBlock, text.size()))) return from;
    }
#endif
    return find_until(text.size()) ? from : kNotFound;
}

ListElement find_element(std::string_view text, std::size_t from) {
    ListElement element;
    for (; from < text.size() && (is_json_space(text[from]) || text[from] == ','); ++from) {
        element.commas += text[from] == ',' ? 1 : 0;
    }
    element.begin = element.end = from;
    if (from == text.size()) return element;

    using Kind = ListElement::Kind;
    const char first = text[from];
    if (first == ']') {
        element.kind = Kind::ListEnd;
        element.end = from + 1;
        return element;
    }
    element.kind = first == '{' ? Kind::Object : Kind::Other;
    std::size_t size = 1;
    if (first == '{' || first == '[') {
        size = find_container_end(text.substr(from));
    } else if (first == '"') {
        size = find_string_end(text.substr(from));
    } else {
        const std::size_t end = text.find_first_of(" \n\r\t,[]{}\"", from + 1);
        size = end == kNotFound ? kNotFound : end - from;
    }
    if (size == kNotFound) {
        element.kind = Kind::Incomplete;
        element.end = text.size();
    } else {
        element.end = from + size;
    }
    return element;
}

namespace {

bool closes_text(std::string_view after) {
    const std::size_t next = after.find_first_not_of(" \n\r\t");
    return next == kNotFound || after[next] == ',' || after[next] == ':' || after[next] == '}' || after[next] == ']';
}

void append_escaped(std::string& to, char control) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(control);
    to += "\\u00";
    to += kHex[code >> 4];
    to += kHex[code & 15];
}

}  // namespace

std::string repair_json(std::string_view text, Repair repair) {
    std::string out;
    out.reserve(text.size() + 64);
    bool in_text = false;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (in_text && c == '\\' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0x20) {
            out += c;
            ++i;
            if (static_cast<unsigned char>(text[i]) < 0x80) out += text[i++];
            continue;
        }
        if (c == '"') {
            const bool stray = in_text && repair == Repair::Quotes && !closes_text(text.substr(i + 1));
            if (!stray) in_text = !in_text;
            out += stray ? "\\\"" : "\"";
            ++i;
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x20) {
            if (in_text)
                append_escaped(out, c);
            else
                out += is_json_space(c) ? c : ' ';
            ++i;
            continue;
        }
        const CodePoint point = decode_utf8(text.substr(i));
        out += point.valid ? text.substr(i, point.bytes) : kReplacementCharacter;
        i += point.bytes;
    }
    return out;
}

}  // namespace core
