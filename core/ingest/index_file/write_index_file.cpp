#include "core/base/platform/files.hpp"
#include "core/ingest/index_file/index_file.hpp"
#include "core/ingest/index_file/index_layout.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/store/assemble/pack_info.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>

namespace core {
namespace {

namespace fs = std::filesystem;
using namespace index_layout;

Error cannot_write(const std::error_code& error) { return {ErrorCode::Io, "cannot be written: " + error.message()}; }

// Kept from several threads; the first one stays.
class FirstError {
public:
    void set(const std::error_code& error) {
        if (!error) return;
        const std::lock_guard lock(mutex_);
        if (!any_.exchange(true)) error_ = error;
    }
    explicit operator bool() const { return any_; }
    std::error_code get() const {
        const std::lock_guard lock(mutex_);
        return error_;
    }

private:
    mutable std::mutex mutex_;
    std::atomic<bool> any_{false};
    std::error_code error_;
};

// At most 1 MiB of a section, from one or more parts.
struct Piece {
    std::size_t section;
    std::uint64_t offset;  // in the file
    std::vector<std::span<const std::byte>> parts;
};

void cut_pieces(const SectionParts& section, std::size_t number, std::uint64_t offset, std::vector<Piece>& pieces) {
    std::size_t room = 0;
    for (std::span<const std::byte> part : section.parts) {
        while (!part.empty()) {
            if (room == 0) {
                pieces.push_back({number, offset, {}});
                room = kPiece;
            }
            const std::span<const std::byte> taken = part.first(std::min(part.size(), room));
            pieces.back().parts.push_back(taken);
            part = part.subspan(taken.size());
            offset += taken.size();
            room -= taken.size();
        }
    }
}

class IndexWriter {
public:
    IndexWriter(const RankIndex& index, const SourceIdentity& source, const ClassRules& rules)
        : source_(source), rules_(rules) {
        const RankTrace& trace = index.trace();
        list_.add_all(trace.blob());
        index.collect_sections(list_);
        list_.give(section::kFacts, pack_info(trace.info, trace.diagnostics));
        list_.add(section::kMetadata, std::span<const char>(trace.info.metadata_json));
        lay_out();
    }

    // operation_canceled if cancelled.
    std::error_code write(const OpenFile& file, const JobContext& job) {
        if (const std::error_code error = file.resize(file_bytes_)) return error;
        std::vector<std::uint64_t> sums(pieces_.size());
        FirstError trouble;
        job.parallel_for(pieces_.size(), [&](std::size_t i) {
            if (job.checkpoint()) trouble.set(std::make_error_code(std::errc::operation_canceled));
            if (!trouble) trouble.set(write_piece(file, pieces_[i], sums[i]));
        });
        if (trouble) return trouble.get();
        sum_sections(sums);
        if (const std::error_code error = file.write_at(kTableAt, std::as_bytes(std::span(table_)))) return error;
        const Header header = make_header();
        return file.write_at(0, std::as_bytes(std::span(&header, 1)));
    }
    std::uint64_t file_bytes() const { return file_bytes_; }
    std::uint64_t table_checksum() const { return checksum(std::as_bytes(std::span(table_))); }

private:
    void lay_out() {
        std::vector<const SectionParts*> by_id;
        for (const SectionParts& section : list_.sections()) by_id.push_back(&section);
        std::ranges::sort(by_id, {}, &SectionParts::id);
        std::uint64_t offset = aligned_to_section(kTableAt + by_id.size() * sizeof(Entry));
        for (const SectionParts* const section : by_id) {
            const std::uint64_t bytes = section->bytes();
            cut_pieces(*section, table_.size(), offset, pieces_);
            table_.push_back({.id = section->id,
                              .element_bytes = section->element_bytes,
                              .offset = offset,
                              .bytes = bytes,
                              .checksum = 0});
            offset = aligned_to_section(offset + bytes);
        }
        file_bytes_ = offset;
    }
    static std::error_code write_piece(const OpenFile& file, const Piece& piece, std::uint64_t& sum) {
        if (piece.parts.size() == 1) {
            sum = checksum(piece.parts.front());
            return file.write_at(piece.offset, piece.parts.front());
        }
        std::vector<std::byte> gathered;
        for (const std::span<const std::byte> part : piece.parts)
            gathered.insert(gathered.end(), part.begin(), part.end());
        sum = checksum(gathered);
        return file.write_at(piece.offset, gathered);
    }
    void sum_sections(std::span<const std::uint64_t> sums) {
        for (Entry& entry : table_) {
            const std::size_t count = pieces_of(entry.bytes);
            entry.checksum = checksum(std::as_bytes(sums.first(count)));
            sums = sums.subspan(count);
        }
    }
    Header make_header() const {
        Header header{};
        header.magic = kMagic;
        header.endian = kThisEndian;
        header.layout_version = kLayoutVersion;
        header.file_bytes = file_bytes_;
        header.sections = static_cast<std::uint32_t>(table_.size());
        header.reading_version = kReadingVersion;
        header.program = this_program();
        header.source = source_;
        header.rules_hash = rules_.hash();
        header.table_checksum = table_checksum();
        header.checksum = checksum_of(header);
        return header;
    }

    const SourceIdentity& source_;
    const ClassRules& rules_;
    SectionList list_;
    std::vector<Entry> table_;
    std::vector<Piece> pieces_;
    std::uint64_t file_bytes_ = 0;
};

}  // namespace

Result<std::uint64_t> write_index_file(const fs::path& file, const RankIndex& index, const SourceIdentity& source,
                                       const ClassRules& rules, bool flushed, const JobContext& job) {
    const fs::path temporary = temporary_name(file);
    IndexWriter writer(index, source, rules);
    std::error_code trouble;
    {
        const OpenFile to(temporary, OpenFor::Creating, trouble);
        if (trouble) return cannot_write(trouble);
        trouble = writer.write(to, job);
        if (!trouble && flushed) trouble = to.flush_to_disk();
        if (!trouble) certify(to, writer.table_checksum());
    }
    if (!trouble) fs::rename(temporary, file, trouble);
    if (trouble) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
    }
    if (trouble == std::errc::operation_canceled) return cancelled_error();
    if (trouble) return cannot_write(trouble);
    if (flushed) trouble = flush_folder_to_disk(file.parent_path());
    if (trouble) return cannot_write(trouble);
    return writer.file_bytes();
}

}  // namespace core
