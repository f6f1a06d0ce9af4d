#include "core/analysis/parallelism/schedule.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/schedule_steps.hpp"
#include "core/ingest/nccl/json_members.hpp"
#include "core/store/assemble/rank_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace core {
namespace {

using namespace schedule_types;

constexpr std::int64_t kLeastNegative = -2;  // below kCutEdge
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOtherNames = {
    {{"forward", kForward}, {"backward", kBackward}}};

bool is_known_type(std::string_view type) {
    return is_compute_type(type) || is_communication_type(type) || type == kOptimizer || type == kCollect;
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
        measure_schedule(schedule_);
        return std::move(schedule_);
    }

private:
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
            const JsonMembers arguments(text ? std::string_view(text->arguments) : std::string_view());
            ScheduleOp op;
            op.slot = slot;
            op.event = event;
            op.dp = place.dp;
            op.stage = place.stage;
            op.step = arguments.integer("step").value_or(arguments.integer("iteration").value_or(0));
            op.sequence = arguments.integer("seq_id").value_or(arguments.integer("microbatch").value_or(-1));
            op.chunk = arguments.integer("model_chunk").value_or(0);
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
        sort_schedule(schedule_);
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

}  // namespace

bool is_compute_type(std::string_view type) { return type == kForward || type == kBackward; }

bool is_communication_type(std::string_view type) {
    return std::ranges::find(kPairwise, type) != kPairwise.end() ||
           std::ranges::find(kOfReplicas, type) != kOfReplicas.end() || type == kLayerNorm || type == kEmbedding ||
           type == kClip || type.starts_with(kCollectivePrefix);
}

std::string name_collective_type(std::string_view operation, std::string_view axis) {
    std::string name = std::string(kCollectivePrefix) + std::string(operation);
    return axis.empty() ? name : name + " " + std::string(axis);
}

Result<Schedule> read_schedule(const Run& run, std::span<const std::uint32_t> slots, const JobContext& context) {
    Result<Schedule> schedule = ScheduleReader(run, slots).read(context);
    if (!schedule || schedule->ops.empty()) return schedule;
    if (const Result<bool> built = build_schedule_steps(*schedule, context); !built) return built.error();
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
            if (!with_gaps && step.graph.edges[e].kind == EdgeKind::StreamWait) weights[e] = kCutEdge;
        }
        const Result<NodeTimes> times = replay_times(step.graph, weights, context);
        if (!times) return times.error();
        sum += (*times)[step.sink];
    }
    return rounded_mean(sum, static_cast<std::int64_t>(std::max<std::size_t>(schedule.steps.size(), 1)));
}

}  // namespace core
