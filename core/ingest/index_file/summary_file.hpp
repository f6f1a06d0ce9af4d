#pragma once
// A run summary: one file for all ranks of a run, each packed by itself (thin_rank.hpp), so that one can be read alone.
// Native byte order, which the header identifies.
//
//   0     Header
//   256   table: one Entry per rank
//   …     answers of the run, then the ranks
//
// Never trusted: checksums, sizes and every column are checked. A damaged rank is left out and named; the others open.

#include "core/index/class_rules.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace core {

inline constexpr std::string_view kSummaryFileEnding = ".lockstep-summary";
inline constexpr std::string_view kSummaryFileName = "run.lockstep-summary";
bool is_summary_file(std::string_view file_name);

inline constexpr std::string_view kSummaryMagic = "lockstep run\r\n\x1a\n";
inline constexpr std::uint32_t kSummaryLayoutVersion = 2;
inline constexpr std::size_t kSummaryTableAt = 256;
inline constexpr std::uint32_t kMostSummaryRanks = 1U << 20;

struct SummaryPlace {
    std::uint64_t offset;
    std::uint64_t bytes;  // packed
    std::uint64_t raw_bytes;  // unpacked
    std::uint64_t checksum;  // of the packed bytes
};
struct SummaryEntry {
    SummaryPlace place;
    std::int32_t number;  // RankKey
    std::int32_t capture;
};
struct SummaryHeader {
    std::array<char, 16> magic;
    std::uint32_t endian;
    std::uint32_t layout_version;
    std::uint64_t file_bytes;
    std::uint32_t ranks;
    std::uint32_t reading_version;
    std::array<char, 32> program;  // version, padded with zeros
    std::uint64_t rules_hash;
    SummaryPlace answers;
    std::uint64_t table_checksum;
    std::uint64_t checksum;  // of the header, with this field 0
};
static_assert(sizeof(SummaryHeader) <= kSummaryTableAt);
std::uint64_t checksum_of(SummaryHeader);

// The first bytes of a summary; more of the file may follow.
bool begins_summary(std::string_view head);

// Its ranks' traces are for index_of_summary. NotFound, BadInput, Io: it cannot be opened at all.
Result<std::unique_ptr<TraceReader>> open_summary_file(const std::filesystem::path&, LoadProgress&);

// Ranks come in any order, from any thread; they are written in theirs, so that equal runs give equal files, and one
// that comes early is held until those before it are there. The file appears when all of it is there.
class SummaryWriter {
public:
    // ranks: how many add() will bring.
    static Result<std::unique_ptr<SummaryWriter>> create(const std::filesystem::path& file, std::size_t ranks);
    virtual ~SummaryWriter() = default;
    virtual void add(std::size_t rank, std::int32_t number, std::int32_t capture, std::string_view packed,
                     std::uint64_t raw_bytes) = 0;
    // answers: of the run. How large the file is.
    virtual Result<std::uint64_t> finish(std::string_view answers, const ClassRules& rules) = 0;
};

}  // namespace core
