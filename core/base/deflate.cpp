#include "core/base/deflate.hpp"

#include <zlib.h>

#include <new>

namespace core {

std::string deflate_bytes(std::span<const std::byte> raw, int level) {
    std::string packed(::compressBound(static_cast<uLong>(raw.size())), '\0');
    auto size = static_cast<uLongf>(packed.size());
    const int status = ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                                   reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()), level);
    if (status != Z_OK) throw std::bad_alloc();
    packed.resize(size);
    return packed;
}

bool inflate_bytes(std::span<const std::byte> packed, std::span<std::byte> raw) {
    auto size = static_cast<uLongf>(raw.size());
    const int status = ::uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                                    reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
    return status == Z_OK && size == raw.size();
}

}  // namespace core
