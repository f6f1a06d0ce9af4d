#include "core/analysis/findings/finding_words.hpp"

#include "core/base/format.hpp"

#include <optional>

namespace core {
namespace {

std::string format_cost(const Table& kinds, std::size_t row) {
    const auto word = [&](std::string_view column) { return format_cell(kinds, row, kinds.find_column(column)); };
    if (kinds.absent(row, kinds.find_column("cost"))) return {};  // nothing of it is time
    const bool has_steps = !kinds.absent(row, kinds.find_column("cost_per_step"));
    return "at most " + (has_steps ? word("cost_per_step") + " per step" : word("cost")) + ", " + word("cost_share") +
           " of the window";
}

// The row of a kind that saves most: gains overlap, so they are never added up.
std::string format_saving(const Table& deeds, std::string_view finding, bool has_steps) {
    const std::size_t saved = deeds.find_column("saved");
    std::optional<std::size_t> best;
    std::size_t count = 0;
    for (std::size_t row = 0; row < deeds.rows(); ++row) {
        if (deeds.text(row, deeds.find_column("what")) != finding) continue;
        ++count;
        if (deeds.absent(row, saved) || deeds.text(row, deeds.find_column("replayed")).empty()) continue;
        if (!best || deeds.integer(row, saved) > deeds.integer(*best, saved)) best = row;
    }
    if (!best) return {};
    const auto word = [&](std::string_view column) { return format_cell(deeds, *best, deeds.find_column(column)); };
    const std::string how = "simulated" + (count > 1 ? " for " + word("of") : "") + ": " + word("replayed");
    if (deeds.integer(*best, saved) <= 0)
        return "No gain on its own: something else limits the " + std::string(has_steps ? "step" : "run") + " (" + how +
               ")";
    return "Up to " + word("saved") + (has_steps ? " per step, " : ", ") + word("saved_share") +
           (has_steps ? " of it (" : " of the window (") + how + ")";
}

// Splits at the first colon: title and place of a finding contain none, and the numbers follow it.
void split_sentence(FindingWords& card) {
    constexpr std::string_view kColon = ": ";
    const std::size_t colon = card.sentence.find(kColon);
    card.headline = card.sentence.substr(0, colon);
    if (colon == std::string::npos || colon + kColon.size() == card.sentence.size()) return;
    card.evidence = card.sentence.substr(colon + kColon.size());
    char& first = card.evidence.front();
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
}

}  // namespace

std::vector<FindingWords> word_findings(const Answer& findings, const Answer* what_to_do) {
    std::vector<FindingWords> all;
    const Table* const kinds = findings.find("kinds");
    if (!kinds) return all;
    const auto text = [&](std::size_t row, std::string_view column) {
        const std::size_t at = kinds->find_column(column);
        return kinds->absent(row, at) ? std::string() : std::string(kinds->text(row, at));
    };
    for (std::size_t row = 0; row < kinds->rows(); ++row) {
        FindingWords words;
        words.id = text(row, "finding");
        words.severity = text(row, "severity");
        words.sentence = text(row, "sentence");
        split_sentence(words);
        words.cost = format_cost(*kinds, row);
        if (what_to_do)
            words.saves =
                format_saving(what_to_do->main(), words.id, !kinds->absent(row, kinds->find_column("cost_per_step")));
        words.advice = text(row, "advice");
        const FindingRule* const rule = find_finding_rule(words.id);
        if (rule) words.links = rule->links;
        const std::string links = " " + format_links(words.links);
        if (!words.links.empty() && words.advice.ends_with(links))
            words.advice.resize(words.advice.size() - links.size());
        words.explains = text(row, "explains");
        all.push_back(std::move(words));
    }
    return all;
}

std::vector<RankKey> list_late_ranks(const Table& findings) {
    std::vector<RankKey> late;
    const std::size_t kind = findings.find_column("finding"), rank = findings.find_column("rank");
    for (std::size_t row = 0; row < findings.rows(); ++row)
        if (findings.text(row, kind) == rule_of(FindingKind::LateRank).id)
            late.push_back(RankKey::unpacked(findings.integer(row, rank)));
    return late;
}

}  // namespace core
