#include "core/ingest/kineto/kineto_file.hpp"

#include "core/base/format.hpp"
#include "core/ingest/json/event_splitter.hpp"
#include "core/ingest/kineto/kineto_json.hpp"
#include "core/ingest/kineto/kineto_metadata.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>

namespace core {
namespace {

constexpr std::uint64_t kChunksAhead = 8;

// Times and durations that were measured need several bytes an event, however well they are packed. A file with more
// events than this was made to fill the memory: 3 MB can hold 8 million.
constexpr std::uint64_t kAlwaysKept = 1'000'000;
constexpr std::uint64_t kLeastPackedBytes = 2;  // of an event

class KinetoFile final : public TraceReader {
public:
    KinetoFile(std::filesystem::path path, std::unique_ptr<ByteSource> source, LoadProgress& progress)
        : path_(std::move(path)), source_(std::move(source)), splitter_(*source_), progress_(progress) {
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path_, unknown);
        file_bytes_ = unknown ? 0 : static_cast<double>(bytes);
    }

    void choose_steps(std::string_view name) override {
        if (!name.empty()) builder_.mark_steps(std::string(name));
    }
    void work(const JobContext& context) override;
    Result<RankTracePtr> finish(const JobContext& context) override;
    Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& context) override;

private:
    struct Place {                 // place of a chunk in the file
        std::uint64_t number = 0;
        double share = 0;          // share of the file read by its end
    };
    struct Parsed {
        EventBatch batch;
        double share;
    };
    bool next_chunk(const JobContext& context, EventChunk& chunk, Place& place);
    void append_in_order(Place place, EventBatch&& batch);
    EventBatch append(Parsed&& parsed);
    std::uint64_t most_events() const;
    void add_dropped(std::uint64_t records);
    EventBatch reuse_batch();
    void give_up(std::string_view why);
    Result<RankInfo> collect_info(Diagnostics& diagnostics);
    Result<RankInfo> end_reading(Diagnostics& diagnostics, const JobContext& context);

    std::filesystem::path path_;
    std::unique_ptr<ByteSource> source_;
    EventSplitter splitter_;
    LoadProgress& progress_;

    std::mutex reading_;
    std::uint64_t chunks_read_ = 0;
    std::uint64_t bytes_reported_ = 0;
    double file_bytes_ = 0;
    bool at_end_ = false;
    Error failure_{ErrorCode::Internal, ""};

    std::mutex appending_;
    std::condition_variable appended_;
    std::map<std::uint64_t, Parsed> waiting_;
    std::vector<EventBatch> spares_;  // appended batches whose memory is reused
    std::uint64_t next_append_ = 0;
    bool someone_appends_ = false;
    bool gave_up_ = false;
    unsigned workers_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t left_out_ = 0;  // records beyond most_events()
    Diagnostics first_troubles_;  // until the first batch is appended
    double next_hint_ = 0.01;
    TraceBuilder builder_;
};

bool KinetoFile::next_chunk(const JobContext& context, EventChunk& chunk, Place& place) {
    const std::lock_guard lock(reading_);
    if (at_end_ || context.checkpoint()) return false;
    Result<bool> more = splitter_.next(chunk);
    at_end_ = !more || !*more;
    if (!more) failure_ = more.error();
    progress_.bytes_done += source_->consumed() - bytes_reported_;
    bytes_reported_ = source_->consumed();
    place = {chunks_read_, file_bytes_ > 0 ? static_cast<double>(bytes_reported_) / file_bytes_ : 0};
    chunks_read_ += at_end_ ? 0 : 1;
    return !at_end_;
}

void KinetoFile::work(const JobContext& context) {
    {
        const std::lock_guard lock(appending_);
        ++workers_;
    }
    try {
        KinetoParser parser;
        EventChunk chunk;
        Place place;
        while (next_chunk(context, chunk, place)) {
            EventBatch batch = parser.parse_chunk(chunk, reuse_batch());
            progress_.events += batch.records.total;
            append_in_order(place, std::move(batch));
        }
    } catch (const std::exception& exception) {
        give_up(reader_error(exception).message);
    }
    const std::lock_guard lock(appending_);
    --workers_;
    appended_.notify_all();
}

// Releases threads that wait for a chunk that won't arrive (out of memory).
void KinetoFile::give_up(std::string_view why) {
    {
        const std::lock_guard lock(reading_);
        at_end_ = true;
        failure_ = {ErrorCode::Internal, std::string(why)};
    }
    const std::lock_guard lock(appending_);
    gave_up_ = true;
    appended_.notify_all();
}

