#include "core/analysis/parallelism/schedule.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/store/assemble/rank_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

namespace core {
namespace {

constexpr std::int64_t kSameMoment = 50'000;           // ns that clocks of a timeline may be apart
constexpr std::int64_t kImpossibleTransfer = -10'000'000;
constexpr std::int64_t kLeastNegative = -2;            // below kCutEdge

constexpr std::string_view kForward = "forward-compute", kBackward = "backward-compute";
constexpr std::array<std::string_view, 4> kPairwise = {"forward-send", "forward-recv", "backward-send",
                                                       "backward-recv"};
constexpr std::array<std::string_view, 3> kOfReplicas = {"params-all-gather", "grads-reduce-scatter",
                                                         "separate-grads-all-reduce"};
constexpr std::string_view kLayerNorm = "layernorm-grads-all-reduce", kEmbedding = "embedding-grads-all-reduce",
                           kClip = "optimizer-clip-main-grad", kOptimizer = "optimizer", kCollect = "gc";
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOtherNames = {
    {{"forward", kForward}, {"backward", kBackward}}};

bool is_known_type(std::string_view type) {
    return is_compute_type(type) || is_communication_type(type) || type == kOptimizer || type == kCollect;
}

// The integer behind "key": in an object's text.
std::optional<std::int64_t> find_integer(std::string_view json, std::string_view key) {
    const std::string quoted = "\"" + std::string(key) + "\"";
    const std::size_t at = json.find(quoted);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t i = at + quoted.size();
    while (i < json.size() && (json[i] == ' ' || json[i] == ':')) ++i;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(json.data() + i, json.data() + json.size(), value);
    if (error != std::errc() || end == json.data() + i) return std::nullopt;
    return value;
}

// Stage and replica of a rank: by the names of its threads and process, else its number is its stage.
struct StagePlace {
    std::int32_t dp = 0;
    std::int32_t stage = 0;
};
StagePlace stage_place_of(const RankSlot& rank) {
    const RankTrace& trace = rank.trace();
    StagePlace place{0, rank.key.number};
    for (const Track& track : trace.tracks) {
        RankPosition position = parse_rank_position(trace.text(track.name));
        position.merge(parse_rank_position(trace.text(trace.processes[track.process].name)));
        const auto stage = position.find("pp"), dp = position.find("dp");
        if (stage == position.end()) continue;
        return {dp == position.end() ? 0 : dp->second, stage->second};
    }
    return place;
}

class ScheduleReader {
public:
    ScheduleReader(const Run& run, std::span<const std::uint32_t> slots) : run_(run), slots_(slots) {}

    Result<Schedule> read(const JobContext& context) {
        std::map<std::int32_t, std::int32_t> captures;  // the first of each rank
        for (const std::uint32_t slot : slots_) {
            const RankKey key = run_.rank(slot).key;
            const auto [first, is_new] = captures.try_emplace(key.number, key.capture);
            if (!is_new) first->second = std::min(first->second, key.capture);
        }
        for (const std::uint32_t slot : slots_) {
            if (context.cancelled()) return cancelled_error();
            if (const RankKey key = run_.rank(slot).key; key.capture != captures.at(key.number)) continue;
            if (!run_.rank(slot).trace().gpu_events.empty() || !read_rank(slot)) return Schedule{};
        }
        if (captures.size() < 2 || schedule_.ops.empty()) return Schedule{};
        number_missing();
        for (const ScheduleOp& op : schedule_.ops) {
            schedule_.stages = std::max(schedule_.stages, op.stage + 1);
            schedule_.dp = std::max(schedule_.dp, op.dp + 1);
        }
        find_overlapping_stages();
        return std::move(schedule_);
    }

private:
    void find_overlapping_stages() {
        std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::pair<std::int64_t, std::int64_t>>> computes;
        for (const ScheduleOp& op : schedule_.ops)
            if (is_compute_type(schedule_.types[op.type])) computes[{op.stage, op.dp}].emplace_back(op.begin, op.end);
        for (auto& [place, ranges] : computes) {
            std::ranges::sort(ranges);
            Wide whole = 0, twice = 0;
            std::int64_t end = ranges.front().first;
            for (const auto& [begin, last] : ranges) {
                whole += last - begin;
                twice += std::max<std::int64_t>(std::min(end, last) - begin, 0);
                end = std::max(end, last);
            }
            if (twice * 100 > whole) schedule_.overlapping.insert(place.first);
        }
    }

