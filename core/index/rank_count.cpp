#include "core/index/rank_count.hpp"

#include "core/base/format.hpp"
#include "core/store/flight_names.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <map>

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

struct CaptureOfRank {
    RunRange window;
    std::span<const Step> steps;
};

// One job goes on in the later one: it neither begins earlier nor counts its steps anew, as a second run would.
bool follows(const CaptureOfRank& later, const CaptureOfRank& earlier) {
    if (later.window.begin < earlier.window.end) return false;
    return later.steps.empty() || earlier.steps.empty() || later.steps.front().number > earlier.steps.back().number;
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
            captures[rank.key.number].push_back({rank.to_run(trace.window), trace.steps});
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

RankKey counted_as(const Run& run, RankKey key) { return are_windows(run) ? RankKey{.number = key.number} : key; }

}  // namespace core
