#include "core/index/run.hpp"

#include "core/base/platform/mapped_file.hpp"
#include "core/base/saturate.hpp"
#include "core/index/summary_rank.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace core {
namespace {

std::int64_t saturated_round(double ns) {
    constexpr double kMost = 9.2e18;
    return std::llround(std::clamp(ns, -kMost, kMost));
}

std::uint64_t fresh_run_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

RankKey RankKey::unpacked(std::int64_t cell) {
    return {static_cast<std::int32_t>(cell >> 10), static_cast<std::int32_t>(cell & 1023)};
}

std::string format_capture(std::int32_t capture) {
    std::string letters;
    for (std::int64_t n = std::int64_t{capture} + 1; n > 0; n = (n - 1) / 26) {
        letters.insert(letters.begin(), static_cast<char>('a' + (n - 1) % 26));
    }
    return letters;
}

std::optional<std::int32_t> parse_capture(std::string_view letters) {
    std::int32_t number = 0;
    for (const char c : letters) {
        if (c < 'a' || c > 'z') return std::nullopt;
        number = number * 26 + (c - 'a') + 1;
        if (number > kMostCaptures) return std::nullopt;
    }
    return number == 0 ? std::nullopt : std::optional(number - 1);
}

std::string format_rank(RankKey key) {
    const std::string number = std::to_string(key.number);
    return key.capture == 0 ? number : number + "\xc2\xb7" + format_capture(key.capture);
}

RunTime ClockMap::to_run(RankTime t) const {
    const std::int64_t moved = saturating_add(ns_of(t), offset.count());
    if (drift == 0) return run_time(moved);
    const auto since = static_cast<double>(saturating_subtract(ns_of(t), ns_of(reference)));
    return run_time(saturating_add(moved, saturated_round(drift * since)));
}

RankTime ClockMap::to_rank(RunTime t) const {
    const std::int64_t moved = saturating_subtract(ns_of(t), offset.count());
    if (drift == 0) return rank_time(moved);
    const auto since = static_cast<double>(saturating_subtract(moved, ns_of(reference)));
    return rank_time(saturating_subtract(moved, saturated_round(since * (drift / (1 + drift)))));
}

RunRange ClockMap::to_run_of_length(RankRange r) const {
    const RunTime begin = to_run(r.begin);
    return {begin, run_time(saturating_add(ns_of(begin), saturating_subtract(ns_of(r.end), ns_of(r.begin))))};
}

Run::Run(RunParts parts) : id_(fresh_run_id()), parts_(std::move(parts)) {
    if (!parts_.names) parts_.names = std::make_shared<InternedNames>();
    std::ranges::stable_sort(parts_.ranks, {}, &RankSlot::key);
    for (const RankSlot& rank : parts_.ranks) {
        if (rank.trace().size() == 0) continue;
        const RunRange own = rank.to_run(rank.trace().window);
        window_ =
            event_count_ == 0 ? own : RunRange{std::min(window_.begin, own.begin), std::max(window_.end, own.end)};
        event_count_ += count_events(rank.trace());
        if (const SummaryFacts* const facts = summary_of(rank.trace()))
            summary_resolution_ = std::max(summary_resolution_.value_or(Duration{}), Duration{facts->resolution});
    }
}

std::vector<const Companion*> Run::companions_of(std::size_t slot) const {
    const std::int32_t number = rank(slot).key.number;
    const bool is_first = slot == 0 || rank(slot - 1).key.number != number;
    std::vector<const Companion*> own;
    for (const Companion& companion : parts_.companions)
        if (companion.rank ? is_first && *companion.rank == number : slot == 0) own.push_back(&companion);
    return own;
}

Diagnostics Run::all_diagnostics() const {
    Diagnostics all = parts_.diagnostics;
    for (const RankSlot& rank : parts_.ranks) {
        all.merge(rank.trace().diagnostics, rank.trace().info.path.filename().string());
    }
    for (const Companion& companion : parts_.companions)
        all.merge(companion.trace().diagnostics, companion.trace().info.path.filename().string());
    return all;
}

bool has_gpu_events(const Run& run) {
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) { return !rank.trace().gpu_events.empty(); });
}

namespace {

bool is_gone(const RankSlot& rank) { return rank.trace().blob().is_lost(); }

// Keeps its place among the ranks, and what is known of it as a file.
RankSlot emptied(const RankSlot& rank, const ClassRules& rules, InternedNames& names) {
    RankInfo info = rank.trace().info;
    Diagnostics diagnostics;
    diagnostics.add("file-gone", "gone: file changed: the index file of " + info.path.string() +
                                     " was cut or overwritten while it was open");
    RankSlot gone = rank;
    auto trace = std::make_shared<const RankTrace>(Blob(), std::move(info), std::move(diagnostics));
    gone.names = names.build_table(trace->names);
    gone.index = std::make_shared<const RankIndex>(std::move(trace), rules);
    return gone;
}

}  // namespace

RunPtr without_gone_ranks(const RunPtr& run) {
    if (!run || count_lost_mappings() == 0 || std::ranges::none_of(run->ranks(), is_gone)) return run;
    RunParts parts = run->parts();
    for (RankSlot& rank : parts.ranks)
        if (is_gone(rank)) rank = emptied(rank, parts.rules, *parts.names);
    parts.files = nullptr;
    return std::make_shared<const Run>(std::move(parts));
}

}  // namespace core
