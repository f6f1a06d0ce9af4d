#include "core/index/run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace core {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

std::int64_t saturated_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? Limits::min() : Limits::max();
}

std::int64_t saturated_subtract(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return b < 0 ? Limits::max() : Limits::min();
}

std::int64_t saturated_round(double ns) {
    constexpr double kMost = 9.2e18;
    return std::llround(std::clamp(ns, -kMost, kMost));
}

std::uint64_t fresh_run_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// "b" for the second capture, … "z", then "aa".
std::string capture_letters(std::int32_t capture) {
    std::string letters;
    for (std::int64_t n = std::int64_t{capture} + 1; n > 0; n = (n - 1) / 26) {
        letters.insert(letters.begin(), static_cast<char>('a' + (n - 1) % 26));
    }
    return letters;
}

}  // namespace

RankKey RankKey::unpacked(std::int64_t cell) {
    return {static_cast<std::int32_t>(cell >> 10), static_cast<std::int32_t>(cell & 1023)};
}

std::string format_rank(RankKey key) {
    const std::string number = std::to_string(key.number);
    return key.capture == 0 ? number : number + "\xc2\xb7" + capture_letters(key.capture);
}

RunTime ClockMap::to_run(RankTime t) const {
    const std::int64_t moved = saturated_add(ns_of(t), offset.count());
    if (drift == 0) return run_time(moved);
    const auto since = static_cast<double>(saturated_subtract(ns_of(t), ns_of(reference)));
    return run_time(saturated_add(moved, saturated_round(drift * since)));
}

RankTime ClockMap::to_rank(RunTime t) const {
    const std::int64_t moved = saturated_subtract(ns_of(t), offset.count());
    if (drift == 0) return rank_time(moved);
    const auto since = static_cast<double>(saturated_subtract(moved, ns_of(reference)));
    return rank_time(saturated_subtract(moved, saturated_round(since * (drift / (1 + drift)))));
}

Run::Run(RunParts parts) : id_(fresh_run_id()), parts_(std::move(parts)) {
    if (!parts_.names) parts_.names = std::make_shared<SessionNames>();
    std::ranges::stable_sort(parts_.ranks, {}, &RankSlot::key);
    for (const RankSlot& rank : parts_.ranks) {
        if (rank.trace().size() == 0) continue;
        const RunRange own = rank.clock.to_run(rank.trace().window);
        window_ =
            event_count_ == 0 ? own : RunRange{std::min(window_.begin, own.begin), std::max(window_.end, own.end)};
        event_count_ += rank.trace().size();
    }
}

Diagnostics Run::all_diagnostics() const {
    Diagnostics all = parts_.diagnostics;
    for (const RankSlot& rank : parts_.ranks) {
        all.merge(rank.trace().diagnostics, rank.trace().info.path.filename().string());
    }
    return all;
}

bool has_gpu_events(const Run& run) {
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) { return !rank.trace().gpu_events.empty(); });
}

}  // namespace core
