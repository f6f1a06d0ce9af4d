#include "core/diff/devices.hpp"

#include <set>

namespace core {

std::string devices_of(const Run& run) {
    std::set<std::string> names;
    for (const RankSlot& rank : run.ranks()) {
        for (const Device& device : rank.trace().info.devices) names.insert(device.name);
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

bool devices_differ(const Run& baseline, const Run& candidate) {
    const std::string before = devices_of(baseline);
    const std::string after = devices_of(candidate);
    return !before.empty() && !after.empty() && before != after;
}

NameMatching default_matching(const Run& baseline, const Run& candidate) {
    return devices_differ(baseline, candidate) ? NameMatching::Operator : NameMatching::Exact;
}

}  // namespace core