// Every chunk read arrives here, so the awaited one never belongs to a waiting thread.
void KinetoFile::append_in_order(Place place, EventBatch&& batch) {
    std::unique_lock lock(appending_);
    appended_.wait(lock, [&] { return gave_up_ || place.number < next_append_ + kChunksAhead; });
    if (gave_up_) return;
    waiting_.emplace(place.number, Parsed{std::move(batch), place.share});
    if (someone_appends_) return;
    someone_appends_ = true;
    for (auto it = waiting_.find(next_append_); it != waiting_.end(); it = waiting_.find(next_append_)) {
        Parsed next = std::move(it->second);
        waiting_.erase(it);
        lock.unlock();
        EventBatch spare = append(std::move(next));
        lock.lock();
        if (spares_.size() < kChunksAhead) spares_.push_back(std::move(spare));
        ++next_append_;
        appended_.notify_all();
    }
    someone_appends_ = false;
}

EventBatch KinetoFile::reuse_batch() {
    const std::lock_guard lock(appending_);
    if (spares_.empty()) return {};
    EventBatch spare = std::move(spares_.back());
    spares_.pop_back();
    return spare;
}

// One thread at a time. Returns the batch for reuse.
EventBatch KinetoFile::append(Parsed&& parsed) {
    const RecordCounts& records = parsed.batch.records;
    if (total_ >= most_events()) {
        left_out_ += records.total;
        return std::move(parsed.batch);
    }
    total_ += records.total;
    dropped_ += records.dropped;
    if (dropped_ == total_) first_troubles_.merge(parsed.batch.diagnostics, "");
    builder_.append(std::move(parsed.batch));
    if (parsed.share >= next_hint_) {
        builder_.expect_rest(parsed.share);
        next_hint_ = parsed.share * 4;
    }
    return std::move(parsed.batch);
}

std::uint64_t KinetoFile::most_events() const {
    return std::max(kAlwaysKept, static_cast<std::uint64_t>(file_bytes_) / kLeastPackedBytes);
}

void KinetoFile::add_dropped(std::uint64_t records) {
    EventBatch batch;
    batch.records.total = batch.records.dropped = records;
    builder_.append(std::move(batch));
    total_ += records;
    dropped_ += records;
}

Result<RankInfo> KinetoFile::collect_info(Diagnostics& diagnostics) {
    if (left_out_ > 0) {
        diagnostics.add("events-left-out",
                        "the first " + format_count(static_cast<std::int64_t>(total_)) + " are kept of " +
                            format_count(static_cast<std::int64_t>(total_ + left_out_)) + " in " +
                            format_bytes(static_cast<std::int64_t>(file_bytes_)) + " of packed data",
                        left_out_);
        add_dropped(left_out_);
    }
    add_dropped(splitter_.dropped());
    diagnostics.merge(splitter_.diagnostics(), "");
    if (total_ > 0 && dropped_ == total_) {
        first_troubles_.merge(diagnostics, "");
        const std::string first = first_troubles_.entries().front().first;
        const char* const remedy =
            first_troubles_.count("file-truncated") > 0 ? "; it was cut off: copy or record it again" : "";
        return Error{ErrorCode::BadInput, "no event could be read; the first: " + first + remedy};
    }
    RankInfo info;
    read_kineto_metadata(splitter_.metadata(), info, diagnostics);
    info.path = path_;
    info.json_bytes = splitter_.bytes_seen();
    info.file_bytes = source_->consumed();
    return info;
}

Result<RankInfo> KinetoFile::end_reading(Diagnostics& diagnostics, const JobContext& context) {
    {
        std::unique_lock lock(appending_);
        appended_.wait(lock, [&] { return workers_ == 0; });
    }
    if (context.checkpoint()) return cancelled_error();
    if (!failure_.message.empty()) return failure_;
    return collect_info(diagnostics);
}

Result<RankTracePtr> KinetoFile::finish(const JobContext& context) {
    Diagnostics diagnostics;
    Result<RankInfo> info = end_reading(diagnostics, context);
    if (!info) return std::move(info).error();
    return std::move(builder_).finish(std::move(*info), std::move(diagnostics), context);
}

Result<std::vector<RankTracePtr>> KinetoFile::finish_ranks(const JobContext& context) {
    Diagnostics diagnostics;
    Result<RankInfo> info = end_reading(diagnostics, context);
    if (!info) return std::move(info).error();
    return std::move(builder_).finish_ranks(std::move(*info), std::move(diagnostics), context);
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_kineto_file(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    std::unique_ptr<TraceReader> reader = std::make_unique<KinetoFile>(path, std::move(*source), progress);
    return reader;
}

}  // namespace core
