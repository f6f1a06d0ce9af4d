#include "core/export/report/html_verdict.hpp"

#include "core/base/format.hpp"
#include "core/charts/strips_layout.hpp"
#include "core/charts/volcano_layout.hpp"
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
constexpr float kVolcanoHeight = 260;
constexpr std::size_t kMostLetters = 60;

std::string verdict_paragraph(std::string_view words, std::string_view css = {}) {
    return "<p" + (css.empty() ? std::string() : " class=\"" + std::string(css) + "\"") + ">" + html_text(words) +
           "</p>\n";
}

std::string_view css_of(Side side) { return side == Side::Baseline ? "p-slate" : "p-violet"; }
std::string_view css_of(RowVerdict verdict) {
    if (verdict == RowVerdict::Regressed) return "p-rose";
    return verdict == RowVerdict::Improved ? "p-mint" : "p-slate";
}

std::string time_text(double ns) { return format_duration(Duration{std::llround(ns)}); }

// The values of the step: a dot each, a line per mean, the ends of the axis below.
std::string dots_to_svg(const Tested& tested) {
    if (tested.values.baseline.empty() && tested.values.candidate.empty()) return {};
    constexpr float kEnds = 18;  // height of the texts below
    const TextMetrics& metrics = svg::page_metrics();
    ChartShapes shapes;
    const DotScale scale = add_dot_strips(tested, {0, 2}, svg::kWidth, metrics, shapes);
    const ChartPoint below{scale.left, kStripsHeight + 2};
    shapes.text(ChartRole::Tick, ChartFace::Number, below, time_text(scale.low));
    shapes.text(ChartRole::Tick, ChartFace::Number, {below.x + scale.width, below.y}, time_text(scale.high),
                ChartShape::Align::Right);
    const auto look_of = [&](const ChartShape& shape) -> std::optional<svg::Look> {
        if (shape.role != ChartRole::Part) return svg::look_of_role(shape.role);
        return svg::Look{.css = std::string(css_of(shape.side)),
                         .title = time_text(tested.values[shape.side][shape.item]),
                         .more = " fill-opacity=\"0.6\""};
    };
    const std::string drawing =
        svg::open(kStripsHeight + kEnds, "Steps of both runs") + svg::write_shapes(shapes.all(), look_of) + "</svg>\n";
    return svg::figure({}, drawing, {});
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
    const std::vector<VolcanoPoint> points = find_volcano_points(statistics);
    if (points.empty()) return {};
    ChartShapes shapes;
    add_volcano({.points = points, .name_of = [&](std::size_t row) { return names[row]; }},
                {{0, 0}, {svg::kWidth, kVolcanoHeight}}, svg::page_metrics(), shapes);
    const auto look_of = [&](const ChartShape& shape) -> std::optional<svg::Look> {
        if (shape.role != ChartRole::Part) return svg::look_of_role(shape.role);
        const VolcanoPoint& point = points[shape.item];
        const Tested& tested = *statistics.rows[point.row];
        return svg::Look{.css = std::string(css_of(point.verdict)),
                         .title = names[point.row] + ": " + describe_verdict(tested),
                         .more = tested.is_change() ? " fill-opacity=\"0.8\"" : " fill-opacity=\"0.3\""};
    };
    const std::string drawing =
        svg::open(kVolcanoHeight, "Change against q") + svg::write_shapes(shapes.all(), look_of) + "</svg>\n";
    const std::string notes[] = {"Every tested row: its change against its q, up to 1e-12; area is time."};
    return svg::figure({}, drawing, notes);
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
