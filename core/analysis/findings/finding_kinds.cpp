#include "core/analysis/findings/finding_kinds.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
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

RankKey key_of(const Table& table, std::size_t row) {
    return RankKey::unpacked(table.integer(row, table.find_column("rank")));
}

// A rank with several captures counts once.
std::size_t count_ranks(const Table& table, std::span<const std::size_t> rows) {
    std::set<std::int32_t> numbers;
    for (const std::size_t row : rows) numbers.insert(key_of(table, row).number);
    return numbers.size();
}

std::string format_rank_of(const Table& table, std::size_t row) { return format_rank(key_of(table, row)); }

// "rank 3", "ranks 3 and 6", "ranks 1, 3 and 6", "12 ranks", "rank 3 in 2 captures".
std::string format_some_ranks(const Table& table, std::span<const std::size_t> rows) {
    constexpr std::size_t kMostNamed = 4;
    if (rows.size() == 1) return "rank " + format_rank_of(table, rows[0]);
    std::vector<std::int32_t> numbers;
    std::set<std::int32_t> captures;
    for (const std::size_t row : rows) {
        const RankKey key = key_of(table, row);
        captures.insert(key.capture);
        if (std::ranges::find(numbers, key.number) == numbers.end()) numbers.push_back(key.number);
    }
    const std::string in = captures.size() == 1 ? std::string() : " in " + format_count(captures.size()) + " captures";
    if (numbers.size() > kMostNamed) return format_count(numbers.size()) + " ranks" + in;
    std::string text = numbers.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    return text + in;
}

// Whether one row's gain is more than noise beside the others: by a hundredth of the window, and 3.5 robust deviations.
bool stands_out(const Table& table, std::span<const std::size_t> rows, std::size_t worst) {
    constexpr double kDeviations = 3.5, kNormal = 1.4826, kLeastShare = 0.01;
    const std::size_t gain = table.find_column("gain_share");
    if (table.absent(worst, gain)) return false;
    std::vector<double> shares;
    for (const std::size_t row : rows) shares.push_back(table.number(row, gain));
    const double middle = take_median(shares);
    for (double& share : shares) share = std::abs(share - middle);
    const double deviation = kNormal * take_median(shares);
    const double more = table.number(worst, gain) - middle;
    return more >= kLeastShare && more >= kDeviations * deviation;
}

std::string format_place(const Table& table, const Kind& kind, std::size_t worst, const FindingScope& scope) {
    const std::size_t ranks = scope.ranks;
    const std::string most = "rank " + format_rank_of(table, worst);
    if (kind.id == rule_of(FindingKind::LateRank).id) {
        std::string whom = " for " + format_some_ranks(table, kind.rows);
        if (kind.rows.size() == 1) return whom;
        if (count_ranks(table, kind.rows) > 1) return whom + ", most for " + most;
        return whom + ", most in capture " + format_capture(key_of(table, worst).capture);
    }
    if (ranks <= 1) return kind.rows.size() > 1 ? " on " + format_some_ranks(table, kind.rows) : "";
    if (kind.rows.size() == 1) return " on " + most;
    const std::size_t found = count_ranks(table, kind.rows);
    const std::string of_ranks = found == ranks && ranks == 2 ? "both"
                                 : found == ranks             ? "all " + format_count(ranks)
                                                              : format_count(found) + " of " + format_count(ranks);
    return " on " + of_ranks + (scope.ranks < scope.all ? " ranks with GPU work, " : " ranks, ") +
           (stands_out(table, kind.rows, worst) ? "most on " : "such as ") + most;
}

// "Rank 0 waits" where only two ranks are there.
std::string format_waiting_rank(const Table& table, const Kind& kind, const FindingScope& scope) {
    if (scope.numbers.size() != 2 || kind.rows.size() != 1) return {};
    const bool is_first = key_of(table, kind.rows.front()).number == scope.numbers.front();
    return "Rank " + std::to_string(is_first ? scope.numbers.back() : scope.numbers.front()) + " waits";
}

// "All 8 GPUs idle, most on rank 3".
std::string format_idle_gpus(const Table& table, const Kind& kind, std::size_t worst, const FindingScope& scope) {
    const std::string rank = "rank " + format_rank_of(table, worst);
    if (scope.ranks <= 1 && kind.rows.size() == 1) return "The GPU idles";
    if (kind.rows.size() == 1) return "The GPU of " + rank + " idles";
    const std::size_t found = count_ranks(table, kind.rows);
    const std::string of_ranks = found < scope.ranks
                                     ? format_count(found) + " of " + format_count(scope.ranks) + " GPUs"
                                 : found == 1 ? "The GPU"
                                 : found == 2 ? "Both GPUs"
                                              : "All " + format_count(found) + " GPUs";
    return of_ranks + (found == 1 ? " idles" : " idle") +
           (stands_out(table, kind.rows, worst) ? ", most on " + rank : ", such as " + rank + "'s");
}

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

