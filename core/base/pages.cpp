#include "core/base/pages.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#define LOCKSTEP_HAS_FEATURE(name) __has_feature(name)
#elif defined(__SANITIZE_THREAD__)
#define LOCKSTEP_HAS_FEATURE(name) 1
#else
#define LOCKSTEP_HAS_FEATURE(name) 0
#endif

namespace core {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// The thread sanitizer follows mmap and munmap, but not mremap: it would take what another thread finds at an address
// that was moved away from for memory the two share.
constexpr bool kMayMove = !LOCKSTEP_HAS_FEATURE(thread_sanitizer);

void* remap(void* from, std::size_t from_size, std::size_t size) {
    if (kMayMove) {
        void* const to = ::mremap(from, from_size, size, MREMAP_MAYMOVE);
        if (to == MAP_FAILED) throw std::bad_alloc();
        return to;
    }
    void* const to = map_pages(size);
    std::memcpy(to, from, from_size);
    ::munmap(from, from_size);
    return to;
}

// 4 KiB, or 64 KiB on some of the machines that run models: addresses within a page cannot be given back.
std::size_t page_bytes() {
    static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return kBytes;
}

std::size_t up_to_page(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

std::size_t whole_pages(std::size_t bytes) {
    const std::size_t size = up_to_page(bytes);
    if (size < bytes) throw std::bad_alloc();
    return size;
}

}  // namespace

// At a multiple of a large page, if it can hold some: what is mapped beside it goes back.
void* map_pages(std::size_t bytes) {
    const std::size_t size = whole_pages(bytes);
    const std::size_t slack = size < 2 * kLargePage || size > SIZE_MAX - kLargePage ? 0 : kLargePage;
    void* const mapped = ::mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    if (slack == 0) return mapped;
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage;
    if (before > 0) ::munmap(begin, before);
    if (before < slack) ::munmap(begin + before + size, slack - before);
    ::madvise(begin + before, size, MADV_HUGEPAGE);
    return begin + before;
}

void unmap_pages(void* memory, std::size_t bytes) noexcept { ::munmap(memory, up_to_page(bytes)); }

void drop_pages(void* memory, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = up_to_page(begin);
    const std::uintptr_t last = (begin + bytes) / page_bytes() * page_bytes();
    if (first < last) ::madvise(static_cast<std::byte*>(memory) + (first - begin), last - first, MADV_DONTNEED);
}

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
    const std::size_t size = whole_pages(bytes);
    if (size <= size_) return;
    data_ = static_cast<std::byte*>(data_ == nullptr ? map_pages(size) : remap(data_, size_, size));
    size_ = size;
}

void Pages::shrink(std::size_t bytes) {
    const std::size_t size = whole_pages(bytes);
    if (size >= size_) return;
    ::munmap(data_ + size, size_ - size);
    size_ = size;
    if (size == 0) data_ = nullptr;
}

}  // namespace core
