#pragma once
// Memory straight from the system, in whole pages: zero until it is written, resident only where it was written.

#include <cstddef>

namespace core {

class Pages {
public:
    Pages() = default;
    ~Pages();
    Pages(Pages&& other) noexcept;
    Pages& operator=(Pages&& other) noexcept;

    // To at least so many bytes. What is there stays, though perhaps elsewhere, and is not copied. Throws bad_alloc.
    void grow(std::size_t bytes);
    std::byte* data() const { return data_; }
    std::size_t size_bytes() const { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace core
