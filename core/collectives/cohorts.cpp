#include "core/collectives/matched_run.hpp"

#include "core/index/replay_numbers.hpp"

#include <limits>
#include <map>
#include <set>

namespace core {
namespace {

// Numbers from the first to the last.
struct Numbers {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();

    bool any() const { return first <= last; }
    void add(std::int64_t number) {
        first = std::min(first, number);
        last = std::max(last, number);
    }
    void add(const Numbers& other) {
        first = std::min(first, other.first);
        last = std::max(last, other.last);
    }
    // Whether at least half of the shorter range is in both.
    bool meets(const Numbers& other) const {
        if (!any() || !other.any()) return false;
        const double both =
            static_cast<double>(std::min(last, other.last)) - static_cast<double>(std::max(first, other.first)) + 1;
        const double shorter = std::min(static_cast<double>(last) - static_cast<double>(first),
                                        static_cast<double>(other.last) - static_cast<double>(other.first));
        return both * 2 >= shorter + 1;
    }
};

// Numbers that tell whether ranks ran together, whatever their clocks say: of steps and of calls.
struct Counted {
    Numbers steps;
    std::map<std::uint32_t, Numbers> calls;  // by group of the run

    void add(const RankMembers& rank) {
        for (const std::int64_t step : rank.steps) steps.add(step);
        for (std::uint32_t i = 0; i < rank.events.size(); ++i)
            if (rank.events[i].number != kNoNumber && !is_replay_number(rank.events[i].number) &&
                rank.events[i].group != kNoGroup)
                calls[rank.group(i)].add(rank.events[i].number);
    }
    void add(const Counted& other) {
        steps.add(other.steps);
        for (const auto& [group, numbers] : other.calls) calls[group].add(numbers);
    }
    bool meets(const Counted& other) const {
        if (steps.any() && other.steps.any()) return steps.meets(other.steps);
        return std::ranges::any_of(calls, [&](const auto& own) {
            const auto others = other.calls.find(own.first);
            return others != other.calls.end() && own.second.meets(others->second);
        });
    }
};

constexpr std::int64_t kNoWork = std::numeric_limits<std::int64_t>::min();

struct Open {
    Cohort cohort;
    std::int64_t end = kNoWork;
    std::set<std::int32_t> taken;
    Counted counted;

    // A rank without GPU work is no member that others lack.
    bool works() const { return end != kNoWork; }
    bool may_join(const Open& other) const {
        return works() && other.works() && cohort.world_size == other.cohort.world_size &&
               counted.meets(other.counted) &&
               std::ranges::none_of(other.taken, [&](std::int32_t rank) { return taken.contains(rank); });
    }
    void join(Open&& other) {
        cohort.slots.insert(cohort.slots.end(), other.cohort.slots.begin(), other.cohort.slots.end());
        taken.merge(other.taken);
        counted.add(other.counted);
    }
};

// Ranks of one job whose clocks are further apart than the time that was recorded.
std::vector<Open> join_by_numbers(std::vector<Open> cohorts) {
    std::vector<Open> joined;
    for (Open& cohort : cohorts) {
        const auto it = std::ranges::find_if(joined, [&](const Open& one) { return one.may_join(cohort); });
        if (it == joined.end())
            joined.push_back(std::move(cohort));
        else
            it->join(std::move(cohort));
    }
    return joined;
}

}  // namespace

std::vector<Cohort> find_cohorts(std::span<const RankMembers> ranks) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t slot = 0; slot < ranks.size(); ++slot) order.push_back(slot);
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t slot) { return std::pair(ranks[slot].world_size, ranks[slot].work_begin); });
    std::vector<Open> cohorts;
    for (const std::uint32_t slot : order) {
        const RankMembers& rank = ranks[slot];
        const auto fits = [&](const Open& open) {
            return open.cohort.world_size == rank.world_size && rank.work_begin < open.end &&
                   !open.taken.contains(rank.rank);
        };
        auto it = rank.work_begin < rank.work_end ? std::ranges::find_if(cohorts, fits) : cohorts.end();
        if (it == cohorts.end())
            it = cohorts.insert(it, Open{.cohort = {{}, rank.world_size}, .end = kNoWork, .taken = {}, .counted = {}});
        it->cohort.slots.push_back(slot);
        it->taken.insert(rank.rank);
        if (rank.work_begin < rank.work_end) it->end = std::max(it->end, rank.work_end);
    }
    if (cohorts.size() > 1) {
        for (Open& open : cohorts)
            for (const std::uint32_t slot : open.cohort.slots) open.counted.add(ranks[slot]);
        cohorts = join_by_numbers(std::move(cohorts));
    }
    std::vector<Cohort> found;
    for (Open& open : cohorts) {
        std::ranges::sort(open.cohort.slots);
        found.push_back(std::move(open.cohort));
    }
    std::ranges::sort(found, {}, [](const Cohort& cohort) { return cohort.slots.front(); });
    return found;
}

}  // namespace core
