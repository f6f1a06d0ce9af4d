#include "ui/model/panels/findings_model.hpp"

#include "core/base/format.hpp"
#include "core/session/paged_run.hpp"

#include <algorithm>
#include <numeric>

namespace ui {
namespace {

// False for an event of a previous run, whose answer stays until the new run has one.
bool has_event(const core::Run& run, core::EventRef event) {
    return event.valid() && event.slot < run.ranks().size() &&
           core::index_of(event.event) < run.rank(event.slot).trace().size();
}

std::string format_cost(const core::Table& kinds, std::size_t row) {
    const auto word = [&](std::string_view column) { return core::format_cell(kinds, row, kinds.find_column(column)); };
    if (kinds.absent(row, kinds.find_column("cost"))) return {};  // nothing of it is time
    const bool has_steps = !kinds.absent(row, kinds.find_column("cost_per_step"));
    return "at most " + (has_steps ? word("cost_per_step") + " per step" : word("cost")) + ", " + word("cost_share") +
           " of the window";
}

// The row of a kind that saves most: gains overlap, so they are never added up.
std::string format_saving(const core::Table& deeds, std::string_view finding, bool has_steps) {
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
    const auto word = [&](std::string_view column) {
        return core::format_cell(deeds, *best, deeds.find_column(column));
    };
    const std::string how = "replayed" + (count > 1 ? " for " + word("of") : "") + ": " + word("replayed");
    if (deeds.integer(*best, saved) <= 0) return "Fixing it alone saves nothing (" + how + ")";
    return "Fixing it saves at most " + word("saved") + (has_steps ? " per step, " : ", ") + word("saved_share") +
           (has_steps ? " of it (" : " of the window (") + how + ")";
}

std::optional<core::RunRange> find_place(const core::Run& run, const core::Table& main, std::size_t row) {
    const std::size_t begin = main.find_column("begin"), length = main.find_column("length");
    if (main.absent(row, begin)) return std::nullopt;
    const core::RunTime at = run.origin() + core::Duration{main.integer(row, begin)};
    return core::RunRange{at, at + core::Duration{main.integer(row, length)}};
}

std::vector<FoundRank> collect_ranks(const core::Run& run, const core::Table& main, std::string_view finding) {
    std::vector<FoundRank> ranks;
    for (std::size_t row = 0; row < main.rows(); ++row) {
        if (main.text(row, main.find_column("finding")) != finding) continue;
        FoundRank found;
        found.rank = core::RankKey::unpacked(main.integer(row, main.find_column("rank")));
        if (!main.absent(row, main.find_column("gain"))) {
            found.gain = main.integer(row, main.find_column("gain"));
            found.share = main.number(row, main.find_column("gain_share"));
        }
        found.evidence = main.text(row, main.find_column("evidence"));
        found.place = find_place(run, main, row);
        const std::size_t event = main.find_column("event");
        if (!main.absent(row, event)) found.event = core::find_told_event(run, found.rank, main.integer(row, event));
        ranks.push_back(std::move(found));
    }
    std::ranges::stable_sort(ranks, std::ranges::greater{}, &FoundRank::gain);
    return ranks;
}

// The worst place of every rank, then gaps or events that the answer marks, up to kMostPlaces.
std::vector<EvidencePlace> collect_places(const core::Run& run, const core::Answer& findings, const FindingCard& card) {
    std::vector<EvidencePlace> places;
    for (const FoundRank& found : card.ranks)
        if (found.place && places.size() < kMostPlaces) places.push_back({found.rank, found.event, *found.place});
    for (const core::Mark& mark : findings.marks) {
        if (places.size() >= kMostPlaces) break;
        if (mark.label != card.id || !has_event(run, mark.event)) continue;
        const bool is_worst = std::ranges::any_of(
            card.ranks, [&](const FoundRank& found) { return found.place && found.event == mark.event; });
        if (!is_worst)
            places.push_back(
                {run.rank(mark.event.slot).key, mark.event, mark.place ? *mark.place : run.range_of(mark.event)});
    }
    std::ranges::stable_sort(places, {}, [](const EvidencePlace& place) { return place.range.begin; });
    return places;
}

// Splits at the first colon: title and place of a finding contain none, and the numbers follow it.
void split_sentence(FindingCard& card) {
    constexpr std::string_view kColon = ": ";
    const std::size_t colon = card.sentence.find(kColon);
    card.headline = card.sentence.substr(0, colon);
    if (colon == std::string::npos || colon + kColon.size() == card.sentence.size()) return;
    card.evidence = card.sentence.substr(colon + kColon.size());
    char& first = card.evidence.front();
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
}

}  // namespace

FindingsModel FindingsModel::of(const core::Run& run, const core::Answer& findings, const core::Answer* what_to_do) {
    FindingsModel model;
    const core::Table* const kinds = findings.find("kinds");
    if (!kinds) return model;
    const auto text = [&](std::size_t row, std::string_view column) {
        const std::size_t at = kinds->find_column(column);
        return kinds->absent(row, at) ? std::string() : std::string(kinds->text(row, at));
    };
    for (std::size_t row = 0; row < kinds->rows(); ++row) {
        FindingCard card;
        card.id = text(row, "finding");
        card.severity = text(row, "severity");
        card.sentence = text(row, "sentence");
        split_sentence(card);
        card.cost = format_cost(*kinds, row);
        if (what_to_do)
            card.saves =
                format_saving(what_to_do->main(), card.id, !kinds->absent(row, kinds->find_column("cost_per_step")));
        card.advice = text(row, "advice");
        card.explains = text(row, "explains");
        card.ranks = collect_ranks(run, findings.main(), card.id);
        card.by_number.resize(card.ranks.size());
        std::iota(card.by_number.begin(), card.by_number.end(), 0u);
        std::ranges::sort(card.by_number, {}, [&](std::uint32_t i) { return card.ranks[i].rank; });
        card.places = collect_places(run, findings, card);
        model.cards.push_back(std::move(card));
    }
    return model;
}

}  // namespace ui
