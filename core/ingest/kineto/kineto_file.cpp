#include "core/ingest/kineto_file.hpp"

#include "core/ingest/json/event_splitter.hpp"
#include "core/ingest/kineto_json.hpp"
#include "core/ingest/kineto_metadata.hpp"
#include "core/store/build/trace_builder.hpp"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>

namespace core {
namespace {

constexpr std::uint64_t kChunksAhead = 8;

class KinetoFile final : public TraceReader {
public:
    KinetoFile(std::filesystem::path path, std::unique_ptr<ByteSource> source, LoadProgress& progress)
        : path_(std::move(path)), source_(std::move(source)), splitter_(*source_), progress_(progress) {
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path_, unknown);
        file_bytes_ = unknown ? 0 : static_cast<double>(bytes);
    }

    void work(const JobContext& context) override;
    Result<RankTracePtr> finish(const JobContext& context) override;

private:
    struct Place {                 // of a chunk in the file
        std::uint64_t number = 0;
        double share = 0;          // of the file that was read with it
    };
    struct Parsed {
        EventBatch batch;
        double share;
    };
    bool next_chunk(const JobContext& context, EventChunk& chunk, Place& place);
    void append_in_order(Place place, EventBatch&& batch);
    EventBatch append(Parsed&& parsed);
    EventBatch take_spare();
    void give_up(std::string_view why);
    Result<RankInfo> collect_info(Diagnostics& diagnostics);

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
    std::vector<EventBatch> spares_;  // appended: their memory serves again
    std::uint64_t next_append_ = 0;
    bool someone_appends_ = false;
    bool gave_up_ = false;
    unsigned workers_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t dropped_ = 0;
    Diagnostics first_troubles_;  // while there is nothing but trouble
    double next_hint_ = 0.01;
    TraceBuilder builder_;
};

bool KinetoFile::next_chunk(const JobContext& context, EventChunk& chunk, Place& place) {
    const std::lock_guard lock(reading_);
    if (at_end_ || context.cancelled()) return false;
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
            EventBatch batch = parser.parse_chunk(chunk, take_spare());
            progress_.events += batch.records.total;
            append_in_order(place, std::move(batch));
        }
    } catch (const std::exception& exception) {
        give_up(exception.what());
    }
    const std::lock_guard lock(appending_);
    --workers_;
    appended_.notify_all();
}

// Lets nobody wait for a chunk that will not come (out of memory).
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

// Every chunk that was read arrives here, so the one all wait for is never among the waiting threads' own.
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

EventBatch KinetoFile::take_spare() {
    const std::lock_guard lock(appending_);
    if (spares_.empty()) return {};
    EventBatch spare = std::move(spares_.back());
    spares_.pop_back();
    return spare;
}

// By one thread at a time. Returns what is left of the batch.
EventBatch KinetoFile::append(Parsed&& parsed) {
    const RecordCounts& records = parsed.batch.records;
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

Result<RankInfo> KinetoFile::collect_info(Diagnostics& diagnostics) {
    EventBatch too_large;
    too_large.records.total = too_large.records.dropped = splitter_.dropped();
    builder_.append(std::move(too_large));
    total_ += splitter_.dropped();
    dropped_ += splitter_.dropped();
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

Result<RankTracePtr> KinetoFile::finish(const JobContext& context) {
    {
        std::unique_lock lock(appending_);
        appended_.wait(lock, [&] { return workers_ == 0; });
    }
    if (context.cancelled()) return cancelled_error();
    if (!failure_.message.empty()) return failure_;
    Diagnostics diagnostics;
    Result<RankInfo> info = collect_info(diagnostics);
    if (!info) return std::move(info).error();
    return std::move(builder_).finish(std::move(*info), std::move(diagnostics), context);
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_kineto_file(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    std::unique_ptr<TraceReader> reader = std::make_unique<KinetoFile>(path, std::move(*source), progress);
    return reader;
}

}  // namespace core
