#include "core/telemetry/log_lines.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

// NAME{gpu="2",UUID="GPU-…",Hostname="node-a"} VALUE [milliseconds]
class ExporterLines final : public LogLines {
public:
    void add_line(std::string_view line, LogBuilder& builder) override {
        line = trim_spaces(line);
        if (line.empty() || line.front() == '#') return;
        const std::size_t open = line.find('{');
        const std::size_t close = line.rfind('}');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open)
            return builder.count_unread();
        const std::optional<FieldMeaning> meaning = find_meaning(line.substr(0, open));
        if (!meaning) return;
        const std::string_view behind = trim_spaces(line.substr(close + 1));
        const std::size_t space = behind.find(' ');
        if (space == std::string_view::npos) return builder.note_no_time();
        const std::optional<LogTime> time = parse_epoch(trim_spaces(behind.substr(space)));
        if (!time) return builder.count_unread();
        const std::optional<std::size_t> gpu = find_gpu(line.substr(open + 1, close - open - 1), builder);
        const std::optional<double> value = parse_measurement(behind.substr(0, space));
        if (builder.begin_row(*time) && gpu && value) builder.add(*gpu, meaning->metric, *value * meaning->factor);
    }

private:
    std::optional<FieldMeaning> find_meaning(std::string_view name) {
        const auto known = std::ranges::find(names_, name, &std::pair<std::string, FieldMeaning>::first);
        if (known != names_.end())
            return known->second.field == LogField::Value ? std::optional(known->second) : std::nullopt;
        constexpr std::size_t kMostNames = 256, kMostName = 128;
        const FieldMeaning meaning = meaning_of_dcgm(name);
        if (names_.size() < kMostNames && name.size() <= kMostName) names_.emplace_back(name, meaning);
        return meaning.field == LogField::Value ? std::optional(meaning) : std::nullopt;
    }

    std::optional<std::size_t> find_gpu(std::string_view labels, LogBuilder& builder) {
        const auto known = gpus_.find(labels);
        if (known != gpus_.end()) return known->second;
        LoggedGpu gpu{.host = label_of(labels, "Hostname"),
                      .uuid = label_of(labels, "UUID"),
                      .bus = label_of(labels, "pci_bus_id"),
                      .index = trailing_number(label_of(labels, "gpu"))};
        if (gpu.host.empty()) gpu.host = label_of(labels, "instance_hostname");
        const std::optional<std::size_t> found = builder.find_gpu(gpu);
        if (gpus_.size() < kMostGpusOfLog) gpus_.emplace(labels, found);
        return found;
    }

    static std::string label_of(std::string_view labels, std::string_view name) {
        for (std::size_t at = 0; (at = labels.find(name, at)) != std::string_view::npos; at += name.size()) {
            const bool begins = at == 0 || labels[at - 1] == ',' || labels[at - 1] == ' ';
            const std::string_view behind = labels.substr(at + name.size());
            if (!begins || !behind.starts_with("=\"")) continue;
            const std::string_view value = behind.substr(2);
            constexpr std::size_t kMostValue = 128;
            return std::string(value.substr(0, std::min(value.find('"'), kMostValue)));
        }
        return {};
    }

    std::vector<std::pair<std::string, FieldMeaning>> names_;
    std::map<std::string, std::optional<std::size_t>, std::less<>> gpus_;
};

}  // namespace

std::unique_ptr<LogLines> make_exporter_lines() { return std::make_unique<ExporterLines>(); }

}  // namespace core
