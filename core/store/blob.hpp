#pragma once
// One relocatable block of memory with typed sections: the same bytes on the heap as in a mapped index file.
// Sections are found by number; an absent section is an empty span.
//
// Sections are 64-byte aligned. A Blob is immutable and cheap to copy (shared). Any thread may read it.

#include "core/base/pages.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace core {

struct BlobSection {
    std::uint32_t id;
    std::uint32_t element_bytes;
    std::uint64_t offset;
    std::uint64_t bytes;
};

inline constexpr std::size_t kSectionAlignment = 64;
constexpr std::uint64_t aligned_to_section(std::uint64_t n) {
    return (n + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

class Blob {
public:
    Blob() = default;
    // Sections of memory that `memory` keeps alive; their offsets count from it and lie inside.
    Blob(std::shared_ptr<const std::byte> memory, std::vector<BlobSection> sections);

    // The section as it was written, or an empty span, also if its elements were of another size.
    template <class T>
    std::span<const T> section(std::uint32_t id) const {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::span<const std::byte> raw = bytes_of(id, sizeof(T));
        return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
    }
    std::size_t size_bytes() const;
    std::span<const BlobSection> sections() const;                 // by id
    std::span<const std::byte> bytes(const BlobSection& section) const;

private:
    struct Contents {
        std::shared_ptr<const std::byte> memory;
        std::vector<BlobSection> sections;
    };
    std::span<const std::byte> bytes_of(std::uint32_t id, std::size_t element_bytes) const;

    std::shared_ptr<const Contents> contents_;
};

// Sections are reserved first (sizes known), then filled in place, so that nothing is held twice. Filling different
// sections, or parts of one, from several threads is fine.
class BlobBuilder {
public:
    template <class T>
    void reserve(std::uint32_t id, std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T>);
        reserve_bytes(id, sizeof(T), count);
    }
    // The most bytes there will be, if that is known: what is allocated later need not move what is there.
    void expect(std::size_t bytes) { pages_.grow(bytes); }
    // Before what was reserved is filled. May be done again for sections whose sizes are known only later: what was
    // filled stays, but spans of it become invalid.
    void allocate();
    template <class T>
    std::span<T> fill(std::uint32_t id) {
        const std::span<std::byte> raw = fill_bytes(id, sizeof(T));
        return {reinterpret_cast<T*>(raw.data()), raw.size() / sizeof(T)};
    }
    template <class T>
    void copy(std::uint32_t id, std::span<const T> values) {
        const std::span<T> to = fill<T>(id);
        assert(to.size() == values.size());
        if (!values.empty()) std::memcpy(to.data(), values.data(), values.size_bytes());
    }
    Blob finish() &&;

private:
    void reserve_bytes(std::uint32_t id, std::size_t element_bytes, std::size_t count);
    std::span<std::byte> fill_bytes(std::uint32_t id, std::size_t element_bytes);

    std::vector<BlobSection> sections_;
    std::size_t allocated_ = 0;  // so many sections have a place
    Pages pages_;
    std::size_t size_ = 0;
};

// Sections to be written to a file, gathered from wherever they lie: each is its parts, one after another.
// Everything added must outlive the list, except what is given to it.
struct SectionParts {
    std::uint32_t id;
    std::uint32_t element_bytes;
    std::vector<std::span<const std::byte>> parts;
    std::shared_ptr<const void> kept;  // what the list was given
    std::uint64_t bytes() const;
};

class SectionList {
public:
    template <class T>
    void add(std::uint32_t id, std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        section(id, sizeof(T)).parts.push_back(std::as_bytes(values));
    }
    template <class T>
    void give(std::uint32_t id, std::vector<T> values) {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
        add(id, std::span<const T>(*kept));
        section(id, sizeof(T)).kept = kept;
    }
    void add_all(const Blob& blob);
    const std::vector<SectionParts>& sections() const { return sections_; }

private:
    SectionParts& section(std::uint32_t id,
                          std::size_t element_bytes);  // the one with this id, added to if it is there

    std::vector<SectionParts> sections_;
};

}  // namespace core
