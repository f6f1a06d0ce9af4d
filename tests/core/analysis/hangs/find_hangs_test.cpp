#include "core/analysis/hangs/find_hangs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace core::hangs;

namespace {

using Numbers = std::vector<std::int32_t>;

class JobFixture {
public:
    explicit JobFixture(std::int32_t ranks) {
        for (std::int32_t i = 0; i < ranks; ++i) job_.ranks.push_back({.number = i});
    }
    std::uint32_t group(Numbers members, std::string name = "g") {
        job_.groups.push_back({std::move(name), "", std::move(members)});
        return static_cast<std::uint32_t>(job_.groups.size() - 1);
    }
    // Calls first..last; those up to `done` are completed.
    JobFixture& calls(std::size_t rank, std::uint32_t group, std::int64_t first, std::int64_t done, std::int64_t last,
                      std::string_view operation = "all_reduce") {
        for (std::int64_t n = first; n <= last; ++n)
            call(rank, group, n, n <= done ? CallProgress::Completed : CallProgress::Scheduled, operation);
        return *this;
    }
    RecordedCall& call(std::size_t rank, std::uint32_t group, std::int64_t number, CallProgress progress,
                       std::string_view operation = "all_reduce", std::int64_t elements = 16,
                       std::string_view dtypes = "Float") {
        RecordedCall call;
        call.group = group;
        call.number = number;
        call.is_peer_to_peer = operation.starts_with("send") || operation.starts_with("recv");
        call.progress = progress;
        call.created_ns = 100 * number;
        call.operation = operation;
        call.dtypes = dtypes;
        call.in_elements = call.out_elements = elements;
        call.event = events_++;
        job_.ranks[rank].calls.push_back(call);
        return job_.ranks[rank].calls.back();
    }
    // PyTorch leaves the operations of a batch scheduled; only the entry behind them is updated.
    JobFixture& batch(std::size_t rank, std::uint32_t group, std::int64_t number, CallProgress progress,
                      const std::vector<std::string_view>& operations) {
        for (const std::string_view operation : operations)
            call(rank, group, number, CallProgress::Scheduled, operation);
        call(rank, group, number, progress, "coalesced").is_peer_to_peer = true;
        return *this;
    }
    RecordedRank& rank(std::size_t i) { return job_.ranks[i]; }
    void remove_dump(std::size_t i) { job_.ranks.erase(job_.ranks.begin() + static_cast<std::ptrdiff_t>(i)); }
    Hangs find() const { return find_hangs(job_); }
    const RecordedJob& job() const { return job_; }

    // "missing 2 in 0 at 5; …": the named ranks, in order.
    std::string named() const {
        std::string text;
        for (const Suspect& one : find().suspects)
            if (one.verdict != Verdict::HeldUp)
                text += (text.empty() ? "" : "; ") + std::string(name_of(one.verdict)) + " " +
                        std::to_string(one.rank) + " in " + std::to_string(one.group) + " at " +
                        std::to_string(one.number) + (one.mismatch.empty() ? "" : " (" + one.mismatch + ")");
        return text;
    }

private:
    RecordedJob job_;
    std::uint32_t events_ = 0;
};

struct NaiveState {
    Numbers missing, behind;
    bool operator==(const NaiveState&) const = default;
};

// Repeats the definition word by word, for collectives without coalescing.
NaiveState look_naively(const RecordedJob& job, std::uint32_t group) {
    struct Call {
        std::int64_t number;
        bool pending;
        std::int64_t at;
    };
    std::map<std::int32_t, std::vector<Call>> calls;
    std::map<std::int32_t, std::int64_t> oldest;
    bool only_pending = true;
    for (const RecordedRank& rank : job.ranks) {
        const Numbers& members = job.groups[group].members;
        if (std::ranges::find(members, rank.number) == members.end()) {
            for (const RecordedCall& call : rank.calls)
                only_pending = only_pending && call.progress != CallProgress::Completed;
            continue;
        }
        calls[rank.number];
        for (const RecordedCall& call : rank.calls) {
            only_pending = only_pending && call.progress != CallProgress::Completed;
            oldest.try_emplace(rank.number, call.created_ns);
            oldest[rank.number] = std::min(oldest[rank.number], call.created_ns);
            if (call.group == group)
                calls[rank.number].push_back({call.number, call.progress != CallProgress::Completed, call.created_ns});
        }
    }
    const auto first_pending = [&](std::int32_t rank) {
        std::int64_t first = INT64_MAX;
        for (const Call& call : calls[rank])
            if (call.pending) first = std::min(first, call.number);
        return first;
    };
    const auto last = [&](std::int32_t rank) {
        std::int64_t most = INT64_MIN;
        for (const Call& call : calls[rank]) most = std::max(most, call.number);
        return most;
    };
    std::map<std::int32_t, std::int64_t> absent;
    NaiveState state;
    for (const auto& [rank, own] : calls) {
        std::int64_t number = INT64_MAX, since = INT64_MAX;
        for (const auto& [other, theirs] : calls)
            for (const Call& call : theirs)
                if (other != rank && call.pending && call.number > last(rank)) number = std::min(number, call.number);
        for (const auto& [other, theirs] : calls)
            for (const Call& call : theirs)
                if (call.pending && call.number == number) since = std::min(since, call.at);
        if (number == INT64_MAX) continue;
        const auto self = std::ranges::find(job.ranks, rank, &RecordedRank::number);
        const bool certain =
            !own.empty() || only_pending || !self->lost_calls || self->calls.empty() || oldest[rank] <= since;
        if (certain) absent[rank] = number;
    }
    std::int64_t first = INT64_MAX;
    for (const auto& [rank, number] : absent) first = std::min(first, number);
    for (const auto& [rank, number] : absent)
        if (number == first) state.missing.push_back(rank);
    for (const auto& [rank, own] : calls) {
        for (const auto& [other, theirs] : calls) {
            if (other == rank || theirs.empty()) continue;
            const bool waits = first_pending(other) != INT64_MAX;
            if (!waits && only_pending) continue;
            const std::int64_t done = waits ? first_pending(other) - 1 : last(other);
            if (first_pending(rank) <= done && (state.behind.empty() || state.behind.back() != rank))
                state.behind.push_back(rank);
        }
    }
    return state;
}

}  // namespace

