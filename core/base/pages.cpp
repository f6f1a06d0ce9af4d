#include "core/base/pages.hpp"

#include <new>
#include <utility>

#include <sys/mman.h>

namespace core {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

Pages::~Pages() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

void Pages::grow(std::size_t bytes) {
    const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
    if (size < bytes) throw std::bad_alloc();
    if (size <= size_) return;
    void* memory = data_ == nullptr ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                    : ::mremap(data_, size_, size, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
    size_ = size;
}

}  // namespace core
