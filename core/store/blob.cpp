#include "core/store/blob.hpp"

#include "core/base/platform/mapped_file.hpp"

#include <algorithm>
#include <utility>

namespace core {

Blob::Blob(std::shared_ptr<const std::byte> memory, std::vector<BlobSection> sections) {
    std::ranges::sort(sections, {}, &BlobSection::id);
    contents_ = std::make_shared<const Contents>(Contents{std::move(memory), std::move(sections)});
}

bool Blob::is_lost() const { return contents_ && core::is_lost(contents_->memory.get()); }

std::size_t Blob::size_bytes() const {
    std::size_t sum = 0;
    for (const BlobSection& section : sections()) sum += aligned_to_section(section.bytes);
    return sum;
}

std::span<const BlobSection> Blob::sections() const {
    return contents_ ? std::span<const BlobSection>(contents_->sections) : std::span<const BlobSection>();
}

std::span<const std::byte> Blob::bytes(const BlobSection& section) const {
    return {contents_->memory.get() + section.offset, section.bytes};
}

std::span<const std::byte> Blob::bytes_of(std::uint32_t id, std::size_t element_bytes) const {
    const std::span<const BlobSection> all = sections();
    const auto it = std::ranges::lower_bound(all, id, {}, &BlobSection::id);
    if (it == all.end() || it->id != id || it->element_bytes != element_bytes) return {};
    return bytes(*it);
}

void BlobBuilder::reserve_bytes(std::uint32_t id, std::size_t element_bytes, std::size_t count) {
    assert(std::ranges::find(sections_, id, &BlobSection::id) == sections_.end());
    sections_.push_back({.id = id,
                         .element_bytes = static_cast<std::uint32_t>(element_bytes),
                         .offset = 0,
                         .bytes = element_bytes * count});
}

void BlobBuilder::allocate() {
    for (; allocated_ < sections_.size(); ++allocated_) {
        sections_[allocated_].offset = size_;
        size_ += aligned_to_section(sections_[allocated_].bytes);
    }
    pages_.grow(std::max(size_, kSectionAlignment));
}

std::span<std::byte> BlobBuilder::fill_bytes(std::uint32_t id, std::size_t element_bytes) {
    const auto it = std::ranges::find(sections_, id, &BlobSection::id);
    assert(it != sections_.end() && it->element_bytes == element_bytes);
    assert(static_cast<std::size_t>(it - sections_.begin()) < allocated_);
    (void)element_bytes;
    return {pages_.data() + it->offset, it->bytes};
}

Blob BlobBuilder::finish() && {
    assert(allocated_ == sections_.size() && pages_.data() != nullptr);
    pages_.shrink(std::max(size_, kSectionAlignment));
    const auto pages = std::make_shared<const Pages>(std::move(pages_));
    return Blob({pages, pages->data()}, std::move(sections_));
}

std::uint64_t SectionParts::bytes() const {
    std::uint64_t sum = 0;
    for (const std::span<const std::byte> part : parts) sum += part.size();
    return sum;
}

SectionParts& SectionList::section(std::uint32_t id, std::size_t element_bytes) {
    const auto it = std::ranges::find(sections_, id, &SectionParts::id);
    if (it != sections_.end()) {
        assert(it->element_bytes == element_bytes);
        return *it;
    }
    return sections_.emplace_back(SectionParts{
        .id = id, .element_bytes = static_cast<std::uint32_t>(element_bytes), .parts = {}, .kept = nullptr});
}

void SectionList::add_all(const Blob& blob) {
    for (const BlobSection& from : blob.sections())
        section(from.id, from.element_bytes).parts.push_back(blob.bytes(from));
}

}  // namespace core
