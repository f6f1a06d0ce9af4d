#include "core/analysis/collectives/chosen_members.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace core {
namespace {

constexpr std::string_view kRanksTable = "member ranks";

}  // namespace

std::optional<std::size_t> ChosenMembers::position_of(std::uint32_t slot) const {
    const auto found = std::ranges::lower_bound(ranks, slot, {}, &ChosenRank::slot);
    if (found == ranks.end() || found->slot != slot) return std::nullopt;
    return static_cast<std::size_t>(found - ranks.begin());
}

std::string ChosenMembers::group_of(const Collective& c) const {
    std::string label = matches().groups[c.group].label;
    if (label.empty()) label = "all ranks";
    if (c.cohort > 0) label += ", session " + std::to_string(c.cohort + 1);
    return label;
}

Cell ChosenMembers::step_cell(const Collective& c) const {
    const std::optional<std::int64_t> step = matches().step_of(c);
    return step ? Cell{*step} : Cell{};
}

Partial collect_members(const RankView& view) {
    Partial partial{{{"main", Table()}}, {}, {}, view.collect_excluded()};
    add_members(view, partial);
    return partial;
}

void add_members(const RankView& view, Partial& partial) {
    Table members = make_record_table<MemberRef>();
    Table ranks = make_record_table<ChosenRank>();
    const auto slot = static_cast<std::uint32_t>(view.slot);
    const std::span<const MemberEvent> events = view.rank().index->members().events();
    for (std::uint32_t i = 0; i < events.size(); ++i)
        if (view.passes(events[i].event)) add_record(members, MemberRef{slot, i});
    const RankRange window = view.has_gpu_work() ? view.window() : RankRange{};
    add_record(ranks, ChosenRank{view.key(), slot, window.empty() ? Duration{0} : window.length()});
    partial.tables.push_back({std::string(kMembersTable), std::move(members)});
    partial.tables.push_back({std::string(kRanksTable), std::move(ranks)});
}

ChosenMembers choose_members(std::span<const Partial* const> partials, const Run& run, const MatchParams& params) {
    ChosenMembers chosen;
    chosen.run = &run;
    chosen.waits = params == MatchParams{} ? waits_of(run) : measure_waits(run, match_run(run, params));
    const MatchedRun& matches = chosen.matches();
    chosen.member.assign(matches.members.size(), false);
    chosen.collective.assign(matches.collectives.size(), false);
    for (const Partial* const partial : partials) {
        for (const ChosenRank& rank : read_records<ChosenRank>(*partial->find(kRanksTable)))
            chosen.ranks.push_back(rank);
        const Table& members = *partial->find(kMembersTable);
        for (std::size_t row = 0; row < members.rows(); ++row) {
            const auto ref = read_record<MemberRef>(members, row);
            const std::uint32_t number = matches.collective_of(ref);
            const Collective& c = matches.collectives[number];
            chosen.collective[number] = true;
            for (std::uint32_t i = c.first; i < c.first + c.count; ++i)
                if (matches.members[i] == ref) chosen.member[i] = true;
        }
    }
    for (std::uint32_t c = 0; c < chosen.collective.size(); ++c)
        if (chosen.collective[c]) chosen.collectives.push_back(c);
    return chosen;
}

std::vector<Column> clocks_columns() {
    return {
        {"session", Unit::Count, Role::Key, Facet::None, "ranks that ran together"},
        {"clocks", Unit::Text, Role::Info, Facet::None, "aligned or recorded"},
        {"residual",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "weighted median of what alignment leaves",
         false,
         {},
         Better::Neither},
        {"error",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "differences of times below it are not resolvable",
         false,
         {},
         Better::Neither},
        {"width", Unit::Ns, Role::Measure, Facet::None, "largest difference of two clocks", false, {}, Better::Neither},
        {"remark", Unit::Text, Role::Info, Facet::None, "why clocks cannot be compared, ranks not here"}};
}

NamedTable clocks_table(const ChosenMembers& chosen) {
    Table table(clocks_columns());
    const MatchedRun& matches = chosen.matches();
    std::vector<std::uint32_t> absent(matches.cohorts.size(), 0);
    for (const Collective& c : matches.collectives) absent[c.cohort] = std::max(absent[c.cohort], c.absent);
    for (std::uint32_t s = 0; s < matches.cohorts.size(); ++s) {
        const CohortClocks& clocks = matches.clocks[s];
        const bool aligned = chosen.waits->aligned[s];
        const std::size_t here = matches.cohorts[s].slots.size();
        std::string remark = clocks.refused.empty() ? "" : "clocks cannot be compared: " + clocks.refused;
        if (absent[s] > 0) {
            if (!remark.empty()) remark += "; ";
            remark += std::to_string(here) + " of " + std::to_string(here + absent[s]) +
                      " ranks are here: waits are lower bounds";
        }
        const Cell measured = clocks.fit.any ? Cell{clocks.fit.residual} : Cell{};
        table.add_row({static_cast<std::int64_t>(s), std::string_view(aligned ? "aligned" : "recorded"), measured,
                       chosen.waits->error(s), clocks.fit.any ? Cell{clocks.fit.width} : Cell{},
                       std::string_view(remark)});
    }
    return {"clocks", std::move(table)};
}

Answer make_answer(const ChosenMembers& chosen, Table main, std::span<const Partial* const> partials) {
    Answer answer;
    answer.tables.push_back({"main", std::move(main)});
    answer.tables.push_back(clocks_table(chosen));
    for (const Partial* const partial : partials) {
        for (const Excluded& excluded : partial->excluded) {
            const auto it = std::ranges::find(answer.excluded, excluded.what, &Excluded::what);
            if (it == answer.excluded.end())
                answer.excluded.push_back(excluded);
            else
                it->count += excluded.count;
        }
    }
    return answer;
}

void sort_descending(Table& table, std::string_view column) {
    const std::size_t at = table.find_column(column);
    std::vector<std::size_t> order(table.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const bool absent_a = table.absent(a, at), absent_b = table.absent(b, at);
        if (absent_a || absent_b) return !absent_a && absent_b;
        return table.number(a, at) > table.number(b, at);
    });
    table.sort_rows(order);
}

std::vector<std::int64_t> share_out_whole(std::int64_t whole, std::span<const double> shares) {
    std::vector<std::int64_t> parts;
    std::vector<std::pair<double, std::size_t>> rests;
    std::int64_t given = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double exact = static_cast<double>(whole) * shares[i];
        parts.push_back(static_cast<std::int64_t>(std::floor(exact)));
        rests.emplace_back(exact - std::floor(exact), i);
        given += parts.back();
    }
    std::ranges::stable_sort(rests, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; given < whole && !rests.empty(); ++given, i = (i + 1) % rests.size())
        ++parts[rests[i].second];
    for (std::size_t i = rests.size(); given > whole && i-- > 0; --given) --parts[rests[i].second];
    return parts;
}

}  // namespace core
