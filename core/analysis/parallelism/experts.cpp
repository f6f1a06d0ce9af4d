#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/parallelism/group_dimensions.hpp"
#include "core/analysis/parallelism/parallel_members.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"

#include <algorithm>
#include <map>

namespace core {

std::optional<double> Exchange::imbalance() const {
    if (count < 2 || sum <= 0) return std::nullopt;
    return static_cast<double>(most) * static_cast<double>(count) / static_cast<double>(sum) - 1;
}

Exchange measure_exchange(const MatchedRun& matches, const Collective& c) {
    Exchange exchange;
    for (const MemberRef ref : matches.members_of(c)) {
        const std::int64_t bytes = matches.member(ref).out_bytes;
        if (bytes == kNoBytes) return {};
        if (!exchange.fullest || bytes > exchange.most) exchange.fullest = ref.slot;
        exchange.most = std::max(exchange.most, bytes);
        exchange.sum += bytes;
        ++exchange.count;
    }
    return exchange;
}

MembersOfStep collect_exchanges(const ChosenMembers& chosen, const MemberPlaces& places) {
    const MatchedRun& matches = chosen.matches();
    const std::vector<GroupDimension> dimensions = find_dimensions(chosen, places);
    MembersOfStep found;
    for (const MemberPlace& place : places.all()) {
        const Collective& c = matches.collectives[matches.collective_of(place.member)];
        if (c.operation == Operation::AllToAll && dimensions[c.group].serves("EP"))
            found[{place.member.slot, place.step.value_or(kOfNoStep)}].push_back(&place);
    }
    for (auto& [key, all] : found)
        std::ranges::stable_sort(all, {}, [&](const MemberPlace* one) { return matches.member(one->member).start; });
    return found;
}

}  // namespace core

namespace core::experts {

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"step", Unit::Step, Role::Key, Facet::Step, "that launched it; -1: none"},
        {"collective", Unit::Count, Role::Key, Facet::None, "in the order of start, from 0"},
        {"bytes_in", Unit::Bytes, Role::Measure, Facet::None, "given; absent if unknown", true},
        {"bytes_out", Unit::Bytes, Role::Measure, Facet::None, "taken; absent if unknown", true},
        {"tokens_share", Unit::Ratio, Role::Measure, Facet::None, "bytes_out / the sum over the opened members"},
        {"imbalance",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "largest bytes_out of the opened members / their mean - 1; absent with one",
         false,
         {},
         Better::Less},
        {"time", Unit::Ns, Role::Measure, Facet::None, "of its kernel", true},
        {"exposed", Unit::Ns, Role::Measure, Facet::None, "of that, without compute beside it", true},
        {"kind", Unit::Text, Role::Info, Facet::None, "dispatch and combine by turns, where a step has an even number"},
        {"group", Unit::Text, Role::Info, Facet::Group, "the experts' group"},
        {"event", Unit::Event, Role::Info, Facet::None, "its kernel"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    return collect_places(view, columns(), context);
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    const MemberPlaces places(partials);
    const MatchedRun& matches = chosen.matches();
    Table table(columns());
    for (const auto& [key, all] : collect_exchanges(chosen, places)) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const MemberEvent& member = matches.member(all[i]->member);
            const Collective& c = matches.collectives[matches.collective_of(all[i]->member)];
            const Exchange exchange = measure_exchange(matches, c);
            const std::optional<double> imbalance = exchange.imbalance();
            const auto bytes = [](std::int64_t known) { return known == kNoBytes ? Cell{} : Cell{known}; };
            const std::string_view kind = i % 2 == 0 ? "dispatch" : "combine";
            const std::string group = chosen.group_of(c);
            table.add_row({run.rank(std::get<0>(key)).key.packed(), std::get<1>(key), static_cast<std::int64_t>(i),
                           bytes(member.in_bytes), bytes(member.out_bytes),
                           exchange.count > 1 ? ratio_cell(Wide{member.out_bytes}, exchange.sum) : Cell{},
                           optional_cell(imbalance), member.duration.count(), all[i]->exposed,
                           all.size() % 2 == 0 ? Cell{kind} : Cell{}, std::string_view(group),
                           static_cast<std::int64_t>(index_of(member.event))});
        }
    }
    return make_answer(chosen, std::move(table), partials);
}

constexpr std::string_view kExposedTime[] = {"exposed"};

}  // namespace core::experts

namespace core {

constinit const Analysis kExperts{
    .id = "experts",
    .title = "Experts",
    .summary = "All-to-alls of expert-parallel groups: bytes given and taken, and how uneven they are.",
    .definition = R"(
All-to-alls of groups that serve EP (parallel-groups), by rank and step in the order of start. bytes_in and
bytes_out as recorded; tokens_share = bytes_out / sum over the members whose ranks are open; imbalance = the largest
of them / their mean - 1. kind: dispatch and combine by turns, where the step has an even number of them. exposed:
time without compute beside it.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = experts::kExposedTime, .series = "step"},
    .comparable = true,
    .rank = experts::rank,
    .merge = experts::merge,
    .columns = experts::columns,
    .tables = kClocksOnly,
    .lead = "time",
    .made_of = "all-to-alls of expert-parallel groups",
    .of_run = true,
};

}  // namespace core
