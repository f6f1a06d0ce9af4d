#include "core/analysis/parallelism/schedule_steps.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace core {
namespace {

using namespace schedule_types;

constexpr std::int64_t kSameMoment = 50'000;  // ns that clocks of a timeline may be apart
constexpr std::int64_t kSameBegin = 200'000;  // ns by which a message may begin behind its partner without being late
constexpr std::int64_t kImpossibleTransfer = -10'000'000;

bool is_pairwise_type(std::string_view type) { return std::ranges::find(kPairwise, type) != kPairwise.end(); }

// The graph of one step: operations [first, last) of the schedule.
class StepBuilder {
public:
    StepBuilder(Schedule& schedule, std::size_t first, std::size_t last)
        : schedule_(schedule), first_(first), last_(last) {}

    Result<ScheduleStep> build(const JobContext& context) {
        step_.number = schedule_.ops[first_].step;
        step_.begin = schedule_.ops[first_].begin;
        for (std::size_t i = first_; i < last_; ++i) step_.begin = std::min(step_.begin, schedule_.ops[i].begin);
        find_ops();
        time_.push_back(0);
        for (std::size_t i = first_; i < last_; ++i) {
            time_.push_back(schedule_.ops[i].begin - step_.begin);
            time_.push_back(schedule_.ops[i].end - step_.begin);
        }
        for (auto& [key, rank] : ranks_) order_rank(key, rank);
        if (has_pairs_)
            pair_sends();
        else
            follow_microbatches();
        join_replicas();
        join_groups();
        return finish_step(context);
    }

private:
    using Ops = std::vector<std::uint32_t>;  // of the schedule
    struct RankOps {
        std::map<std::string_view, Ops> by_type;  // by begin
        Ops computes;
    };
    using RankAt = std::pair<std::int32_t, std::int32_t>;  // dp, stage

    ScheduleOp& op(std::uint32_t i) { return schedule_.ops[i]; }
    std::string_view type_of(std::uint32_t i) { return schedule_.types[op(i).type]; }
    std::uint32_t begin_of(std::uint32_t i) const { return static_cast<std::uint32_t>(1 + 2 * (i - first_)); }
    std::uint32_t end_of(std::uint32_t i) const { return begin_of(i) + 1; }

    void find_ops() {
        for (std::size_t i = first_; i < last_; ++i) {
            const auto at = static_cast<std::uint32_t>(i);
            RankOps& rank = ranks_[{op(at).dp, op(at).stage}];
            rank.by_type[type_of(at)].push_back(at);
            if (is_compute_type(type_of(at))) rank.computes.push_back(at);
            has_pairs_ = has_pairs_ || is_pairwise_type(type_of(at));
        }
        const auto place = [&](std::uint32_t i) { return std::tuple(op(i).begin, op(i).sequence, type_of(i)); };
        for (auto& [key, rank] : ranks_) {
            std::ranges::stable_sort(rank.computes, {}, place);
            for (auto& [type, ops] : rank.by_type) std::ranges::stable_sort(ops, {}, place);
        }
    }

    void wait(std::uint32_t then, std::uint32_t first, EdgeKind kind = EdgeKind::StreamOrder) {
        edges_.push_back({end_of(first), begin_of(then), 0, op(then).event, kind, BoundBy::LaunchDelay, false, false});
    }
    // Receives of kernels may be posted long before.
    void wait_if_recorded(std::uint32_t then, std::uint32_t first) {
        if (!schedule_.of_kernels || op(then).begin >= op(first).end) wait(then, first);
    }
    void chain(const Ops& ops, std::optional<std::uint32_t> before = {}) {
        for (const std::uint32_t i : ops) {
            if (before) wait(i, *before);
            before = i;
        }
    }
    static const Ops& of_type(const RankOps& rank, std::string_view type) {
        static const Ops kNone;
        const auto it = rank.by_type.find(type);
        return it == rank.by_type.end() ? kNone : it->second;
    }
    std::optional<std::uint32_t> numbered(const RankOps& rank, std::string_view type, std::int64_t sequence) {
        const Ops& ops = of_type(rank, type);
        // Most are numbered from 0 on, in order.
        if (const auto at = static_cast<std::size_t>(sequence); sequence >= 0 && at < ops.size() &&
                                                                op(ops[at]).sequence == sequence &&
                                                                (at == 0 || op(ops[at - 1]).sequence != sequence))
            return ops[at];
        for (const std::uint32_t i : ops)
            if (op(i).sequence == sequence) return i;
        return std::nullopt;
    }

