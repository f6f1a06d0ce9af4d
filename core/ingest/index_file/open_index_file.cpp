#include "core/base/platform/files.hpp"
#include "core/base/platform/mapped_file.hpp"
#include "core/ingest/index_file/index_file.hpp"
#include "core/ingest/index_file/index_layout.hpp"
#include "core/store/assemble/pack_info.hpp"
#include "core/store/check_trace.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>

namespace core {
namespace {

namespace fs = std::filesystem;
using namespace index_layout;

constexpr std::size_t kEndBytes = std::size_t{64} << 10;
// Below, a file is read: a mapping costs a page and one of the few mappings that a process may have.
constexpr std::uint64_t kWorthMapping = std::uint64_t{32} << 10;
constexpr std::uint64_t kMostRead = std::uint64_t{64} << 20;  // where no mapping is left

Error unusable(std::string_view why) { return {ErrorCode::BadInput, std::string(why)}; }
Error system_error(std::string_view doing, const std::error_code& error) {
    const bool is_gone = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
    return {is_gone ? ErrorCode::NotFound : ErrorCode::Io, std::string(doing) + ": " + error.message()};
}

template <class T>
std::error_code read_at(const OpenFile& file, std::uint64_t offset, T& to) {
    return file.read_at(offset, std::as_writable_bytes(std::span(&to, 1)));
}

// Whether a file that was written to is still the one that was mapped: Lockstep renews certificates in place. A
// certificate is written before the time it names is set, so it is given a moment.
bool is_same_index(const fs::path& path, const FileStatus& mapped, const Header& header) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        const OpenFile file(path, OpenFor::Reading);
        std::error_code error;
        const std::optional<FileStatus> now = file.status(error);
        Header found{};
        Certificate certificate{};
        const bool same = now && now->is_same_file(mapped) && now->bytes == mapped.bytes && !read_at(file, 0, found) &&
                          std::memcmp(&found, &header, sizeof found) == 0 &&
                          !read_at(file, kCertificateAt, certificate);
        if (!same) return false;
        if (certificate_for(*now, header.table_checksum) == certificate) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return false;
}

class IndexOpener {
public:
    IndexOpener(const fs::path& path, const JobContext& job)
        : path_(path), job_(job), file_(path, OpenFor::Reading, opened_) {}

    Result<OpenedIndex> open(const fs::path& trace, const std::optional<SourceIdentity>& source,
                             const ClassRules& rules, IndexCheck check);

private:
    using Checked = Result<bool>;  // true, or the error
    Checked read_header();
    Checked read_table();
    std::error_code read_whole();
    Checked read_sections();
    Checked check_source(const std::optional<SourceIdentity>& source) const;
    bool is_certified() const;
    Checked check_content() const;
    void certify_again() const;
    Result<RankTracePtr> build_trace(const fs::path& trace) const;

