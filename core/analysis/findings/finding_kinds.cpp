#include "core/analysis/findings/finding_kinds.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace core {
namespace {

// The rows of one kind, in the order of the table.
struct Kind {
    std::string_view id;
    std::vector<std::size_t> rows;
};

std::vector<Kind> collect_kinds(const Table& table) {
    const std::size_t name = table.find_column("finding");
    std::vector<Kind> kinds;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string_view id = table.text(row, name);
        auto kind = std::ranges::find(kinds, id, &Kind::id);
        if (kind == kinds.end()) kind = kinds.insert(kind, {id, {}});
        kind->rows.push_back(row);
    }
    return kinds;
}

// A rank with several captures counts once.
std::size_t count_ranks(const Table& table, std::span<const std::size_t> rows) {
    std::set<std::int32_t> numbers;
    for (const std::size_t row : rows)
        numbers.insert(RankKey::unpacked(table.integer(row, table.find_column("rank"))).number);
    return numbers.size();
}

std::string format_rank_of(const Table& table, std::size_t row) {
    return format_rank(RankKey::unpacked(table.integer(row, table.find_column("rank"))));
}

// "ranks 3 and 6", "ranks 1, 3 and 6", "12 ranks".
std::string format_some_ranks(const Table& table, std::span<const std::size_t> rows) {
    constexpr std::size_t kMostNamed = 4;
    if (rows.size() == 1) return "rank " + format_rank_of(table, rows[0]);
    if (rows.size() > kMostNamed) return format_count(rows.size()) + " ranks";
    std::string text = "ranks ";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += (i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ") + format_rank_of(table, rows[i]);
    return text;
}

std::string format_place(const Table& table, const Kind& kind, std::size_t worst, const FindingScope& scope) {
    const std::size_t ranks = scope.ranks;
    const std::string most = "rank " + format_rank_of(table, worst);
    if (kind.id == rule_of(FindingKind::LateRank).id) {
        const std::string whom = " for " + format_some_ranks(table, kind.rows);
        return kind.rows.size() == 1 ? whom : whom + ", most for " + most;
    }
    if (ranks <= 1) return "";
    if (kind.rows.size() == 1) return " on " + most;
    const std::size_t found = count_ranks(table, kind.rows);
    const std::string of_ranks =
        found == ranks ? "all " + format_count(ranks) : format_count(found) + " of " + format_count(ranks);
    const std::string_view with = scope.ranks < scope.all ? " ranks with GPU work, most on " : " ranks, most on ";
    return " on " + of_ranks + std::string(with) + most;
}

// "exposed-communication on 7 ranks": what vanishes with the ranks that the others wait for.
std::string format_explained(const Table& explained) {
    std::string text;
    for (const Kind& kind : collect_kinds(explained)) {
        const FindingRule* const rule = find_finding_rule(kind.id);
        text += (text.empty() ? "" : "; ") + std::string(rule ? rule->title : kind.id) + " on " +
                format_plural(kind.rows.size(), "rank", "ranks");
    }
    return text;
}

}  // namespace

std::vector<Column> finding_kind_columns() {
    return {
        {"finding", Unit::Text, Role::Key, Facet::None, "what was found"},
        {"severity", Unit::Text, Role::Info, Facet::None, "of the worst rank"},
        {"certainty", Unit::Text, Role::Info, Facet::None, "measured, likely or possible"},
        {"ranks", Unit::Count, Role::Measure, Facet::None, "on which it was found"},
        {"cost", Unit::Ns, Role::Measure, Facet::None,
         "what the run could gain at most: the gain of the worst rank, of late-rank those of all named together; "
         "absent of "
         "a risk"},
        {"cost_share", Unit::Ratio, Role::Measure, Facet::None, "of the worst rank's window", false, {}, Better::Less},
        {"cost_per_step", Unit::Ns, Role::Measure, Facet::None, "cost divided by the steps; absent without steps"},
        {"worst_rank", Unit::Rank, Role::Info, Facet::Rank, "with the largest gain"},
        {"sentence", Unit::Text, Role::Info, Facet::None, "what, where and by which numbers"},
        {"advice", Unit::Text, Role::Info, Facet::None, "what to try"},
        {"explains", Unit::Text, Role::Info, Facet::None, "other findings that would vanish with it"}};
}

Table summarise_kinds(const Table& main, const Table* explained, const FindingScope& scope) {
    Table kinds(finding_kind_columns());
    const std::size_t gain = main.find_column("gain");
    for (const Kind& kind : collect_kinds(main)) {
        const FindingRule* const rule = find_finding_rule(kind.id);
        const bool is_culprit = kind.id == rule_of(FindingKind::LateRank).id;
        const auto gain_of = [&](std::size_t row) { return main.integer(row, gain); };
        const std::size_t worst = *std::ranges::max_element(kind.rows, {}, gain_of);
        Wide cost = gain_of(worst);
        double share = main.number(worst, main.find_column("gain_share"));
        if (is_culprit) {
            cost = 0, share = 0;
            for (const std::size_t row : kind.rows) {
                cost += gain_of(row);
                share += main.number(row, main.find_column("gain_share"));
            }
        }
        const std::string sentence = std::string(rule ? rule->title : kind.id) +
                                     format_place(main, kind, worst, scope) + ": " +
                                     std::string(main.text(worst, main.find_column("evidence"))) + ".";
        const std::string explains = is_culprit && explained ? format_explained(*explained) : "";
        const bool gains = !main.absent(worst, gain);
        kinds.add_row({kind.id, main.text(kind.rows.front(), main.find_column("severity")),
                       main.text(worst, main.find_column("certainty")),
                       static_cast<std::int64_t>(count_ranks(main, kind.rows)), gains ? Cell{clamped(cost)} : Cell{},
                       gains ? Cell{share} : Cell{},
                       gains && scope.steps > 0 ? Cell{rounded_mean(cost, scope.steps)} : Cell{},
                       main.integer(worst, main.find_column("rank")), std::string_view(sentence),
                       main.text(worst, main.find_column("advice")),
                       explains.empty() ? Cell{} : Cell{std::string_view(explains)}});
    }
    return kinds;
}

}  // namespace core
