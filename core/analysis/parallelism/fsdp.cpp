#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/analysis/parallelism/parallel_members.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"

#include <algorithm>
#include <map>

namespace core {

MembersOfStep collect_sharding(const ChosenMembers& chosen, const MemberPlaces& places) {
    const MatchedRun& matches = chosen.matches();
    const std::vector<GroupDimension> dimensions = find_dimensions(chosen, places);
    MembersOfStep found;
    for (const MemberPlace& place : places.all()) {
        const Collective& c = matches.collectives[matches.collective_of(place.member)];
        const bool shards = c.operation == Operation::AllGather || c.operation == Operation::ReduceScatter;
        if (shards && dimensions[c.group].serves("FSDP"))
            found[{place.member.slot, place.step.value_or(kOfNoStep)}].push_back(&place);
    }
    for (auto& [key, all] : found)
        std::ranges::stable_sort(all, {}, [&](const MemberPlace* one) { return matches.member(one->member).start; });
    return found;
}

bool is_late_gather(const MatchedRun& matches, const MemberPlace& place) {
    const bool gathers = matches.collectives[matches.collective_of(place.member)].operation == Operation::AllGather;
    return gathers && place.has_user && !place.is_prefetched;
}

}  // namespace core

namespace core::fsdp {
namespace {

struct StepSummary {
    std::int64_t gathers = 0, hits = 0, late = 0, stall = 0;
    std::int64_t scatters = 0, gathers_forward = 0, gathers_backward = 0;
    std::int64_t exposed = 0;
};

// Stage of ZeRO that the pattern of a step shows: shards gathered in both passes are those of parameters.
std::string_view sharding_of(const StepSummary& step) {
    if (step.scatters == 0) return {};
    if (step.gathers_forward > 0 && step.gathers_backward > 0) return "parameters, gradients and optimizer (ZeRO-3)";
    if (step.gathers_forward > 0) return "parameters kept after the forward pass, or ZeRO-1/2";
    return {};
}

std::vector<Column> step_columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"step", Unit::Step, Role::Key, Facet::Step, "the step"},
        {"gathers", Unit::Count, Role::Measure, Facet::None, "all-gathers", true},
        {"hits", Unit::Count, Role::Measure, Facet::None, "in time for the kernel that follows", true},
        {"late", Unit::Count, Role::Measure, Facet::None, "that a kernel waited for", true},
        {"stall", Unit::Ns, Role::Measure, Facet::None, "sum of these waits", true},
        {"scatters", Unit::Count, Role::Measure, Facet::None, "reduce-scatters", true},
        {"exposed", Unit::Ns, Role::Measure, Facet::None, "of both, without compute beside them", true},
        {"sharded", Unit::Text, Role::Info, Facet::None, "what the pattern shows to be sharded; absent: it does not"}};
}

void count_gather(const MemberPlace& place, StepSummary& step) {
    ++step.gathers;
    ++(place.pass == Pass::Forward ? step.gathers_forward : step.gathers_backward);
    if (!place.has_user) return;
    ++(place.is_prefetched ? step.hits : step.late);
    step.stall += place.stall;
}

