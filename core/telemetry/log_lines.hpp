#pragma once
// Readers of logs by line, one per kind of log. Each is handed the lines in order and holds no more than one of them.

#include "core/telemetry/log_builder.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class LogLines {
public:
    virtual ~LogLines() = default;
    virtual void add_line(std::string_view line, LogBuilder& builder) = 0;
};

// The columns of a line of CSV, without spaces around them; the views point into the line.
void split_columns(std::string_view line, std::vector<std::string_view>& columns);
// Whether at least two of the columns have a meaning.
bool is_table_header(std::string_view line);

// nvidia-smi --query-gpu --format=csv, amd-smi and rocm-smi --csv. header: of columns that the file does not name;
// empty: its own. Files of one GPU without a column for it have the GPU `of_name`.
std::unique_ptr<LogLines> make_table_lines(std::string_view header, LoggedGpu of_name);
std::unique_ptr<LogLines> make_dmon_lines();  // nvidia-smi dmon and dcgmi dmon
std::unique_ptr<LogLines> make_exporter_lines();  // Prometheus text of dcgm-exporter
std::unique_ptr<LogLines> make_kernel_lines();  // NVRM: Xid
std::unique_ptr<LogLines> make_json_lines();  // an object per line, members by synonym

std::string_view trim_spaces(std::string_view text);
// "3", "nvidia3", "cuda:3", "card3": 3; -1: no number at its end.
std::int64_t trailing_number(std::string_view text);

}  // namespace core
