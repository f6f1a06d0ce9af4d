#include "core/analysis/engine/kernel_groups.hpp"

#include <algorithm>
#include <cmath>

namespace core {

void DurationStats::add(Duration duration) {
    if (count_ == 0) first_ = least_ = most_ = duration;
    ++count_;
    total_ += duration.count();
    least_ = std::min(least_, duration);
    most_ = std::max(most_, duration);
    const Wide difference = Wide{duration.count()} - first_.count();
    differences_ += difference;
    squares_ += static_cast<long double>(difference) * static_cast<long double>(difference);
}

std::int64_t DurationStats::deviation() const {
    if (count_ < 2) return 0;
    const auto n = static_cast<long double>(count_);
    const auto sum = static_cast<long double>(differences_);
    const long double variance = std::max(0.0L, (squares_ - sum * sum / n) / (n - 1));
    return clamped(static_cast<Wide>(std::floor(std::sqrt(variance) + 0.5L)));
}

Result<std::vector<KernelGroup>> collect_kernel_groups(const RankView& view, const JobContext& context) {
    constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    const RankTrace& trace = view.trace();
    std::vector<std::uint32_t> group_of(trace.names.size() * kKernelClasses, kNone);
    std::vector<KernelGroup> groups;
    std::size_t seen = 0;
    for (const EventId e : view.gpu_events()) {
        if (seen++ % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const KernelClass kernel_class = view.class_of(e);
        const NameId name = trace.name[index_of(e)];
        std::uint32_t& group = group_of[index_of(name) * kKernelClasses + static_cast<std::size_t>(kernel_class)];
        if (group == kNone) {
            group = static_cast<std::uint32_t>(groups.size());
            groups.push_back({name, kernel_class, {}});
        }
        groups[group].stats.add(view.visible(e).length());
    }
    std::ranges::sort(groups, [&](const KernelGroup& a, const KernelGroup& b) {
        if (a.stats.total() != b.stats.total()) return a.stats.total() > b.stats.total();
        if (a.name != b.name) return trace.text(a.name) < trace.text(b.name);
        return a.kernel_class < b.kernel_class;
    });
    return groups;
}

}  // namespace core
