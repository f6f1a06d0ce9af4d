#include "core/export/first_page.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/format.hpp"
#include "core/doctor/losses.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace core {
namespace {

constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kBar = 40;  // cells

struct BarPart {
    std::optional<double> FirstPage::RankTime::*share;
    std::string_view sign;   // one cell
    std::string_view title;
};
constexpr std::array<BarPart, 4> kBarParts = {{
    {&FirstPage::RankTime::compute, "\xE2\x96\x88", "compute"},
    {&FirstPage::RankTime::communication, "\xE2\x96\x92", "exposed communication"},
    {&FirstPage::RankTime::memory, "\xE2\x96\x91", "exposed copies"},
    {&FirstPage::RankTime::idle, "\xC2\xB7", "idle"},
}};

// An analysis that cannot be made of this run has no part of the page.
Result<std::optional<Answer>> ask(std::string_view id, const Run& run, unsigned threads, const JobContext& context) {
    const Analysis* const analysis = find_analysis(id);
    const Result<Params> params = make_params(*analysis, {});
    if (!params) return params.error();
    Result<Answer> answer = run_analysis(*analysis, run, {}, *params, threads, context);
    if (answer) return std::optional<Answer>(*std::move(answer));
    if (answer.error().code == ErrorCode::Cancelled) return std::move(answer).error();
    return std::optional<Answer>();
}

std::string text_of(const Table& table, std::size_t row, std::string_view column) {
    const std::size_t at = table.find_column(column);
    return table.absent(row, at) ? std::string() : std::string(table.text(row, at));
}

std::vector<FirstPage::RankTime> read_ranks(const Table& breakdown) {
    std::vector<FirstPage::RankTime> ranks;
    const std::size_t window = breakdown.find_column("window");
    for (std::size_t row = 0; row < breakdown.rows(); ++row) {
        if (breakdown.absent(row, window) || breakdown.number(row, window) <= 0) continue;
        const auto share = [&](std::string_view column) -> std::optional<double> {
            const std::size_t at = breakdown.find_column(column);
            if (breakdown.absent(row, at)) return std::nullopt;
            return breakdown.number(row, at) / breakdown.number(row, window);
        };
        ranks.push_back({.rank = format_cell(breakdown, row, breakdown.find_column("rank")),
                         .compute = share("compute"),
                         .communication = share("exposed_communication"),
                         .memory = share("exposed_memory"),
                         .idle = share("idle")});
    }
    return ranks;
}

// Each part ends at the cell nearest to the sum of the shares so far, so that the bar has its length.
std::string draw_bar(const FirstPage::RankTime& rank, std::size_t cells) {
    std::string bar;
    double sum = 0;
    std::size_t drawn = 0;
    for (const BarPart& part : kBarParts) {
        sum += (rank.*part.share).value_or(0);
        const auto end = static_cast<std::size_t>(std::lround(std::clamp(sum, 0.0, 1.0) * static_cast<double>(cells)));
        for (; drawn < end; ++drawn) bar += part.sign;
    }
    return bar + std::string(cells - drawn, ' ');
}

// In the order of the parts, each in a column: "  88.2 %   7.60 %  0.25 %   3.91 %"
std::string describe_shares(const FirstPage::RankTime& rank) {
    constexpr std::size_t kColumn = 8;
    std::string text;
    for (const BarPart& part : kBarParts) {
        const std::optional<double>& share = rank.*part.share;
        const std::string cell = share ? format_ratio(*share) : "unknown";
        const std::size_t width = display_width(cell);
        text += std::string(width < kColumn ? kColumn - width : 1, ' ') + cell;
    }
    return text;
}

std::string format_ranks_of(const FirstPage& page, const TerminalStyle& style) {
    if (page.ranks.empty()) return {};
    std::string legend = "Where the time of each rank goes:";
    for (const BarPart& part : kBarParts) legend += "  " + std::string(part.sign) + " " + std::string(part.title);
    std::string out = wrap_words(legend, style.columns);
    std::size_t label = 0;
    const std::size_t shown = std::min(page.ranks.size(), kMostRanks);
    for (std::size_t i = 0; i < shown; ++i) label = std::max(label, display_width(page.ranks[i].rank));
    const std::size_t cells = std::clamp<std::size_t>(style.columns / 3, 10, kBar);
    for (std::size_t i = 0; i < shown; ++i) {
        const FirstPage::RankTime& rank = page.ranks[i];
        out += "rank " + std::string(label - display_width(rank.rank), ' ') + rank.rank + "  " + draw_bar(rank, cells) +
               describe_shares(rank) + "\n";
    }
    if (shown < page.ranks.size())
        out += "and " + format_plural(page.ranks.size() - shown, "more rank", "more ranks") +
               ": lockstep analyze temporal-breakdown\n";
    return out + "\n";
}

std::string format_card(const FindingWords& card, std::size_t number, const TerminalStyle& style) {
    constexpr std::size_t kIndent = 3;
    std::string out = std::to_string(number) + "  " + bold(card.headline, style) + "\n";
    if (!card.evidence.empty()) out += wrap_words(card.evidence, style.columns, kIndent);
    if (!card.saves.empty()) out += wrap_words(card.saves, style.columns, kIndent);
    const std::string advice = card.advice + (card.links.empty() ? "" : " " + format_links(card.links));
    if (!advice.empty()) out += wrap_words("\xE2\x86\x92 " + advice, style.columns, kIndent);
    return out;
}

}  // namespace

Result<FirstPage> read_first_page(const Run& run, unsigned threads, const JobContext& context) {
    FirstPage page;
    if (const std::shared_ptr<const Losses> losses = find_losses(run); !losses->empty())
        page.losses = losses->headline();
    constexpr std::array<std::string_view, 4> kAsked = {"verdict", "findings", "what-to-do", "temporal-breakdown"};
    std::array<std::optional<Answer>, kAsked.size()> answers;
    for (std::size_t i = 0; i < kAsked.size(); ++i) {
        Result<std::optional<Answer>> answer = ask(kAsked[i], run, threads, context);
        if (!answer) return std::move(answer).error();
        answers[i] = *std::move(answer);
    }
    const auto& [verdict, findings, what_to_do, breakdown] = answers;
    if (verdict && verdict->main().rows() > 0) {  // its first row is of the whole window
        page.verdict = text_of(verdict->main(), 0, "verdict");
        page.evidence = text_of(verdict->main(), 0, "evidence");
    }
    if (findings) page.findings = word_findings(*findings, what_to_do ? &*what_to_do : nullptr);
    if (breakdown) page.ranks = read_ranks(breakdown->main());
    return page;
}

std::string format_first_page(const FirstPage& page, const TerminalStyle& style) {
    std::string out;
    if (!page.losses.empty()) out += red("Lost: " + page.losses, style) + "\n\n";
    if (!page.verdict.empty()) {
        out += bold("Verdict: " + page.verdict, style) + "\n";
        if (!page.evidence.empty()) out += wrap_words(page.evidence, style.columns);
        out += "\n";
    }
    const std::size_t shown = std::min(page.findings.size(), kFirstFindings);
    for (std::size_t i = 0; i < shown; ++i) out += format_card(page.findings[i], i + 1, style) + "\n";
    if (shown < page.findings.size())
        out += "and " + format_plural(page.findings.size() - shown, "more finding", "more findings") +
               ": lockstep analyze findings\n\n";
    // Without GPU work nothing was looked for: a dump of a hang has no findings.
    if (page.findings.empty() && !page.ranks.empty()) out += "Nothing stands out.\n\n";
    return out + format_ranks_of(page, style);
}

}  // namespace core
