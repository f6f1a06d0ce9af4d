#include "core/session/paged_run.hpp"

#include "core/base/format.hpp"
#include "core/collectives/wait_spans.hpp"
#include "core/index/summary_rank.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostAtOnce = 16;  // ranks brought in before they are shown

std::uint64_t bytes_of(const RankPageMap& pages) {
    std::uint64_t bytes = 0;
    for (const RankPage& page : std::views::values(pages)) bytes += page.bytes;
    return bytes;
}

// Lets go what is not wanted now, the longest unwanted first, until the rest fits.
void make_room(RankPageMap& pages, std::uint64_t now, std::uint64_t budget) {
    while (bytes_of(pages) > budget) {
        const auto oldest = std::ranges::min_element(pages, {}, [](const auto& entry) { return entry.second.wanted; });
        if (oldest->second.wanted == now) return;
        pages.erase(oldest);
    }
}

}  // namespace

RunPtr with_whole_ranks(const RunPtr& summary, const RankPageMap& pages) {
    if (pages.empty()) return summary;
    RunParts parts = summary->parts();
    parts.summary = summary;
    for (const auto& [slot, page] : pages) {
        parts.ranks[slot].index = page.index;
        parts.ranks[slot].names = page.names;
    }
    auto paged = std::make_shared<const Run>(std::move(parts));
    if (summary->derived().find<MatchedRun>()) (void)wait_spans_of(*paged);  // known, and with it matches and waits
    return paged;
}

EventId find_same_event(const RankTrace& from, EventId e, const RankTrace& to) {
    if (index_of(e) >= from.size()) return kNoEvent;
    const std::size_t lane = from.find_lane(e);
    if (lane >= to.lanes.size()) return kNoEvent;
    const Lane& row = to.lanes[lane];
    const auto events = to.start.subspan(index_of(row.first), index_of(row.last) - index_of(row.first));
    const RankRange times = from.range(e);
    for (auto at = std::ranges::lower_bound(events, times.begin); at != events.end() && *at == times.begin; ++at) {
        const EventId found{
            static_cast<std::uint32_t>(index_of(row.first) + static_cast<std::size_t>(at - events.begin()))};
        if (to.range(found) == times) return found;
    }
    return kNoEvent;
}

EventRef find_told_event(const Run& shown, std::optional<RankKey> rank, std::optional<std::int64_t> event) {
    if (!rank || !event || *event < 0) return {};
    const auto found = std::ranges::lower_bound(shown.ranks(), *rank, {}, &RankSlot::key);
    if (found == shown.ranks().end() || found->key != *rank) return {};
    const auto slot = static_cast<std::uint32_t>(found - shown.ranks().begin());
    const RankTrace& told_of = (shown.summary() ? *shown.summary() : shown).rank(slot).trace();
    if (static_cast<std::uint64_t>(*event) >= told_of.size()) return {};
    const EventId told{static_cast<std::uint32_t>(*event)};
    const EventId e = &told_of == &found->trace() ? told : find_same_event(told_of, told, found->trace());
    return e == kNoEvent ? EventRef{} : EventRef{slot, e};
}

std::uint64_t PagedRun::bytes() const { return bytes_of(pages_); }

Result<PagedRun::Paged> PagedRun::page_in(const RunPtr& summary, RankPageMap pages,
                                          const std::vector<std::uint32_t>& wanted, std::uint64_t now,
                                          std::uint64_t budget, const JobContext& job) {
    Paged paged;
    for (const std::uint32_t slot : wanted) {
        make_room(pages, now, budget);
        paged.full = !pages.empty() && bytes_of(pages) >= budget;
        if (paged.full) break;
        const RankSlot& thin = summary->rank(slot);
        Result<WholeRank> whole = open_whole_rank(thin, *summary->parts().pages, summary->rules(), job);
        if (job.cancelled()) return cancelled_error();
        if (!whole) {
            paged.failed[slot] = "rank " + format_rank(thin.key) + ": " + whole.error().message;
            continue;
        }
        pages[slot] = {.index = whole->index,
                       .names = summary->parts().names->build_table(whole->index->trace().names),
                       .bytes = whole->bytes,
                       .wanted = now};
    }
    make_room(pages, now, budget);
    paged.run = with_whole_ranks(summary, pages);
    paged.pages = std::move(pages);
    return paged;
}

void PagedRun::drop(RunPtr& run) {
    if (run && run->summary()) run = run->summary();
    *this = {};
}

bool PagedRun::update(RunPtr& run, std::span<const std::uint32_t> wanted, std::uint64_t budget, JobPool& pool) {
    const RunPtr summary = run && run->summary() ? run->summary() : run;
    if (summary != of_) {
        *this = {};
        of_ = summary;
    }
    if (!of_ || !of_->parts().pages) return false;
    ++now_;
    bool changed = false;
    if (const Result<Paged>* const done = job_.poll()) {
        if (*done) {
            pages_ = (*done)->pages;
            failed_.insert((*done)->failed.begin(), (*done)->failed.end());
            full_for_ = (*done)->full ? std::vector(wanted.begin(), wanted.end()) : std::vector<std::uint32_t>();
            run = (*done)->run;
            changed = true;
        }
        job_ = {};
    }
    std::erase_if(failed_, [&](const auto& one) { return std::ranges::find(wanted, one.first) == wanted.end(); });
    std::vector<std::uint32_t> missing;
    trouble_.clear();
    for (const std::uint32_t slot : wanted) {
        if (slot >= of_->ranks().size() || summary_of(of_->rank(slot).trace()) == nullptr) continue;
        if (const auto page = pages_.find(slot); page != pages_.end())
            page->second.wanted = now_;
        else if (const auto why = failed_.find(slot); why == failed_.end())
            missing.push_back(slot);
        else if (trouble_.empty())
            trouble_ = why->second;
    }
    if (missing.empty() || job_) return changed;
    if (std::ranges::equal(full_for_, wanted)) {
        trouble_ = format_plural(missing.size(), "rank in view is", "ranks in view are") +
                   " not whole: their index files are more than --memory allows";
        return changed;
    }
    if (missing.size() > kMostAtOnce) missing.resize(kMostAtOnce);
    job_ = Job<Paged>::start(pool, [summary = of_, pages = pages_, missing, now = now_, budget](const JobContext& job) {
        return page_in(summary, pages, missing, now, budget, job);
    });
    return changed;
}

}  // namespace core