TEST_CASE("a rank without a call in a collective that others wait in is missing") {
    JobFixture job(4);
    const auto g = job.group({0, 1, 2, 3});
    job.calls(0, g, 1, 4, 5).calls(1, g, 1, 4, 5).calls(2, g, 1, 4, 4).calls(3, g, 1, 4, 6);
    CHECK(job.named() == "missing 2 in 0 at 5");
    const Hangs hangs = job.find();
    REQUIRE(hangs.groups.size() == 1);
    CHECK(hangs.groups[0].entered == Numbers{0, 1, 3});
    CHECK(hangs.groups[0].missing == Numbers{2});
    CHECK(hangs.groups[0].since_ns == 500);
    CHECK(hangs.suspects[0].last == 4);
}

TEST_CASE("a rank that waits in what another has completed is behind") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    job.calls(0, g, 1, 5, 7).calls(1, g, 1, 3, 7).calls(2, g, 1, 5, 7);
    CHECK(job.named() == "behind 1 in 0 at 4");
}

TEST_CASE("a root that completed its broadcast doesn't make the others late") {
    JobFixture job(2);
    const auto g = job.group({0, 1});
    job.calls(0, g, 1, 5, 6, "broadcast").calls(1, g, 1, 3, 6, "broadcast");
    CHECK(job.named().empty());
}

TEST_CASE("dumps of pending calls only: no call means that the rank has not come to it") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    job.calls(0, g, 8, 0, 9).calls(1, g, 8, 0, 9);
    CHECK(job.named() == "missing 2 in 0 at 8");
}

TEST_CASE("a job whose calls are all completed, or entered by all, names no rank") {
    JobFixture job(2);
    const auto g = job.group({0, 1});
    job.calls(0, g, 1, 5, 5).calls(1, g, 1, 5, 5);
    CHECK(job.find().groups.empty());
    JobFixture waiting(2);
    const auto h = waiting.group({0, 1});
    waiting.calls(0, h, 1, 4, 5).calls(1, h, 1, 4, 5);
    CHECK(waiting.named().empty());
    REQUIRE(waiting.find().groups.size() == 1);
    CHECK(waiting.find().groups[0].all_entered);
}

TEST_CASE("rings with different oldest calls are compared by number") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    job.calls(0, g, 50, 60, 61).calls(1, g, 58, 60, 60).calls(2, g, 1, 60, 61);
    for (std::size_t i = 0; i < 3; ++i) job.rank(i).lost_calls = true;
    CHECK(job.named() == "missing 1 in 0 at 61");
}

TEST_CASE("a rank whose ring no longer holds the group is not accused") {
    JobFixture job(3);
    const auto g = job.group({0, 1});
    const auto other = job.group({1, 2});
    job.calls(0, g, 1, 4, 5);
    job.calls(1, other, 90, 99, 99).calls(2, other, 90, 99, 99);
    CHECK(job.named() == "missing 1 in 0 at 5");  // it lost nothing, and has no call of the group
    job.rank(1).lost_calls = true;
    CHECK(job.named().empty());  // its oldest call is younger than the fifth of the group
}

TEST_CASE("one name with different ranks is two groups") {
    JobFixture job(4);
    const auto first = job.group({0, 1}, "tp");
    const auto second = job.group({2, 3}, "tp");
    job.calls(0, first, 1, 4, 5).calls(1, first, 1, 4, 5);
    job.calls(2, second, 1, 8, 9).calls(3, second, 1, 8, 8);
    CHECK(job.named() == "missing 3 in 1 at 9");
}

