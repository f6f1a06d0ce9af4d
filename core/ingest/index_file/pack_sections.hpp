#pragma once
// Sections of one rank as few bytes: differences of neighbouring elements, byte by byte, deflated together. Unpacking
// never trusts: sizes are bounded by what deflate can make of the packed bytes, and anything else is refused.

#include "core/base/result.hpp"
#include "core/store/blob.hpp"

#include <cstdint>
#include <string>

namespace core {

struct PackedSections {
    std::string bytes;
    std::uint64_t raw_bytes = 0;  // unpacked
};
PackedSections pack_sections(const SectionList&);
// In memory, each aligned as in a Blob, which any choice of them makes.
struct UnpackedSections {
    std::shared_ptr<const std::byte> memory;
    std::vector<BlobSection> sections;  // by id
    Blob all() const { return {memory, sections}; }
};
// BadInput: not made by pack_sections, or of another size.
Result<UnpackedSections> unpack_sections(std::span<const std::byte> packed, std::uint64_t raw_bytes);

Blob copy_to_blob(const SectionList&);

}  // namespace core
