#pragma once
// How a report looks: one style sheet, and the lines of script that sort its tables. Internal to core/export.

#include <string_view>

namespace core {

// Light and dark as the reader's system is. Neither has a character that XML would take for markup.
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;
// Patterns that charts refer to.
extern const std::string_view kReportPatterns;

}  // namespace core
