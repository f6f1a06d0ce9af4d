#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"

#include <algorithm>

namespace core::parallel_groups {
namespace {

constexpr std::int64_t kRanksOfHost = 8;

struct GroupSums {
    std::int64_t collectives = 0;
    Wide bytes = 0, time = 0, exposed = 0;
    bool has_bytes = true;  // of every collective
};

std::vector<GroupSums> sum_groups(const ChosenMembers& chosen, const MemberPlaces& places) {
    const MatchedRun& matches = chosen.matches();
    std::vector<GroupSums> sums(matches.groups.size());
    for (const std::uint32_t number : chosen.collectives) {
        const Collective& c = matches.collectives[number];
        GroupSums& sum = sums[c.group];
        ++sum.collectives;
        const std::optional<std::int64_t> bytes = size_of(matches, c);
        sum.has_bytes = sum.has_bytes && bytes;
        sum.bytes += bytes.value_or(0);
    }
    for (const MemberPlace& place : places.all()) {
        GroupSums& sum = sums[matches.collectives[matches.collective_of(place.member)].group];
        sum.time += matches.member(place.member).duration.count();
        sum.exposed += place.exposed;
    }
    return sums;
}

// Suggests a dimension from the rank numbers. Only a hint: it decides nothing.
std::string hint_of(const RunGroup& group) {
    const std::vector<std::int32_t>& ranks = group.members;
    if (ranks.size() < 2) return {};
    const std::int32_t stride = ranks[1] - ranks[0];
    for (std::size_t i = 2; i < ranks.size(); ++i)
        if (ranks[i] - ranks[i - 1] != stride) return {};
    if (stride == 1 && std::ssize(ranks) <= kRanksOfHost) return "neighbouring ranks";
    return stride > 1 ? "a stride of " + std::to_string(stride) : std::string();
}

std::string ranks_text(const RunGroup& group) {
    std::string text = group.cut_members;
    for (std::size_t i = 0; i < group.members.size() && i < 64; ++i)
        text += (text.empty() ? "" : ",") + std::to_string(group.members[i]);
    if (group.members.size() > 64) text += ",\u2026";
    return text;
}

std::string backend_of(const Run& run, const RunGroup& group) {
    for (const RankSlot& rank : run.ranks())
        for (const ProcessGroup& stated : rank.trace().info.groups)
            if (!group.name.empty() && stated.name == group.name && !stated.backend.empty()) return stated.backend;
    return run.ranks().empty() ? std::string() : run.rank(0).trace().info.backend;
}

}  // namespace

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::Group, "name or description, and members"},
            {"dimension", Unit::Text, Role::Key, Facet::None,
             "TP, PP, DP, FSDP, EP, CP, several joined by +, other, or "
             "unknown"},
            {"collectives", Unit::Count, Role::Measure, Facet::None, "chosen ones", true},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "sum of their sizes; absent if one is unknown", true},
            {"time", Unit::Ns, Role::Measure, Facet::None, "sum of the durations on the opened ranks", true},
            {"exposed", Unit::Ns, Role::Measure, Facet::None, "of that, without compute beside it", true},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "time / that of all groups"},
            {"how", Unit::Text, Role::Info, Facet::None, "what the dimension was told by"},
            {"hint", Unit::Text, Role::Info, Facet::None,
             "neighbouring ranks speak for TP, a stride for DP; decides nothing"},
            {"size", Unit::Count, Role::Info, Facet::None, "members; absent if unknown"},
            {"ranks", Unit::Text, Role::Info, Facet::None, "members; empty if unknown"},
            {"backend", Unit::Text, Role::Info, Facet::None, "as the traces state it"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    return collect_places(view, columns(), context);
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    const MemberPlaces places(partials);
    const std::vector<GroupSums> sums = sum_groups(chosen, places);
    const std::vector<GroupDimension> dimensions = find_dimensions(chosen, places);
    Wide all = 0;
    for (const GroupSums& sum : sums) all += sum.time;
    Table table(columns());
    for (std::size_t g = 0; g < sums.size(); ++g) {
        if (sums[g].collectives == 0) continue;
        const RunGroup& group = chosen.matches().groups[g];
        const std::string label = group.label.empty() ? "all ranks" : group.label;
        const std::string hint = hint_of(group), ranks = ranks_text(group), backend = backend_of(run, group);
        const std::int64_t size = group.size > 0 ? group.size : std::ssize(group.members);
        table.add_row({std::string_view(label), std::string_view(dimensions[g].name), sums[g].collectives,
                       sums[g].has_bytes ? Cell{clamped(sums[g].bytes)} : Cell{}, clamped(sums[g].time),
                       clamped(sums[g].exposed), ratio_cell(sums[g].time, all), std::string_view(dimensions[g].how),
                       hint.empty() ? Cell{} : Cell{std::string_view(hint)}, size > 0 ? Cell{size} : Cell{},
                       std::string_view(ranks), std::string_view(backend)});
    }
    sort_descending(table, "time");
    Answer answer = make_answer(chosen, std::move(table), partials);
    if (chosen.collectives.empty()) answer.tables.resize(1);
    return answer;
}

constexpr std::string_view kExposedTime[] = {"exposed"};

}  // namespace core::parallel_groups

namespace core {

constinit const Analysis kParallelGroups{
    .id = "parallel-groups",
    .title = "Parallel groups",
    .summary = "Which process group serves which dimension of parallelism, how that was told, and what it costs.",
    .definition = R"(
One row per group with a chosen collective. dimension is told by the first that fits: its description
(tensor_model_parallel, tp, mesh_tp: TP; pipeline, pp, mesh_pp: PP; expert, ep, mesh_ep: EP; context, cp, mesh_cp:
CP; dp_replicate, data_parallel, dp, mesh_dp: DP; dp_shard, fsdp, zero, intra_partial: FSDP; gtp, embedding: other;
several in one name, as TENSOR_AND_DATA_PARALLEL_GROUP, are joined by +). behaviour, over its members on the opened
ranks: sends and receives of pairs take 80 % of its time or more: PP; all_to_all takes 50 %: EP; all_gather in the
forward and reduce_scatter in the backward pass: FSDP; all_reduce alone, 80 % of them launched by the autograd
engine or DDP: DP; all_reduce alone, two or more in each pass after matrix operators: TP. mesh of ranks: the place
of its ranks in a mesh that all groups form, by `matching`. Else unknown; size alone decides nothing, and hint says
only what the ranks' numbers speak for.

bytes: S of `bandwidth`, summed over collectives, each once. time and exposed: of the members on the opened ranks.
share = time / time of all groups.
)",
    .chart = {.kind = ChartKind::Bars, .category = "group", .measures = parallel_groups::kExposedTime},
    .comparable = true,
    .rank = parallel_groups::rank,
    .merge = parallel_groups::merge,
    .columns = parallel_groups::columns,
    .tables = kClocksOnly,
    .lead = "time",
    .input = Input::Collectives,
    .of_run = true,
};

}  // namespace core
