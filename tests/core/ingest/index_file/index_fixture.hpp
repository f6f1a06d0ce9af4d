#pragma once
// Index files for tests and fuzzers: their contents, and changed files that claim to be intact.

#include "core/ingest/index_file/index_layout.hpp"
#include "core/store/assemble/pack_info.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace core::testing {

// All contents of an index file: sections by number, as bytes.
inline std::map<std::uint32_t, std::string> content_of(const RankIndex& index) {
    SectionList list;
    list.add_all(index.trace().blob());
    index.collect_sections(list);
    std::map<std::uint32_t, std::string> content;
    for (const SectionParts& section : list.sections()) {
        std::string bytes;
        for (const std::span<const std::byte> part : section.parts)
            bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
        content[section.id] = std::move(bytes);
    }
    RankInfo info = index.trace().info;
    info.path.clear();
    const std::vector<std::byte> facts = pack_info(info, index.trace().diagnostics);
    content[0] = {reinterpret_cast<const char*>(facts.data()), facts.size()};
    content[1'000'000] = info.metadata_json;
    return content;
}

inline std::string read_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
T value_at(std::string_view bytes, std::size_t at) {
    T value{};
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

// Corrects every checksum, as a forger would.
inline void seal(std::string& bytes) {
    using namespace index_layout;
    if (bytes.size() < kTableAt) return;
    auto header = value_at<Header>(bytes, 0);
    header.magic = kMagic;
    header.endian = kThisEndian;
    header.layout_version = kLayoutVersion;
    header.file_bytes = bytes.size();
    const std::size_t room = (bytes.size() - kTableAt) / sizeof(Entry);
    header.sections = static_cast<std::uint32_t>(std::min<std::size_t>(header.sections, room));
    for (std::uint32_t i = 0; i < header.sections; ++i) {
        const std::size_t at = kTableAt + i * sizeof(Entry);
        auto entry = value_at<Entry>(bytes, at);
        if (entry.offset > bytes.size() || entry.bytes > bytes.size() - entry.offset) continue;
        std::vector<std::uint64_t> sums;
        for (std::size_t piece = 0; piece < pieces_of(entry.bytes); ++piece) {
            const std::string_view rest = std::string_view(bytes).substr(entry.offset, entry.bytes);
            sums.push_back(checksum(std::as_bytes(std::span(rest.substr(piece * kPiece, kPiece)))));
        }
        entry.checksum = checksum(std::as_bytes(std::span(sums)));
        std::memcpy(bytes.data() + at, &entry, sizeof entry);
    }
    const std::string_view table(bytes.data() + kTableAt, header.sections * sizeof(Entry));
    header.table_checksum = checksum(std::as_bytes(std::span(table)));
    header.checksum = checksum_of(header);
    std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace core::testing
