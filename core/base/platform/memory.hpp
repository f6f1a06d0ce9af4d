#pragma once
// Memory of the system for core/base/pages.hpp, which owns it. Sizes are whole pages where nothing else is said.

#include <cstddef>

namespace core {

// `bytes` in whole pages. Throws bad_alloc if there can be no such size.
std::size_t round_up_to_pages(std::size_t bytes);

// Zero until it is written, resident only where it was written, on large pages where it can hold some. Any size. Throws
// bad_alloc.
void* map_memory(std::size_t bytes);
void release_memory(void* memory, std::size_t bytes) noexcept;  // all of what was mapped together, of any size
// Keeps the content, perhaps at another address; Linux does not copy it. Throws bad_alloc.
void* grow_memory(void* memory, std::size_t from_bytes, std::size_t to_bytes);
void shrink_memory(void* memory, std::size_t from_bytes, std::size_t to_bytes) noexcept;  // to 0: releases it
// Gives back the whole pages inside a part of any size: what was there is lost, the addresses stay.
void drop_memory(void* memory, std::size_t bytes) noexcept;
// Gives back what the heap keeps of memory that is free again, where the system's heap can: after much of it was needed
// for a while. May take some milliseconds.
void give_back_free_memory() noexcept;

}  // namespace core