    void order_rank(RankAt, RankOps& rank) {
        chain(rank.computes);
        for (const std::string_view type : kPairwise) chain(of_type(rank, type));
        if (schedule_.of_kernels) return order_kernels(rank);
        Ops replicas;
        for (const std::string_view type : {kOfReplicas[0], kOfReplicas[1]})
            replicas.insert(replicas.end(), of_type(rank, type).begin(), of_type(rank, type).end());
        std::ranges::stable_sort(replicas, {}, [&](std::uint32_t i) { return op(i).begin; });
        chain(replicas);
        order_gathers(rank);
        order_end(rank);
        wait_for_warm_up(rank);
    }

    // Before the first pass and behind the last one each operation waits for the one that begins before it.
    void order_kernels(const RankOps& rank) {
        if (rank.computes.empty()) return;
        Ops before, behind;
        for (const auto& [type, ops] : rank.by_type) {
            if (is_compute_type(type) || is_pairwise_type(type)) continue;
            for (const std::uint32_t i : ops)
                (op(i).begin < op(rank.computes.front()).begin ? before : behind).push_back(i);
        }
        const auto by_begin = [&](std::uint32_t i) { return std::pair(op(i).begin, op(i).event); };
        std::ranges::sort(before, {}, by_begin);
        std::ranges::sort(behind, {}, by_begin);
        chain(before);
        if (!before.empty()) wait(rank.computes.front(), before.back());
        chain(behind, rank.computes.back());
        wait_for_warm_up(rank);
    }

    // The first forward of a chunk waits for its parameters; where gradients are reduced apart, their reduction for its
    // last backward.
    void order_gathers(const RankOps& rank) {
        std::set<std::int64_t> taken;
        const Ops& gathers = of_type(rank, kOfReplicas[0]);
        for (auto it = gathers.rbegin(); it != gathers.rend(); ++it) {
            if (!taken.insert(op(*it).chunk).second) continue;
            for (const std::uint32_t forward : of_type(rank, kForward)) {
                if (op(forward).chunk != op(*it).chunk) continue;
                wait(forward, *it);
                break;
            }
        }
        if (of_type(rank, kOfReplicas[2]).empty()) return;
        taken.clear();
        for (const std::uint32_t reduction : of_type(rank, kOfReplicas[1])) {
            if (!taken.insert(op(reduction).chunk).second) continue;
            std::optional<std::uint32_t> last;
            for (const std::uint32_t backward : of_type(rank, kBackward))
                if (op(backward).chunk == op(reduction).chunk && (!last || op(backward).end > op(*last).end))
                    last = backward;
            if (last) wait(reduction, *last);
        }
    }

    void order_end(const RankOps& rank) {
        if (rank.computes.empty()) return;
        const std::uint32_t last =
            *std::ranges::max_element(rank.computes, {}, [&](std::uint32_t i) { return op(i).end; });
        const bool apart = !of_type(rank, kOfReplicas[2]).empty();
        Ops ops = of_type(rank, kCollect);
        const auto add = [&](std::string_view type) {
            ops.insert(ops.end(), of_type(rank, type).begin(), of_type(rank, type).end());
        };
        add(kLayerNorm);
        add(kEmbedding);
        add(apart ? kOfReplicas[2] : kOfReplicas[1]);
        add(kClip);
        add(kOptimizer);
        chain(ops, last);
        const Ops& reductions = of_type(rank, kOfReplicas[1]);
        if (apart && !reductions.empty() && !of_type(rank, kLayerNorm).empty())
            wait(of_type(rank, kLayerNorm).front(), reductions.back());
    }

    // The first backward's send and receive are issued behind the second forward before it.
    void wait_for_warm_up(const RankOps& rank) {
        const auto first =
            std::ranges::find_if(rank.computes, [&](std::uint32_t i) { return type_of(i) == kBackward; });
        if (first - rank.computes.begin() < 2 || first == rank.computes.end()) return;
        for (const std::string_view type : {kPairwise[2], kPairwise[3]})
            if (const auto paired = numbered(rank, type, 0)) wait_if_recorded(*paired, *(first - 2));
    }

