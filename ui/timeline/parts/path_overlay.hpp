#pragma once
// Draws the critical path over the rows: work underlined, waiting dashed, arrows between threads,
// streams and ranks; across all ranks of the filter (RunPathOverlay), or for the selected event's
// or only rank (PathOverlay). Computed on the pool; the last path stays, dimmed, until the new one
// is known. Main thread only.

#include "ui/model/deferred.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"
#include "ui/timeline/scene/collect_path.hpp"

namespace ui {

// The rows of a rank's lanes: among those that scroll, or among the pinned ones.
struct RowsOfRank {
    const LaneLayout* layout = nullptr;  // null: hidden. Only compared
    std::size_t first = 0;
    std::vector<std::uint32_t> rows{};  // by lane, relative to the first
    bool operator==(const RowsOfRank&) const = default;
};

class PathOverlay {
public:
    // Call once per frame before the path is read. layout_version: version of the rows.
    void update(TimelineFrame&, std::uint64_t layout_version);
    // Draws over the bars of a frame, either the timeline's or the pinned rows'. Rows with marks of found events leave
    // room for them.
    void draw(const TimelineFrame&, bool marks_found);
    void draw_title(const TimelineFrame&) const;  // names the rank, below the run's length
    bool on() const { return on_; }  // in the last frame
    bool busy() const { return busy_; }
    void describe(nlohmann::json& shown) const;

private:
    using PathPtr = std::shared_ptr<const CriticalPath>;
    struct PathKey {
        core::AnswerPtr answer;
        WeakKey<core::Run> run;
        std::size_t slot = 0;
        bool operator==(const PathKey&) const = default;
    };
    struct LaidKey {
        PathPtr path;
        RowsOfRank rows;
        bool operator==(const LaidKey&) const = default;
    };
    struct Laid {
        LaidKey of;
        PathLayout layout;
    };
    std::optional<std::size_t> choose_rank(const TimelineFrame&);
    void ask_path(TimelineFrame&);
    void lay(const TimelineFrame&, std::uint64_t layout_version);

    bool on_ = false;
    bool busy_ = false;
    bool fresh_ = false;
    std::string error_;
    std::optional<core::RankKey> rank_;
    PathKey known_;  // key of the last answer
    Deferred<PathKey, CriticalPath> made_path_;
    PathPtr path_;
    std::uint32_t slot_ = 0;  // slot of path_, in the drawn run
    WeakKey<core::Run> rows_of_;  // run, slot and layout version of rows_
    std::uint32_t rows_slot_ = 0;
    std::uint64_t rows_version_ = 0;
    RowsOfRank rows_;
    Deferred<LaidKey, Laid> made_layout_;
    std::shared_ptr<const Laid> laid_;  // null: none for the current rows
    std::vector<PathArrow> arrows_;
    std::size_t stretches_ = 0;  // visible in the last frame
    std::size_t drawn_spans_ = 0;
    std::size_t drawn_arrows_ = 0;
};

class RunPathOverlay {
public:
    // True if several ranks pass the filter and no event of theirs is selected.
    static bool wanted(const TimelineFrame&);
    void update(TimelineFrame&, std::uint64_t layout_version);
    void draw(const TimelineFrame&, bool marks_found);  // over the bars, like PathOverlay
    void draw_around_plot(const TimelineFrame&) const;  // in the corner, the tree and the overview
    bool on() const { return on_; }
    bool busy() const { return on_ && (made_path_.busy() || made_layout_.busy() || !fresh_); }
    void describe(nlohmann::json& shown) const;

private:
    using PathPtr = std::shared_ptr<const RunCriticalPath>;
    struct PathKey {
        core::AnswerPtr answer;
        WeakKey<core::Run> run;
        bool operator==(const PathKey&) const = default;
    };
    struct RankRows {  // rows of a visited rank
        std::uint32_t slot = 0;
        RowsOfRank of{};
        bool operator==(const RankRows&) const = default;
    };
    using Rows = std::shared_ptr<const std::vector<RankRows>>;
    struct LaidKey {
        PathPtr path;
        Rows rows;
        bool operator==(const LaidKey&) const = default;
    };
    struct Laid {
        LaidKey of;
        std::vector<PathLayout> layouts;  // parallel to the rows
    };
    void lay(const TimelineFrame&, std::uint64_t layout_version);
    void draw_arrows_of(const TimelineFrame&, const RankRows&, const PathLayout&, ImU32 color);
    void draw_crossings(const TimelineFrame&, ImU32 color);
    void draw_visits_in_overview(const TimelineFrame&) const;

    bool on_ = false, fresh_ = false;
    std::string error_;
    PathKey known_;
    Deferred<PathKey, RunCriticalPath> made_path_;
    PathPtr path_;
    WeakKey<core::Run> rows_of_;
    PathPtr rows_path_;
    std::uint64_t rows_version_ = 0;
    Rows rows_;
    Deferred<LaidKey, Laid> made_layout_;
    std::shared_ptr<const Laid> laid_;
    std::vector<PathArrow> arrows_;
    std::size_t drawn_spans_ = 0, drawn_arrows_ = 0, drawn_crossings_ = 0;
};

}  // namespace ui
