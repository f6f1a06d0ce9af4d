#include "core/analysis/collectives/waiting_words.hpp"

#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kSummaryTable = "summary";

// Collectives that everyone would wait in, by why they do not count.
struct SetAside {
    std::size_t incomplete = 0, left_early = 0, doubtful = 0, alone = 0, others = 0;
    std::map<RankKey, std::size_t> lacking;  // of incomplete ones, by the rank whose record lacks
};

SetAside count_set_aside(const ChosenMembers& chosen) {
    SetAside aside;
    const MatchedRun& matches = chosen.matches();
    for (const std::uint32_t number : chosen.collectives) {
        const Collective& c = matches.collectives[number];
        if (!waits_for_last(c.operation)) {
            ++aside.others;
        } else if (c.missing > 0) {
            ++aside.incomplete;
            for (const std::uint32_t slot : matches.missing_of(c)) ++aside.lacking[chosen.run->rank(slot).key];
        } else if (c.count < 2) {
            ++aside.alone;
        } else if (c.doubts != 0) {
            ++aside.doubtful;
        } else if (chosen.waits->times[number].left_early) {
            ++aside.left_early;
        }
    }
    return aside;
}

std::string format_lacking(const SetAside& aside) {
    constexpr std::size_t kMostNamed = 4;
    std::vector<std::pair<RankKey, std::size_t>> ranks(aside.lacking.begin(), aside.lacking.end());
    std::ranges::stable_sort(ranks, std::greater{}, &std::pair<RankKey, std::size_t>::second);
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), kMostNamed); ++i)
        text += (i == 0 ? "rank " : ", rank ") + format_rank(ranks[i].first) + " in " + format_count(ranks[i].second);
    if (ranks.size() > kMostNamed) text += ", and " + format_plural(ranks.size() - kMostNamed, "other", "others");
    return text;
}

}  // namespace

std::vector<Awaited> list_awaited(const Table& stragglers, const Run& run, bool directly) {
    const std::size_t rank = stragglers.find_column("rank");
    const std::size_t of = stragglers.find_column(directly ? "wait_caused" : "wait_rooted");
    const std::size_t last = stragglers.find_column("last"), all = stragglers.find_column("collectives");
    const std::size_t flagged = stragglers.find_column("flagged"), cause = stragglers.find_column("cause");
    std::vector<Awaited> awaited;
    std::map<RankKey, std::size_t> places;
    for (std::size_t row = 0; row < stragglers.rows(); ++row) {
        const RankKey shown = counted_as(run, RankKey::unpacked(stragglers.integer(row, rank)));
        const auto [place, is_new] = places.try_emplace(shown, awaited.size());
        if (is_new) awaited.emplace_back().rank = shown;
        Awaited& one = awaited[place->second];
        const std::int64_t wait = stragglers.integer(row, of);
        one.wait += wait;
        one.last += stragglers.integer(row, last);
        one.collectives += stragglers.integer(row, all);
        ++one.windows;
        one.flagged = one.flagged || stragglers.text(row, flagged) == "yes";
        if (!is_new && wait <= one.most) continue;
        one.most = wait;
        one.cause = stragglers.absent(row, cause) ? "" : std::string(stragglers.text(row, cause));
    }
    std::ranges::sort(awaited, [](const Awaited& a, const Awaited& b) {
        return std::pair(-a.wait, a.rank) < std::pair(-b.wait, b.rank);
    });
    return awaited;
}

std::string describe_waiting(const Table& stragglers, const Run& run, bool directly) {
    const std::size_t own = stragglers.find_column("own_wait");
    std::int64_t total = 0;
    for (std::size_t row = 0; row < stragglers.rows(); ++row) total += stragglers.integer(row, own);
    if (total <= 0) return "";
    const Awaited worst = list_awaited(stragglers, run, directly).front();
    std::string text = "Rank " + format_rank(worst.rank) + ": " + format_duration(Duration{worst.wait}) + " of " +
                       format_duration(Duration{total}) + " waiting " +
                       (directly ? "is for it to arrive" : "goes back to it") + ", last in " +
                       format_count(worst.last) + " of " + format_count(worst.collectives);
    if (worst.windows > 1) text += " in " + format_count(worst.windows) + " windows";
    if (!worst.flagged) return "No rank stands out. Most: " + text;
    if (!worst.cause.empty()) text += "; cause: " + worst.cause;
    return text;
}

std::string describe_no_waiting(const ChosenMembers& chosen, const StragglerRun& sums) {
    if (sums.collectives > 0)
        return "No rank waits for another in " + format_plural(static_cast<std::size_t>(sums.collectives),
                                                               "collective that counts", "collectives that count");
    const SetAside aside = count_set_aside(chosen);
    std::string text;
    const auto add = [&](std::size_t count, std::string_view one, std::string_view several, const std::string& more) {
        if (count == 0) return;
        text += (text.empty() ? "" : "; ") + format_plural(count, one, several) + more;
    };
    add(aside.incomplete, "lacks the record of a member", "lack records of members",
        " (" + format_lacking(aside) + ")");
    add(aside.left_early, "was left before the last came", "were left before the last came", "");
    add(aside.doubtful, "is matched doubtfully", "are matched doubtfully", "");
    add(aside.alone, "has one member here", "have one member here", "");
    add(aside.others, "is a send, receive, broadcast or the like", "are sends, receives, broadcasts or the like", "");
    if (text.empty()) return "";
    return "Who waits cannot be told, as no collective counts: " + text;
}

std::vector<Column> summary_columns() {
    return {{"of", Unit::Text, Role::Key, Facet::None, "what the sentence is of"},
            {"sentence", Unit::Text, Role::Info, Facet::None, "who is waited for, or why nobody can be named"}};
}

NamedTable summary_table(const ChosenMembers& chosen, const StragglerRun& sums, const Table& stragglers) {
    Table table(summary_columns());
    std::string text = describe_waiting(stragglers, *chosen.run, false);
    if (text.empty()) text = describe_no_waiting(chosen, sums);
    if (!text.empty()) table.add_row({std::string_view("run"), std::string_view(text)});
    return {std::string(kSummaryTable), std::move(table)};
}

std::string headline_of(const Answer& stragglers, const Run& run, bool directly) {
    std::string text = describe_waiting(stragglers.main(), run, directly);
    const Table* const summary = stragglers.find(kSummaryTable);
    if (!text.empty() || summary == nullptr || summary->rows() == 0) return text;
    return std::string(summary->text(0, 1));
}

}  // namespace core