    // --- sends and receives

    std::int64_t chunks() {
        std::int64_t most = 0;
        for (std::size_t i = first_; i < last_; ++i)
            if (is_compute_type(type_of(static_cast<std::uint32_t>(i)))) most = std::max(most, schedule_.ops[i].chunk);
        return most + 1;
    }

    // A receive that begins when a pass ends was waiting for it, as where it is posted together with a send. As a gap
    // of its own that would stay, however early the pass ends in a replay. Without gaps it need not wait.
    void wait_for_pass(const RankOps& rank, std::uint32_t receive) {
        const auto end_of_pass = [&](std::uint32_t i) { return op(i).end; };
        const auto next = std::ranges::upper_bound(rank.computes, op(receive).begin, {}, end_of_pass);
        if (next == rank.computes.begin()) return;
        const std::uint32_t pass = *std::prev(next);
        const std::int64_t apart = op(receive).begin - op(pass).end, length = op(pass).end - op(pass).begin;
        if (apart <= std::min(kSameBegin, length / 10)) wait(receive, pass, EdgeKind::StreamWait);
    }

    // Sends and receives of one kind on a rank that have a partner, in order.
    Ops match_computes(const RankOps& rank, std::string_view compute, bool sends, std::string_view type) {
        const Ops& all = of_type(rank, type);
        const Ops& computes = of_type(rank, compute);
        Ops real;
        if (computes.empty()) return real;
        std::int64_t last_begin = op(computes[0]).begin, first_end = op(computes[0]).end;
        for (const std::uint32_t i : computes) {
            last_begin = std::max(last_begin, op(i).begin);
            first_end = std::min(first_end, op(i).end);
        }
        const auto counts = [&](std::uint32_t i) {
            if (schedule_.of_kernels) return true;  // all have partners
            return sends ? op(i).end >= first_end - kSameMoment : op(i).begin <= last_begin + kSameMoment;
        };
        const auto count = static_cast<std::size_t>(std::ranges::count_if(all, counts));
        std::int64_t number = !sends && !schedule_.of_kernels && count + 1 == computes.size() ? 1 : 0;
        const bool forward = compute == kForward;
        for (const std::uint32_t i : all) {
            if (!counts(i)) continue;
            const auto partner = numbered(rank, compute, number++);
            if (!partner) continue;
            const std::int64_t place = op(*partner).chunk * schedule_.stages + op(i).stage;
            const std::int64_t peer = place + (forward == sends ? 1 : -1);
            if (sends) {
                wait(i, *partner);
            } else {
                wait(*partner, i);
                wait_for_pass(rank, i);
                if (const auto before = numbered(rank, compute, op(*partner).sequence - 1))
                    wait_if_recorded(i, *before);
            }
            if (peer >= 0 && peer < schedule_.stages * chunks()) real.push_back(i);
        }
        return real;
    }

    void pair_sends() {
        std::map<std::pair<RankAt, std::string_view>, Ops> real;
        for (auto& [at, rank] : ranks_) {
            for (std::size_t kind = 0; kind < kPairwise.size(); ++kind)
                real[{at, kPairwise[kind]}] =
                    match_computes(rank, kind < 2 ? kForward : kBackward, kind % 2 == 0, kPairwise[kind]);
        }
        for (const auto& [key, sends] : real) {
            const auto& [at, type] = key;
            const bool forward = type == kPairwise[0];
            if (!forward && type != kPairwise[2]) continue;
            const std::int32_t peer = (at.second + (forward ? 1 : -1) + schedule_.stages) % schedule_.stages;
            const auto receives = real.find({{at.first, peer}, forward ? kPairwise[1] : kPairwise[3]});
            if (receives == real.end()) continue;
            const std::size_t pairs = std::min(sends.size(), receives->second.size());
            for (std::size_t i = 0; i < pairs; ++i) groups_.push_back({sends[i], receives->second[i]});
        }
        std::set<std::uint32_t> grouped;
        for (const Ops& group : groups_) grouped.insert(group.begin(), group.end());
        for (const auto& [at, rank] : ranks_)
            for (const std::string_view type : kPairwise)
                for (const std::uint32_t i : of_type(rank, type))
                    if (!grouped.contains(i)) groups_.push_back({i});
    }

