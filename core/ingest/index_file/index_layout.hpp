#pragma once
// Layout of an index file on disk, for writing and opening. Numbers are in native byte order, which
// the header identifies.
//
//   0     Header
//   256   Certificate (index_file.hpp says what it is good for)
//   512   table: one Entry per section, ids rising
//   …     sections, each 64-byte aligned
//
// A section's checksum is that of the checksums of its pieces of 1 MiB, so that several threads can share a large one.
// To change what a section holds, give it a new number; to change how the file lies, or what no older file can go
// without, raise kLayoutVersion; to change
// what a reader makes of the same trace, raise kReadingVersion.

#include "core/base/checksum.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/index_file/index_file.hpp"

#include <array>
#include <string_view>

namespace core::index_layout {

inline constexpr std::array<char, 16> kMagic = {'l', 'o', 'c', 'k', 's', 't', 'e',  'p',
                                                ' ', 'i', 'n', 'd', 'e', 'x', '\r', '\n'};
inline constexpr std::uint32_t kThisEndian = 0x01020304;
inline constexpr std::uint32_t kLayoutVersion = 4;
inline constexpr std::uint32_t kReadingVersion = 20;
inline constexpr std::uint32_t kMostSections = 4096;
inline constexpr std::size_t kPiece = std::size_t{1} << 20;
inline constexpr std::size_t kCertificateAt = 256;
inline constexpr std::size_t kTableAt = 512;

struct Header {
    std::array<char, 16> magic;
    std::uint32_t endian;
    std::uint32_t layout_version;
    std::uint64_t file_bytes;
    std::uint32_t sections;
    std::uint32_t reading_version;
    std::array<char, 32> program;    // version, padded with zeros
    SourceIdentity source;
    std::uint64_t rules_hash;        // class rules of the dependent sections
    std::uint64_t table_checksum;
    std::uint64_t checksum;          // of the header, with this field 0
};
static_assert(sizeof(Header) <= kCertificateAt);

struct Certificate {
    std::uint64_t boot;
    std::uint64_t device;
    std::uint64_t inode;
    std::int64_t mtime_ns;
    std::uint64_t table_checksum;
    std::uint64_t checksum;          // of the certificate, with this field 0
    bool operator==(const Certificate&) const = default;
};
static_assert(kCertificateAt + sizeof(Certificate) <= kTableAt);

struct Entry {
    std::uint32_t id;
    std::uint32_t element_bytes;
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t checksum;
};

std::uint64_t checksum_of(Header header);
std::uint64_t checksum_of(Certificate certificate);
inline std::size_t pieces_of(std::uint64_t bytes) { return static_cast<std::size_t>((bytes + kPiece - 1) / kPiece); }

std::array<char, 32> this_program();
// The certificate for a file with this status; nullopt if the system doesn't distinguish boots.
std::optional<Certificate> certificate_for(const FileStatus& status, std::uint64_t table_checksum);

// Writes the certificate of an open file and sets a modification time that no later change can
// leave.
void certify(const OpenFile& file, std::uint64_t table_checksum);

}  // namespace core::index_layout
