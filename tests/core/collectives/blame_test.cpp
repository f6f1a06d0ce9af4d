// Blame traced back through sends and receives: hand-made pipelines, and a twin that follows the definition naively.

#include "core/collectives/waits.hpp"
#include "tests/core/collectives/member_fixture.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace core;
using core::testing::MemberFixture;

namespace {

using PipeCall = MemberFixture::Call;

struct Pipeline {
    std::int32_t stages = 4;
    std::int32_t microbatches = 8;
    std::int32_t steps = 3;
    std::vector<std::int64_t> stage_ns;  // one forward, as long as a backward
    std::int64_t jitter = 0;
};

// Every stage works through its microbatches forward, then backward, receives as soon as it is free, and meets the
// others in an all_reduce at the end of each step.
std::vector<std::vector<PipeCall>> run_pipeline(const Pipeline& plan, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto stages = static_cast<std::size_t>(plan.stages);
    std::vector<std::vector<PipeCall>> calls(stages);
    std::vector<std::int64_t> now(stages, 0);
    constexpr std::int64_t kTransfer = 10'000;
    const auto work = [&](std::size_t s) {
        now[s] += plan.stage_ns[s];
        if (plan.jitter > 0) now[s] += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(plan.jitter));
    };
    const auto send = [&](std::size_t from, std::size_t to) {
        const std::int64_t sent = now[from], ready = now[to];
        const std::int64_t end = std::max(sent, ready) + kTransfer;
        calls[from].push_back(PipeCall{.start = sent,
                                       .duration = kTransfer,
                                       .operation = Operation::Send,
                                       .bytes = 64,
                                       .peer = static_cast<std::int32_t>(to)});
        calls[to].push_back(PipeCall{.start = ready,
                                     .duration = end - ready,
                                     .operation = Operation::Recv,
                                     .bytes = 64,
                                     .peer = static_cast<std::int32_t>(from)});
        now[from] += kTransfer;
        now[to] = end;
    };
    for (std::int64_t step = 0; step < plan.steps; ++step) {
        for (std::int32_t m = 0; m < plan.microbatches; ++m)
            for (std::size_t s = 0; s < stages; ++s) {
                work(s);
                if (s + 1 < stages) send(s, s + 1);
            }
        for (std::int32_t m = 0; m < plan.microbatches; ++m)
            for (std::size_t s = stages; s-- > 0;) {
                work(s);
                if (s > 0) send(s, s - 1);
            }
        const std::int64_t end = *std::ranges::max_element(now) + 50'000;
        for (std::size_t s = 0; s < stages; ++s) {
            calls[s].push_back(
                PipeCall{.start = now[s], .duration = end - now[s], .operation = Operation::AllReduce, .number = step});
            now[s] = end;
        }
    }
    return calls;
}

// Waits with each rank as root cause, as shares of all.
std::map<std::uint32_t, double> sum_rooted(const Waits& waits) {
    std::map<std::uint32_t, double> sums;
    double all = 0;
    for (std::uint32_t c = 0; c < waits.times.size(); ++c)
        for (const BlameShare& share : waits.blame_of(c)) {
            sums[share.slot] += share.share * static_cast<double>(waits.times[c].wait);
            all += share.share * static_cast<double>(waits.times[c].wait);
        }
    for (auto& [slot, sum] : sums) sum /= all;
    return sums;
}

// The definition, evaluated again for every collective: no stored sums, no order of work.
class NaiveBlame {
public:
    explicit NaiveBlame(const Waits& waits) : waits_(waits), run_(*waits.matched) {}

