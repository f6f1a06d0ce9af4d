#include "core/export/contributions_text.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/export/statistics_json.hpp"
#include "core/export/text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostRanksNamed = 3;

std::string signed_time(std::int64_t ns) { return (ns > 0 ? "+" : "") + format_duration(Duration{ns}); }

std::vector<std::string> text_row(const Contribution& part) {
    const auto& welch = part.tested.samples.welch;
    return {std::string(name_of(part.part)),
            part.kernel,
            signed_time(part.change()),
            welch ? describe_interval(welch->interval) : "-",
            part.share ? format_ratio(*part.share) : "-",
            std::string(words_of(verdict_of(part.tested))),
            part.tested.q ? format_p(*part.tested.q) : "-"};
}

std::string_view presence_of(const Tested& tested) {
    return tested.only ? name_of(lone_verdict(*tested.only)) : "both";
}

std::string slowest_text(const Contributions& contributions) {
    BySide<std::string> texts;
    for (const Side side : kSides) {
        const auto& ranks = contributions.slowest[side];
        for (std::size_t i = 0; i < std::min(ranks.size(), kMostRanksNamed); ++i)
            texts[side] += (i ? ", " : "") + format_rank(ranks[i].first) + " (" + std::to_string(ranks[i].second) + ")";
        if (ranks.size() > kMostRanksNamed) texts[side] += ", ...";
    }
    if (contributions.slowest.baseline.size() < 2 && contributions.slowest.candidate.size() < 2 &&
        texts.baseline.substr(0, texts.baseline.find(' ')) == texts.candidate.substr(0, texts.candidate.find(' ')))
        return {};
    return "note: slowest rank, with its number of steps: " + texts.baseline + " in the baseline, " + texts.candidate +
           " in the candidate\n";
}

}  // namespace

std::string to_text(const Contributions& contributions, const StepStatistics& statistics, std::size_t most_kernels,
                    std::size_t most_columns) {
    if (!contributions.absent.empty()) return "note: no contributions: " + contributions.absent + "\n";
    std::vector<std::vector<std::string>> rows;
    std::size_t kernels = 0, others = 0;
    std::int64_t other_change = 0;
    for (const Contribution& part : contributions.parts) {
        if (part.part == StepPart::Kernel && kernels++ >= most_kernels) {
            ++others;
            other_change += part.change();
            continue;
        }
        if (part.part != StepPart::Kernel && others > 0) {
            rows.push_back({"other_kernels", format_plural(others, "kernel", "kernels"), signed_time(other_change), "-",
                            "-", "-", "-"});
            others = 0;
        }
        rows.push_back(text_row(part));
    }
    const std::vector<TextColumn> titles = {
        {"part", false}, {"kernel", false},  {"change", true}, {"change 95 %", true},
        {"share", true}, {"verdict", false}, {"q", true}};
    return "\nstep of the slowest rank: " + signed_time(contributions.mean.candidate - contributions.mean.baseline) +
           describe_between(statistics) + ", which these parts add up to\n" +
           layout_text_table(titles, rows, most_columns) + slowest_text(contributions);
}

SmallJson json_contributions(const Contributions& contributions, const StepStatistics& statistics) {
    if (!contributions.absent.empty()) return {{"absent", contributions.absent}};
    SmallJson json{{"headline", describe_contributions(contributions, statistics)},
                   {"mean", SmallJson::array({contributions.mean.baseline, contributions.mean.candidate})},
                   {"slowest", SmallJson::object()},
                   {"parts", SmallJson::array()}};
    for (const Side side : kSides) {
        SmallJson ranks = SmallJson::array();
        for (const auto& [rank, steps] : contributions.slowest[side])
            ranks.push_back({{"rank", json_rank(rank)}, {"steps", steps}});
        json["slowest"][std::string(name_of(side))] = std::move(ranks);
    }
    for (const Contribution& part : contributions.parts)
        json["parts"].push_back({{"part", name_of(part.part)},
                                 {"kernel", part.part == StepPart::Kernel ? SmallJson(part.kernel) : SmallJson()},
                                 {"ns", SmallJson::array({part.ns.baseline, part.ns.candidate})},
                                 {"change", part.change()},
                                 {"share", part.share ? SmallJson(*part.share) : SmallJson()},
                                 {"presence", presence_of(part.tested)},
                                 {"test", json_tested(part.tested)}});
    return json;
}

}  // namespace core
