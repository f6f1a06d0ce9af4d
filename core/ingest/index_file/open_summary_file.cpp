#include "core/base/checksum.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/index_file/index_layout.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/index_file/thin_rank.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>

namespace core {
namespace {

Error unusable_summary(std::string_view why) { return {ErrorCode::BadInput, "run summary: " + std::string(why)}; }

bool read_all_at(const OpenFile& file, std::uint64_t offset, std::span<std::byte> to) {
    return !file.read_at(offset, to);
}

std::string text_of(const std::array<char, 32>& padded) {
    return {padded.data(), static_cast<std::size_t>(std::ranges::find(padded, '\0') - padded.begin())};
}

class SummaryReader final : public TraceReader {
public:
    SummaryReader(std::filesystem::path path, LoadProgress& progress)
        : path_(std::move(path)), progress_(progress), file_(path_, OpenFor::Reading, error_) {}

    Result<bool> open() {
        if (Result<bool> read = read_header(); !read) return read;
        if (Result<bool> read = read_table(); !read) return read;
        if (Result<bool> read = read_answers(); !read) return read;
        traces_.resize(table_.size());
        faults_.resize(table_.size());
        return true;
    }

    void work(const JobContext& job) override {
        {
            const std::lock_guard lock(mutex_);
            ++working_;
        }
        for (std::size_t i = next_++; i < table_.size() && !job.checkpoint(); i = next_++) {
            try {
                read_rank(i);
            } catch (const std::exception& exception) {
                faults_[i] = reader_error(exception).message;
            }
        }
        const std::lock_guard lock(mutex_);
        if (--working_ == 0) rest_.notify_all();
    }

    Result<RankTracePtr> finish(const JobContext& job) override { return only_rank(finish_ranks(job)); }

    Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& job) override {
        {
            std::unique_lock lock(mutex_);
            rest_.wait(lock, [&] { return working_ == 0; });
        }
        if (job.cancelled()) return cancelled_error();
        std::vector<RankTracePtr> ranks;
        Diagnostics damaged;
        for (std::size_t i = 0; i < table_.size(); ++i) {
            if (!faults_[i].empty()) damaged.add("summary-damaged", faults_[i]);
        }
        for (const RankTracePtr& trace : traces_)
            if (trace) ranks.push_back(trace);
        if (ranks.empty()) return unusable_summary(faults_.front());
        if (damaged.empty()) return ranks;
        return ranks_with_answers(std::move(ranks), damaged);
    }

private:
    Result<bool> read_header() {
        if (file_) status_ = file_.status(error_);
        if (!status_) return Error{ErrorCode::Io, "cannot be opened: " + error_.message()};
        const std::uint64_t bytes = status_->bytes;
        SummaryHeader& h = header_;
        if (bytes < kSummaryTableAt || !read_all_at(file_, 0, std::as_writable_bytes(std::span(&h, 1))))
            return unusable_summary("ends in its header, at byte " + std::to_string(bytes) + ": copy it again");
        if (h.endian != index_layout::kThisEndian)
            return unusable_summary("written on a machine with another byte order");
        if (h.layout_version != kSummaryLayoutVersion)
            return unusable_summary("of layout " + std::to_string(h.layout_version) + ", this program reads layout " +
                                    std::to_string(kSummaryLayoutVersion) + ": write it again with `lockstep index`");
        if (h.checksum != checksum_of(h)) return unusable_summary("its header is damaged: copy it again");
        if (h.file_bytes != bytes)
            return unusable_summary("has " + std::to_string(bytes) + " bytes, not " + std::to_string(h.file_bytes) +
                                    ": copy it again");
        if (h.program != index_layout::this_program() || h.reading_version != index_layout::kReadingVersion)
            return unusable_summary("written by Lockstep " + text_of(h.program) + ", reading version " +
                                    std::to_string(h.reading_version) +
                                    ", and can be read by that version alone: write it again with `lockstep index`");
        if (h.rules_hash != ClassRules::standard().hash())
            return unusable_summary("made with other kernel class rules: write it again with `lockstep index`");
        if (h.ranks == 0 || h.ranks > kMostSummaryRanks || kSummaryTableAt + h.ranks * sizeof(SummaryEntry) > bytes)
            return unusable_summary("its table is too long");
        return true;
    }

    bool is_inside(const SummaryPlace& place) const {
        const std::uint64_t begin = kSummaryTableAt + header_.ranks * sizeof(SummaryEntry);
        return place.offset >= begin && place.offset <= header_.file_bytes &&
               place.bytes <= header_.file_bytes - place.offset;
    }

