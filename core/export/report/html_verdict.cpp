#include "core/export/report/html_verdict.hpp"

#include "core/base/format.hpp"
#include "core/diff/join/join_rows.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/export/report/svg_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kMostTestedRows = 30;
constexpr std::size_t kMostParts = 20;
constexpr std::size_t kMostDotsOfSide = 512;
constexpr double kTopQ = 1e-12;  // smaller q are drawn there
constexpr double kMostRatioLog = 4;
constexpr std::size_t kMostLetters = 60;

std::string verdict_paragraph(std::string_view words, std::string_view css = {}) {
    return "<p" + (css.empty() ? std::string() : " class=\"" + std::string(css) + "\"") + ">" + html_text(words) +
           "</p>\n";
}

std::string circle(double x, double y, double radius, std::string_view css, double opacity, std::string_view title) {
    return "<circle class=\"" + std::string(css) + "\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"" +
           coordinate(radius) + "\" fill-opacity=\"" + coordinate(opacity) + "\"><title>" + html_text(title) +
           "</title></circle>\n";
}

std::string_view css_of(Side side) { return side == Side::Baseline ? "p-slate" : "p-violet"; }
std::string_view css_of(const Tested& tested) {
    if (!tested.is_change()) return "p-slate";
    return tested.judgement.verdict == stats::Verdict::Regressed ? "p-rose" : "p-mint";
}

std::string time_text(double ns) { return format_duration(Duration{std::llround(ns)}); }

// The values of the step, a dot each, a line per mean.
std::string dots_to_svg(const Tested& tested) {
    constexpr double kHeight = 78, kLabels = 90, kRow = 26;
    double low = INFINITY, high = -INFINITY;
    for (const Side side : kSides)
        for (const double value : tested.values[side]) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    if (!(high >= low)) return {};
    const double width = svg::kWidth - kLabels - 20;
    const auto x = [&](double value) { return kLabels + (high > low ? (value - low) / (high - low) : 0.5) * width; };
    std::string drawing = svg::open(kHeight, "Steps of both runs");
    for (const Side side : kSides) {
        const double y = side == Side::Baseline ? 14 : 14 + kRow;
        const stats::Moments& moments = side == Side::Baseline ? tested.samples.baseline : tested.samples.candidate;
        drawing += svg::text(0, y + 4, svg::Anchor::Start, name_of(side));
        drawing += svg::line(kLabels, y, kLabels + width, y, "grid");
        const std::vector<double>& values = tested.values[side];
        for (std::size_t i = 0; i < values.size(); i += values.size() / kMostDotsOfSide + 1)
            drawing += circle(x(values[i]), y, 4, css_of(side), 0.6, time_text(values[i]));
        if (moments.n > 0) drawing += svg::line(x(moments.mean), y - 9, x(moments.mean), y + 9, "whisker");
    }
    drawing += svg::text(kLabels, kHeight - 8, svg::Anchor::Start, time_text(low));
    drawing += svg::text(kLabels + width, kHeight - 8, svg::Anchor::End, time_text(high));
    return svg::figure({}, drawing + "</svg>\n", {});
}

std::string test_cell(std::string_view text, bool number = false, std::string_view title = {}) {
    return "<td" + std::string(number ? " class=\"n\"" : "") +
           (title.empty() ? std::string() : " title=\"" + html_text(title) + "\"") + ">" + html_text(text) + "</td>";
}

std::string tests_cells(const Tested& tested) {
    std::string all;
    for (const auto& [name, value] : explain_tested(tested)) all += (all.empty() ? "" : "; ") + name + ": " + value;
    return test_cell(tested.samples.welch ? describe_interval(tested.samples.welch->interval) : "-", true) +
           test_cell(words_of(verdict_of(tested)), false, all) + test_cell(tested.q ? format_p(*tested.q) : "-", true);
}

std::string signed_time(std::int64_t ns) { return (ns > 0 ? "+" : "") + format_duration(Duration{ns}); }

std::string short_of(std::string_view name, const ShortName& short_name) {
    return cut_in_the_middle(short_name ? short_name(name) : std::string(name), kMostLetters);
}

std::string table_of_tests(std::string_view head, const std::string& rows) {
    return "<div class=\"wide\"><table><thead><tr>" + std::string(head) + "</tr></thead><tbody>\n" + rows +
           "</tbody></table></div>\n";
}

