#include "core/ingest/megatron/megatron_log.hpp"

#include "core/ingest/source/line_reader.hpp"
#include "core/ingest/source/sequential_reader.hpp"

#include <charconv>
#include <cmath>
#include <string>

namespace core {
namespace {

constexpr std::string_view kTimeField = "elapsed time per iteration (";
constexpr std::int64_t kMostIteration = 1'000'000'000'000;
constexpr double kMostDurationNs = 1e18;    // 31 years
constexpr double kMostFlopsPerSecond = 1e18;

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
    text = trimmed(text);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Rounded; absent: no number, negative, or absurd.
std::optional<std::int64_t> scaled(std::string_view text, double factor, double most) {
    const std::optional<double> value = parse<double>(text);
    if (!value || !std::isfinite(*value) || *value < 0 || *value * factor > most) return std::nullopt;
    return std::llround(*value * factor);
}

std::int64_t count_or_unsaid(std::string_view text) {
    const std::optional<std::int64_t> value = parse<std::int64_t>(text);
    return value && *value >= 0 && *value <= kMostIteration ? *value : -1;
}

// Behind the last "iteration " of the first field, up to the slash.
std::optional<std::int64_t> number_of(std::string_view field) {
    constexpr std::string_view kWord = "iteration ";
    const std::size_t at = field.rfind(kWord);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = field.substr(at + kWord.size());
    const std::optional<std::int64_t> number = parse<std::int64_t>(rest.substr(0, rest.find('/')));
    return number && *number >= 0 && *number <= kMostIteration ? number : std::nullopt;
}

class MegatronLog final : public SequentialReader {
public:
    MegatronLog(std::filesystem::path path, std::unique_ptr<ByteSource> source, LoadProgress& progress,
                MegatronLines::Writer writer)
        : SequentialReader(std::move(path), std::move(source), progress), lines_(writer) {}

private:
    Result<bool> read_all(const JobContext& context) override {
        LineReader reader(source());
        constexpr std::uint64_t kLinesBetweenChecks = 4'096;
        for (std::string_view line;;) {
            const Result<bool> more = reader.next(line);
            if (!more && reader.number() == 0) return more.error();
            if (!more) diagnostics().add("file-truncated", more.error().message);
            if (!more || !*more) break;
            lines_.add(line, reader.number(), !reader.is_cut() && !reader.is_last_open());
            if (reader.number() % kLinesBetweenChecks != 0) continue;
            if (context.checkpoint()) return true;  // finish() reports it
            report_progress();
        }
        report_progress();
        builder().append(lines_.release_counts());
        if (lines_.log().empty())
            return Error{ErrorCode::NotFound,
                         "not a trace: this is a training log in which no line about iterations "
                         "can be read"};
        return true;
    }

    RankInfo describe() override {
        RankInfo info;
        info.json_bytes = info.file_bytes = source().consumed();
        info.trace_name = kMegatronLog;
        info.training = lines_.release_log();
        return info;
    }

    void report_progress() {
        progress().bytes_done += source().consumed() - std::exchange(reported_, source().consumed());
    }

    MegatronLines lines_;
    std::uint64_t reported_ = 0;
};

}  // namespace

bool begins_megatron_log(std::string_view head) {
    while (head.find(kTimeField) != std::string_view::npos) {
        const std::size_t end = head.find('\n');
        if (const auto read = read_megatron_line(head.substr(0, end)); read && *read) return true;
        if (end == std::string_view::npos) break;
        head.remove_prefix(end + 1);
    }
    return false;
}

Result<std::optional<LoggedIterations>> read_megatron_line(std::string_view line) {
    if (line.find(kTimeField) == std::string_view::npos) return std::optional<LoggedIterations>();
    const std::size_t first_bar = line.find('|');
    const std::optional<std::int64_t> number = number_of(line.substr(0, first_bar));
    if (first_bar == std::string_view::npos || !number) return bad_input("the number of its iteration cannot be read");
    LoggedIterations logged{.last = *number};
    bool has_time = false;
    std::string_view rest = line.substr(first_bar + 1);
    while (!rest.empty()) {
        const std::size_t bar = rest.find('|');
        const std::string_view field = trimmed(rest.substr(0, bar));
        rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
        const std::size_t colon = field.find(": ");
        if (colon == std::string_view::npos) continue;
        const std::string_view key = field.substr(0, colon), value = field.substr(colon + 2);
        if (key.starts_with(kTimeField)) {
            const std::string_view unit = key.substr(kTimeField.size());
            const double factor = unit == "ms)" ? 1e6 : unit == "s)" ? 1e9 : 0;
            const std::optional<std::int64_t> duration = scaled(value, factor, kMostDurationNs);
            if (!duration || factor == 0) return bad_input("its time per iteration cannot be read");
            logged.duration_ns = *duration;
            has_time = true;
        } else if (key == "throughput per GPU (TFLOP/s/GPU)") {
            logged.flops_per_s = scaled(value, 1e12, kMostFlopsPerSecond).value_or(-1);
        } else if (key == "global batch size") {
            logged.batch = count_or_unsaid(value);
        } else if (key == "number of skipped iterations") {
            logged.skipped = count_or_unsaid(value);
        } else if (key == "number of nan iterations") {
            logged.nan = count_or_unsaid(value);
        }
    }
    if (!has_time) return bad_input("its time per iteration cannot be read");
    return std::optional(logged);
}

void MegatronLines::keep(const LoggedIterations& row, std::uint64_t number) {
    ++counts_.records.total;
    if (log_.size() < kMostLoggedLines) {
        ++counts_.records.metadata;
        log_.push_back(row);
        return;
    }
    ++counts_.records.dropped;
    counts_.diagnostics.add("log-line-dropped",
                            "line " + std::to_string(number) + ": more lines about iterations than are kept");
}

void MegatronLines::add(std::string_view line, std::uint64_t number, bool whole) {
    if (!whole) return;
    if (writer_ == Writer::Any) {
        if (const std::optional<LoggedIterations> row = steps_.add(line)) keep(*row, number);
        return;
    }
    const Result<std::optional<LoggedIterations>> read = read_megatron_line(line);
    if (read && !*read) return;
    if (read) return keep(**read, number);
    ++counts_.records.total;
    ++counts_.records.dropped;
    counts_.diagnostics.add("log-line-dropped", "line " + std::to_string(number) + ": " + read.error().message);
}

namespace {

Result<std::unique_ptr<TraceReader>> open_log(const std::filesystem::path& path, LoadProgress& progress,
                                              MegatronLines::Writer writer) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    return std::unique_ptr<TraceReader>(std::make_unique<MegatronLog>(path, std::move(*source), progress, writer));
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_megatron_log(const std::filesystem::path& path, LoadProgress& progress) {
    return open_log(path, progress, MegatronLines::Writer::Megatron);
}

Result<std::unique_ptr<TraceReader>> open_step_log(const std::filesystem::path& path, LoadProgress& progress) {
    return open_log(path, progress, MegatronLines::Writer::Any);
}

}  // namespace core
