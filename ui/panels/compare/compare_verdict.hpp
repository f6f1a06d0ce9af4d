#pragma once
// What Compare says before any table: the sentence of the command line about the step, what the change is made of, and
// the values behind it as dots. Computed on the pool for the filter and the alignment of the window.

#include "core/diff/step_change/contributions.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/waterfall_model.hpp"

namespace ui {

class CompareVerdict {
public:
    // Call once per frame, with two runs open. parts: also the contributions, with so many kernels of their own, and
    // with the values as dots on the waterfall's bars.
    void update(Frame&, bool parts, std::size_t kernels, bool dots_on_bars);
    bool busy() const { return made_.busy(); }
    // The sentence on one line; the short one where it does not fit, so that its last words are never cut. Both and the
    // notes on hover.
    void draw_sentence(float width) const;
    // The headline of the contributions, and the values as dots.
    void draw_dots() const;
    // The steps of the sample on their slowest ranks, in parts with intervals; null where that is not what the filter
    // asks for, or there are none.
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
        std::string sample;  // which steps they are of
        std::string absent;  // why there are no contributions
        std::optional<WaterfallModel> waterfall;
    };
    static core::Result<Made> make(const Key&, const core::BySide<core::RunPtr>&, const core::JobContext&);

    Deferred<Key, Made> made_;
    std::shared_ptr<const Made> shown_;
};

}  // namespace ui