    Result<bool> read_table() {
        table_.resize(header_.ranks);
        const auto bytes = std::as_writable_bytes(std::span(table_));
        if (!read_all_at(file_, kSummaryTableAt, bytes)) return unusable_summary("its table cannot be read");
        if (checksum(bytes) != header_.table_checksum) return unusable_summary("its table is damaged: copy it again");
        return true;
    }

    Result<UnpackedSections> read_place(const SummaryPlace& place) const {
        if (!is_inside(place)) return bad_input("its place is outside the file");
        std::vector<std::byte> packed(place.bytes);
        if (!read_all_at(file_, place.offset, packed)) return bad_input("cannot be read");
        if (checksum(packed) != place.checksum) return bad_input("its checksum is wrong");
        return unpack_sections(packed, place.raw_bytes);
    }

    Result<bool> read_answers() {
        const Result<UnpackedSections> sections = read_place(header_.answers);
        if (!sections) return unusable_summary("answers of the run: " + sections.error().message);
        const Blob blob = sections->all();
        const auto bytes = blob.section<char>(section::kSummaryRun);
        run_answers_.assign(bytes.data(), bytes.size());
        return true;
    }

    void read_rank(std::size_t i) {
        const SummaryEntry& entry = table_[i];
        Result<RankTracePtr> trace = [&]() -> Result<RankTracePtr> {
            const Result<UnpackedSections> sections = read_place(entry.place);
            if (!sections) return sections.error();
            return thick_trace(*sections, i == 0 ? std::string_view(run_answers_) : std::string_view(), path_);
        }();
        if (trace) {
            const SummaryFacts& facts = *summary_of(**trace);
            if (facts.number != entry.number || facts.capture != entry.capture) trace = bad_input("is another rank");
        }
        progress_.bytes_done += std::min<std::uint64_t>(entry.place.bytes, header_.file_bytes);
        if (!trace) {
            const std::string rank = "rank " + format_rank({entry.number, entry.capture});
            faults_[i] = rank + ", at byte " + std::to_string(entry.place.offset) + ": " + trace.error().message;
            return;
        }
        progress_.events += summary_of(**trace)->events;
        traces_[i] = std::move(*trace);
    }

    // The first sound rank takes the words about damaged ones, and the answers of the run if their own rank is damaged.
    Result<std::vector<RankTracePtr>> ranks_with_answers(std::vector<RankTracePtr> ranks, const Diagnostics& damaged) {
        const RankTrace& first = *ranks.front();
        Diagnostics diagnostics = first.diagnostics;
        for (const Diagnostic& one : damaged.entries()) diagnostics.add(one.kind->id, one.first, one.count);
        SectionList list;
        list.add_all(first.blob());
        if (first.blob().section<char>(section::kSummaryRun).empty() && !run_answers_.empty())
            list.add(section::kSummaryRun, std::span<const char>(run_answers_));
        RankInfo info = first.info;
        ranks.front() = std::make_shared<const RankTrace>(copy_to_blob(list), std::move(info), std::move(diagnostics));
        return ranks;
    }

    std::filesystem::path path_;
    LoadProgress& progress_;
    std::error_code error_;
    OpenFile file_;
    std::optional<FileStatus> status_;
    SummaryHeader header_{};
    std::vector<SummaryEntry> table_;
    std::string run_answers_;
    std::vector<RankTracePtr> traces_;  // each by one thread
    std::vector<std::string> faults_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::condition_variable rest_;
    unsigned working_ = 0;
};

}  // namespace

std::uint64_t checksum_of(SummaryHeader header) {
    header.checksum = 0;
    return checksum(std::as_bytes(std::span(&header, 1)));
}

bool is_summary_file(std::string_view file_name) {
    return file_name.size() > kSummaryFileEnding.size() && file_name.ends_with(kSummaryFileEnding);
}

bool begins_summary(std::string_view head) { return head.starts_with(kSummaryMagic); }

Result<std::unique_ptr<TraceReader>> open_summary_file(const std::filesystem::path& path, LoadProgress& progress) {
    auto reader = std::make_unique<SummaryReader>(path, progress);
    if (Result<bool> opened = reader->open(); !opened) return std::move(opened).error();
    return std::unique_ptr<TraceReader>(std::move(reader));
}

}  // namespace core
