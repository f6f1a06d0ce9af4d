#pragma once
// The frames of a flame graph laid out: where each begins and how wide it is, in nanoseconds of the measure that is
// shown. Level after level, the root alone in the first. Made on the pool; what a picture needs of it is found by
// binary search, so that drawing costs pixels. No ImGui.

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
    std::string_view name;    // of the answer
    std::uint32_t parent = 0; // among the frames; of the root: itself
    std::uint32_t level = 0;
    std::int64_t begin = 0;   // from the root's, ns of the measure
    std::int64_t width = 0;
    std::int64_t total = 0, self = 0, calls = 0, kernels = 0, kernel_time = 0, self_kernel_time = 0;
    std::int64_t frames = 0;  // of (others): how many it stands for; else 0
    std::int64_t other = 0;   // width of the same path in the other run, 0 if it has none
    bool other_known = true;  // false: it may be among the (others) there
    std::int64_t end() const { return begin + width; }
    bool is_plain() const { return frames == 0 && level > 0; }
};

struct FlameGraph {
    core::AnswerPtr answer;
    std::vector<FlameFrame> frames;  // by level, then by begin; without those of no width
    std::vector<std::uint32_t> levels;  // first frame of each level, and one past the last
    // Factors of the widths of this run and of the other before they are compared: runs of different lengths are
    // compared by averages.
    double scale = 1, other_scale = 1;
    std::string note;  // of these, in words

    // other: the answer of the other run, for FlameFrame::other.
    static FlameGraph of(core::AnswerPtr, FlameMeasure, const core::AnswerPtr& other = nullptr);

    void scale_by(const core::Averages&, core::Side own);
    std::size_t level_count() const { return levels.empty() ? 0 : levels.size() - 1; }
    std::int64_t whole() const { return frames.empty() ? 0 : frames.front().width; }
    std::span<const FlameFrame> level(std::size_t level) const;
    // Names from below the root on.
    std::vector<std::string> path_of(std::uint32_t frame) const;
    std::uint32_t find(std::span<const std::string> path) const;  // as far as there is one
    // Levels that have anything below that frame, counted from the root's.
    std::size_t depth_below(std::uint32_t frame) const;
};

struct FlameBox {
    std::uint32_t frame;
    float left, right;  // pixels
};
// One level while `zoomed` is as wide as the picture: of frames beneath it those at least a pixel wide, of those above
// it the one it is in. O(pixels · log frames).
void collect_flame_boxes(const FlameGraph&, std::uint32_t zoomed, std::size_t level, float width_px,
                         std::vector<FlameBox>& boxes);

struct FlameMatches {
    std::vector<bool> frames;  // whose name has the text, whatever its case
    std::size_t count = 0;
    std::int64_t width = 0;  // of those that are in no other one
};
FlameMatches find_flame_matches(const FlameGraph&, std::string_view text);

std::string title_of_frame(const FlameFrame&);  // its name, "All" or "(3 others)"
// The frame and all below it, each before those in it: name, depth, count, total, self of the measure.
core::Table tabulate_flame(const FlameGraph&, std::uint32_t top, FlameMeasure);

}  // namespace ui