    const fs::path& path_;
    const JobContext& job_;
    std::error_code opened_;  // before the file
    OpenFile file_;
    FileStatus status_;
    Header header_{};
    std::vector<Entry> table_;
    std::shared_ptr<const std::byte> memory_;
    Blob blob_;        // all sections
    Blob trace_blob_;  // sections of the columns
};

IndexOpener::Checked IndexOpener::read_header() {
    if (!file_) return system_error("cannot be opened", opened_);
    std::error_code error;
    const std::optional<FileStatus> status = file_.status(error);
    if (!status) return system_error("cannot be read", error);
    status_ = *status;
    if (!status_.is_regular()) return unusable("is not a file");
    const std::uint64_t bytes = status_.bytes;
    if (bytes < kTableAt || read_at(file_, 0, header_) || header_.magic != kMagic) return unusable("no index file");
    if (header_.endian != kThisEndian) return unusable("written on a machine with another byte order");
    if (header_.layout_version != kLayoutVersion)
        return unusable("of layout " + std::to_string(header_.layout_version) + ", not " +
                        std::to_string(kLayoutVersion));
    if (header_.checksum != checksum_of(header_)) return unusable("its header is damaged");
    if (header_.file_bytes != bytes)
        return unusable("has " + std::to_string(bytes) + " bytes, not " + std::to_string(header_.file_bytes));
    return true;
}

IndexOpener::Checked IndexOpener::read_table() {
    const std::uint64_t end = kTableAt + header_.sections * sizeof(Entry);
    if (header_.sections > kMostSections || end > header_.file_bytes) return unusable("its table is too long");
    table_.resize(header_.sections);
    if (const std::error_code error = file_.read_at(kTableAt, std::as_writable_bytes(std::span(table_))))
        return system_error("cannot be read", error);
    if (checksum(std::as_bytes(std::span(table_))) != header_.table_checksum) return unusable("its table is damaged");
    for (std::size_t i = 0; i < table_.size(); ++i) {
        const Entry& entry = table_[i];
        const bool inside = entry.offset >= end && entry.offset <= header_.file_bytes &&
                            entry.bytes <= header_.file_bytes - entry.offset;
        const bool whole = entry.element_bytes > 0 && entry.bytes % entry.element_bytes == 0;
        const bool rises = i == 0 || table_[i - 1].id < entry.id;
        if (!inside || !whole || !rises || entry.offset % kSectionAlignment != 0)
            return unusable("its section " + std::to_string(entry.id) + " is out of place");
    }
    return true;
}

// Aligned as sections are. What changes meanwhile is found by the certificate or the checksums, as in a mapping.
std::error_code IndexOpener::read_whole() {
    constexpr std::align_val_t kAlignment{kSectionAlignment};
    auto* const bytes = static_cast<std::byte*>(::operator new(header_.file_bytes, kAlignment));
    memory_ = {bytes, [](const std::byte* from) { ::operator delete(const_cast<std::byte*>(from), kAlignment); }};
    return file_.read_at(0, {bytes, header_.file_bytes});
}

IndexOpener::Checked IndexOpener::read_sections() {
    const bool is_small = header_.file_bytes < kWorthMapping;
    std::error_code error;
    if (!is_small)
        memory_ = map_file(file_, header_.file_bytes, error, [path = path_, status = status_, header = header_] {
            return is_same_index(path, status, header);
        });
    const bool must_read =
        is_small || (!memory_ && error == std::errc::not_enough_memory && header_.file_bytes <= kMostRead);
    if (must_read) error = read_whole();
    if (error) return system_error(must_read ? "cannot be read" : "cannot be mapped", error);
    std::vector<BlobSection> all, of_trace;
    for (const Entry& entry : table_) {
        all.push_back({entry.id, entry.element_bytes, entry.offset, entry.bytes});
        if (section::is_of_trace(entry.id)) of_trace.push_back(all.back());
    }
    blob_ = Blob(memory_, std::move(all));
    trace_blob_ = Blob(memory_, std::move(of_trace));
    return true;
}

IndexOpener::Checked IndexOpener::check_source(const std::optional<SourceIdentity>& source) const {
    if (!source) return true;
    if (header_.source != *source) return unusable("made from an older version of the trace");
    if (header_.program != this_program() || header_.reading_version != kReadingVersion)
        return unusable("written by another version of Lockstep");
    return true;
}

bool IndexOpener::is_certified() const {
    std::error_code error;
    const std::optional<FileStatus> status = file_.status(error);  // as it is now that changes are watched
    // A user who may write the file can write a certificate, too: one of another user proves nothing.
    if (!status || status->bytes != status_.bytes || !status->is_own) return false;
    const std::optional<Certificate> now = certificate_for(*status, header_.table_checksum);
    Certificate found{};
    return now && !read_at(file_, kCertificateAt, found) && found == *now;
}

IndexOpener::Checked IndexOpener::check_content() const {
    struct Piece {
        const Entry* entry;
        std::size_t number;
    };
    std::vector<Piece> pieces;
    for (const Entry& entry : table_) {
        for (std::size_t i = 0; i < pieces_of(entry.bytes); ++i) pieces.push_back({&entry, i});
    }
    std::vector<std::uint64_t> sums(pieces.size());
    job_.parallel_for(pieces.size(), [&](std::size_t i) {
        if (job_.checkpoint()) return;
        const std::uint64_t begin = pieces[i].number * kPiece;
        const std::uint64_t size = std::min<std::uint64_t>(kPiece, pieces[i].entry->bytes - begin);
        sums[i] = checksum({memory_.get() + pieces[i].entry->offset + begin, size});
    });
    if (job_.checkpoint()) return cancelled_error();
    std::span<const std::uint64_t> rest(sums);
    for (const Entry& entry : table_) {
        const std::size_t count = pieces_of(entry.bytes);
        if (checksum(std::as_bytes(rest.first(count))) != entry.checksum)
            return unusable("its section " + std::to_string(entry.id) + " is damaged");
        rest = rest.subspan(count);
    }
    const std::string fault = find_trace_fault(trace_blob_);
    return fault.empty() ? Checked(true) : unusable("holds what no trace has: " + fault);
}

// Certifies if the file is unchanged and writable; otherwise the next open checks again.
void IndexOpener::certify_again() const {
    const OpenFile file(path_, OpenFor::Changing);
    std::error_code error;
    const std::optional<FileStatus> now = file.status(error);
    const bool same =
        now && now->is_same_file(status_) && now->written_ns == status_.written_ns && now->bytes == status_.bytes;
    if (same) certify(file, header_.table_checksum);
}

Result<RankTracePtr> IndexOpener::build_trace(const fs::path& trace) const {
    RankInfo info;
    Diagnostics diagnostics;
    if (!unpack_info(blob_.section<std::byte>(section::kFacts), info, diagnostics))
        return unusable("its rank information cannot be read");
    const auto metadata = blob_.section<char>(section::kMetadata);
    info.metadata_json.assign(metadata.data(), metadata.size());
    info.path = trace;
    return RankTracePtr(std::make_shared<const RankTrace>(trace_blob_, std::move(info), std::move(diagnostics)));
}

Result<OpenedIndex> IndexOpener::open(const fs::path& trace, const std::optional<SourceIdentity>& source,
                                      const ClassRules& rules, IndexCheck check) {
    for (const auto step : {&IndexOpener::read_header, &IndexOpener::read_table, &IndexOpener::read_sections}) {
        if (Checked done = (this->*step)(); !done) return std::move(done).error();
    }
    if (Checked current = check_source(source); !current) return std::move(current).error();
    const bool certified = check == IndexCheck::AsCertified && is_certified();
    if (!certified) {
        if (Checked sound = check_content(); !sound) return std::move(sound).error();
    }
    Result<RankTracePtr> rank = build_trace(trace);
    if (!rank) return std::move(rank).error();
    OpenedIndex opened;
    opened.other_program = header_.program != this_program() || header_.reading_version != kReadingVersion;
    const bool same_rules = header_.rules_hash == rules.hash();
    if (same_rules) opened.index = RankIndex::from_sections(*rank, blob_);
    if (opened.index && !certified && opened.index->has_fault()) opened.index = nullptr;
    if (!opened.index) {
        opened.rebuilt = same_rules ? "lacks a part that this version has" : "made with different kernel class rules";
        opened.index = std::make_shared<const RankIndex>(*rank, rules, job_);
    }
    // Rebuilt parts were faulty, or are of other rules and were not checked: the file stays uncertified.
    if (!certified && opened.rebuilt.empty()) certify_again();
    ask_for_notice(memory_.get(), file_);
    return opened;
}

}  // namespace

Result<SourceIdentity> identify_source(const fs::path& path) {
    std::error_code error;
    const OpenFile file(path, OpenFor::Reading, error);
    const std::optional<FileStatus> status = file ? file.status(error) : std::nullopt;
    if (!status) return system_error("cannot be opened", error);
    if (!status->is_regular()) return unusable("is not a file");
    const auto end_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(status->bytes, kEndBytes));
    std::vector<std::byte> ends(2 * end_bytes);
    error = file.read_at(0, std::span(ends).first(end_bytes));
    if (!error) error = file.read_at(status->bytes - end_bytes, std::span(ends).last(end_bytes));
    if (error) return system_error("cannot be read", error);
    return SourceIdentity{.bytes = status->bytes, .mtime_ns = status->written_ns, .ends_hash = checksum(ends)};
}

Result<OpenedIndex> open_index_file(const fs::path& file, const fs::path& trace,
                                    const std::optional<SourceIdentity>& source, const ClassRules& rules,
                                    const JobContext& job, IndexCheck check) {
    return IndexOpener(file, job).open(trace, source, rules, check);
}

}  // namespace core
