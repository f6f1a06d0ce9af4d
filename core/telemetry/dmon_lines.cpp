#include "core/telemetry/log_lines.hpp"

#include "core/base/ascii.hpp"

namespace core {
namespace {

// A line may begin with a time that another program wrote (`ts`, journald): then "#" or the first word comes behind it.
class DmonLines final : public LogLines {
public:
    void add_line(std::string_view line, LogBuilder& builder) override {
        line = trim_spaces(line);
        if (line.empty()) return;
        const std::size_t mark = line.find('#');
        if (mark != std::string_view::npos) return read_header(line.substr(mark + 1));
        if (columns_.empty()) return builder.note_no_header();
        split_words(line);
        if (words_.empty() || words_.front() == "ID" || words_.front() == "Entity") return;
        add_row(line, builder);
    }

private:
    void split_words(std::string_view text) {
        constexpr std::size_t kMostWords = 256;
        words_.clear();
        std::size_t at = 0;
        while (words_.size() < kMostWords) {
            at = text.find_first_not_of(" \t", at);
            if (at == std::string_view::npos) return;
            const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
            words_.push_back(text.substr(at, end - at));
            at = end;
        }
    }

    // "gpu pwr …", "Date Time gpu pwr …", "Entity SMCLK POWER …"; a line of units has no name that is known.
    void read_header(std::string_view text) {
        split_words(text);
        std::vector<FieldMeaning> columns;
        bool has_gpu = false;
        for (const std::string_view word : words_) {
            FieldMeaning meaning = meaning_of_dmon(word);
            if (word == "Entity") meaning.field = LogField::Index;
            has_gpu = has_gpu || meaning.field == LogField::Index;
            if (word == "Date" || word == "Time") meaning.field = LogField::Time;
            columns.push_back(meaning);
        }
        if (!has_gpu) return;
        columns_ = std::move(columns);
        is_entity_ = words_.front() == "Entity";
    }

    void add_row(std::string_view line, LogBuilder& builder) {
        const std::size_t needed = columns_.size() + (is_entity_ ? 1 : 0);
        if (words_.size() < needed) return builder.count_unread();
        // Words before the columns are the prefix of another program.
        const std::size_t prefix = words_.size() - needed;
        std::size_t time_words = 0;
        for (const FieldMeaning& column : columns_) time_words += column.field == LogField::Time ? 1 : 0;
        if (prefix + time_words == 0) return builder.note_no_time();
        const std::string_view time_text = time_words > 0 ? line.substr(offset_of(line, prefix)) : line;
        std::optional<FoundTime> time = find_time(time_text);
        if (!time)
            if (const std::optional<LogTime> epoch = parse_epoch(words_.front()))
                time = FoundTime{.time = *epoch, .end = 0};
        if (!time) return builder.count_unread();
        // "GPU 2": the entity's kind, then its number.
        if (is_entity_ && words_[prefix] != "GPU") return;
        LoggedGpu gpu;
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i].field == LogField::Index) gpu.index = trailing_number(words_[word_of(i, prefix)]);
        if (gpu.index < 0) return builder.count_unread();
        const std::optional<std::size_t> place = builder.find_gpu(gpu);
        if (!builder.begin_row(time->time) || !place) return;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].field != LogField::Value) continue;
            const std::optional<double> value = parse_measurement(words_[word_of(i, prefix)]);
            if (value) builder.add(*place, columns_[i].metric, *value * columns_[i].factor);
        }
    }

    std::size_t word_of(std::size_t column, std::size_t prefix) const { return prefix + column + (is_entity_ ? 1 : 0); }
    std::size_t offset_of(std::string_view line, std::size_t word) const {
        return static_cast<std::size_t>(words_[word].data() - line.data());
    }

    std::vector<FieldMeaning> columns_;
    std::vector<std::string_view> words_;
    bool is_entity_ = false;
};

}  // namespace

std::unique_ptr<LogLines> make_dmon_lines() { return std::make_unique<DmonLines>(); }

}  // namespace core
