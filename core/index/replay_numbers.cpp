#include "core/index/replay_numbers.hpp"

#include "core/index/graph_replays.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace core {
namespace {

constexpr int kPlaceBits = 12, kReplayBits = 12, kClassBits = 18, kStepBits = 20;
static_assert(kPlaceBits + kReplayBits + kClassBits + kStepBits <= 62);
constexpr int kReplayShift = kPlaceBits, kClassShift = kReplayShift + kReplayBits,
              kStepShift = kClassShift + kClassBits;

bool fits(std::uint64_t value, int bits) { return value >> bits == 0; }

class ReplayNumbering {
public:
    ReplayNumbering(const RankTrace& trace, std::span<MemberFacts> facts)
        : trace_(trace), facts_(facts), found_(find_replays(trace, {})) {}

    void run() {
        if (found_.replays.empty()) return;
        members_.resize(found_.replays.size());
        for (std::size_t i = 0; i < facts_.size(); ++i) {
            MemberEvent& member = facts_[i].member;
            const std::uint32_t replay = found_.replay_of(member.event);
            if (replay == kNoReplay || is_pairwise(member.operation)) continue;
            member.number = kNoNumber;
            members_[replay].push_back(i);
        }
        place_members();
        number_members();
    }

private:
    std::optional<std::uint64_t> key_of(EventId e) const {
        return find_node_key(trace_.integer(Arg::GraphId, e), trace_.integer(Arg::GraphNodeId, e));
    }

    // Places within the graph: by node ids of all its replays, so that a lost node shifts nothing; else by order.
    void place_members() {
        std::map<std::int64_t, std::map<std::uint64_t, Operation>> of_graph;  // by node
        for (std::uint32_t r = 0; r < members_.size(); ++r)
            if (found_.replays[r].by_id)
                for (const std::size_t i : members_[r])
                    of_graph[found_.replays[r].graph].try_emplace(*key_of(facts_[i].member.event),
                                                                  facts_[i].member.operation);
        places_.assign(facts_.size(), 0);
        class_of_.assign(members_.size(), 0);
        for (std::uint32_t r = 0; r < members_.size(); ++r) {
            if (found_.replays[r].by_id)
                place_by_id(r, of_graph[found_.replays[r].graph]);
            else
                place_by_order(r);
        }
    }

    void place_by_id(std::uint32_t r, const std::map<std::uint64_t, Operation>& nodes) {
        std::uint64_t hash = 0;
        for (const auto& [key, operation] : nodes) hash = mix(hash, operation);
        class_of_[r] = hash;
        for (const std::size_t i : members_[r])
            places_[i] =
                static_cast<std::uint64_t>(std::distance(nodes.begin(), nodes.find(*key_of(facts_[i].member.event))));
    }

    void place_by_order(std::uint32_t r) {
        std::ranges::sort(members_[r], {}, [&](std::size_t i) {
            const EventId e = facts_[i].member.event;
            return std::pair(trace_.start[index_of(e)], trace_.order[index_of(e)]);
        });
        for (std::size_t k = 0; k < members_[r].size(); ++k) {
            places_[members_[r][k]] = k;
            class_of_[r] = mix(class_of_[r], facts_[members_[r][k]].member.operation);
        }
    }

    static std::uint64_t mix(std::uint64_t hash, Operation operation) {
        hash = (hash ^ (static_cast<std::uint64_t>(operation) + 1)) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 29;
    }

    void number_members() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t r = 0; r < members_.size(); ++r)
            if (!members_[r].empty()) order.push_back(r);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return facts_[members_[r].front()].launch; });
        std::map<std::pair<std::int64_t, std::uint64_t>, std::uint64_t> next;  // by step and class
        for (const std::uint32_t r : order) {
            const std::uint16_t step = facts_[members_[r].front()].member.step;
            if (step == kNoStep) continue;
            const std::int64_t number = trace_.steps[step].number;
            const std::uint64_t own_class = class_of_[r] >> (64 - kClassBits);
            const std::uint64_t replay = next[{number, own_class}]++;
            if (number < 0 || !fits(static_cast<std::uint64_t>(number), kStepBits) || !fits(replay, kReplayBits))
                continue;
            for (const std::size_t i : members_[r]) {
                if (!fits(places_[i], kPlaceBits)) continue;
                facts_[i].member.number =
                    kReplayNumbers |
                    static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << kStepShift |
                                              own_class << kClassShift | replay << kReplayShift | places_[i]);
            }
        }
    }

    const RankTrace& trace_;
    std::span<MemberFacts> facts_;
    GraphReplays found_;
    std::vector<std::vector<std::size_t>> members_;  // by replay: into facts_
    std::vector<std::uint64_t> places_;  // by fact
    std::vector<std::uint64_t> class_of_;  // by replay
};

}  // namespace

void number_replays(const RankTrace& trace, std::span<MemberFacts> facts) { ReplayNumbering(trace, facts).run(); }

}  // namespace core