TEST_CASE("the parts of a coalesced call are one call, completed when its end is") {
    JobFixture job(2);
    const auto g = job.group({0, 1});
    for (std::size_t rank = 0; rank < 2; ++rank) {
        job.call(rank, g, 1, CallProgress::Scheduled, "all_gather_into_tensor_coalesced");
        job.call(rank, g, 1, CallProgress::Scheduled, "all_gather_into_tensor_coalesced");
        job.call(rank, g, 1, CallProgress::Completed, "coalesced");
    }
    CHECK(job.find().groups.empty());
    job.call(0, g, 2, CallProgress::Scheduled);
    CHECK(job.named() == "missing 1 in 0 at 2");
}

TEST_CASE("a missing rank that waits for a named one itself is held up") {
    JobFixture job(4);  // 3 hangs; 2 waits for it with 3, and so never comes to the group with 0
    const auto pair = job.group({2, 3});
    const auto both = job.group({0, 2});
    job.calls(2, pair, 1, 4, 5).calls(3, pair, 1, 4, 4);
    job.calls(0, both, 1, 4, 5).calls(2, both, 1, 4, 4);
    CHECK(job.named() == "missing 3 in 0 at 5");
    const Hangs hangs = job.find();
    REQUIRE(hangs.suspects.size() == 2);
    CHECK(hangs.suspects[1].rank == 2);
    CHECK(hangs.suspects[1].verdict == Verdict::HeldUp);
}

TEST_CASE("ranks that wait for each other in a circle are all named") {
    JobFixture job(2);  // each is in another group first
    const auto a = job.group({0, 1});
    const auto b = job.group({0, 1});
    job.calls(0, a, 1, 4, 5).calls(1, a, 1, 4, 4);
    job.calls(0, b, 1, 4, 4).calls(1, b, 1, 4, 5);
    CHECK(job.named() == "missing 1 in 0 at 5; missing 0 in 1 at 5");
}

TEST_CASE("different operations, types and sizes under one number are reported, naming the minority") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    job.call(0, g, 1, CallProgress::Scheduled, "all_reduce", 16);
    job.call(1, g, 1, CallProgress::Scheduled, "all_reduce", 24);
    job.call(2, g, 1, CallProgress::Scheduled, "all_reduce", 16);
    CHECK(job.named() == "mismatch 1 in 0 at 1 (size 24, others 16)");
    JobFixture types(2);
    const auto h = types.group({0, 1});
    types.call(0, h, 1, CallProgress::Scheduled, "all_reduce", 16, "Half");
    types.call(1, h, 1, CallProgress::Scheduled, "all_reduce", 16, "Float");
    CHECK(types.named() == "mismatch 0 in 0 at 1 (type Half); mismatch 1 in 0 at 1 (type Float)");
    JobFixture operations(3);
    const auto i = operations.group({0, 1, 2});
    operations.call(0, i, 1, CallProgress::Scheduled, "all_reduce");
    operations.call(1, i, 1, CallProgress::Scheduled, "all_reduce");
    operations.call(2, i, 1, CallProgress::Scheduled, "broadcast");
    CHECK(operations.named() == "mismatch 2 in 0 at 1 (operation broadcast, others all_reduce)");
}

TEST_CASE("sizes that may differ between ranks aren't a mismatch") {
    JobFixture job(2);
    const auto g = job.group({0, 1});
    job.call(0, g, 1, CallProgress::Scheduled, "all_to_all", 10);
    job.call(1, g, 1, CallProgress::Scheduled, "all_to_all", 30);
    CHECK(job.named().empty());
}

TEST_CASE("members without a dump are reported, but not as missing") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    job.calls(0, g, 1, 4, 5).calls(1, g, 1, 4, 5).calls(2, g, 1, 4, 5);
    job.remove_dump(2);
    CHECK(job.named() == "no-dump 2 in 0 at 5");
    CHECK(job.find().groups[0].no_dump == Numbers{2});
}

TEST_CASE("a send without its receive names the receiver only if no collective names anyone") {
    JobFixture job(3);
    const auto g = job.group({0, 1});
    job.call(0, g, 1, CallProgress::Scheduled, "send 0->1");
    CHECK(job.named() == "missing 1 in 0 at 1");
    const auto h = job.group({0, 1, 2});
    job.calls(0, h, 1, 0, 1).calls(1, h, 1, 0, 1);
    CHECK(job.named() == "missing 2 in 1 at 1");
}

