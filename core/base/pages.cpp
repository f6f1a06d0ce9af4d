#include "core/base/pages.hpp"

#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

#ifdef __has_feature
#define LOCKSTEP_HAS_FEATURE(name) __has_feature(name)
#else
#define LOCKSTEP_HAS_FEATURE(name) 0
#endif

namespace core {
namespace {

constexpr std::size_t kPage = 4096;
// The thread sanitizer follows mmap and munmap, but not mremap: it would take what another thread finds at an address
// that was moved away from for memory the two share.
constexpr bool kMayMove = !LOCKSTEP_HAS_FEATURE(thread_sanitizer);

void* map(std::size_t size) {
    return ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void* remap(void* from, std::size_t from_size, std::size_t size) {
    if (kMayMove) return ::mremap(from, from_size, size, MREMAP_MAYMOVE);
    void* const to = map(size);
    if (to == MAP_FAILED) return to;
    std::memcpy(to, from, from_size);
    ::munmap(from, from_size);
    return to;
}

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
    void* const memory = data_ == nullptr ? map(size) : remap(data_, size_, size);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
    size_ = size;
}

}  // namespace core
