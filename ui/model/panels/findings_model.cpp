#include "ui/model/panels/findings_model.hpp"

#include "core/base/format.hpp"

#include <algorithm>

namespace ui {
namespace {

std::string format_cost(const core::Table& kinds, std::size_t row) {
    const auto word = [&](std::string_view column) { return core::format_cell(kinds, row, kinds.find_column(column)); };
    const bool has_steps = !kinds.absent(row, kinds.find_column("cost_per_step"));
    return "at most " + (has_steps ? word("cost_per_step") + " per step" : word("cost")) + ", " + word("cost_share") +
           " of the window";
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
        found.gain = main.integer(row, main.find_column("gain"));
        found.share = main.number(row, main.find_column("gain_share"));
        found.evidence = main.text(row, main.find_column("evidence"));
        found.place = find_place(run, main, row);
        const std::size_t event = main.find_column("event");
        const auto slot = std::ranges::find(run.ranks(), found.rank, &core::RankSlot::key);
        if (slot != run.ranks().end() && !main.absent(row, event))
            found.event = {static_cast<std::uint32_t>(slot - run.ranks().begin()),
                           core::EventId{static_cast<std::uint32_t>(main.integer(row, event))}};
        ranks.push_back(std::move(found));
    }
    std::ranges::stable_sort(ranks, std::ranges::greater{}, &FoundRank::gain);
    return ranks;
}

}  // namespace

FindingsModel FindingsModel::of(const core::Run& run, const core::Answer& findings) {
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
        card.cost = format_cost(*kinds, row);
        card.advice = text(row, "advice");
        card.explains = text(row, "explains");
        card.ranks = collect_ranks(run, findings.main(), card.id);
        model.cards.push_back(std::move(card));
    }
    return model;
}

}  // namespace ui
