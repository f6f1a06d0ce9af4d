#include "ui/model/panels/flame_graph_model.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "ui/model/charts/chart_table.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace ui {
namespace {

namespace column = core::flame_column;

constexpr std::uint32_t kNoFlameRow = 0xFFFFFFFFu;

std::size_t column_of(FlameMeasure measure) {
    return measure == FlameMeasure::CpuTime ? column::kTotal : column::kKernelTime;
}

// Rows of the table as a tree: parents, and children in row order.
struct FlameRows {
    const core::Table& table;
    std::vector<std::uint32_t> parent;
    std::vector<std::vector<std::uint32_t>> children;

    explicit FlameRows(const core::Table& rows) : table(rows), parent(rows.rows()), children(rows.rows()) {
        std::vector<std::uint32_t> open;
        for (std::uint32_t row = 0; row < table.rows(); ++row) {
            open.resize(static_cast<std::size_t>(table.integer(row, column::kDepth)));
            parent[row] = open.empty() ? row : open.back();
            if (!open.empty()) children[open.back()].push_back(row);
            open.push_back(row);
        }
    }
    bool is_others(std::uint32_t row) const { return table.integer(row, column::kFrames) > 0; }
};

FlameFrame frame_of(const core::Table& table, std::uint32_t row) {
    FlameFrame frame;
    frame.name = table.text(row, column::kName);
    frame.level = static_cast<std::uint32_t>(table.integer(row, column::kDepth));
    frame.total = table.integer(row, column::kTotal);
    frame.self = table.integer(row, column::kSelf);
    frame.calls = table.integer(row, column::kCalls);
    frame.kernels = table.integer(row, column::kKernels);
    frame.kernel_time = table.integer(row, column::kKernelTime);
    frame.self_kernel_time = table.integer(row, column::kSelfKernelTime);
    frame.frames = table.integer(row, column::kFrames);
    return frame;
}

// For each row of one table, the row of the other with the same path.
std::vector<std::uint32_t> pair_rows(const FlameRows& rows, const FlameRows& others) {
    std::map<std::tuple<std::uint32_t, bool, std::string_view>, std::uint32_t> found;
    for (std::uint32_t row = 1; row < others.table.rows(); ++row)
        found[{others.parent[row], others.is_others(row), others.table.text(row, column::kName)}] = row;
    std::vector<std::uint32_t> pairs(rows.table.rows(), kNoFlameRow);
    for (std::uint32_t row = 0; row < pairs.size(); ++row) {
        const std::uint32_t above = pairs[rows.parent[row]];
        if (row == 0) {
            pairs[row] = others.table.rows() > 0 ? 0 : kNoFlameRow;
        } else if (above != kNoFlameRow) {
            const auto pair = found.find({above, rows.is_others(row), rows.table.text(row, column::kName)});
            if (pair != found.end()) pairs[row] = pair->second;
        }
    }
    return pairs;
}

// True if a path that the other table lacks may be among frames that were too narrow to be kept there.
bool may_be_folded(const FlameRows& rows, const FlameRows& others, const std::vector<std::uint32_t>& pairs,
                   std::uint32_t row) {
    while (pairs[row] == kNoFlameRow && row != 0) row = rows.parent[row];
    if (pairs[row] == kNoFlameRow) return false;
    return std::ranges::any_of(others.children[pairs[row]],
                               [&](std::uint32_t child) { return others.is_others(child); });
}

// Lays out a level after the level above it, so frames are sorted by level and then by begin. Returns the row of each
// frame.
std::vector<std::uint32_t> lay_out(FlameGraph& graph, FlameRows& rows, std::size_t measure) {
    std::vector<std::uint32_t> row_of;
    const auto add = [&](std::uint32_t row, std::uint32_t parent, std::int64_t begin) {
        FlameFrame frame = frame_of(rows.table, row);
        frame.parent = parent;
        frame.begin = begin;
        frame.width = rows.table.integer(row, measure);
        if (!graph.frames.empty()) frame.width = std::min(frame.width, graph.frames[parent].end() - begin);
        if (graph.levels.size() == frame.level) graph.levels.push_back(static_cast<std::uint32_t>(graph.frames.size()));
        graph.frames.push_back(frame);
        row_of.push_back(row);
    };
    if (rows.table.rows() == 0 || rows.table.integer(0, measure) <= 0) return row_of;
    add(0, 0, 0);
    for (std::uint32_t i = 0; i < graph.frames.size(); ++i) {
        std::vector<std::uint32_t>& children = rows.children[row_of[i]];
        std::ranges::stable_sort(children, {}, [&](std::uint32_t row) {
            return std::tuple(rows.is_others(row), -rows.table.integer(row, measure),
                              rows.table.text(row, column::kName));
        });
        std::int64_t begin = graph.frames[i].begin;
        for (const std::uint32_t row : children) {
            if (rows.table.integer(row, measure) <= 0) continue;
            add(row, i, begin);
            begin = graph.frames.back().end();
        }
    }
    graph.levels.push_back(static_cast<std::uint32_t>(graph.frames.size()));
    return row_of;
}

}  // namespace

