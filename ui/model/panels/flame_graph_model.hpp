#pragma once
// Layout of a flame graph: begin and width of each frame, in nanoseconds of the shown measure.
// Level after level, with only the root in the first. Computed on the pool; drawing finds visible
// frames by binary search, so that it costs pixels. No ImGui.

#include "core/analysis/operators/flame_graph.hpp"
#include "core/diff/join/averages.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

enum class FlameMeasure : std::uint8_t { CpuTime, KernelTime };

struct FlameFrame {
    std::string_view name;    // points into the answer
    std::uint32_t parent = 0; // index of a frame; the root's is its own
    std::uint32_t level = 0;
    std::int64_t begin = 0;   // from the root's begin, ns of the measure
    std::int64_t width = 0;
    std::int64_t total = 0, self = 0, calls = 0, kernels = 0, kernel_time = 0, self_kernel_time = 0;
    std::int64_t frames = 0;  // number of frames behind (others); else 0
    std::int64_t other = 0;   // width of the same path in the other run; 0: missing there
    bool other_known = true;  // false: may be among the other run's (others)
    std::int64_t end() const { return begin + width; }
    bool is_plain() const { return frames == 0 && level > 0; }
};

struct FlameGraph {
    core::AnswerPtr answer;
    std::vector<FlameFrame> frames;  // by level, then by begin; without empty ones
    std::vector<std::uint32_t> levels;  // first frame of each level, then the number of frames
    // Factors for the widths of this run and the other before comparing: runs of different lengths are compared by
    // averages.
    double scale = 1, other_scale = 1;
    std::string note;  // explains the factors

    // other: the answer of the other run, for FlameFrame::other.
    static FlameGraph of(core::AnswerPtr, FlameMeasure, const core::AnswerPtr& other = nullptr);

    void scale_by(const core::Averages&, core::Side own);
    std::size_t level_count() const { return levels.empty() ? 0 : levels.size() - 1; }
    std::int64_t whole() const { return frames.empty() ? 0 : frames.front().width; }
    std::span<const FlameFrame> level(std::size_t level) const;
    // Names from the root's child down to the frame.
    std::vector<std::string> path_of(std::uint32_t frame) const;
    std::uint32_t find(std::span<const std::string> path) const;  // the deepest frame on the path
    // Levels below the frame that are not empty, counted from the root.
    std::size_t depth_below(std::uint32_t frame) const;
};

struct FlameBox {
    std::uint32_t frame;
    float left, right;  // pixels
};
// Collects the visible boxes of a level while `zoomed` is as wide as the picture: below it, frames at least a pixel
// wide; above it, the frame that contains it. O(pixels · log frames).
void collect_flame_boxes(const FlameGraph&, std::uint32_t zoomed, std::size_t level, float width_px,
                         std::vector<FlameBox>& boxes);

struct FlameMatches {
    std::vector<bool> frames;  // whether the frame's name contains the text, ignoring case
    std::size_t count = 0;
    std::int64_t width = 0;  // total, without matches inside other matches
};
FlameMatches find_flame_matches(const FlameGraph&, std::string_view text);

std::string title_of_frame(const FlameFrame&);  // its name, "All" or "(3 others)"
// The frame and all frames below it in depth-first order: name, depth, count, total and self of the measure.
core::Table tabulate_flame(const FlameGraph&, std::uint32_t top, FlameMeasure);

}  // namespace ui