    bool read_rank(std::uint32_t slot) {
        const RankSlot& rank = run_.rank(slot);
        const RankTrace& trace = rank.trace();
        const StagePlace place = stage_place_of(rank);
        RecentTexts recent = trace.recent_texts();
        std::vector<EventId> events;
        for (std::uint32_t e = 0; e < trace.size(); ++e) {
            const EventId event{e};
            if (!trace.has(event, kInstant) && is_known_type(type_of_name(trace.name_text(event))))
                events.push_back(event);
        }
        std::ranges::sort(events, {}, [&](EventId e) { return trace.order[index_of(e)]; });
        bool computes = false;
        for (const EventId event : events) {
            const Result<EventText> text = trace.event_text(event, recent);
            const std::string_view arguments = text ? std::string_view(text->arguments) : std::string_view();
            ScheduleOp op;
            op.slot = slot;
            op.event = event;
            op.dp = place.dp;
            op.stage = place.stage;
            op.step = find_integer(arguments, "step").value_or(find_integer(arguments, "iteration").value_or(0));
            op.sequence =
                find_integer(arguments, "seq_id").value_or(find_integer(arguments, "microbatch").value_or(-1));
            op.chunk = std::max<std::int64_t>(find_integer(arguments, "model_chunk").value_or(0), 0);
            op.type = find_type(type_of_name(trace.name_text(event)));
            op.begin = (rank.start_of(event) - run_.origin()).count();
            op.end = op.begin + trace.duration[index_of(event)].count();
            computes = computes || is_compute_type(schedule_.types[op.type]);
            schedule_.ops.push_back(op);
        }
        return computes;
    }

    static std::string_view type_of_name(std::string_view name) {
        for (const auto& [other, type] : kOtherNames)
            if (name == other) return type;
        return name;
    }
    std::uint32_t find_type(std::string_view type) {
        const auto it = std::ranges::find(schedule_.types, type);
        const auto place = static_cast<std::uint32_t>(it - schedule_.types.begin());
        if (it == schedule_.types.end()) schedule_.types.emplace_back(type);
        return place;
    }

    // Numbers operations that the trace leaves without one: by the order of begins within rank, step and type.
    void number_missing() {
        std::vector<ScheduleOp>& ops = schedule_.ops;
        std::ranges::stable_sort(ops, {}, [](const ScheduleOp& op) {
            return std::tuple(op.step, op.dp, op.stage, op.type, op.begin, op.sequence);
        });
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (ops[i].sequence >= 0) continue;
            const bool same = i > 0 && ops[i - 1].step == ops[i].step && ops[i - 1].slot == ops[i].slot &&
                              ops[i - 1].type == ops[i].type;
            ops[i].sequence = same ? ops[i - 1].sequence + 1 : 0;
        }
    }

