#include "core/base/checksum.hpp"
#include "core/base/output_file.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/index_file/index_layout.hpp"
#include "core/ingest/index_file/pack_sections.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace core {
namespace {

class SummaryFileWriter final : public SummaryWriter {
public:
    SummaryFileWriter(OutputFile output, OpenFile file, std::size_t ranks)
        : output_(std::move(output)),
          file_(std::move(file)),
          table_(ranks),
          end_(kSummaryTableAt + ranks * sizeof(SummaryEntry)) {}

    void add(std::size_t rank, std::int32_t number, std::int32_t capture, std::string_view packed,
             std::uint64_t raw_bytes) override {
        const std::lock_guard lock(adding_);
        if (rank != next_) {
            early_.emplace(rank, Early{number, capture, std::string(packed), raw_bytes});
            return;
        }
        write_rank(number, capture, packed, raw_bytes);
        for (auto early = early_.find(next_); early != early_.end(); early = early_.find(next_)) {
            const Early& one = early->second;
            write_rank(one.number, one.capture, one.packed, one.raw_bytes);
            early_.erase(early);
        }
    }

    Result<std::uint64_t> finish(std::string_view answers, const ClassRules& rules) override {
        SectionList list;
        list.add(section::kSummaryRun, std::span<const char>(answers));
        const PackedSections packed = pack_sections(list);
        SummaryHeader header{};
        std::ranges::copy(kSummaryMagic, header.magic.begin());
        header.endian = index_layout::kThisEndian;
        header.layout_version = kSummaryLayoutVersion;
        header.ranks = static_cast<std::uint32_t>(table_.size());
        header.reading_version = index_layout::kReadingVersion;
        header.program = index_layout::this_program();
        header.rules_hash = rules.hash();
        header.answers = put(packed.bytes, packed.raw_bytes);
        header.file_bytes = end_;
        const auto table = std::as_bytes(std::span(table_));
        header.table_checksum = checksum(table);
        header.checksum = checksum_of(header);
        write_at(kSummaryTableAt, table);
        write_at(0, std::as_bytes(std::span(&header, 1)));
        if (!trouble_) trouble_ = file_.flush_to_disk();
        if (trouble_) return Error{ErrorCode::Io, "cannot be written: " + trouble_.message()};
        if (Result<std::uint64_t> done = output_.commit(); !done) return done;
        return header.file_bytes;
    }

private:
    struct Early {
        std::int32_t number = 0;
        std::int32_t capture = 0;
        std::string packed;
        std::uint64_t raw_bytes = 0;
    };

    void write_rank(std::int32_t number, std::int32_t capture, std::string_view packed, std::uint64_t raw_bytes) {
        table_[next_++] = {.place = put(packed, raw_bytes), .number = number, .capture = capture};
    }

    SummaryPlace put(std::string_view packed, std::uint64_t raw_bytes) {
        const auto bytes = std::as_bytes(std::span(packed));
        const std::uint64_t offset = std::exchange(end_, end_ + packed.size());
        write_at(offset, bytes);
        return {.offset = offset, .bytes = packed.size(), .raw_bytes = raw_bytes, .checksum = checksum(bytes)};
    }

    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
        const std::error_code error = file_.write_at(offset, bytes);
        if (error && !trouble_) trouble_ = error;
    }

    OutputFile output_;
    OpenFile file_;
    std::mutex adding_;  // of what follows
    std::vector<SummaryEntry> table_;
    std::size_t next_ = 0;  // rank
    std::map<std::size_t, Early> early_;  // by rank
    std::uint64_t end_;
    std::error_code trouble_;
};

}  // namespace

Result<std::unique_ptr<SummaryWriter>> SummaryWriter::create(const std::filesystem::path& file, std::size_t ranks) {
    if (ranks == 0 || ranks > kMostSummaryRanks) return Error{ErrorCode::BadInput, "has no ranks to write"};
    Result<OutputFile> output = OutputFile::create(file);
    if (!output) return std::move(output).error();
    const std::filesystem::path by_name = output->uncommitted_path();
    if (by_name.empty()) return Error{ErrorCode::BadInput, file.string() + ": a run summary needs a regular file"};
    std::error_code error;
    OpenFile to(by_name, OpenFor::Changing, error);
    if (!to) return Error{ErrorCode::Io, file.string() + ": cannot be written: " + error.message()};
    std::unique_ptr<SummaryWriter> writer =
        std::make_unique<SummaryFileWriter>(std::move(*output), std::move(to), ranks);
    return writer;
}

}  // namespace core