std::string parts_to_html(const Contributions& contributions, const StepStatistics& statistics,
                          const ShortName& short_name) {
    std::string rows;
    for (const Contribution& part :
         with_fewer_kernels(contributions, kMostParts - kStepParts, statistics.options).parts) {
        if (part.ns.baseline == 0 && part.ns.candidate == 0) continue;
        const std::string name =
            part.part == StepPart::Kernel ? short_of(part.kernel, short_name) : spoken_name(name_of(part.part));
        rows += "<tr" + std::string(part.tested.is_change() || part.tested.only ? "" : " class=\"noise\"") + ">" +
                test_cell(name, false, part.kernel) + test_cell(format_duration(Duration{part.ns.baseline}), true) +
                test_cell(format_duration(Duration{part.ns.candidate}), true) +
                test_cell(signed_time(part.change()), true) + tests_cells(part.tested) +
                test_cell(part.share ? format_ratio(*part.share) : "-", true) + "</tr>\n";
    }
    return table_of_tests(
               "<th>part</th><th class=\"n\">baseline</th><th class=\"n\">candidate</th><th class=\"n\">change</th>"
               "<th class=\"n\">95 %</th><th>verdict</th><th class=\"n\">q</th><th class=\"n\">share</th>",
               rows) +
           verdict_paragraph("The parts add up to the mean of " + note_sample(statistics) + ": " +
                                 signed_time(contributions.mean.candidate - contributions.mean.baseline),
                             "more");
}

std::string volcano_to_svg(const RowStatistics& statistics, const std::vector<std::string>& names) {
    constexpr double kHeight = 260, kLeft = 50, kTop = 20, kBottom = 232;
    const double width = svg::kWidth - kLeft - 20;
    double most_x = 0.4, most_y = 2, most_ns = 1;
    struct Dot {
        double x, y, ns;
        std::size_t row;
    };
    std::vector<Dot> dots;
    for (std::size_t row = 0; row < statistics.rows.size(); ++row) {
        const std::optional<Tested>& tested = statistics.rows[row];
        const std::optional<double> ratio = tested ? tested->ratio() : std::nullopt;
        if (!ratio || *ratio <= 0 || !tested->q) continue;
        dots.push_back({std::clamp(std::log2(*ratio), -kMostRatioLog, kMostRatioLog),
                        -std::log10(std::max(*tested->q, kTopQ)),
                        std::max(tested->samples.baseline.mean, tested->samples.candidate.mean), row});
        most_x = std::max(most_x, std::abs(dots.back().x) * 1.1);
        most_y = std::max(most_y, dots.back().y * 1.08);
        most_ns = std::max(most_ns, dots.back().ns);
    }
    if (dots.empty()) return {};
    std::ranges::stable_sort(dots, std::ranges::greater{}, &Dot::ns);
    const auto x = [&](double log2) { return kLeft + (0.5 + 0.5 * log2 / most_x) * width; };
    const auto y = [&](double log10) { return kBottom - log10 / most_y * (kBottom - kTop); };
    std::string drawing = svg::open(kHeight, "Change against q");
    drawing += svg::line(x(0), kTop, x(0), kBottom, "zero") + svg::line(kLeft, kBottom, kLeft + width, kBottom, "grid");
    const double limit = -std::log10(stats::kSignificant);
    drawing += svg::line(kLeft, y(limit), kLeft + width, y(limit), "zero");
    drawing += svg::text(kLeft - 6, y(limit) + 4, svg::Anchor::End, "q 0.05");
    drawing += svg::text(kLeft, 12, svg::Anchor::Start, "faster, " + fmt::format("x{:.2g}", std::exp2(-most_x)));
    drawing += svg::text(kLeft + width, 12, svg::Anchor::End, fmt::format("x{:.2g}", std::exp2(most_x)) + ", slower");
    drawing += svg::text(x(0), kHeight - 10, svg::Anchor::Middle, "same");
    for (const Dot& dot : dots) {
        const Tested& tested = *statistics.rows[dot.row];
        drawing += circle(x(dot.x), y(dot.y), std::max(2.5, 16 * std::sqrt(dot.ns / most_ns)), css_of(tested),
                          tested.is_change() ? 0.8 : 0.3, names[dot.row] + ": " + describe_verdict(tested));
    }
    const std::string notes[] = {"Every tested row: its change against its q, up to 1e-12; area is time."};
    return svg::figure({}, drawing + "</svg>\n", notes);
}

