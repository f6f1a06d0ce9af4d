#include "core/ingest/index_file/index_file.hpp"
#include "core/ingest/index_file/index_layout.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/source/open_file.hpp"
#include "core/store/build/pack_info.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace core {
namespace {

namespace fs = std::filesystem;
using namespace index_layout;

Error cannot_write(int number) { return {ErrorCode::Io, std::string("cannot be written: ") + std::strerror(number)}; }

// Returns 0 or errno.
int write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? errno : ENOSPC;
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return 0;
}

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

    // Returns 0 or errno; ECANCELED if cancelled.
    int write(int file, const JobContext& job) {
        if (::ftruncate(file, static_cast<off_t>(file_bytes_)) != 0) return errno;
        std::vector<std::uint64_t> sums(pieces_.size());
        std::atomic<int> trouble{0};
        job.share(pieces_.size(), [&](std::size_t i) {
            if (job.checkpoint()) trouble = ECANCELED;
            if (trouble != 0) return;
            if (const int number = write_piece(file, pieces_[i], sums[i]); number != 0) trouble = number;
        });
        if (trouble != 0) return trouble;
        sum_sections(sums);
        if (const int number = write_at(file, kTableAt, std::as_bytes(std::span(table_))); number != 0) return number;
        const Header header = make_header();
        return write_at(file, 0, std::as_bytes(std::span(&header, 1)));
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
    static int write_piece(int file, const Piece& piece, std::uint64_t& sum) {
        if (piece.parts.size() == 1) {
            sum = checksum(piece.parts.front());
            return write_at(file, piece.offset, piece.parts.front());
        }
        std::vector<std::byte> gathered;
        for (const std::span<const std::byte> part : piece.parts)
            gathered.insert(gathered.end(), part.begin(), part.end());
        sum = checksum(gathered);
        return write_at(file, piece.offset, gathered);
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

bool flush_folder(const fs::path& folder) {
    const OpenFile file(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
    return file && ::fsync(file.get()) == 0;
}

}  // namespace

Result<std::uint64_t> write_index_file(const fs::path& file, const RankIndex& index, const SourceIdentity& source,
                                       const ClassRules& rules, bool flushed, const JobContext& job) {
    const fs::path temporary = temporary_name(file);
    IndexWriter writer(index, source, rules);
    int trouble = 0;
    {
        const OpenFile to(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (!to) return cannot_write(errno);
        trouble = writer.write(to.get(), job);
        if (trouble == 0 && flushed && ::fsync(to.get()) != 0) trouble = errno;
        if (trouble == 0) certify(to.get(), writer.table_checksum());
    }
    if (trouble == 0 && ::rename(temporary.c_str(), file.c_str()) != 0) trouble = errno;
    if (trouble != 0) ::unlink(temporary.c_str());
    if (trouble == ECANCELED) return cancelled_error();
    if (trouble != 0) return cannot_write(trouble);
    if (flushed && !flush_folder(file.parent_path())) return cannot_write(errno);
    return writer.file_bytes();
}

}  // namespace core
