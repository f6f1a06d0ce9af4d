#include "core/ingest/index_file/pack_sections.hpp"

#include "core/base/deflate.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace core {
namespace {

constexpr std::uint32_t kMostPackedSections = 4096;
constexpr std::uint32_t kMostElementBytes = 4096;
constexpr std::uint64_t kMostRawBytes = std::uint64_t{512} << 20;
constexpr int kQuickLevel = 1;
// Runs of many ranks have small ones, where more effort saves a few percent at most.
int level_for(std::size_t raw_bytes) { return raw_bytes < (std::size_t{1} << 20) ? kQuickLevel : 9; }

enum class Method : std::uint16_t {
    Whole,   // as it is
    Planes,  // the first bytes of all numbers, then the second ones, …
    Steps,   // the same of the differences of neighbouring elements
};

struct Head {
    std::uint32_t id;
    std::uint16_t element_bytes;
    Method method;
    std::uint64_t elements;
};

// Bytes of the numbers that elements are taken to consist of.
std::size_t word_of(std::size_t element_bytes) {
    for (const std::size_t word : {std::size_t{8}, std::size_t{4}, std::size_t{2}})
        if (element_bytes % word == 0) return word;
    return 1;
}

std::uint64_t read_word(const std::byte* from, std::size_t word) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, word);
    return value;
}

void write_word(std::byte* to, std::size_t word, std::uint64_t value) { std::memcpy(to, &value, word); }

std::uint64_t mask_of(std::size_t word) { return word == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * word)) - 1; }

// The sign goes to the lowest bit, so that small steps in either direction have zeros above.
std::uint64_t fold_sign(std::uint64_t step, std::size_t word) {
    const std::uint64_t sign = step >> (8 * word - 1) & 1;
    return ((step << 1) ^ (std::uint64_t{0} - sign)) & mask_of(word);
}
std::uint64_t unfold_sign(std::uint64_t folded, std::size_t word) {
    return ((folded >> 1) ^ (std::uint64_t{0} - (folded & 1))) & mask_of(word);
}

// Each number of an element by itself, over all elements.
void scatter(std::span<const std::byte> elements, std::size_t element_bytes, Method method, std::byte* to) {
    if (method == Method::Whole) {
        if (!elements.empty()) std::memcpy(to, elements.data(), elements.size());
        return;
    }
    const std::size_t word = word_of(element_bytes);
    const std::size_t count = elements.size() / element_bytes;
    for (std::size_t at = 0; at < element_bytes; at += word) {
        std::uint64_t before = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t value = read_word(elements.data() + i * element_bytes + at, word);
            const std::uint64_t stored =
                method == Method::Steps ? fold_sign((value - before) & mask_of(word), word) : value;
            for (std::size_t b = 0; b < word; ++b) to[b * count + i] = static_cast<std::byte>(stored >> (8 * b) & 0xFF);
            before = value;
        }
        to += word * count;
    }
}

void gather(const std::byte* from, std::size_t element_bytes, Method method, std::span<std::byte> elements) {
    if (method == Method::Whole) {
        if (!elements.empty()) std::memcpy(elements.data(), from, elements.size());
        return;
    }
    const std::size_t word = word_of(element_bytes);
    const std::size_t count = elements.size() / element_bytes;
    for (std::size_t at = 0; at < element_bytes; at += word) {
        std::uint64_t before = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t stored = 0;
            for (std::size_t b = 0; b < word; ++b) stored |= static_cast<std::uint64_t>(from[b * count + i]) << (8 * b);
            if (method == Method::Steps) stored = (before + unfold_sign(stored, word)) & mask_of(word);
            write_word(elements.data() + i * element_bytes + at, word, stored);
            before = stored;
        }
        from += word * count;
    }
}

std::shared_ptr<std::byte> allocate_aligned(std::size_t bytes) {
    constexpr std::align_val_t kAlignment{kSectionAlignment};
    auto* const memory = static_cast<std::byte*>(::operator new(std::max(bytes, kSectionAlignment), kAlignment));
    return {memory, [](std::byte* from) { ::operator delete(from, kAlignment); }};
}

std::vector<const SectionParts*> sorted_by_id(const SectionList& list) {
    std::vector<const SectionParts*> sections;
    for (const SectionParts& section : list.sections()) sections.push_back(&section);
    std::ranges::sort(sections, {}, &SectionParts::id);
    return sections;
}

void append_parts(const SectionParts& section, std::byte* to) {
    for (const std::span<const std::byte> part : section.parts) {
        if (!part.empty()) std::memcpy(to, part.data(), part.size());
        to += part.size();
    }
}

