#include "core/base/pages.hpp"

#include "core/base/platform/memory.hpp"

#include <utility>

namespace core {

void* map_pages(std::size_t bytes) { return map_memory(bytes); }
void unmap_pages(void* memory, std::size_t bytes) noexcept { release_memory(memory, bytes); }
void drop_pages(void* memory, std::size_t bytes) noexcept { drop_memory(memory, bytes); }

Pages::~Pages() {
    if (data_ != nullptr) release_memory(data_, size_);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

void Pages::grow(std::size_t bytes) {
    const std::size_t size = round_up_to_pages(bytes);
    if (size <= size_) return;
    data_ = static_cast<std::byte*>(data_ == nullptr ? map_memory(size) : grow_memory(data_, size_, size));
    size_ = size;
}

void Pages::shrink(std::size_t bytes) {
    const std::size_t size = round_up_to_pages(bytes);
    if (size >= size_) return;
    shrink_memory(data_, size_, size);
    size_ = size;
    if (size == 0) data_ = nullptr;
}

}  // namespace core
