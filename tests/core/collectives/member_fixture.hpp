#pragma once
// Runs made of member events alone, for tests of matching, clocks and waits.

#include "core/collectives/waits.hpp"

#include <deque>
#include <random>

namespace core::testing {

class MemberFixture {
public:
    struct Call {
        std::int64_t start = 0;
        std::int64_t duration = 0;
        Operation operation = Operation::AllReduce;
        std::int64_t number = kNoNumber;
        std::int64_t bytes = kNoBytes;
        std::int32_t peer = kNoPeer;
        std::int64_t step = -1;
        std::uint64_t comms_id = 0;
    };

    void add_rank(std::int32_t rank, const std::vector<Call>& calls, std::int64_t world_size = 0) {
        RankMembers members;
        members.rank = rank;
        members.world_size = world_size;
        events_.emplace_back();
        members.work_begin = INT64_MAX;
        members.work_end = INT64_MIN;
        for (const Call& call : calls) {
            events_.back().push_back(make_event(call, members));
            members.work_begin = std::min(members.work_begin, call.start);
            members.work_end = std::max(members.work_end, call.start + call.duration);
        }
        if (calls.empty()) members.work_begin = members.work_end = 0;
        members.events = events_.back();
        ranks_.push_back(members);
    }

    const std::vector<RankMembers>& ranks() const { return ranks_; }

    // The fixture keeps the events; it has to outlive what it returns.
    MatchedRunPtr match() const {
        MatchedRun run;
        run.groups.resize(1);
        run.ranks = ranks_;
        return match_members(std::move(run));
    }

private:
    static MemberEvent make_event(const Call& call, RankMembers& rank) {
        MemberEvent event{};
        event.start = rank_time(call.start);
        event.duration = Duration{call.duration};
        event.number = call.number;
        event.comms_id = call.comms_id;
        event.in_bytes = call.bytes;
        event.out_bytes = kNoBytes;
        event.peer = call.peer;
        event.group = kNoGroup;
        event.step = kNoStep;
        event.operation = call.operation;
        event.parts = 1;
        event.launched = 1;
        if (call.step >= 0) {
            event.step = static_cast<std::uint16_t>(rank.steps.size());
            rank.steps.push_back(call.step);
        }
        return event;
    }

    std::deque<std::vector<MemberEvent>> events_;
    std::vector<RankMembers> ranks_;
};

// Collectives of one group on ranks with clocks of their own: arrivals at random, ends together.
struct PlantedRun {
    std::int32_t ranks = 4;
    std::size_t collectives = 40;
    bool numbered = false;
    double loss = 0;                       // share of records lost
    std::int64_t most_offset = 0;
    std::int64_t least_gap = 2'000'000;
    std::vector<std::int64_t> offsets{};   // filled by plant
};

inline std::vector<std::vector<MemberFixture::Call>> plant(PlantedRun& plan, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    plan.offsets.assign(static_cast<std::size_t>(plan.ranks), 0);
    for (std::size_t r = 1; r < plan.offsets.size(); ++r)
        plan.offsets[r] = between(-plan.most_offset, plan.most_offset);
    std::vector<std::vector<MemberFixture::Call>> calls(plan.offsets.size());
    std::int64_t now = 0;
    for (std::size_t k = 0; k < plan.collectives; ++k) {
        std::vector<std::int64_t> arrivals;
        for (std::size_t r = 0; r < calls.size(); ++r) arrivals.push_back(now + between(0, 900'000));
        const std::int64_t end = *std::ranges::max_element(arrivals) + 20'000 + between(0, 80'000);
        const Operation operation = k % 3 == 0 ? Operation::AllGather : Operation::AllReduce;
        for (std::size_t r = 0; r < calls.size(); ++r) {
            MemberFixture::Call call;
            call.start = arrivals[r] + plan.offsets[r];
            call.duration = end + between(0, 400) - arrivals[r];
            call.operation = operation;
            call.bytes = 1024 * (1 + static_cast<std::int64_t>(k) % 5);
            if (plan.numbered) call.number = static_cast<std::int64_t>(k);
            const bool lost = static_cast<double>(random() % 1'000'000) < plan.loss * 1e6;
            if (!lost) calls[r].push_back(call);
        }
        now = end + between(plan.least_gap, 40'000'000);
    }
    return calls;
}

}  // namespace core::testing