// The one that packs best, as a quick look shows.
Method choose_method(std::span<const std::byte> elements, std::size_t element_bytes) {
    if (element_bytes == 1) return Method::Whole;
    std::vector<std::byte> tried(elements.size());
    Method best = Method::Steps;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Method method : {Method::Steps, Method::Planes}) {
        scatter(elements, element_bytes, method, tried.data());
        const std::size_t size = deflate_bytes(tried, kQuickLevel).size();
        if (size >= least) continue;
        least = size;
        best = method;
    }
    return best;
}

Error refused() { return {ErrorCode::BadInput, "its packed columns are damaged"}; }

}  // namespace

Blob copy_to_blob(const SectionList& list) {
    std::vector<BlobSection> sections;
    std::uint64_t size = 0;
    const std::vector<const SectionParts*> parts = sorted_by_id(list);
    for (const SectionParts* const section : parts) {
        sections.push_back(
            {.id = section->id, .element_bytes = section->element_bytes, .offset = size, .bytes = section->bytes()});
        size = aligned_to_section(size + section->bytes());
    }
    const std::shared_ptr<std::byte> memory = allocate_aligned(size);
    for (std::size_t i = 0; i < parts.size(); ++i) append_parts(*parts[i], memory.get() + sections[i].offset);
    return {memory, std::move(sections)};
}

PackedSections pack_sections(const SectionList& list) {
    const std::vector<const SectionParts*> parts = sorted_by_id(list);
    std::vector<Head> heads;
    std::size_t size = sizeof(std::uint64_t) + parts.size() * sizeof(Head);
    for (const SectionParts* const section : parts) size += section->bytes();
    std::vector<std::byte> raw(size);
    std::byte* to = raw.data() + sizeof(std::uint64_t) + parts.size() * sizeof(Head);
    std::vector<std::byte> whole;
    for (const SectionParts* const section : parts) {
        whole.resize(section->bytes());
        append_parts(*section, whole.data());
        const Method method = choose_method(whole, section->element_bytes);
        scatter(whole, section->element_bytes, method, to);
        to += whole.size();
        heads.push_back({.id = section->id,
                         .element_bytes = static_cast<std::uint16_t>(section->element_bytes),
                         .method = method,
                         .elements = whole.size() / section->element_bytes});
    }
    const std::uint64_t count = heads.size();
    std::memcpy(raw.data(), &count, sizeof count);
    if (!heads.empty()) std::memcpy(raw.data() + sizeof count, heads.data(), heads.size() * sizeof(Head));
    return {.bytes = deflate_bytes(raw, level_for(raw.size())), .raw_bytes = size};
}

Result<UnpackedSections> unpack_sections(std::span<const std::byte> packed, std::uint64_t raw_bytes) {
    if (raw_bytes < sizeof(std::uint64_t) || raw_bytes > kMostRawBytes || raw_bytes / kMostDeflateRatio > packed.size())
        return refused();
    std::vector<std::byte> raw(raw_bytes);
    if (!inflate_bytes(packed, raw)) return refused();
    std::uint64_t count = 0;
    std::memcpy(&count, raw.data(), sizeof count);
    if (count > kMostPackedSections || sizeof count + count * sizeof(Head) > raw.size()) return refused();
    std::vector<Head> heads(count);
    if (count > 0) std::memcpy(heads.data(), raw.data() + sizeof count, count * sizeof(Head));
    std::uint64_t left = raw.size() - sizeof count - count * sizeof(Head);
    std::vector<BlobSection> sections;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const Head& head = heads[i];
        const bool fits = head.element_bytes > 0 && head.element_bytes <= kMostElementBytes &&
                          head.method <= Method::Steps && head.elements <= left / head.element_bytes &&
                          (i == 0 || heads[i - 1].id < head.id);
        if (!fits) return refused();
        const std::uint64_t bytes = head.elements * head.element_bytes;
        sections.push_back({.id = head.id, .element_bytes = head.element_bytes, .offset = offset, .bytes = bytes});
        offset = aligned_to_section(offset + bytes);
        left -= bytes;
    }
    if (left != 0) return refused();
    const std::shared_ptr<std::byte> memory = allocate_aligned(offset);
    const std::byte* from = raw.data() + sizeof count + count * sizeof(Head);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const BlobSection& section = sections[i];
        gather(from, section.element_bytes, heads[i].method, {memory.get() + section.offset, section.bytes});
        from += section.bytes;
    }
    return UnpackedSections{.memory = memory, .sections = std::move(sections)};
}

}  // namespace core