// Subject, verb, number and place. A finding of the whole run names no rank.
std::string format_sentence(const Table& main, const Kind& kind, std::size_t worst, const FindingScope& scope) {
    const FindingRule* const rule = find_finding_rule(kind.id);
    const std::string title(rule ? rule->title : kind.id);
    const std::string evidence(main.text(worst, main.find_column("evidence")));
    const auto is = [&](FindingKind one) { return kind.id == rule_of(one).id; };
    if (is(FindingKind::StageImbalance)) return capitalised(evidence) + ": " + format_some_ranks(main, kind.rows) + ".";
    if (is(FindingKind::FewMicrobatches)) return "The pipeline has only " + evidence + ".";
    if (is(FindingKind::Idle)) return format_idle_gpus(main, kind, worst, scope) + ": " + evidence + ".";
    std::string subject = is(FindingKind::LateRank) ? format_waiting_rank(main, kind, scope) : std::string();
    if (subject.empty()) subject = title;
    return subject + format_place(main, kind, worst, scope) + ": " + evidence + ".";
}

// "exposed-communication on 7 ranks": what vanishes with the ranks that the others wait for.
std::string format_explained(const Table& explained) {
    std::string text;
    for (const Kind& kind : collect_kinds(explained)) {
        const FindingRule* const rule = find_finding_rule(kind.id);
        text += (text.empty() ? "" : "; ") + std::string(rule ? rule->title : kind.id) + " on " +
                format_plural(count_ranks(explained, kind.rows), "rank", "ranks");
    }
    return text;
}

struct Cost {
    Wide gain = 0;
    double share = 0;
};

// Ranks that are waited for at once.
struct CulpritsOfCapture {
    Cost cost;
    std::vector<std::size_t> rows;
};

CulpritsOfCapture find_costliest(const Table& main, const Kind& kind) {
    std::map<std::int32_t, CulpritsOfCapture> captures;
    for (const std::size_t row : kind.rows) {
        CulpritsOfCapture& of_capture = captures[key_of(main, row).capture];
        // Each has the gain of all that are named with it.
        of_capture.cost.gain = std::max<Wide>(of_capture.cost.gain, main.integer(row, main.find_column("gain")));
        of_capture.cost.share = std::max(of_capture.cost.share, main.number(row, main.find_column("gain_share")));
        of_capture.rows.push_back(row);
    }
    return std::ranges::max_element(captures, {}, [](const auto& one) { return one.second.cost.gain; })->second;
}

}  // namespace

std::vector<Column> finding_kind_columns() {
    return {
        {"finding", Unit::Text, Role::Key, Facet::None, "what was found"},
        {"severity", Unit::Text, Role::Info, Facet::None, "of the worst rank"},
        {"certainty", Unit::Text, Role::Info, Facet::None, "measured, likely or possible"},
        {"ranks", Unit::Count, Role::Measure, Facet::None, "on which it was found"},
        {"cost", Unit::Ns, Role::Measure, Facet::None,
         "what the run could gain at most: the gain of the worst rank, of late-rank those of all named together, of "
         "the costliest capture; absent of a risk"},
        {"cost_share", Unit::Ratio, Role::Measure, Facet::None, "of the worst rank's window", false, {}, Better::Less},
        {"cost_per_step", Unit::Ns, Role::Measure, Facet::None,
         "cost divided by the steps of that capture; absent without steps"},
        {"worst_rank", Unit::Rank, Role::Info, Facet::Rank, "with the largest gain"},
        {"sentence", Unit::Text, Role::Info, Facet::None, "what, where and by which numbers"},
        {"advice", Unit::Text, Role::Info, Facet::None, "what to try"},
        {"explains", Unit::Text, Role::Info, Facet::None, "other findings that would vanish with it"}};
}

Table summarise_kinds(const Table& main, const Table* explained, const FindingScope& scope, std::string_view caveat) {
    Table kinds(finding_kind_columns());
    const std::size_t gain = main.find_column("gain");
    for (const Kind& kind : collect_kinds(main)) {
        const bool is_culprit = kind.id == rule_of(FindingKind::LateRank).id;
        const auto gain_of = [&](std::size_t row) { return main.integer(row, gain); };
        std::size_t worst = *std::ranges::max_element(kind.rows, {}, gain_of);
        Cost cost{.gain = gain_of(worst), .share = main.number(worst, main.find_column("gain_share"))};
        if (is_culprit) {
            const CulpritsOfCapture most = find_costliest(main, kind);
            worst = *std::ranges::max_element(most.rows, {}, gain_of);
            cost = most.cost;
        }
        const auto chosen = scope.steps.find(key_of(main, worst).capture);
        const std::int64_t steps = chosen == scope.steps.end() ? 0 : chosen->second;
        std::string sentence = format_sentence(main, kind, worst, scope);
        if (kinds.rows() == 0 && !caveat.empty() && kind.id != rule_of(FindingKind::Incomplete).id)
            sentence += " " + std::string(caveat);
        const std::string explains = is_culprit && explained ? format_explained(*explained) : "";
        const bool gains = !main.absent(worst, gain);
        kinds.add_row({kind.id, main.text(kind.rows.front(), main.find_column("severity")),
                       main.text(worst, main.find_column("certainty")),
                       static_cast<std::int64_t>(count_ranks(main, kind.rows)),
                       gains ? Cell{clamped(cost.gain)} : Cell{}, gains ? Cell{cost.share} : Cell{},
                       gains && steps > 0 ? Cell{rounded_mean(cost.gain, steps)} : Cell{},
                       main.integer(worst, main.find_column("rank")), std::string_view(sentence),
                       main.text(worst, main.find_column("advice")),
                       explains.empty() ? Cell{} : Cell{std::string_view(explains)}});
    }
    return kinds;
}

}  // namespace core
