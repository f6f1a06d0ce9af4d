#pragma once
// The report's style sheet and the script that sorts its tables. Internal to core/export.

#include <string_view>

namespace core {

// Follows the reader's light or dark setting. Contains no character that is markup in XML.
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;
// Fill patterns used by charts.
extern const std::string_view kReportPatterns;

}  // namespace core
