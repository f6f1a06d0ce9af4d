#pragma once
// Changed run summaries for tests and fuzzers that claim to be intact.

#include "core/base/checksum.hpp"
#include "core/ingest/index_file/index_layout.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"

namespace core::testing {

inline void put_at(std::string& bytes, std::size_t at, const auto& value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

inline void seal_place(const std::string& bytes, SummaryPlace& place) {
    if (place.offset > bytes.size() || place.bytes > bytes.size() - place.offset) return;
    const std::string_view packed = std::string_view(bytes).substr(place.offset, place.bytes);
    place.checksum = checksum(std::as_bytes(std::span(packed)));
}

// Corrects every checksum, as a forger would.
inline void seal_summary(std::string& bytes) {
    if (bytes.size() < kSummaryTableAt) return;
    auto header = value_at<SummaryHeader>(bytes, 0);
    std::ranges::copy(kSummaryMagic, header.magic.begin());
    header.endian = index_layout::kThisEndian;
    header.layout_version = kSummaryLayoutVersion;
    header.reading_version = index_layout::kReadingVersion;
    header.program = index_layout::this_program();
    header.rules_hash = ClassRules::standard().hash();
    header.file_bytes = bytes.size();
    const std::size_t room = (bytes.size() - kSummaryTableAt) / sizeof(SummaryEntry);
    header.ranks = static_cast<std::uint32_t>(std::min<std::size_t>(header.ranks, room));
    for (std::uint32_t i = 0; i < header.ranks; ++i) {
        const std::size_t at = kSummaryTableAt + i * sizeof(SummaryEntry);
        auto entry = value_at<SummaryEntry>(bytes, at);
        seal_place(bytes, entry.place);
        put_at(bytes, at, entry);
    }
    seal_place(bytes, header.answers);
    const std::string_view table = std::string_view(bytes).substr(kSummaryTableAt, header.ranks * sizeof(SummaryEntry));
    header.table_checksum = checksum(std::as_bytes(std::span(table)));
    header.checksum = checksum_of(header);
    put_at(bytes, 0, header);
}

}  // namespace core::testing
