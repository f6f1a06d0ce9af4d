#include "core/telemetry/telemetry_settings.hpp"

#include "core/base/ascii.hpp"
#include "core/telemetry/log_lines.hpp"

#include <algorithm>
#include <mutex>

namespace core {
namespace {

struct KeptSettings {
    std::mutex mutex;
    std::shared_ptr<const TelemetrySettings> now = std::make_shared<const TelemetrySettings>();
};

KeptSettings& kept_settings() {
    static KeptSettings kept;
    return kept;
}

Result<MappedGpu> parse_map_line(const std::vector<std::string>& names, const std::vector<std::string_view>& cells,
                                 std::size_t line) {
    MappedGpu mapped;
    for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) {
        const std::string_view cell = cells[i];
        if (names[i] == "host")
            mapped.host = cell;
        else if (names[i] == "rank")
            mapped.rank = trailing_number(cell);
        else if (names[i] == "local_rank")
            mapped.local_rank = trailing_number(cell);
        else if (mapped.gpu.empty())
            mapped.gpu = cell;
    }
    if (mapped.gpu.empty() || (mapped.rank < 0 && mapped.local_rank < 0))
        return bad_input("line " + std::to_string(line) + ": names no rank or no GPU");
    return mapped;
}

}  // namespace

void set_telemetry_settings(TelemetrySettings settings) {
    auto next = std::make_shared<const TelemetrySettings>(std::move(settings));
    const std::lock_guard lock(kept_settings().mutex);
    kept_settings().now = std::move(next);
}

std::shared_ptr<const TelemetrySettings> telemetry_settings() {
    const std::lock_guard lock(kept_settings().mutex);
    return kept_settings().now;
}

Result<std::vector<MappedGpu>> parse_gpu_map(std::string_view text) {
    constexpr std::string_view kColumns[] = {"host", "rank", "local_rank", "uuid", "bus", "index"};
    if (text.size() > std::size_t{1} << 20) return bad_input("longer than 1 MiB");
    std::vector<MappedGpu> map;
    std::vector<std::string> names;
    std::vector<std::string_view> cells;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view row = trim_spaces(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (row.empty() || row.front() == '#') continue;
        split_columns(row, cells);
        if (names.empty()) {
            for (const std::string_view cell : cells) {
                std::string name(cell);
                std::ranges::transform(name, name.begin(), lower_ascii);
                if (std::ranges::find(kColumns, name) == std::end(kColumns))
                    return bad_input("column '" + name + "' is not one of host, rank, local_rank, uuid, bus, index");
                names.push_back(std::move(name));
            }
            continue;
        }
        Result<MappedGpu> mapped = parse_map_line(names, cells, line);
        if (!mapped) return std::move(mapped).error();
        map.push_back(*std::move(mapped));
    }
    return map;
}

}  // namespace core
