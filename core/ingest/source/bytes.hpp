#pragma once
// The uncompressed bytes of a file, in order, whatever it is packed with. Gzip is told by its magic, not by the
// name; members one after another are read as one. Nothing is held beyond a small input buffer.
//
// A packed file that breaks off gives everything before the break; only the next read fails.
// One thread at a time.

#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace core {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    // How many bytes were put at the front of `to`; 0 at the end. Errors name the byte in the file on disk.
    virtual Result<std::size_t> read(std::span<char> to) = 0;
    virtual std::uint64_t consumed() const = 0;  // bytes of the file on disk, for progress
};

enum class Inflater { Igzip, Zlib };

// Fails for what is no regular file or may not be read.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path, Inflater inflater = Inflater::Igzip);

// Reads until `to` is full or the end comes; an error after some bytes is kept for the next call.
Result<std::size_t> read_fully(ByteSource& source, std::span<char> to);

}  // namespace core