    // Without sends in the timeline: each microbatch goes from stage to stage, and back.
    void follow_microbatches() {
        for (const auto& [at, rank] : ranks_) {
            for (const std::uint32_t i : rank.computes) {
                const bool forward = type_of(i) == kForward;
                const auto before = ranks_.find({at.first, at.second + (forward ? -1 : 1)});
                if (before == ranks_.end()) continue;
                for (const std::uint32_t other : of_type(before->second, type_of(i)))
                    if (op(other).sequence == op(i).sequence && op(other).chunk == op(i).chunk) wait(i, other);
            }
        }
    }

    // --- groups

    void join_replicas() {
        if (schedule_.of_kernels) return join_numbered();
        std::map<std::tuple<std::string_view, std::int32_t, std::int64_t>, Ops> replicas;
        Ops clips;
        std::map<std::int32_t, Ops> embeddings;
        for (const auto& [at, rank] : ranks_) {
            for (const std::string_view type : kOfReplicas)
                for (const std::uint32_t i : of_type(rank, type))
                    replicas[{type, at.second, op(i).sequence}].push_back(i);
            for (const std::uint32_t i : of_type(rank, kClip)) clips.push_back(i);
            for (const std::uint32_t i : of_type(rank, kEmbedding)) embeddings[at.first].push_back(i);
        }
        for (auto& [key, ops] : replicas) groups_.push_back(std::move(ops));
        for (auto& [dp, ops] : embeddings) groups_.push_back(std::move(ops));
        if (!clips.empty()) groups_.push_back(std::move(clips));
    }

    void join_numbered() {
        std::map<std::uint32_t, Ops> numbered_groups;
        for (std::size_t i = first_; i < last_; ++i)
            if (const auto at = static_cast<std::uint32_t>(i); op(at).group != 0 && !is_pairwise_type(type_of(at)))
                numbered_groups[op(at).group].push_back(at);
        for (auto& [number, ops] : numbered_groups) groups_.push_back(std::move(ops));
    }

    void join_groups() {
        for (const Ops& group : groups_) {
            std::int64_t last = op(group.front()).begin;
            for (const std::uint32_t i : group) last = std::max(last, op(i).begin);
            const auto node = static_cast<std::uint32_t>(time_.size());
            time_.push_back(last - step_.begin);
            for (const std::uint32_t i : group) {
                op(i).joins = true;
                const std::int64_t transfer = op(i).end - last;
                op(i).transfer = transfer <= kImpossibleTransfer ? 0 : transfer;
                edges_.push_back(
                    {begin_of(i), node, 0, op(i).event, EdgeKind::Arrival, BoundBy::KernelDelay, false, false});
                edges_.push_back(
                    {node, end_of(i), 0, op(i).event, EdgeKind::Transfer, BoundBy::Communication, false, false});
            }
        }
    }

    // A message that begins no later than its partner, or hardly, has not held it up: when it begins tells when the
    // partner came. As a gap of its own that would stay, however early the partner is in a replay.
    void drop_gaps_of_messages() {
        std::map<std::uint32_t, std::int64_t> begins;  // of partners, by operation
        for (const Ops& group : groups_)
            if (group.size() == 2 && is_pairwise_type(type_of(group.front())))
                for (const bool second : {false, true}) begins[group[second ? 1 : 0]] = op(group[second ? 0 : 1]).begin;
        for (GraphEdge& edge : step_.graph.edges) {
            if (edge.to == 0 || edge.to > 2 * (last_ - first_) || edge.to % 2 == 0) continue;
            if (edge.kind != EdgeKind::StreamOrder && edge.kind != EdgeKind::Outside) continue;
            const auto at = static_cast<std::uint32_t>(first_ + (edge.to - 1) / 2);
            const auto partner = begins.find(at);
            if (partner != begins.end() && op(at).begin <= partner->second + kSameBegin) edge.weight = 0;
        }
    }

