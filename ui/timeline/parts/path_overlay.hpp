#pragma once
// Draws the critical path of one rank over its rows: work underlined, waiting dashed, arrows
// between threads and streams. The rank is the selected event's, else the first in view when
// switched on. Uses the filter. Computed on the pool; the last path stays, dimmed, until the new
// one is known. Main thread only.

#include "ui/model/derived.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"
#include "ui/timeline/scene/collect_path.hpp"

namespace ui {

class PathOverlay {
public:
    // Call once per frame before the path is read. layout_version: version of the rows.
    void update(TimelineFrame&, std::uint64_t layout_version);
    // Draws over the bars. Rows with marks of found events keep room for them.
    void draw(const TimelineFrame&, bool marks_found);
    void draw_title(const TimelineFrame&) const;  // names the rank, below the run's length
    bool on() const { return on_; }  // in the last frame
    bool busy() const { return busy_; }
    void describe(nlohmann::json& shown) const;

private:
    using Rows = std::vector<std::uint32_t>;
    using PathPtr = std::shared_ptr<const CriticalPath>;
    struct PathKey {
        core::AnswerPtr answer;
        WeakKey<core::Run> run;
        std::size_t slot = 0;
        bool operator==(const PathKey&) const = default;
    };
    struct LaidKey {
        PathPtr path;
        Rows rows;
        bool operator==(const LaidKey&) const = default;
    };
    struct Laid {
        LaidKey of;
        PathLayout layout;
    };
    std::optional<std::size_t> choose_rank(const TimelineFrame&);
    void ask_path(TimelineFrame&);
    void lay(const TimelineFrame&, std::uint64_t layout_version);
    void draw_row(const TimelineFrame&, const LayoutRow&, const PathRow&, bool marks_found);
    void draw_arrow(const TimelineFrame&, ImU32 color, float x, std::size_t from, std::size_t to, bool head) const;

    bool on_ = false;
    bool busy_ = false;
    bool fresh_ = false;
    std::string error_;
    std::optional<core::RankKey> rank_;
    PathKey known_;  // key of the last answer
    Derived<PathKey, CriticalPath> made_path_;
    PathPtr path_;
    std::uint32_t slot_ = 0;  // slot of path_, in the drawn run
    WeakKey<core::Run> rows_of_;  // run, slot and layout version of rows_
    std::uint32_t rows_slot_ = 0;
    std::uint64_t rows_version_ = 0;
    Rows rows_;  // by lane, relative to the rank's first row
    std::size_t first_row_ = 0;  // first row of the rank
    Derived<LaidKey, Laid> made_layout_;
    std::shared_ptr<const Laid> laid_;  // null: nothing that matches the rows
    std::vector<PixelSpan> spans_;
    std::vector<PathArrow> arrows_;
    std::size_t stretches_ = 0;  // visible in the last frame
    std::size_t drawn_spans_ = 0;
    std::size_t drawn_arrows_ = 0;
};

}  // namespace ui
