#include "core/telemetry/log_lines.hpp"

#include "core/ingest/json/visit_members.hpp"

#include <algorithm>

namespace core {
namespace {

struct JsonSample {
    std::optional<LogTime> time;
    int time_preference = 0;
    LoggedGpu gpu;
    std::vector<std::pair<const FieldMeaning*, std::string_view>> values;
};

class JsonLines final : public LogLines {
public:
    void add_line(std::string_view line, LogBuilder& builder) override {
        line = trim_spaces(line);
        if (line.empty() || line == "[" || line == "]") return;
        if (line.front() != '{' || (line.back() != '}' && line.back() != ',')) return builder.count_unread();
        JsonSample sample;
        collect(line, sample, 0);
        if (sample.values.empty()) return;
        if (!sample.time) return builder.note_no_time();
        const std::optional<std::size_t> gpu = builder.find_gpu(sample.gpu);
        if (!builder.begin_row(*sample.time) || !gpu) return;
        for (const auto& [meaning, text] : sample.values) add_value(*gpu, *meaning, text, builder);
    }

private:
    // Members of the object, and of the objects in it.
    void collect(std::string_view object, JsonSample& sample, int depth) {
        visit_json_members(object, [&](std::string_view key, std::string_view value) {
            if (value.starts_with('{')) {
                if (depth == 0) collect(value, sample, 1);
                return true;
            }
            add_member(meaning_of_key(key), value, sample);
            return true;
        });
    }

    const FieldMeaning& meaning_of_key(std::string_view key) {
        const auto known = std::ranges::find(keys_, key, &std::pair<std::string, FieldMeaning>::first);
        if (known != keys_.end()) return known->second;
        constexpr std::size_t kMostKeys = 256;
        if (keys_.capacity() < kMostKeys) keys_.reserve(kMostKeys);  // references stay where they are
        if (keys_.size() >= kMostKeys) return unknown_;
        keys_.emplace_back(key, meaning_of(key));
        return keys_.back().second;
    }

    static void add_member(const FieldMeaning& meaning, std::string_view value, JsonSample& sample) {
        constexpr std::size_t kMostName = 128;
        const std::string_view bare =
            value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
        const std::string_view name = bare.substr(0, kMostName);
        switch (meaning.field) {
            case LogField::Time:
                add_time(meaning, bare, sample);
                break;
            case LogField::Rank:
                sample.gpu.rank = trailing_number(name);
                break;
            case LogField::Host:
                sample.gpu.host = name;
                break;
            case LogField::Index:
                if (name.starts_with("GPU-"))
                    sample.gpu.uuid = name;
                else
                    sample.gpu.index = trailing_number(name);
                break;
            case LogField::Uuid:
                sample.gpu.uuid = name;
                break;
            case LogField::Bus:
                sample.gpu.bus = name;
                break;
            case LogField::Value:
            case LogField::ReasonBit:
                sample.values.emplace_back(&meaning, value);
                break;
            case LogField::Unknown:
                break;
        }
    }

    static void add_time(const FieldMeaning& meaning, std::string_view text, JsonSample& sample) {
        if (sample.time && sample.time_preference >= meaning.preference) return;
        std::optional<LogTime> time = parse_epoch(text);
        if (!time)
            if (const std::optional<FoundTime> found = find_time(text)) time = found->time;
        if (!time) return;
        sample.time = time;
        sample.time_preference = meaning.preference;
    }

    static void add_value(std::size_t gpu, const FieldMeaning& meaning, std::string_view text, LogBuilder& builder) {
        if (meaning.metric == Metric::Reasons && text.starts_with('[')) {  // names of reasons
            builder.add_reason(gpu, 0);
            for (const ClockReason& reason : kReasons)
                if (text.find(reason.name) != std::string_view::npos) builder.add_reason(gpu, reason.bit);
            return;
        }
        const std::optional<double> value = parse_measurement(text);
        if (!value) return;
        if (meaning.field == LogField::ReasonBit)
            builder.add_reason(gpu, *value != 0 ? meaning.bit : 0);
        else
            builder.add(gpu, meaning.metric, *value * meaning.factor);
    }

    std::vector<std::pair<std::string, FieldMeaning>> keys_;
    FieldMeaning unknown_{};
};

}  // namespace

std::unique_ptr<LogLines> make_json_lines() { return std::make_unique<JsonLines>(); }

}  // namespace core
