#include "core/diff/align/devices.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

namespace core {
namespace {

const RankTrace* find_told_rank(const Run& run) {
    for (const RankSlot& rank : run.ranks())
        if (!rank.trace().gpu_events.empty()) return &rank.trace();
    return run.ranks().empty() ? nullptr : &run.ranks().front().trace();
}

std::vector<NameId> collect_names(const RankTrace& trace) {
    std::vector<NameId> names;
    if (trace.gpu_events.empty())
        names.assign(trace.name.begin(), trace.name.end());
    else
        for (const EventId event : trace.gpu_events) names.push_back(trace.name[index_of(event)]);
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

std::size_t count_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
    std::vector<std::uint64_t> common;
    std::ranges::set_intersection(a, b, std::back_inserter(common));
    return common.size();
}

}  // namespace

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

Program find_program(const Run& run) {
    Program program{.ranks = run.ranks().size(), .devices = devices_of(run), .names = {}};
    const RankTrace* const trace = find_told_rank(run);
    if (!trace) return program;
    for (const NameId name : collect_names(*trace)) {
        const std::string_view text = trace->text(name);
        if (!text.starts_with("ProfilerStep#")) program.names.push_back(std::hash<std::string_view>{}(text));
    }
    std::ranges::sort(program.names);
    program.names.erase(std::ranges::unique(program.names).begin(), program.names.end());
    return program;
}

std::string find_other_program(const Program& program, const Program& before) {
    if (program.ranks != before.ranks)
        return format_plural(program.ranks, "rank", "ranks") + ", before " + std::to_string(before.ranks);
    if (program.devices != before.devices) return "other devices";
    const std::size_t larger = std::max(program.names.size(), before.names.size());
    const std::size_t common = count_common(program.names, before.names);
    if (larger == 0 || 2 * common >= larger) return {};
    return "other kernels: " + format_ratio(static_cast<double>(common) / static_cast<double>(larger)) +
           " of names in common";
}

}  // namespace core
