#pragma once
// Order of ranks, in the corner above the tree: a button with a menu (sort, direction, grouping), a
// line that restores hidden ranks, and the menu of a rank's row. Sort measures come from analyses;
// until they arrive the order stays. Main thread only.

#include "ui/model/deferred.hpp"
#include "ui/timeline/model/timeline_rows.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

namespace ui {

class RankMenu {
public:
    void update(TimelineFrame&, TimelineRows&);
    void draw(TimelineFrame&, const TimelineRows&);
    // Opens the menu for a row of the rank, of one of its tracks, or one that is pinned by a name.
    void open_for(std::uint32_t slot, std::optional<std::uint32_t> track, std::string pin) {
        opened_ = slot, opened_track_ = track, opened_pin_ = std::move(pin);
    }
    void update_names(const TimelineRows&);  // call before other functions in a frame
    void show(TimelineFrame&, std::uint32_t slot,
              const RankOrder&) const;  // shows a hidden rank, or one in a folded group
    // Shows a hidden track. True if it was hidden; the change is an intent.
    bool show_row(TimelineFrame&, std::uint32_t slot, std::uint32_t track) const;
    bool busy() const { return busy_; }
    float button_width() const { return button_width_; }  // in the last frame, px
    static void describe(nlohmann::json& shown, const core::Run&, const RankOrder&, const RankSorting&);

private:
    struct MeasureKey {
        core::AnswerPtr answer;
        RankSort sort = RankSort::Rank;
        std::string kernel;
        std::string measure;
        bool operator==(const MeasureKey&) const = default;
    };
    void ask_measures(TimelineFrame&);
    void ask_worst(TimelineFrame&, const RankOrder&);
    std::shared_ptr<const RankMeasures> measure(TimelineFrame&, Deferred<MeasureKey, RankMeasures>& made,
                                                const core::Request&, const RankChoices&);
    static void offer_measures(TimelineFrame&);
    void draw_button(TimelineFrame&, const TimelineRows&);
    static void draw_hidden(TimelineFrame&, const TimelineRows&);
    void draw_menu(TimelineFrame&, const TimelineRows&);
    void draw_row_menu(TimelineFrame&);
    void draw_rank_menu(TimelineFrame&);
    std::int64_t name_of_slot(const TimelineFrame&, std::uint32_t slot) const;

    RankSorting sorting_;  // with the measures known so far
    Deferred<MeasureKey, RankMeasures> made_;
    Deferred<MeasureKey, RankMeasures> made_worst_;
    std::vector<std::int64_t> names_;  // names of the rows' ranks
    std::uint64_t grouped_run_ = 0;  // run of groupings_
    std::vector<RankGrouping> groupings_;
    std::optional<std::uint32_t> opened_;
    std::optional<std::uint32_t> opened_track_;
    std::string opened_pin_;
    std::string menu_track_;  // of name_tracks() or name_counters(); empty: the rank's own row
    bool menu_hides_ = false;  // the menu belongs to a track's row
    std::int64_t menu_rank_ = 0;  // as named in choices
    core::RankKey menu_key_;
    bool busy_ = false;
    float button_width_ = 0;
    std::string error_;  // why the measure is not available
};

}  // namespace ui
