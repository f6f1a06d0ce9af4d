#include "core/store/blob.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostSections = 128;
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
    assert(std::ranges::find(sections_, id, &Section::id) == sections_.end());
    assert(sections_.size() < kMostSections);
    sections_.push_back({id, static_cast<std::uint32_t>(element_bytes), 0, element_bytes * count});
}

void BlobBuilder::allocate() {
    if (size_ == 0) size_ = aligned(sizeof(Header) + kMostSections * sizeof(Section));
    for (Section& section : sections_) {
        if (section.offset != 0) continue;
        section.offset = size_;
        size_ += aligned(section.bytes);
    }
    pages_.grow(size_);
    const Header header{kMagic, sections_.size()};
    std::memcpy(pages_.data(), &header, sizeof header);
    if (!sections_.empty()) {
        std::memcpy(pages_.data() + sizeof header, sections_.data(), sections_.size() * sizeof(Section));
    }
}

std::span<std::byte> BlobBuilder::fill_bytes(std::uint32_t id, std::size_t element_bytes) {
    const auto it = std::ranges::find(sections_, id, &Section::id);
    assert(it != sections_.end() && it->element_bytes == element_bytes && it->offset != 0);
    (void)element_bytes;
    return {pages_.data() + it->offset, it->bytes};
}

Blob BlobBuilder::finish() && {
    assert(size_ != 0);
    Blob blob;
    const auto pages = std::make_shared<const Pages>(std::move(pages_));
    blob.data_ = {pages, pages->data()};
    blob.size_ = size_;
    return blob;
}

}  // namespace core
