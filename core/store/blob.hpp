#pragma once
// One relocatable block of memory with typed sections: the same bytes on the heap as in a mapped
// index file. Sections are found by number and 64-byte aligned; an absent section is an empty span.
// A Blob is immutable and cheap to copy (shared). Any thread may read it.

#include "core/base/pages.hpp"

#include <array>
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

// True if every byte of a T is part of its value. Padding would carry whatever was in memory into index files, and two
// files of one trace would differ. Name it in the struct as a Padding; specialise this for structs of doubles.
template <class T>
inline constexpr bool kHasNoPadding = std::has_unique_object_representations_v<T> || std::is_same_v<T, double>;
template <class T>
concept Storable = std::is_trivially_copyable_v<T> && kHasNoPadding<T>;
template <std::size_t Bytes>
using Padding = std::array<std::uint8_t, Bytes>;

class Blob {
public:
    Blob() = default;
    // Sections inside `memory`, which the Blob keeps alive; offsets count from its start.
    Blob(std::shared_ptr<const std::byte> memory, std::vector<BlobSection> sections);

    // The section as written; empty if absent or of another element size.
    template <class T>
    std::span<const T> section(std::uint32_t id) const {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::span<const std::byte> raw = bytes_of(id, sizeof(T));
        return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
    }
    std::size_t size_bytes() const;
    // True if the mapped file was cut or changed: all reads are zeros then.
    bool is_lost() const;
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

// Reserves sections first (sizes known), then fills them in place, so nothing is held twice. Different
// sections, or parts of one, may be filled from different threads.
class BlobBuilder {
public:
    template <Storable T>
    void reserve(std::uint32_t id, std::size_t count) {
        reserve_bytes(id, sizeof(T), count);
    }
    // Upper bound of the total size, if known: later allocations then move nothing.
    void expect(std::size_t bytes) { pages_.grow(bytes); }
    // Call before filling reserved sections. May be called again for sections whose size is known later: filled
    // contents stay, but spans into them become invalid.
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
    std::size_t allocated_ = 0;  // number of sections placed
    Pages pages_;
    std::size_t size_ = 0;
};

// Sections to write to a file, each a list of parts written in order. Borrowed parts must outlive the list;
// owned ones are moved in.
struct SectionParts {
    std::uint32_t id;
    std::uint32_t element_bytes;
    std::vector<std::span<const std::byte>> parts;
    std::shared_ptr<const void> kept;  // owned parts
    std::uint64_t bytes() const;
};

class SectionList {
public:
    template <Storable T>
    void add(std::uint32_t id, std::span<const T> values) {
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
                          std::size_t element_bytes);  // found by id, or added

    std::vector<SectionParts> sections_;
};

}  // namespace core