    const Run& run_;
    std::span<const std::uint32_t> slots_;
    Schedule schedule_;
};

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
            has_pairs_ = has_pairs_ || std::ranges::find(kPairwise, type_of(at)) != kPairwise.end();
        }
        const auto place = [&](std::uint32_t i) { return std::tuple(op(i).begin, op(i).sequence, type_of(i)); };
        for (auto& [key, rank] : ranks_) {
            std::ranges::stable_sort(rank.computes, {}, place);
            for (auto& [type, ops] : rank.by_type) std::ranges::stable_sort(ops, {}, place);
        }
    }

    void wait(std::uint32_t then, std::uint32_t first) {
        edges_.push_back({end_of(first), begin_of(then), 0, op(then).event, EdgeKind::StreamOrder, BoundBy::LaunchDelay,
                          false, false});
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
        for (const std::uint32_t i : of_type(rank, type))
            if (op(i).sequence == sequence) return i;
        return std::nullopt;
    }

    void order_rank(RankAt, RankOps& rank) {
        chain(rank.computes);
        for (const std::string_view type : kPairwise) chain(of_type(rank, type));
        Ops replicas;
        for (const std::string_view type : {kOfReplicas[0], kOfReplicas[1]})
            replicas.insert(replicas.end(), of_type(rank, type).begin(), of_type(rank, type).end());
        std::ranges::stable_sort(replicas, {}, [&](std::uint32_t i) { return op(i).begin; });
        chain(replicas);
        order_gathers(rank);
        order_end(rank);
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
            if (const auto paired = numbered(rank, type, 0)) wait(*paired, *(first - 2));
    }

    // --- sends and receives

    std::int64_t chunks() {
        std::int64_t most = 0;
        for (std::size_t i = first_; i < last_; ++i)
            if (is_compute_type(type_of(static_cast<std::uint32_t>(i)))) most = std::max(most, schedule_.ops[i].chunk);
        return most + 1;
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
            return sends ? op(i).end >= first_end - kSameMoment : op(i).begin <= last_begin + kSameMoment;
        };
        const auto count = static_cast<std::size_t>(std::ranges::count_if(all, counts));
        std::int64_t number = !sends && count + 1 == computes.size() ? 1 : 0;
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
                if (const auto before = numbered(rank, compute, op(*partner).sequence - 1)) wait(i, *before);
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
        Ops single;
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

bool is_compute_type(std::string_view type) { return type == kForward || type == kBackward; }

bool is_communication_type(std::string_view type) {
    return std::ranges::find(kPairwise, type) != kPairwise.end() ||
           std::ranges::find(kOfReplicas, type) != kOfReplicas.end() || type == kLayerNorm || type == kEmbedding ||
           type == kClip;
}

Result<Schedule> read_schedule(const Run& run, std::span<const std::uint32_t> slots, const JobContext& context) {
    Result<Schedule> schedule = ScheduleReader(run, slots).read(context);
    if (!schedule || schedule->ops.empty()) return schedule;
    for (std::size_t i = 0; i < schedule->ops.size();) {
        if (context.cancelled()) return cancelled_error();
        std::size_t last = i;
        while (last < schedule->ops.size() && schedule->ops[last].step == schedule->ops[i].step) ++last;
        Result<ScheduleStep> step = StepBuilder(*schedule, i, last).build(context);
        if (!step) return std::move(step).error();
        schedule->steps.push_back(*std::move(step));
        i = last;
    }
    return schedule;
}

Result<std::int64_t> replay_schedule(const Schedule& schedule, std::span<const std::int64_t> lengths, bool with_gaps,
                                     const JobContext& context) {
    Wide sum = 0;
    for (const ScheduleStep& step : schedule.steps) {
        std::vector<std::int64_t> weights(step.graph.edges.size());
        for (std::size_t e = 0; e < weights.size(); ++e) {
            const std::uint32_t op = step.op_of_edge[e];
            weights[e] = op != kNoOp                                  ? lengths[op]
                         : !with_gaps && step.gap_of_edge[e] != kNoOp ? 0
                                                                      : step.graph.edges[e].weight;
            if (weights[e] == kCutEdge) weights[e] = kLeastNegative;
        }
        const Result<NodeTimes> times = replay_times(step.graph, weights, context);
        if (!times) return times.error();
        sum += (*times)[step.sink];
    }
    return rounded_mean(sum, static_cast<std::int64_t>(std::max<std::size_t>(schedule.steps.size(), 1)));
}

}  // namespace core
