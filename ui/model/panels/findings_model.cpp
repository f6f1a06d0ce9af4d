#include "ui/model/panels/findings_model.hpp"

#include "core/index/summary_rank.hpp"
#include "core/query/selection.hpp"
#include "core/session/paged_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ui {
namespace {

// False for an event of a previous run, whose answer stays until the new run has one.
bool has_event(const core::Run& run, core::EventRef event) {
    return event.valid() && event.slot < run.ranks().size() &&
           core::index_of(event.event) < run.rank(event.slot).trace().size();
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
        const std::size_t measured = main.find_column("measured");
        if (!main.absent(row, measured)) found.measured = main.integer(row, measured);
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

using CountedTime = core::Duration (*)(const core::ClassTimes&);

// The time that the sentence of a finding counts; null for those that count something else.
CountedTime find_counted_time(std::string_view finding) {
    if (finding == "exposed-communication")
        return [](const core::ClassTimes& times) { return times.exposed_communication(); };
    if (finding == "exposed-copies") return [](const core::ClassTimes& times) { return times.exposed_memory(); };
    if (finding == "idle") return [](const core::ClassTimes& times) { return times.idle(); };
    return nullptr;
}

// Empty where the cells would not add up to what the finding says: idle time inside of replayed graphs does not count.
std::vector<float> collect_when(const core::Run& run, const FindingCard& card, const core::Filter& filter,
                                const core::JobContext& job) {
    const CountedTime counted = find_counted_time(card.id);
    if (counted == nullptr || card.ranks.empty() || card.ranks.front().measured <= 0 || core::is_summary(run))
        return {};
    const auto rank = std::ranges::find(run.ranks(), card.ranks.front().rank, &core::RankSlot::key);
    if (rank == run.ranks().end() || run.window().empty()) return {};
    const auto slot = static_cast<std::size_t>(rank - run.ranks().begin());
    const auto selection = core::Selection::build(run, slot, filter, job);
    if (!selection) return {};
    core::RankRange window = (*selection)->window();
    if (const auto time = filter.time_range(run))
        window = {std::max(window.begin, rank->to_rank(time->begin)), std::min(window.end, rank->to_rank(time->end))};
    if (window.empty()) return {};
    const core::RunRange whole = run.window();
    const auto edge = [&](std::size_t cell) {
        const double share = static_cast<double>(cell) / static_cast<double>(kWhenCells);
        return rank->to_rank(whole.begin +
                             core::Duration{std::llround(share * static_cast<double>(whole.length().count()))});
    };
    std::vector<float> when(kWhenCells);
    core::Duration sum{};
    for (std::size_t cell = 0; cell < kWhenCells; ++cell) {
        const core::RankRange all{edge(cell), edge(cell + 1)};
        const core::RankRange part{std::max(all.begin, window.begin), std::min(all.end, window.end)};
        if (part.empty() || all.empty()) continue;
        const core::Duration time = counted((*selection)->partition().times(part));
        sum += time;
        when[cell] = static_cast<float>(static_cast<double>(time.count()) / static_cast<double>(all.length().count()));
    }
    constexpr double kTolerance = 0.01;
    const auto said = static_cast<double>(card.ranks.front().measured);
    if (std::abs(static_cast<double>(sum.count()) - said) > kTolerance * said) return {};
    return when;
}

}  // namespace

FindingsModel FindingsModel::of(const core::Run& run, const core::Answer& findings, const core::Answer* what_to_do,
                                const core::Filter& filter, const core::JobContext& job) {
    FindingsModel model;
    for (core::FindingWords& words : core::word_findings(findings, what_to_do)) {
        FindingCard card{std::move(words)};
        card.ranks = collect_ranks(run, findings.main(), card.id);
        card.by_number.resize(card.ranks.size());
        std::iota(card.by_number.begin(), card.by_number.end(), 0u);
        std::ranges::sort(card.by_number, {}, [&](std::uint32_t i) { return card.ranks[i].rank; });
        card.places = collect_places(run, findings, card);
        card.when = collect_when(run, card, filter, job);
        model.cards.push_back(std::move(card));
    }
    return model;
}

}  // namespace ui