FlameGraph FlameGraph::of(core::AnswerPtr answer, FlameMeasure measure, const core::AnswerPtr& other) {
    FlameGraph graph;
    graph.answer = std::move(answer);
    if (!graph.answer) return graph;
    FlameRows rows(graph.answer->main());
    const std::vector<std::uint32_t> row_of = lay_out(graph, rows, column_of(measure));
    if (!other) return graph;
    const FlameRows others(other->main());
    const std::vector<std::uint32_t> pairs = pair_rows(rows, others);
    for (std::size_t i = 0; i < graph.frames.size(); ++i) {
        const std::uint32_t pair = pairs[row_of[i]];
        if (pair != kNoFlameRow)
            graph.frames[i].other = others.table.integer(pair, column_of(measure));
        else
            graph.frames[i].other_known = !may_be_folded(rows, others, pairs, row_of[i]);
    }
    return graph;
}

void FlameGraph::scale_by(const core::Averages& averages, core::Side own) {
    note = averages.note;
    if (!averages.used) return;
    const auto factor = [&](core::Side side) {
        const core::Divisor& divisor = averages.of_run[side];
        return divisor.by == 0 ? 1.0 : static_cast<double>(divisor.times) / static_cast<double>(divisor.by);
    };
    scale = factor(own);
    other_scale = factor(core::other_side(own));
}

std::span<const FlameFrame> FlameGraph::level(std::size_t level) const {
    return std::span(frames).subspan(levels[level], levels[level + 1] - levels[level]);
}

std::vector<std::string> FlameGraph::path_of(std::uint32_t frame) const {
    std::vector<std::string> path;
    for (std::uint32_t at = frame; frames[at].level > 0; at = frames[at].parent) path.emplace_back(frames[at].name);
    std::ranges::reverse(path);
    return path;
}

std::uint32_t FlameGraph::find(std::span<const std::string> path) const {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < path.size() && i + 1 < level_count(); ++i) {
        const std::span<const FlameFrame> below = level(i + 1);
        auto at = std::ranges::lower_bound(below, found, {}, &FlameFrame::parent);
        while (at != below.end() && at->parent == found && at->name != path[i]) ++at;
        if (at == below.end() || at->parent != found) break;
        found = levels[i + 1] + static_cast<std::uint32_t>(at - below.begin());
    }
    return found;
}

std::size_t FlameGraph::depth_below(std::uint32_t frame) const {
    if (frames.empty()) return 0;
    const FlameFrame& zoomed = frames[frame];
    std::size_t depth = zoomed.level + 1;
    for (; depth < level_count(); ++depth) {
        const std::span<const FlameFrame> below = level(depth);
        const auto at = std::ranges::upper_bound(below, zoomed.begin, {}, &FlameFrame::end);
        if (at == below.end() || at->begin >= zoomed.end()) break;
    }
    return depth;
}

