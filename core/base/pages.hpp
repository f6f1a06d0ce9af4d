#pragma once
// Memory straight from the system, in whole pages: zero until it is written, resident only where it was written. Where
// it is large the system is asked for large pages: to hand out 4 KiB at a time costs as much as to fill them.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace core {

void* map_pages(std::size_t bytes);  // throws bad_alloc
void unmap_pages(void* memory, std::size_t bytes) noexcept;  // all of what was mapped together
// Gives back the whole pages inside: what was there is lost, the addresses stay.
void drop_pages(void* memory, std::size_t bytes) noexcept;

class Pages {
public:
    Pages() = default;
    ~Pages();
    Pages(Pages&& other) noexcept;
    Pages& operator=(Pages&& other) noexcept;

    // To at least so many bytes. What is there stays, though perhaps elsewhere, and is not copied. Throws bad_alloc.
    void grow(std::size_t bytes);
    void shrink(std::size_t bytes);  // to no fewer than so many
    std::byte* data() const { return data_; }
    std::size_t size_bytes() const { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

// Allocator for vectors that become large and are filled once: from the system above some size, so that what is given
// back is free at once. Elements that resize() adds are not initialised if their type says nothing about it.
template <class T>
class PageAllocator : public std::allocator<T> {
public:
    template <class U>
    struct rebind {  // NOLINT(readability-identifier-naming): so the standard has it
        using other = PageAllocator<U>;  // NOLINT(readability-identifier-naming)
    };
    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        if (count < kLarge / sizeof(T)) return std::allocator<T>::allocate(count);
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(map_pages(count * sizeof(T)));
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        if (count < kLarge / sizeof(T)) return std::allocator<T>::deallocate(memory, count);
        unmap_pages(memory, count * sizeof(T));
    }
    template <class U>
    void construct(U* at) noexcept(noexcept(::new(static_cast<void*>(at)) U)) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        std::construct_at(at, std::forward<Args>(args)...);
    }

private:
    static constexpr std::size_t kLarge = std::size_t{4} << 20;
};

template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

}  // namespace core
