#include "core/store/blob.hpp"

#include <algorithm>
#include <new>

namespace core {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kMagic = 0x4b434f4c54534f4cull;

struct Header {
    std::uint64_t magic;
    std::uint64_t sections;
};

constexpr std::size_t aligned(std::size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

std::span<const std::byte> Blob::bytes_of(std::uint32_t id, std::size_t element_bytes) const {
    if (!data_) return {};
    Header header{};
    std::memcpy(&header, data_.get(), sizeof header);
    assert(header.magic == kMagic);
    for (std::uint64_t i = 0; i < header.sections; ++i) {
        BlobBuilder::Section section{};
        std::memcpy(&section, data_.get() + sizeof header + i * sizeof section, sizeof section);
        if (section.id != id) continue;
        assert(section.element_bytes == element_bytes);
        (void)element_bytes;
        return {data_.get() + section.offset, section.bytes};
    }
    return {};
}

void BlobBuilder::reserve_bytes(std::uint32_t id, std::size_t element_bytes, std::size_t count) {
    assert(!data_);
    assert(std::ranges::find(sections_, id, &Section::id) == sections_.end());
    sections_.push_back({id, static_cast<std::uint32_t>(element_bytes), 0, element_bytes * count});
}

void BlobBuilder::allocate() {
    size_ = aligned(sizeof(Header) + sections_.size() * sizeof(Section));
    for (Section& section : sections_) {
        section.offset = size_;
        size_ += aligned(section.bytes);
    }
    void* memory = ::operator new(size_, std::align_val_t{kAlignment});
    data_ = {static_cast<std::byte*>(memory), [](std::byte* p) { ::operator delete(p, std::align_val_t{kAlignment}); }};
    const Header header{kMagic, sections_.size()};
    std::memset(data_.get(), 0, aligned(sizeof header + sections_.size() * sizeof(Section)));
    std::memcpy(data_.get(), &header, sizeof header);
    if (!sections_.empty()) {
        std::memcpy(data_.get() + sizeof header, sections_.data(), sections_.size() * sizeof(Section));
    }
}

std::span<std::byte> BlobBuilder::fill_bytes(std::uint32_t id, std::size_t element_bytes) {
    assert(data_);
    const auto it = std::ranges::find(sections_, id, &Section::id);
    assert(it != sections_.end() && it->element_bytes == element_bytes);
    (void)element_bytes;
    return {data_.get() + it->offset, it->bytes};
}

Blob BlobBuilder::finish() && {
    assert(data_);
    Blob blob;
    blob.data_ = std::move(data_);
    blob.size_ = size_;
    return blob;
}

}  // namespace core
