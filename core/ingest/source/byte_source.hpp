#pragma once
// The uncompressed bytes of a file in order. Detects gzip by its magic number, not by name;
// concatenated members read as one. Holds only a small input buffer.
//
// A truncated packed file yields everything before the break; only the next read fails. One thread
// at a time.

#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace core {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    // Returns the number of bytes written to the front of `to`; 0 at the end. Errors name the byte
    // in the file on disk.
    virtual Result<std::size_t> read(std::span<char> to) = 0;
    virtual std::uint64_t consumed() const = 0;  // bytes of the file on disk, for progress
};

enum class Inflater { Igzip, Zlib };

// Fails if the file isn't regular or readable.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path, Inflater inflater = Inflater::Igzip);

// Reads until `to` is full or the file ends; the next call reports an error after some bytes.
Result<std::size_t> read_fully(ByteSource& source, std::span<char> to);

}  // namespace core
