#pragma once
// Analyses by subject, for menus and lists, with other words that users search for them by.

#include "core/analysis/engine/analysis.hpp"

#include <span>
#include <string_view>

namespace core {

struct AnalysisGroup {
    std::string_view title;                     // "Time", "Communication"
    std::string_view summary;                   // one line
    std::span<const std::string_view> analyses; // ids, in the order of lists
};
std::span<const AnalysisGroup> analysis_groups();  // the last is for those that no other names

// The group of an analysis; the last one if none names it.
const AnalysisGroup& group_of(const Analysis&);
// The analyses of a group, in the order of lists.
std::vector<const Analysis*> collect_analyses(const AnalysisGroup&);

// Words that are not in the title, separated by spaces; empty for most.
std::string_view synonyms_of(const Analysis&);

}  // namespace core
