#pragma once
// Summary above the tables of Compare: the command line's sentence about the step, the
// contributions to the change, and their values as dots. Computed on the pool for the window's
// filter and alignment.

#include "core/diff/step_change/contributions.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/waterfall_model.hpp"

namespace ui {

class CompareVerdict {
public:
    // Call once per frame, with two runs open. parts: also compute contributions, with that many kernels of their own;
    // dots_on_bars: draw the values on the waterfall's bars.
    void update(Frame&, bool parts, std::size_t kernels, bool dots_on_bars);
    bool busy() const { return made_.busy(); }
    // Draws the sentence on one line, or its short form if it doesn't fit, so that the end is never cut. Hovering shows
    // both and the notes.
    void draw_sentence(float width) const;
    // Draws the headline of the contributions, and the values as dots.
    void draw_dots() const;
    // The waterfall of the sampled steps on their slowest ranks, with intervals; null if the filter doesn't allow it,
    // or there are no steps.
    const WaterfallModel* waterfall() const { return shown_ && shown_->waterfall ? &*shown_->waterfall : nullptr; }
    std::string sample() const { return shown_ ? shown_->sample : std::string(); }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        core::BySide<std::uint64_t> runs;  // ids
        core::BySide<core::RunTime> anchor;
        core::BySide<core::Filter> filters;
        core::NameRules names;
        core::StatisticsOptions statistics;
        bool parts = false;
        std::size_t kernels = 0;
        bool dots_on_bars = false;
        bool operator==(const Key&) const = default;
    };
    struct Made {
        core::StepStatistics step;
        std::string headline;
        std::string sample;  // describes the sampled steps
        std::string absent;  // why there are no contributions
        std::optional<WaterfallModel> waterfall;
    };
    static core::Result<Made> make(const Key&, const core::BySide<core::RunPtr>&, const core::JobContext&);

    Deferred<Key, Made> made_;
    std::shared_ptr<const Made> shown_;
};

}  // namespace ui
