#include "core/telemetry/log_lines.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace core {
namespace {

class TableLines final : public LogLines {
public:
    TableLines(std::string_view header, LoggedGpu of_name) : of_name_(std::move(of_name)) {
        if (!header.empty()) read_header(header);
    }

    void add_line(std::string_view line, LogBuilder& builder) override {
        line = trim_spaces(line);
        if (line.empty()) return;
        if (!is_digit(line.front()) && is_table_header(line)) return read_header(line);
        if (columns_.empty()) return builder.note_no_header();
        split_columns(line, cells_);
        // A line that another writer broke, or that is cut.
        if (cells_.size() != columns_.size()) return builder.count_unread();
        if (time_ < 0) return builder.note_no_time();
        const std::optional<LogTime> time = read_time(cells_[static_cast<std::size_t>(time_)]);
        if (!time) return builder.count_unread();
        const std::optional<std::size_t> gpu = find_gpu(builder);
        if (builder.begin_row(*time) && gpu) add_values(*gpu, builder);
    }

private:
    static std::optional<LogTime> read_time(std::string_view text) {
        if (const std::optional<FoundTime> found = find_time(text)) return found->time;
        return parse_epoch(text);
    }

    void read_header(std::string_view line) {
        split_columns(line, cells_);
        columns_.clear();
        std::array<int, kMetrics> best{};
        best.fill(-1);
        for (const std::string_view cell : cells_) {
            columns_.push_back(meaning_of(cell));
            const FieldMeaning& meaning = columns_.back();
            int& preference = best[static_cast<std::size_t>(meaning.metric)];
            if (meaning.field == LogField::Value) preference = std::max(preference, meaning.preference);
        }
        time_ = -1;
        values_.clear();
        named_.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const FieldMeaning& meaning = columns_[i];
            switch (meaning.field) {
                case LogField::Time:
                    if (time_ < 0) time_ = static_cast<std::ptrdiff_t>(i);
                    break;
                case LogField::Value:
                    if (meaning.preference == best[static_cast<std::size_t>(meaning.metric)]) values_.push_back(i);
                    break;
                case LogField::ReasonBit:
                    values_.push_back(i);
                    break;
                case LogField::Unknown:
                    break;
                default:
                    named_.push_back(i);
            }
        }
    }

    std::optional<std::size_t> find_gpu(LogBuilder& builder) {
        key_.clear();
        for (const std::size_t i : named_) key_.append(cells_[i]).push_back('\n');
        const auto known = gpus_.find(key_);
        if (known != gpus_.end()) return known->second;
        LoggedGpu gpu = named_.empty() ? of_name_ : LoggedGpu{};
        for (const std::size_t i : named_) set_name(columns_[i].field, cells_[i], gpu);
        const std::optional<std::size_t> found = builder.find_gpu(gpu);
        if (gpus_.size() < kMostGpusOfLog) gpus_.emplace(key_, found);
        return found;
    }

    static void set_name(LogField field, std::string_view cell, LoggedGpu& gpu) {
        constexpr std::size_t kMostName = 128;
        const std::string text(cell.substr(0, kMostName));
        if (!parse_name(text)) return;
        switch (field) {
            case LogField::Rank:
                gpu.rank = trailing_number(text);
                break;
            case LogField::Host:
                gpu.host = text;
                break;
            case LogField::Index:
                gpu.index = trailing_number(text);
                break;
            case LogField::Uuid:
                gpu.uuid = text;
                break;
            case LogField::Bus:
                gpu.bus = text;
                break;
            default:
                break;
        }
    }
    static bool parse_name(std::string_view text) { return !text.empty() && text.front() != '[' && text != "N/A"; }

    void add_values(std::size_t gpu, LogBuilder& builder) {
        std::array<double, kMetrics> sums{};
        std::array<int, kMetrics> counts{};
        for (const std::size_t i : values_) {
            const FieldMeaning& meaning = columns_[i];
            const std::optional<double> value = parse_measurement(cells_[i]);
            if (!value) continue;
            if (meaning.field == LogField::ReasonBit) {
                builder.add_reason(gpu, *value != 0 ? meaning.bit : 0);
                continue;
            }
            sums[static_cast<std::size_t>(meaning.metric)] += *value * meaning.factor;
            ++counts[static_cast<std::size_t>(meaning.metric)];
        }
        for (std::size_t m = 0; m < kMetrics; ++m)
            if (counts[m] > 0) builder.add(gpu, static_cast<Metric>(m), sums[m] / counts[m]);
    }

    LoggedGpu of_name_;
    std::vector<FieldMeaning> columns_;
    std::vector<std::string_view> cells_;
    std::vector<std::size_t> values_;
    std::vector<std::size_t> named_;
    std::ptrdiff_t time_ = -1;
    std::string key_;
    std::map<std::string, std::optional<std::size_t>, std::less<>> gpus_;
};

}  // namespace

std::string_view trim_spaces(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::int64_t trailing_number(std::string_view text) {
    text = trim_spaces(text);
    while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
    const std::size_t last = text.find_last_not_of("0123456789");
    const std::string_view digits = last == std::string_view::npos ? text : text.substr(last + 1);
    std::int64_t number = -1;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && number <= 10'000'000 ? number : -1;
}

void split_columns(std::string_view line, std::vector<std::string_view>& columns) {
    constexpr std::size_t kMostColumns = 4'096;
    columns.clear();
    while (columns.size() < kMostColumns) {
        const std::size_t comma = line.find(',');
        columns.push_back(trim_spaces(line.substr(0, comma)));
        if (comma == std::string_view::npos) return;
        line.remove_prefix(comma + 1);
    }
}

bool is_table_header(std::string_view line) {
    std::vector<std::string_view> columns;
    split_columns(line, columns);
    std::size_t known = 0, values = 0;
    for (const std::string_view column : columns) {
        const LogField field = meaning_of(column).field;
        known += field != LogField::Unknown ? 1 : 0;
        values += field == LogField::Value || field == LogField::ReasonBit ? 1 : 0;
    }
    return known >= 2 && values >= 1;
}

std::unique_ptr<LogLines> make_table_lines(std::string_view header, LoggedGpu of_name) {
    return std::make_unique<TableLines>(header, std::move(of_name));
}

}  // namespace core
