#include "core/ingest/kineto/memory_timeline_file.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/source/sequential_reader.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace core {
namespace {

constexpr std::array<std::string_view, 8> kMemoryCategories = {
    "Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd detail", "Unknown"};
constexpr std::int64_t kPreexisting = 1, kChangeOfVersion = 3, kLastAction = 4;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::size_t kLongestMemoryRow = 256;
constexpr std::uint32_t kRowsOfBatch = 1 << 15;

struct MemoryRow {
    std::int64_t time_ns, action, bytes, category;
};

// Four integers in brackets at the front of the text, and their end.
struct ScannedRow {
    MemoryRow row{};
    std::size_t end = 0;
};

std::size_t skip_spaces(std::string_view text, std::size_t at) {
    while (at < text.size() && is_json_space(text[at])) ++at;
    return at;
}

std::optional<ScannedRow> scan_row(std::string_view text) {
    std::array<std::int64_t, 4> numbers{};
    std::size_t at = 0;
    char before = '[';
    for (std::int64_t& number : numbers) {
        if (at == text.size() || text[at] != before) return std::nullopt;
        at = skip_spaces(text, at + 1);
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
        if (error != std::errc{}) return std::nullopt;
        at = skip_spaces(text, static_cast<std::size_t>(end - text.data()));
        before = ',';
    }
    if (at == text.size() || text[at] != ']') return std::nullopt;
    return ScannedRow{{.time_ns = numbers[0], .action = numbers[1], .bytes = numbers[2], .category = numbers[3]},
                      at + 1};
}

// Reads rows through a buffer of fixed size.
class MemoryRows {
public:
    explicit MemoryRows(ByteSource& source) : source_(source), buffer_(std::size_t{1} << 20) {}

    // The next row; nullopt at the end of the list. BadInput at malformed text; earlier rows were
    // returned.
    Result<std::optional<MemoryRow>> next() {
        if (Result<bool> filled = fill(); !filled) return filled.error();
        if (!begun_ && rest().starts_with("\xEF\xBB\xBF")) begin_ += 3;
        std::size_t at = skip_spaces(rest(), 0);
        if (at < rest().size() && rest()[at] == (begun_ ? ',' : '[')) at = skip_spaces(rest(), at + 1);
        if (begun_ && at < rest().size() && rest()[at] == ']') return std::optional<MemoryRow>();
        begun_ = true;
        const std::optional<ScannedRow> scanned = scan_row(rest().substr(at));
        if (!scanned) {
            return Error{ErrorCode::BadInput,
                         "byte " + std::to_string(offset() + at) +
                             (at == rest().size() ? ": the list ends in the middle" : ": not a list of four integers")};
        }
        begin_ += at + scanned->end;
        return std::optional(scanned->row);
    }
    std::uint64_t offset() const { return before_buffer_ + begin_; }

private:
    std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }

    // Refills the buffer to hold a whole row and surrounding spaces.
    Result<bool> fill() {
        if (at_end_ || end_ - begin_ >= kLongestMemoryRow) return true;
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        before_buffer_ += begin_;
        end_ -= std::exchange(begin_, 0);
        const Result<std::size_t> got = read_fully(source_, std::span(buffer_).subspan(end_));
        if (!got) return got.error();
        end_ += *got;
        at_end_ = end_ < buffer_.size();
        return true;
    }

    ByteSource& source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t before_buffer_ = 0;
    bool at_end_ = false;
    bool begun_ = false;
};

class MemoryTimelineFile final : public SequentialReader {
public:
    MemoryTimelineFile(std::filesystem::path path, std::unique_ptr<ByteSource> file, LoadProgress& load)
        : SequentialReader(std::move(path), std::move(file), load), rows_(source()) {
        open_batch();
    }

private:
    // An error in the first row refuses the file; later ones end it.
    Result<bool> read_all(const JobContext& context) override {
        for (;;) {
            const std::uint64_t offset = rows_.offset();
            const Result<std::optional<MemoryRow>> row = rows_.next();
            if (!row && rows_total_ == 0) {
                close_batch();
                return row.error();
            }
            if (!row) diagnostics().add("file-truncated", row.error().message);
            if (!row || !*row) break;
            add(**row, offset);
            if (batch_.records.total % kRowsOfBatch != 0) continue;
            if (context.checkpoint()) return true;  // finish() reports it
            if (!waits_for_a_time()) close_batch();
        }
        close_batch();
        return true;
    }

    RankInfo describe() override {
        RankInfo info;
        info.json_bytes = rows_.offset();
        info.file_bytes = source().consumed();
        info.trace_name = "PyTorch memory timeline";
        return info;
    }