TEST_CASE("the operations of a finished batch are completed, however many the rings still have") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    constexpr auto kDone = CallProgress::Completed;
    for (std::int64_t n = 1; n <= 4; ++n) job.batch(0, g, n, kDone, {"send 0->1"});
    for (std::int64_t n = 3; n <= 4; ++n) job.batch(1, g, n, kDone, {"recv 1<-0", "send 1->2"});
    job.rank(1).lost_calls = true;
    for (std::int64_t n = 2; n <= 4; ++n) job.batch(2, g, n, kDone, {"recv 2<-1"});
    CHECK(job.find().suspects.empty());
    job.batch(0, g, 5, CallProgress::Started, {"send 0->1"}).batch(2, g, 5, CallProgress::Started, {"recv 2<-1"});
    CHECK(job.named() == "missing 1 in 0 at 5");
    CHECK(job.find().suspects.size() == 1);
}

TEST_CASE("a send isn't evidence if the ring of its receiver no longer reaches back to it") {
    JobFixture job(2);
    const auto g = job.group({0, 1});
    job.call(0, g, 1, CallProgress::Scheduled, "send 0->1");
    job.calls(1, g, 5, 5, 5);
    CHECK(job.named() == "missing 1 in 0 at 1");
    job.rank(1).lost_calls = true;
    CHECK(job.find().suspects.empty());
    job.call(0, g, 6, CallProgress::Scheduled, "send 0->1");
    CHECK(job.named() == "missing 1 in 0 at 6");
}

TEST_CASE("a rank with an unread entry hides who it may wait for, and is late for no send") {
    JobFixture job(3);
    const auto g = job.group({0, 1}), h = job.group({0, 2});
    job.calls(0, g, 1, 0, 1);  // waits for rank 1, which may have come
    job.calls(2, h, 1, 0, 1);  // waits for rank 0
    job.call(0, g, 1, CallProgress::Scheduled, "send 0->1");
    CHECK(job.named() == "missing 1 in 0 at 1");
    job.rank(1).before_unread = 0;
    CHECK(job.named() == "incomplete-dump 1 in 0 at 1");
    CHECK(std::ranges::none_of(job.find().suspects, &Suspect::named));
    CHECK(job.find().groups[0].missing.empty());
}

TEST_CASE("a sender that is through its send is not late for a receiver that still waits") {
    JobFixture job(2);
    const auto g = job.group({0, 1});
    job.call(0, g, 1, CallProgress::Completed, "send 0->1");
    job.call(1, g, 1, CallProgress::Started, "recv 1<-0");
    CHECK(job.find().suspects.empty());
    job.call(1, g, 2, CallProgress::Scheduled, "recv 1<-0");
    CHECK(job.named() == "missing 0 in 0 at 2");
}

TEST_CASE("a GPU that has not started what others have is named where starts are known") {
    JobFixture job(3);
    const auto g = job.group({0, 1, 2});
    job.call(0, g, 1, CallProgress::Started);
    job.call(1, g, 1, CallProgress::Scheduled);
    job.call(2, g, 1, CallProgress::Started);
    CHECK(job.named().empty());
    job.rank(1).knows_starts = true;
    CHECK(job.named() == "not-started 1 in 0 at 1");
}

TEST_CASE("random jobs give what the definition says, word by word") {
    std::mt19937 random(5);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    for (int round = 0; round < 2000; ++round) {
        const auto ranks = static_cast<std::int32_t>(2 + below(4));
        JobFixture job(ranks);
        const bool only_pending = below(3) == 0;
        for (auto groups = 1 + below(3); groups > 0; --groups) {
            Numbers members;
            for (std::int32_t i = 0; i < ranks; ++i)
                if (below(4) > 0) members.push_back(i);
            const auto g = job.group(members);
            const std::int64_t base = below(5);
            for (const std::int32_t i : members) {
                const std::int64_t first = 1 + base + below(3), done = base + below(5), last = base + below(7);
                job.calls(static_cast<std::size_t>(i), g, only_pending ? std::max(first, done + 1) : first, done, last);
            }
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(ranks); ++i) job.rank(i).lost_calls = below(2) == 0;
        const Hangs hangs = job.find();
        for (std::uint32_t g = 0; g < job.job().groups.size(); ++g) {
            const NaiveState expected = look_naively(job.job(), g);
            const auto found = std::ranges::find(hangs.groups, g, &GroupState::group);
            const NaiveState state =
                found == hangs.groups.end() ? NaiveState{} : NaiveState{found->missing, found->behind};
            INFO("round ", round, " group ", g);
            CHECK(state == expected);
        }
        // If any rank waits, some rank is named, unless all entered everything or a dump is incomplete.
        for (const Suspect& one : hangs.suspects) {
            CHECK(one.named == (one.verdict != Verdict::HeldUp && one.verdict != Verdict::NoDump));
            if (one.verdict != Verdict::HeldUp) continue;
            CHECK(std::ranges::any_of(hangs.suspects, &Suspect::named));
        }
    }
}
