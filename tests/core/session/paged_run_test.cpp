#include "core/session/paged_run.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "core/collectives/choose_clocks.hpp"

#include "core/index/summary_rank.hpp"
#include "core/session/session.hpp"
#include "tests/core/ingest/load/summary_beside.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <thread>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

bool is_whole(const Run& run, std::size_t slot) { return summary_of(run.rank(slot).trace()) == nullptr; }

struct Paging : SummaryBeside {
    // Runs until nothing more arrives.
    void want(std::vector<std::uint32_t> slots, std::uint64_t budget = kPageBudget) {
        for (int frame = 0; frame < 2'000; ++frame) {
            pages.update(run, slots, budget, pool);
            if (!pages.loading()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        FAIL("ranks do not arrive");
    }
    std::vector<std::uint32_t> whole_slots() const {
        std::vector<std::uint32_t> slots;
        for (std::uint32_t slot = 0; slot < run->ranks().size(); ++slot)
            if (is_whole(*run, slot)) slots.push_back(slot);
        return slots;
    }
    JobPool pool{2};
    PagedRun pages;
    RunPtr run = summary;
};
using Slots = std::vector<std::uint32_t>;

RankPageMap pages_of(const SummaryBeside& beside, const Slots& slots) {
    RankPageMap pages;
    for (const std::uint32_t slot : slots) {
        const auto whole =
            open_whole_rank(beside.summary->rank(slot), *beside.summary->parts().pages, beside.summary->rules(), {});
        REQUIRE(whole);
        pages[slot] = {.index = whole->index,
                       .names = beside.summary->parts().names->build_table(whole->index->trace().names),
                       .bytes = whole->bytes};
    }
    return pages;
}

}  // namespace

TEST_CASE_FIXTURE(Paging, "ranks that are wanted become whole, and stay so while there is room") {
    want({1});
    CHECK(whole_slots() == Slots{1});
    CHECK(run->summary() == summary);
    CHECK(run->name() == summary->name());
    CHECK(run->rank(1).trace().size() == full->rank(1).trace().size());
    want({3});
    CHECK(whole_slots() == Slots{1, 3});
    CHECK(run->summary() == summary);
    CHECK(pages.trouble().empty());
    const RunPtr before = run;
    want({1, 3});
    CHECK(run == before);  // nothing to do
    pages.drop(run);
    CHECK(run == summary);
}

TEST_CASE_FIXTURE(Paging, "what is not in view goes first where the index files exceed the budget") {
    const std::uint64_t one = fs::file_size(index_file_of(0));
    want({0}, 2 * one + one / 2);
    want({1}, 2 * one + one / 2);
    want({2}, 2 * one + one / 2);
    CHECK(whole_slots() == Slots{1, 2});
    CHECK(pages.bytes() <= 2 * one + one / 2);
    want({0, 1, 2, 3}, 2 * one + one / 2);
    CHECK(whole_slots().size() >= 2);
    CHECK(whole_slots().size() <= 3);  // the last may exceed the budget
    want({0, 1, 2, 3}, 2 * one + one / 2);
    CHECK(pages.trouble().find("more than --memory allows") != std::string::npos);
    want({3}, one / 2);  // one rank is shown however large it is
    CHECK(is_whole(*run, 3));
}

TEST_CASE_FIXTURE(Paging,
                  "a rank whose index file cannot be read stays as it is, the reason is known, and it is tried again "
                  "once it is in view again") {
    const fs::path away = index_file_of(2).string() + ".away";
    fs::rename(index_file_of(2), away);
    std::ofstream(index_file_of(2)) << "cut short";
    want({1, 2});
    CHECK(whole_slots() == Slots{1});
    CHECK(pages.trouble().find("rank 2: ") == 0);
    fs::rename(away, index_file_of(2));
    want({1, 2});
    CHECK(whole_slots() == Slots{1});  // not tried at every frame
    want({1});
    CHECK(pages.trouble().empty());  // not in view
    want({1, 2});
    CHECK(whole_slots() == Slots{1, 2});
    CHECK(pages.trouble().empty());
}

TEST_CASE_FIXTURE(Paging,
                  "what is known of the run stays: matches, waits, clocks; events have the numbers of the whole rank") {
    const WaitsPtr known = waits_of(*summary);
    const RunPtr paged = with_whole_ranks(summary, pages_of(*this, {0, 2}));
    const MatchedRunPtr matches = paged->derived().find<MatchedRun>();
    REQUIRE(matches);
    CHECK(matches->collectives.size() == known->matched->collectives.size());
    const WaitsPtr waits = paged->derived().find<Waits>();
    REQUIRE(waits);
    CHECK(waits->wait == known->wait);
    std::size_t seen = 0;
    for (std::uint32_t position = 0; position < matches->members.size(); ++position) {
        const MemberRef ref = matches->members[position];
        const MemberEvent& member = matches->member(ref);
        CHECK(member.start == known->matched->member(known->matched->members[position]).start);
        const EventRef event{ref.slot, member.event};
        CHECK(paged->rank(ref.slot).trace().start[index_of(event.event)] == member.start);
        CHECK(matches->find_member(event) == std::optional(ref));
        seen += ref.slot == 0 || ref.slot == 2 ? 1U : 0U;
    }
    CHECK(seen > 0);
    CHECK(paged->rank(2).clock == summary->rank(2).clock);
}

TEST_CASE_FIXTURE(Paging, "an event is found again in the whole rank, and events of answers are") {
    const RunPtr paged = with_whole_ranks(summary, pages_of(*this, {1}));
    const RankTrace& thin = summary->rank(1).trace();
    const RankTrace& whole = paged->rank(1).trace();
    for (const MemberEvent& member : summary->rank(1).index->members().events()) {
        const EventId found = find_same_event(thin, member.event, whole);
        REQUIRE(found != kNoEvent);
        CHECK(whole.name_text(found) == thin.name_text(member.event));
        CHECK(whole.range(found) == thin.range(member.event));
        CHECK(find_same_event(whole, found, thin) == member.event);
        const EventRef told =
            find_told_event(*paged, summary->rank(1).key, static_cast<std::int64_t>(index_of(member.event)));
        CHECK(told == EventRef{1, found});
        CHECK(find_told_event(*summary, summary->rank(1).key, static_cast<std::int64_t>(index_of(member.event))) ==
              EventRef{1, member.event});
    }
    std::size_t lost = 0;
    for (std::uint32_t e = 0; e < whole.size(); ++e)
        lost += find_same_event(whole, EventId{e}, thin) == kNoEvent ? 1U : 0U;
    CHECK(lost > 0);  // what a summary leaves out
    CHECK_FALSE(find_told_event(*paged, summary->rank(1).key, static_cast<std::int64_t>(thin.size())).valid());
    CHECK_FALSE(find_told_event(*paged, RankKey{99, 0}, 0).valid());
    CHECK_FALSE(find_told_event(*paged, summary->rank(1).key, -1).valid());
}

TEST_CASE_FIXTURE(Paging, "answers about a summary with whole ranks are those of the summary") {
    Session session(2);
    session.set_run(summary);
    const RunPtr paged = with_whole_ranks(summary, pages_of(*this, {0, 1, 2, 3}));
    const auto ask = [&](const RunPtr& of, std::string_view id) {
        const Analysis& analysis = *find_analysis(id);
        Request answer;
        for (int i = 0; i < 2'000 && answer.pending(); ++i) {
            answer = session.results().request(1, analysis, of, {}, *make_params(analysis, {}));
            session.results().end_frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return answer;
    };
    for (const std::string_view id : {"temporal-breakdown", "findings", "collectives"}) {
        const Request of_summary = ask(summary, id);
        REQUIRE(of_summary.fresh);
        const Request of_paged = ask(paged, id);
        CHECK(of_paged.answer == of_summary.answer);
    }
    CHECK_FALSE(ask(paged, "operators").error.empty());
}

TEST_CASE_FIXTURE(Paging, "a session makes wanted ranks whole, and returns to the summary for other clocks") {
    Session session(2);
    session.set_run(summary);
    session.want_whole(Side::Baseline, {0});
    for (int i = 0; i < 2'000 && !session.run()->summary(); ++i) {
        session.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(session.run()->summary() == summary);
    CHECK(is_whole(*session.run(), 0));
    session.want_whole(Side::Baseline, {});
    session.set_clocks(Side::Baseline, ClockChoice::Recorded);
    session.update();
    for (std::size_t slot = 0; slot < session.run()->ranks().size(); ++slot)
        CHECK_FALSE(is_whole(*session.run(), slot));
}