    void open_batch() {
        batch_ = {};
        for (std::size_t c = 0; c < kMemoryCategories.size(); ++c) names_[c] = batch_.pool.intern(kMemoryCategories[c]);
        memory_ = batch_.pool.intern(kMemoryEvent);
        process_ = batch_.pool.intern("memory");
        thread_ = batch_.pool.intern("1");
        counter_ = batch_.pool.intern(kMemoryByCategory);
    }
    void close_batch() {
        progress().bytes_done += source().consumed() - std::exchange(bytes_reported_, source().consumed());
        progress().events += batch_.records.total;
        builder().append(std::exchange(batch_, {}));
        open_batch();
    }

    // Rows without a time come first; they wait for the first time.
    bool waits_for_a_time() const { return !first_time_; }
    std::int64_t time_of(const MemoryRow& row) {
        if (row.time_ns < 0) return first_time_.value_or(0);
        if (!first_time_) {
            first_time_ = row.time_ns;
            for (EventRow& event : batch_.events) event.start_ns = row.time_ns;
            for (CounterRow& counter : batch_.counters) counter.time_ns = row.time_ns;
        }
        return row.time_ns;
    }

    void add(const MemoryRow& row, std::uint64_t offset) {
        const auto order = static_cast<std::uint32_t>(batch_.records.total++);
        ++rows_total_;
        if (row.action < kPreexisting || row.action > kLastAction || row.category < 0 ||
            row.category >= std::ssize(kMemoryCategories) || row.bytes > kMostBytes || row.bytes < -kMostBytes) {
            ++batch_.records.dropped;
            batch_.diagnostics.add("event-dropped",
                                   "byte " + std::to_string(offset) + ": unknown action or category, or absurd size");
            return;
        }
        const std::int64_t time = time_of(row);
        const auto category = static_cast<std::size_t>(row.category);
        sums_[category] = sum(sums_[category], row.bytes);
        total_ = sum(total_, row.bytes);
        batch_.counters.push_back({.time_ns = time,
                                   .pid = process_,
                                   .name = counter_,
                                   .series = names_[category],
                                   .value = static_cast<double>(sums_[category])});
        if (row.action == kChangeOfVersion) {
            ++batch_.records.counters;
            return;
        }
        ++batch_.records.instants;
        add_moment(row, time, order, offset);
    }
    // Wraps instead of overflowing; only a forged file gets here.
    static std::int64_t sum(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
    void add_moment(const MemoryRow& row, std::int64_t time, std::uint32_t order, std::uint64_t offset) {
        constexpr std::int64_t kGpu = 1;  // GPU allocator events; the file doesn't name the device
        const auto index = static_cast<std::uint32_t>(batch_.events.size());
        const NameId category = names_[static_cast<std::size_t>(row.category)];
        batch_.events.push_back({.start_ns = time,
                                 .duration_ns = 0,
                                 .name = memory_,
                                 .category = category,
                                 .pid = process_,
                                 .tid = thread_,
                                 .id = batch_.pool.intern(""),
                                 .order = order,
                                 .phase = Phase::Instant,
                                 .has_collective = false});
        batch_.integers[static_cast<std::size_t>(Arg::Bytes)].push_back({index, row.bytes});
        batch_.integers[static_cast<std::size_t>(Arg::TotalAllocated)].push_back({index, total_});
        batch_.integers[static_cast<std::size_t>(Arg::DeviceType)].push_back({index, kGpu});
        batch_.text_store.add(order, offset, "{\"Bytes\": " + std::to_string(row.bytes) + "}", {});
    }

    MemoryRows rows_;
    std::uint64_t bytes_reported_ = 0;
    std::uint64_t rows_total_ = 0;
    std::optional<std::int64_t> first_time_;
    std::array<std::int64_t, kMemoryCategories.size()> sums_{};
    std::int64_t total_ = 0;
    EventBatch batch_;
    std::array<NameId, kMemoryCategories.size()> names_{};
    NameId memory_{}, process_{}, thread_{}, counter_{};
};

}  // namespace

bool begins_memory_timeline(std::string_view text) {
    const std::size_t open = skip_spaces(text, 0);
    if (open == text.size() || text[open] != '[') return false;
    return scan_row(text.substr(skip_spaces(text, open + 1))).has_value();
}

Result<std::unique_ptr<TraceReader>> open_memory_timeline(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    std::unique_ptr<TraceReader> reader = std::make_unique<MemoryTimelineFile>(path, std::move(*source), progress);
    return reader;
}

}  // namespace core