StepSummary add_step_rows(const ChosenMembers& chosen, const StepOfSlot& key, const BackwardWindow& backward,
                          std::span<const MemberPlace* const> all, Table& table) {
    const MatchedRun& matches = chosen.matches();
    StepSummary step;
    const auto gathers_at = [&](const MemberPlace* place) {
        return matches.collectives[matches.collective_of(place->member)].operation == Operation::AllGather;
    };
    std::size_t last_scatter = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!gathers_at(all[i])) last_scatter = i;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const MemberPlace& place = *all[i];
        const MemberEvent& member = matches.member(place.member);
        const Collective& c = matches.collectives[matches.collective_of(place.member)];
        const bool gathers = gathers_at(&place);
        step.exposed += place.exposed;
        if (gathers)
            count_gather(place, step);
        else
            ++step.scatters;
        const std::optional<std::int64_t> bytes = size_of(matches, c);
        const std::optional<std::int64_t> tail = find_tail(backward, member.end());
        const std::string_view prefetch = place.is_prefetched ? "hit" : "late";
        table.add_row({chosen.run->rank(key.first).key.packed(), key.second, static_cast<std::int64_t>(i),
                       name_of(c.operation), optional_cell(bytes), member.duration.count(), place.hidden, place.exposed,
                       gathers && place.has_user ? Cell{place.stall} : Cell{},
                       tail && i == last_scatter ? Cell{*tail} : Cell{},
                       gathers && place.has_user ? Cell{prefetch} : Cell{},
                       std::string_view(place.pass == Pass::Forward ? "forward" : "backward"),
                       static_cast<std::int64_t>(index_of(member.event))});
    }
    return step;
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"step", Unit::Step, Role::Key, Facet::Step, "that launched it; -1: none"},
            {"collective", Unit::Count, Role::Key, Facet::None, "in the order of start, from 0"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_gather or reduce_scatter"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "absent if unknown", true},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "first part to last", true},
            {"hidden", Unit::Ns, Role::Measure, Facet::None, "of that, beside compute", true, {}, Better::More},
            {"exposed", Unit::Ns, Role::Measure, Facet::None, "duration - hidden", true},
            {"stall", Unit::Ns, Role::Measure, Facet::None,
             "that the next compute kernel waits for the end of an all-gather", true},
            {"tail", Unit::Ns, Role::Measure, Facet::None,
             "of the last reduce-scatter: from the end of the last backward kernel to its own, at least 0"},
            {"prefetch", Unit::Text, Role::Info, Facet::None, "of an all-gather: hit, or late: a kernel waited for it"},
            {"pass", Unit::Text, Role::Info, Facet::None, "forward or backward"},
            {"event", Unit::Event, Role::Info, Facet::None, "its kernel"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    return collect_places_and_windows(view, columns(), context);
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    const MemberPlaces places(partials);
    const BackwardWindows backward = read_backward_windows(partials);
    Table table(columns()), steps(step_columns());
    for (const auto& [key, all] : collect_sharding(chosen, places)) {
        const auto window = backward.find(key);
        const StepSummary sum =
            add_step_rows(chosen, key, window == backward.end() ? BackwardWindow{} : window->second, all, table);
        const std::string_view sharded = sharding_of(sum);
        steps.add_row({run.rank(key.first).key.packed(), key.second, sum.gathers, sum.hits, sum.late, sum.stall,
                       sum.scatters, sum.exposed, sharded.empty() ? Cell{} : Cell{sharded}});
    }
    Answer answer = make_answer(chosen, std::move(table), partials);
    answer.tables.insert(answer.tables.begin() + 1, {"steps", std::move(steps)});
    return answer;
}

constexpr std::string_view kBucketParts[] = {"hidden", "exposed"};
constexpr SecondaryTable kTables[] = {{"steps", step_columns}, kClocksTable};

}  // namespace core::fsdp

namespace core {

constinit const Analysis kFsdp{
    .id = "fsdp",
    .title = "Sharded data parallel",
    .summary =
        "All-gathers and reduce-scatters of shards: what compute hides of them, and which all-gathers kernels wait "
        "for.",
    .definition = R"(
Members of groups that serve FSDP (parallel-groups), by rank and step in the order of start. hidden, exposed and
tail as ddp-buckets; tail of the last reduce-scatter. prefetch: the next compute kernel on another stream after an
all-gather's end; late if it begins within 5 us of that end and its stream was idle before it for 5 us or more while
the all-gather ran, stall is that time; hit otherwise; absent where no such kernel follows.

The table steps has the sums per step, and what the pattern shows to be sharded: all-gathers in both passes are of
parameters (ZeRO-3); in the forward pass alone they are kept, or of ZeRO-1/2.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "collective", .measures = fsdp::kBucketParts},
    .comparable = true,
    .rank = fsdp::rank,
    .merge = fsdp::merge,
    .columns = fsdp::columns,
    .tables = fsdp::kTables,
    .lead = "exposed",
    .made_of = "all-gathers and reduce-scatters of sharded groups",
    .of_run = true,
};

}  // namespace core