void collect_flame_boxes(const FlameGraph& graph, std::uint32_t zoomed, std::size_t level, float width_px,
                         std::vector<FlameBox>& boxes) {
    boxes.clear();
    const FlameFrame& view = graph.frames[zoomed];
    if (level <= view.level) {
        std::uint32_t at = zoomed;
        while (graph.frames[at].level > level) at = graph.frames[at].parent;
        boxes.push_back({.frame = at, .left = 0, .right = width_px});
        return;
    }
    const std::span<const FlameFrame> frames = graph.level(level);
    const double px_per_ns = static_cast<double>(width_px) / static_cast<double>(view.width);
    const double ns_per_px = 1 / px_per_ns;
    const auto ends_at = [&](std::int64_t moment) {
        return std::ranges::upper_bound(frames, moment, {}, &FlameFrame::end);
    };
    for (auto at = ends_at(view.begin); at != frames.end() && at->begin < view.end();) {
        const double left = static_cast<double>(at->begin - view.begin) * px_per_ns;
        const double right = static_cast<double>(at->end() - view.begin) * px_per_ns;
        if (right - left >= 1) {
            boxes.push_back({graph.levels[level] + static_cast<std::uint32_t>(at - frames.begin()),
                             static_cast<float>(left), static_cast<float>(right)});
            ++at;
            continue;
        }
        // Frames that end within the next pixel are narrower than a pixel, except the last, which may extend beyond it.
        const auto next = ends_at(at->begin + static_cast<std::int64_t>(ns_per_px));
        at = next > at ? next : at + 1;
    }
}

FlameMatches find_flame_matches(const FlameGraph& graph, std::string_view text) {
    FlameMatches matches;
    if (text.empty()) return matches;
    matches.frames.resize(graph.frames.size());
    std::vector<bool> inside(graph.frames.size());
    for (std::size_t i = 1; i < graph.frames.size(); ++i) {
        const FlameFrame& frame = graph.frames[i];
        const bool is_match = core::contains_any_case(frame.name, text);
        matches.frames[i] = is_match;
        inside[i] = is_match || inside[frame.parent];
        matches.count += is_match;
        if (is_match && !inside[frame.parent]) matches.width += frame.width;
    }
    return matches;
}

std::string title_of_frame(const FlameFrame& frame) {
    if (frame.level == 0) return "All";
    return frame.frames > 0 ? "(" + core::format_count(frame.frames) + (frame.frames == 1 ? " other)" : " others)")
                            : std::string(frame.name);
}

core::Table tabulate_flame(const FlameGraph& graph, std::uint32_t top, FlameMeasure measure) {
    std::vector<std::vector<std::uint32_t>> children(graph.frames.size());
    for (std::uint32_t i = 1; i < graph.frames.size(); ++i) children[graph.frames[i].parent].push_back(i);
    std::vector<std::string> names;
    std::vector<double> depth, count, total, self;
    const bool by_cpu = measure == FlameMeasure::CpuTime;
    for (std::vector<std::uint32_t> open{top}; !open.empty();) {
        const std::uint32_t at = open.back();
        const FlameFrame& frame = graph.frames[at];
        open.pop_back();
        open.insert(open.end(), children[at].rbegin(), children[at].rend());
        names.push_back(title_of_frame(frame));
        depth.push_back(frame.level);
        const auto times = static_cast<double>(by_cpu ? frame.calls : frame.kernels);
        count.push_back(by_cpu && frame.calls == 0 ? std::numeric_limits<double>::quiet_NaN() : times);
        total.push_back(static_cast<double>(frame.width));
        self.push_back(static_cast<double>(by_cpu ? frame.self : frame.self_kernel_time));
    }
    ChartTable table;
    table.add_texts("name", std::move(names));
    table.add_numbers("depth", core::Unit::Count, std::move(depth));
    table.add_numbers("count", core::Unit::Count, std::move(count));
    table.add_numbers("total", core::Unit::Ns, std::move(total));
    table.add_numbers("self", core::Unit::Ns, std::move(self));
    return table.table();
}

}  // namespace ui
