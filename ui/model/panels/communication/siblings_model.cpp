#include "ui/model/panels/communication/siblings_model.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace ui {
namespace {

double ns(core::Duration duration) { return static_cast<double>(duration.count()); }

std::optional<core::NameId> find_name(const core::RankTrace& trace, std::string_view name) {
    for (std::size_t i = 0; i < trace.names.size(); ++i)
        if (const auto id = static_cast<core::NameId>(i); trace.text(id) == name) return id;
    return std::nullopt;
}

void add(Siblings& siblings, core::EventRef event, double duration, double own) {
    if (siblings.count == 0 || duration < siblings.least) {
        siblings.least = duration;
        siblings.shortest = event;
    }
    if (siblings.count == 0 || duration > siblings.most) {
        siblings.most = duration;
        siblings.longest = event;
    }
    ++siblings.count;
    siblings.total += duration;
    if (duration < own) ++siblings.shorter;
}

void add_all(const core::RankTrace& trace, std::uint32_t slot, core::NameId name, core::Category category, double own,
             const core::JobContext& job, Siblings& siblings, std::vector<core::Duration>& durations) {
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (i % core::kEventsBetweenChecks == 0 && job.cancelled()) return;
        if (trace.name[i] != name) continue;
        const auto event = static_cast<core::EventId>(i);
        if (trace.category_kind(event) != category) continue;
        add(siblings, {slot, event}, ns(trace.duration[i]), own);
        durations.push_back(trace.duration[i]);
    }
}

void merge(Siblings& all, const Siblings& some) {
    if (some.count == 0) return;
    if (all.count == 0 || some.least < all.least) {
        all.least = some.least;
        all.shortest = some.shortest;
    }
    if (all.count == 0 || some.most > all.most) {
        all.most = some.most;
        all.longest = some.longest;
    }
    all.count += some.count;
    all.shorter += some.shorter;
    all.total += some.total;
}

SiblingMedians take_medians(std::span<const Siblings> others) {
    SiblingMedians medians{.ranks = others.size()};
    const auto median_of = [&](const auto& value) {
        std::vector<double> values;
        for (const Siblings& one : others) values.push_back(value(one));
        return values.empty() ? 0.0 : core::take_median(values);
    };
    medians.count = median_of([](const Siblings& one) { return static_cast<double>(one.count); });
    medians.mean = median_of([](const Siblings& one) { return one.mean(); });
    medians.least = median_of([](const Siblings& one) { return one.least; });
    medians.most = median_of([](const Siblings& one) { return one.most; });
    return medians;
}

}  // namespace

double Siblings::percentile() const {
    return count > 1 ? static_cast<double>(shorter) / static_cast<double>(count - 1) : 0;
}

SiblingStats collect_siblings(const core::Run& run, core::EventRef event, const core::JobContext& job) {
    const core::RankTrace& own = run.rank(event.slot).trace();
    const std::string_view name = own.name_text(event.event);
    const core::Category category = own.category_kind(event.event);
    const double duration = ns(own.duration[core::index_of(event.event)]);
    SiblingStats stats;
    std::vector<Siblings> others;
    std::vector<core::Duration> durations;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const core::RankTrace& trace = run.rank(slot).trace();
        const std::optional<core::NameId> id = find_name(trace, name);
        if (!id) continue;
        Siblings of_rank;
        add_all(trace, slot, *id, category, duration, job, of_rank, durations);
        merge(stats.run, of_rank);
        if (slot == event.slot)
            stats.rank = of_rank;
        else if (of_rank.count > 0)
            others.push_back(of_rank);
    }
    stats.others = take_medians(others);
    stats.bins = core::count_durations(durations);
    return stats;
}

}  // namespace ui
