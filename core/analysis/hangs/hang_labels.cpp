#include "core/analysis/hangs/hang_labels.hpp"

#include <map>

namespace core::hangs {
namespace {

std::string label_of(const RecordedGroup& group) {
    return group.description.empty() ? group.name : group.description + " " + group.name;
}

}  // namespace

std::vector<std::string> label_groups(const std::vector<RecordedGroup>& groups) {
    std::map<std::string, int> counts;
    for (const RecordedGroup& group : groups) ++counts[label_of(group)];
    std::vector<std::string> labels;
    for (const RecordedGroup& group : groups) {
        std::string label = label_of(group);
        if (counts[label] > 1) {
            std::string members;
            for (const std::int32_t member : group.members)
                members.append(members.empty() ? "" : ",").append(std::to_string(member));
            constexpr std::size_t kMostText = 200;
            label += " [" + members.substr(0, kMostText) + "]";
        }
        labels.push_back(std::move(label));
    }
    return labels;
}

std::string join_ranks(const std::vector<std::int32_t>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t j = i;
        while (j + 1 < ranks.size() && ranks[j + 1] == ranks[j] + 1) ++j;
        text.append(text.empty() ? "" : ",").append(std::to_string(ranks[i]));
        if (j > i) text.append("-").append(std::to_string(ranks[j]));
        i = j + 1;
    }
    return text;
}

}  // namespace core::hangs
