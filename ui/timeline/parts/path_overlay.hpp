#pragma once
// The critical path of one rank over its rows: what ran underlined, what was waited for dashed, arrows where it goes on
// on another thread or stream. The rank is that of the selected event, else the first in view when it is switched on;
// the path is the filter's. Work is done on the pool: until a new path is known the last one stays, dimmed.
// Main thread only.

#include "ui/timeline/scene/collect_path.hpp"
#include "ui/timeline/timeline_parts.hpp"
#include "ui/model/derived.hpp"
#include "ui/model/weak_key.hpp"

namespace ui {

class PathOverlay {
public:
    // Once per frame, before what reads the path; layout_version: of the rows.
    void update(TimelineFrame&, std::uint64_t layout_version);
    // Over the bars. Rows with marks of found events keep room for them.
    void draw(const TimelineFrame&, bool marks_found);
    void draw_title(const TimelineFrame&) const;  // which rank it is, below the run's length
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
    PathKey known_;  // the last answer that was there
    Derived<PathKey, CriticalPath> made_path_;
    PathPtr path_;
    std::uint32_t slot_ = 0;  // of path_, in the run that is drawn
    WeakKey<core::Run> rows_of_;  // run, slot and version that rows_ is of
    std::uint32_t rows_slot_ = 0;
    std::uint64_t rows_version_ = 0;
    Rows rows_;  // by lane, from the rank's first row on
    std::size_t first_row_ = 0;  // of the rank
    Derived<LaidKey, Laid> made_layout_;
    std::shared_ptr<const Laid> laid_;  // null: nothing that fits the rows
    std::vector<PixelSpan> spans_;
    std::vector<PathArrow> arrows_;
    std::size_t stretches_ = 0;  // of the last frame, in view
    std::size_t drawn_spans_ = 0;
    std::size_t drawn_arrows_ = 0;
};

}  // namespace ui