std::string lone_text(const BySide<std::size_t>& rows) {
    return std::to_string(rows.baseline) + " " + std::string(words_of(RowVerdict::Removed)) + ", " +
           std::to_string(rows.candidate) + " " + std::string(words_of(RowVerdict::Added)) + " (not tested)";
}

std::string name_of_row(const Comparison& comparison, std::size_t row, const ShortName& short_name) {
    std::string name;
    for (std::size_t key = 0; key < comparison.keys; ++key) {
        const Column& column = comparison.table.columns()[key];
        if (column.facet == Facet::Class || comparison.table.absent(row, key)) continue;
        const std::string text = column.facet == Facet::Kernel ? short_of(comparison.table.text(row, key), short_name)
                                                               : format_cell(comparison.table, row, key);
        if (!text.empty()) name += (name.empty() ? "" : " ") + text;
    }
    return name;
}

}  // namespace

std::string verdict_to_html(const StepStatistics& statistics, const Contributions& contributions,
                            const ShortName& short_name) {
    std::string out = "<p><b>" + html_text(describe_step(statistics)) + "</b></p>\n";
    if (contributions.absent.empty() && !contributions.parts.empty())
        out += verdict_paragraph(describe_contributions(contributions, statistics));
    out += dots_to_svg(statistics.step);
    if (contributions.absent.empty() && !contributions.parts.empty())
        out += parts_to_html(contributions, statistics, short_name);
    for (const std::string& line : describe_permutations(statistics)) out += verdict_paragraph(line, "more");
    for (const std::string& note : note_statistics(statistics)) out += verdict_paragraph(note, "more");
    return out;
}

std::string tested_rows_to_html(const Comparison& comparison, const RowStatistics& statistics,
                                const ShortName& short_name) {
    if (statistics.family == 0) return {};
    std::vector<std::string> names(statistics.rows.size());
    std::vector<std::size_t> order;
    std::array<std::size_t, 4> counts{};
    BySide<std::size_t> lone;
    for (std::size_t row = 0; row < statistics.rows.size(); ++row) {
        const std::string_view presence = comparison.table.text(row, comparison.keys);
        for (const Side side : kSides) lone[side] += presence == name_of(lone_verdict(side)) ? 1 : 0;
        if (!statistics.rows[row]) continue;
        names[row] = name_of_row(comparison, row, short_name);
        order.push_back(row);
        ++counts[static_cast<std::size_t>(statistics.rows[row]->judgement.verdict)];
    }
    const auto weight = [&](std::size_t row) {
        const Tested& tested = *statistics.rows[row];
        return std::pair(tested.is_change(), tested.samples.welch ? std::abs(tested.samples.welch->change) : 0);
    };
    std::ranges::stable_sort(order, std::ranges::greater{}, weight);
    const auto count = [&](stats::Verdict verdict) {
        return std::to_string(counts[static_cast<std::size_t>(verdict)]);
    };
    std::string out = verdict_paragraph(
        describe_rows(statistics, "rows") + " (q < 0.05): " + count(stats::Verdict::Regressed) + " regressed, " +
        count(stats::Verdict::Improved) + " improved, " + count(stats::Verdict::Same) + " the same, " +
        count(stats::Verdict::Undecided) + " undecided; " + lone_text(lone));
    out += volcano_to_svg(statistics, names);
    std::string rows;
    for (std::size_t i = 0; i < std::min(order.size(), kMostTestedRows); ++i) {
        const Tested& tested = *statistics.rows[order[i]];
        const std::optional<double> ratio = tested.ratio();
        rows += "<tr" + std::string(tested.is_change() ? "" : " class=\"noise\"") + ">" + test_cell(names[order[i]]) +
                test_cell(time_text(tested.samples.baseline.mean), true) +
                test_cell(time_text(tested.samples.candidate.mean), true) +
                test_cell(ratio ? fmt::format("{:.3f}", *ratio) : "-", true) + tests_cells(tested) + "</tr>\n";
    }
    out += table_of_tests(
        "<th>row</th><th class=\"n\">baseline</th><th class=\"n\">candidate</th><th class=\"n\">ratio</th>"
        "<th class=\"n\">95 %</th><th>verdict</th><th class=\"n\">q</th>",
        rows);
    if (order.size() > kMostTestedRows)
        out += verdict_paragraph(counted_noun(order.size() - kMostTestedRows, "more row", "more rows"), "more");
    return out;
}

}  // namespace core
