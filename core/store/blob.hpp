#pragma once
// One relocatable block of memory with typed sections: the same bytes on the heap today and mapped
// from an index file tomorrow. Sections are found by number; an absent section is an empty span.
//
// Layout: header, table of {id, element size, offset, bytes} with room for 128, then the sections, each 64-byte aligned.
// A Blob is immutable and cheap to copy (shared). Any thread may read it.

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

class Blob {
public:
    Blob() = default;

    // The section as it was written, or an empty span. T must be the type it was written with.
    template <class T>
    std::span<const T> section(std::uint32_t id) const {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::span<const std::byte> raw = bytes_of(id, sizeof(T));
        return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
    }
    std::size_t size_bytes() const { return size_; }

private:
    friend class BlobBuilder;
    std::span<const std::byte> bytes_of(std::uint32_t id, std::size_t element_bytes) const;

    std::shared_ptr<const std::byte> data_;
    std::size_t size_ = 0;
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
    struct Section {
        std::uint32_t id;
        std::uint32_t element_bytes;
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    friend class Blob;
    void reserve_bytes(std::uint32_t id, std::size_t element_bytes, std::size_t count);
    std::span<std::byte> fill_bytes(std::uint32_t id, std::size_t element_bytes);

    std::vector<Section> sections_;
    Pages pages_;
    std::size_t size_ = 0;
};

}  // namespace core