    std::map<std::uint32_t, double> blame(std::uint32_t c) {
        if (const auto it = known_.find(c); it != known_.end()) return it->second;
        const Lateness& late = waits_.lateness[c];
        const std::int64_t error = waits_.error(run_.collectives[c].cohort);
        std::map<std::uint32_t, double> shares;
        double own_part = 1;
        const std::int64_t own = late.known ? late.own : late.lateness;
        if (late.known && late.inherited > error) {
            const double whole = static_cast<double>(std::max<std::int64_t>(own, 0) + late.inherited);
            const auto before = trace(late.released_by, late.inherited, static_cast<double>(late.inherited));
            for (const auto& [slot, share] : before)
                shares[slot] += share * static_cast<double>(late.inherited) / whole;
            if (!before.empty()) own_part -= static_cast<double>(late.inherited) / whole;
        }
        const auto here = received(late.late, late.late_stretch), there = received(late.middle, late.middle_stretch);
        std::int64_t waited = 0, more = 0;
        for (const auto& [of, wait] : here) waited += wait;
        more = waited;
        for (const auto& [of, wait] : there) more -= wait;
        if (own > 0 && more > error) {
            const double part = own_part * static_cast<double>(std::min(more, own)) / static_cast<double>(own);
            for (const auto& [of, wait] : here)
                for (const auto& [slot, share] : blame(of))
                    shares[slot] += part * share * static_cast<double>(wait) / static_cast<double>(waited);
        }
        double given = 0;
        for (const auto& [slot, share] : shares) given += share;
        shares[late.late] += 1 - given;
        return known_[c] = shares;
    }

private:
    std::map<std::uint32_t, double> trace(std::uint32_t c, std::int64_t left, double whole) {
        std::map<std::uint32_t, double> sums;
        const Lateness& late = waits_.lateness[c];
        const std::int64_t error = waits_.error(run_.collectives[c].cohort);
        if (!waits_.times[c].counts) return sums;
        std::int64_t explained = late.lateness > error ? std::min(late.lateness, left) : 0;
        if (!late.known || left - explained <= error) explained = left;
        for (const auto& [slot, share] : blame(c)) sums[slot] += share * static_cast<double>(explained) / whole;
        if (left > explained)
            for (const auto& [slot, share] : trace(late.released_by, left - explained, whole)) sums[slot] += share;
        return sums;
    }

    std::vector<std::pair<std::uint32_t, std::int64_t>> received(std::uint32_t slot, RankRange stretch) const {
        std::vector<std::pair<std::uint32_t, std::int64_t>> found;
        for (std::uint32_t c = 0; c < run_.collectives.size(); ++c)
            for (std::uint32_t i = run_.collectives[c].first; i < run_.collectives[c].first + run_.collectives[c].count;
                 ++i) {
                const MemberEvent& member = run_.member(run_.members[i]);
                const bool inside = member.end() > stretch.begin && member.end() <= stretch.end;
                const bool is_recv = member.operation == Operation::Recv && run_.collectives[c].count == 2;
                if (run_.members[i].slot == slot && inside && is_recv && waits_.wait_of(i) > 0)
                    found.emplace_back(c, waits_.wait_of(i));
            }
        return found;
    }

    const Waits& waits_;
    const MatchedRun& run_;
    std::map<std::uint32_t, std::map<std::uint32_t, double>> known_;
};

WaitsPtr waits_of_calls(const std::vector<std::vector<PipeCall>>& calls, MemberFixture& fixture) {
    for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
    return measure_waits(fixture.match(), {false});
}

}  // namespace

TEST_CASE("a slow stage of a pipeline is blamed, whichever stage comes last to the collective of all") {
    for (std::uint32_t slow = 0; slow < 4; ++slow) {
        INFO(slow);
        Pipeline plan;
        plan.stage_ns.assign(4, 1'000'000);
        plan.stage_ns[slow] = 4'000'000;
        MemberFixture fixture;
        const WaitsPtr waits = waits_of_calls(run_pipeline(plan, 1), fixture);
        // The first stage arrives last: its backward ends the step.
        for (std::uint32_t c = 0; c < waits->times.size(); ++c)
            if (waits->times[c].counts) CHECK(waits->times[c].last_slot == 0);
        std::map<std::uint32_t, double> rooted = sum_rooted(*waits);
        CHECK(std::ranges::max_element(rooted, {}, [](const auto& one) { return one.second; })->first == slow);
        CHECK(rooted[slow] > 0.5);
    }
}

TEST_CASE("blame through receives equals that of a naive twin") {
    for (unsigned seed = 1; seed <= 24; ++seed) {
        INFO(seed);
        Pipeline plan;
        plan.stages = 2 + static_cast<std::int32_t>(seed % 4);
        plan.microbatches = 1 + static_cast<std::int32_t>(seed % 6);
        plan.jitter = 900'000;
        plan.stage_ns.assign(static_cast<std::size_t>(plan.stages), 500'000);
        plan.stage_ns[seed % plan.stage_ns.size()] = 2'500'000;
        std::vector<std::vector<PipeCall>> calls = run_pipeline(plan, seed);
        MemberFixture fixture;
        const WaitsPtr waits = waits_of_calls(calls, fixture);
        NaiveBlame naive(*waits);
        std::size_t compared = 0;
        for (std::uint32_t c = 0; c < waits->times.size(); ++c) {
            if (!waits->times[c].counts) continue;
            std::map<std::uint32_t, double> shares;
            for (const BlameShare& share : waits->blame_of(c)) shares[share.slot] += share.share;
            for (const auto& [slot, share] : naive.blame(c))
                CHECK(shares[slot] == doctest::Approx(share).epsilon(1e-3));
            ++compared;
        }
        CHECK(compared == 3);
    }
}