    Result<ScheduleStep> finish_step(const JobContext& context) {
        for (std::size_t i = first_; i < last_; ++i) {
            const auto at = static_cast<std::uint32_t>(i);
            if (!op(at).joins)
                edges_.push_back({begin_of(at), end_of(at), op(at).end - op(at).begin, op(at).event, EdgeKind::Run,
                                  is_communication_type(type_of(at)) ? BoundBy::Communication : BoundBy::Compute, false,
                                  false});
        }
        step_.sink = static_cast<std::uint32_t>(time_.size());
        time_.push_back(std::ranges::max(time_));
        bool has_optimizer = false;
        for (std::size_t i = first_; i < last_; ++i)
            has_optimizer = has_optimizer || type_of(static_cast<std::uint32_t>(i)) == kOptimizer;
        for (std::size_t i = first_; i < last_; ++i) {
            const auto at = static_cast<std::uint32_t>(i);
            if (has_optimizer && type_of(at) != kOptimizer) continue;
            edges_.push_back({end_of(at), step_.sink, 0, kNoEvent, EdgeKind::Tail, BoundBy::Unknown, false, false});
        }
        Result<EventGraph> graph = finish_graph(std::move(time_), std::move(edges_), context);
        if (!graph) return std::move(graph).error();
        step_.graph = *std::move(graph);
        drop_gaps_of_messages();
        for (const GraphEdge& edge : step_.graph.edges) {
            const bool is_op = edge.to > 0 && edge.to <= 2 * (last_ - first_);
            const auto of = is_op ? static_cast<std::uint32_t>(first_ + (edge.to - 1) / 2) : kNoOp;
            const bool length = edge.kind == EdgeKind::Run || edge.kind == EdgeKind::Transfer;
            const bool gap = edge.kind == EdgeKind::StreamOrder || edge.kind == EdgeKind::Outside;
            step_.op_of_edge.push_back(length ? of : kNoOp);
            step_.gap_of_edge.push_back(gap ? of : kNoOp);
        }
        return std::move(step_);
    }

    Schedule& schedule_;
    std::size_t first_, last_;
    ScheduleStep step_;
    std::map<RankAt, RankOps> ranks_;
    bool has_pairs_ = false;
    NodeTimes time_;
    GraphEdges edges_;
    std::vector<Ops> groups_;
};

}  // namespace

Result<ScheduleStep> build_schedule_step(Schedule& schedule, std::size_t first, std::size_t last,
                                         const JobContext& context) {
    return StepBuilder(schedule, first, last).build(context);
}

Result<bool> build_schedule_steps(Schedule& schedule, const JobContext& context) {
    for (std::size_t i = 0; i < schedule.ops.size();) {
        if (context.cancelled()) return cancelled_error();
        std::size_t last = i;
        while (last < schedule.ops.size() && schedule.ops[last].step == schedule.ops[i].step) ++last;
        Result<ScheduleStep> step = build_schedule_step(schedule, i, last, context);
        if (!step) return std::move(step).error();
        schedule.steps.push_back(*std::move(step));
        i = last;
    }
    return true;
}

void sort_schedule(Schedule& schedule) {
    std::ranges::stable_sort(schedule.ops, {}, [](const ScheduleOp& op) {
        return std::tuple(op.step, op.dp, op.stage, op.type, op.begin, op.sequence);
    });
}

void measure_schedule(Schedule& schedule) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::pair<std::int64_t, std::int64_t>>> computes;
    for (const ScheduleOp& op : schedule.ops) {
        schedule.stages = std::max(schedule.stages, op.stage + 1);
        schedule.dp = std::max(schedule.dp, op.dp + 1);
        if (is_compute_type(schedule.types[op.type])) computes[{op.stage, op.dp}].emplace_back(op.begin, op.end);
    }
    for (auto& [place, ranges] : computes) {
        std::ranges::sort(ranges);
        Wide whole = 0, twice = 0;
        std::int64_t end = ranges.front().first;
        for (const auto& [begin, last] : ranges) {
            whole += last - begin;
            twice += std::max<std::int64_t>(std::min(end, last) - begin, 0);
            end = std::max(end, last);
        }
        if (twice * 100 > whole) schedule.overlapping.insert(place.first);
    }
}

}  // namespace core
