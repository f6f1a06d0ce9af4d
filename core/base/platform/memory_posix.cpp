#include "core/base/platform/memory.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

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
[[maybe_unused]] constexpr bool kMayMove = !LOCKSTEP_HAS_FEATURE(thread_sanitizer);

// 4 KiB, or 64 KiB on some of the machines that run models: addresses within a page cannot be given back.
std::size_t page_bytes() {
    static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return kBytes;
}

std::size_t up_to_page(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

}  // namespace

std::size_t round_up_to_pages(std::size_t bytes) {
    const std::size_t size = up_to_page(bytes);
    if (size < bytes) throw std::bad_alloc();
    return size;
}

// At a multiple of a large page, if it can hold some: what is mapped beside it goes back.
void* map_memory(std::size_t bytes) {
    const std::size_t size = round_up_to_pages(bytes);
    const std::size_t slack = size < 2 * kLargePage || size > SIZE_MAX - kLargePage ? 0 : kLargePage;
    void* const mapped = ::mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    if (slack == 0) return mapped;
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage;
    if (before > 0) ::munmap(begin, before);
    if (before < slack) ::munmap(begin + before + size, slack - before);
#ifdef __linux__
    ::madvise(begin + before, size, MADV_HUGEPAGE);
#endif
    return begin + before;
}

void release_memory(void* memory, std::size_t bytes) noexcept { ::munmap(memory, up_to_page(bytes)); }

// Copies pages that cannot be moved.
void* grow_memory(void* memory, std::size_t from_bytes, std::size_t to_bytes) {
#ifdef __linux__
    if (kMayMove) {
        void* const to = ::mremap(memory, from_bytes, to_bytes, MREMAP_MAYMOVE);
        if (to == MAP_FAILED) throw std::bad_alloc();
        return to;
    }
#endif
    void* const to = map_memory(to_bytes);
    std::memcpy(to, memory, from_bytes);
    ::munmap(memory, from_bytes);
    return to;
}

void shrink_memory(void* memory, std::size_t from_bytes, std::size_t to_bytes) noexcept {
    ::munmap(static_cast<std::byte*>(memory) + to_bytes, from_bytes - to_bytes);
}

void drop_memory(void* memory, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = up_to_page(begin);
    const std::uintptr_t last = (begin + bytes) / page_bytes() * page_bytes();
    if (first < last) ::madvise(static_cast<std::byte*>(memory) + (first - begin), last - first, MADV_DONTNEED);
}

void give_back_free_memory() noexcept {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

}  // namespace core
