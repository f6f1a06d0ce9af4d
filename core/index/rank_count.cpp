#include "core/index/rank_count.hpp"

#include "core/base/format.hpp"
#include "core/store/flight_names.hpp"
#include "core/store/main_process.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace core {

RankCount count_ranks(std::vector<RankKey> keys) {
    std::ranges::sort(keys);
    RankCount count{.ranks = 0, .captures = keys.size(), .even = true};
    std::size_t of_first = 0;
    for (std::size_t begin = 0; begin < keys.size(); ++count.ranks) {
        std::size_t end = begin;
        while (end < keys.size() && keys[end].number == keys[begin].number) ++end;
        if (begin == 0) of_first = end;
        count.even = count.even && end - begin == of_first;
        begin = end;
    }
    return count;
}

RankCount count_ranks(const Run& run) {
    std::vector<RankKey> keys;
    for (const RankSlot& rank : run.ranks()) keys.push_back(rank.key);
    return count_ranks(std::move(keys));
}

RankCount count_ranks(const Run& run, std::span<const std::uint32_t> slots) {
    std::vector<RankKey> keys;
    for (const std::uint32_t slot : slots) keys.push_back(run.rank(slot).key);
    return count_ranks(std::move(keys));
}

std::string format_rank_count(RankCount count) {
    std::string ranks = format_plural(count.ranks, "rank", "ranks");
    if (count.captures == count.ranks) return ranks;
    if (!count.even) return ranks + ", " + format_plural(count.captures, "capture", "captures");
    return ranks + " \xC3\x97 " + format_plural(count.captures / count.ranks, "capture", "captures");
}

std::string format_rank_count(RankCount chosen, RankCount all) {
    if (chosen.captures == all.captures) return format_rank_count(all);
    std::string of_ranks = (chosen.ranks == all.ranks ? "" : format_count(std::uint64_t{chosen.ranks}) + " of ") +
                           format_plural(all.ranks, "rank", "ranks");
    if (all.captures == all.ranks) return of_ranks;
    return of_ranks + ", " + format_count(std::uint64_t{chosen.captures}) + " of " +
           format_plural(all.captures, "capture", "captures");
}

namespace {

struct NumberSpan {
    std::int64_t least = 0, most = 0;
};

// Numbers that link launches to their work. O(launches).
std::optional<NumberSpan> find_correlations(const RankTrace& trace) {
    const SparseColumn<std::int64_t> column = trace.integers(Arg::Correlation);
    std::optional<NumberSpan> span;
    for (const std::int64_t number : column.values) {
        if (number <= 0) continue;
        if (!span) span = NumberSpan{number, number};
        span->least = std::min(span->least, number);
        span->most = std::max(span->most, number);
    }
    return span;
}

struct CaptureOfRank {
    RunRange window;
    const RankTrace* trace = nullptr;
    bool guessed = false;  // by the order of names
};

// Process and correlations, which rise in each process, tell a later window of it from another run if the rank is a
// guess.
bool may_be_of_one_process(const RankTrace& later, const RankTrace& earlier) {
    if (find_main_process(later) != find_main_process(earlier)) return false;
    const std::optional<NumberSpan> after = find_correlations(later), before = find_correlations(earlier);
    return !after || !before || after->least > before->most;
}

// One job goes on in the later one: it neither begins earlier nor counts its steps anew, as a second run would.
bool follows(const CaptureOfRank& later, const CaptureOfRank& earlier) {
    if (later.window.begin < earlier.window.end) return false;
    const std::span<const Step> after = later.trace->steps, before = earlier.trace->steps;
    if (!after.empty() && !before.empty() && after.front().number <= before.back().number) return false;
    return !later.guessed || !earlier.guessed || may_be_of_one_process(*later.trace, *earlier.trace);
}

struct Windows {
    bool are = false;
};

}  // namespace

std::map<std::int32_t, std::int32_t> find_first_captures(const Run& run) {
    std::map<std::int32_t, std::int32_t> first;
    for (const RankSlot& rank : run.ranks()) {
        const auto [known, is_new] = first.try_emplace(rank.key.number, rank.key.capture);
        if (!is_new) known->second = std::min(known->second, rank.key.capture);
    }
    return first;
}

bool is_beside(const RankInfo& info) { return is_flight_dump(info) || is_memory_snapshot(info) || is_log(info); }

bool are_windows(std::span<const RankSlot> ranks) {
    std::map<std::int32_t, std::vector<CaptureOfRank>> captures;
    for (const RankSlot& rank : ranks) {
        const RankTrace& trace = rank.trace();
        if (trace.size() > 0 && !is_beside(trace.info))
            captures[rank.key.number].push_back(
                {.window = rank.to_run(trace.window), .trace = &trace, .guessed = rank.source == RankSource::Order});
    }
    bool any = false;
    for (auto& [number, of_rank] : captures) {
        std::ranges::sort(of_rank, {}, [](const CaptureOfRank& capture) { return capture.window.begin; });
        for (std::size_t i = 1; i < of_rank.size(); ++i)
            if (!follows(of_rank[i], of_rank[i - 1])) return false;
        any = any || of_rank.size() > 1;
    }
    return any;
}

bool are_windows(const Run& run) {
    const auto look = [&] { return std::make_shared<const Windows>(Windows{are_windows(run.ranks())}); };
    return run.derived().get<Windows>(look)->are;
}

ComparedSlots choose_compared(const Run& run, std::vector<std::size_t> slots) {
    std::map<std::int32_t, std::size_t> ranks_with;  // by capture
    for (const std::size_t slot : slots)
        if (!is_beside(run.rank(slot).trace().info)) ++ranks_with[run.rank(slot).key.capture];
    ComparedSlots compared{.slots = std::move(slots), .left_out = 0};
    if (ranks_with.size() < 2 || are_windows(run)) return compared;
    const auto most = std::ranges::max_element(ranks_with, {}, [](const auto& of) { return of.second; });
    compared.left_out = std::erase_if(compared.slots, [&](std::size_t slot) {
        return run.rank(slot).key.capture != most->first && !is_beside(run.rank(slot).trace().info);
    });
    return compared;
}

RankKey counted_as(const Run& run, RankKey key) { return are_windows(run) ? RankKey{.number = key.number} : key; }

}  // namespace core
