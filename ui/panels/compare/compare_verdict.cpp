#include "ui/panels/compare/compare_verdict.hpp"

#include "core/diff/statistics/statistics_text.hpp"
#include "ui/charts/dot_strips.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

using core::Side;

// Contributions cover all work of whole steps, so filters on events would make them wrong.
bool chooses_events(const core::Filter& filter) {
    return std::ranges::any_of(filter.terms, [](const core::FilterTerm& term) {
        return !std::holds_alternative<core::RankTerm>(term.what) &&
               !std::holds_alternative<core::StepTerm>(term.what) &&
               !std::holds_alternative<core::CaptureTerm>(term.what);
    });
}

// Uses a colour only if the verdict holds beyond the two captures that are compared.
ImU32 ink_of_verdict(const core::StepStatistics& statistics) {
    if (!statistics.of_runs && !statistics.options.noise) return color::palette().text;
    switch (statistics.step.judgement.verdict) {
        case core::stats::Verdict::Regressed:
            return color::palette().worse;
        case core::stats::Verdict::Improved:
            return color::palette().better;
        default:
            return color::palette().text;
    }
}

}  // namespace

core::Result<CompareVerdict::Made> CompareVerdict::make(const Key& key, const core::BySide<core::RunPtr>& runs,
                                                        const core::JobContext& context) {
    Made made;
    const core::StatisticsOptions& options = key.statistics;
    const core::SampledRuns sampled =
        core::sample_runs({runs.baseline.get(), runs.candidate.get()}, key.filters, options);
    made.step = core::compare_steps_of(sampled, options);
    if (const core::Result<bool> added = core::add_waiting_rank(sampled, made.step, context); !added)
        return added.error();
    if (!key.parts) return made;
    if (chooses_events(key.filters.baseline)) {
        made.absent = "the filter chooses events, not whole steps";
        return made;
    }
    core::Result<core::Contributions> parts = core::compare_parts(sampled, made.step, key.names, context);
    if (!parts) return std::move(parts).error();
    made.absent = parts->absent;
    if (!made.absent.empty()) return made;
    made.headline = core::describe_contributions(*parts, made.step);
    const core::Contributions fewer = core::with_fewer_kernels(*std::move(parts), key.kernels, options);
    std::vector<core::Tested> tests;
    for (const core::Contribution& part : fewer.parts) tests.push_back(part.tested);
    core::StepChange change = core::to_step_change(fewer, made.step);
    made.sample = core::note_sample(made.step);
    std::optional<core::Tested> step;
    if (key.dots_on_bars) step = made.step.step;
    made.waterfall = WaterfallModel::of(std::move(change), std::move(tests), std::move(step));
    return made;
}

void CompareVerdict::update(Frame& frame, bool parts, std::size_t kernels, bool dots_on_bars) {
    const core::BySide<core::RunPtr> runs{frame.session.run(Side::Baseline), frame.session.run(Side::Candidate)};
    const Key key{{runs.baseline->id(), runs.candidate->id()},
                  frame.session.alignment()->anchor,
                  frame.kept ? frame.kept->of
                             : core::BySide<core::Filter>{frame.session.filter(Side::Baseline),
                                                          frame.session.filter(Side::Candidate)},
                  frame.session.names_by(),
                  frame.session.statistics().between(frame.session.alignment()->compares),
                  parts,
                  parts ? kernels : 0,
                  parts && dots_on_bars};
    shown_ = made_.ask(frame.session.pool(), key,
                       [key, runs](const core::JobContext& context) { return make(key, runs, context); });
}

void CompareVerdict::draw_sentence(float width) const {
    if (!shown_) return ImGui::Dummy({1, ImGui::GetTextLineHeight()});
    const std::string sentence = core::describe_step(shown_->step);
    std::string notes = sentence;
    if (!shown_->headline.empty()) notes += "\n" + shown_->headline;
    for (const std::string& line : core::describe_permutations(shown_->step)) notes += "\n" + line;
    for (const std::string& note : core::note_statistics(shown_->step)) notes += "\n" + note;
    const bool fits = text_width(ui_style(), sentence) <= width,
               fits_small = text_width(small_style(), sentence) <= width;
    const std::string words = fits || fits_small ? sentence : core::describe_step_briefly(shown_->step);
    {
        const FontScope font(fits || !fits_small ? ui_style() : small_style());
        text(words, ink_of_verdict(shown_->step));
    }
    tooltip(notes);
    record_item("##sentence");
}

void CompareVerdict::draw_dots() const {
    if (!shown_) return;
    if (!shown_->headline.empty()) {
        const FontScope font(small_style());
        fitted_text(shown_->headline, color::palette().muted);
    }
    const core::Tested& step = shown_->step.step;
    if (step.values.baseline.empty() || step.values.candidate.empty()) return;
    draw_dot_strips("##step-values", step, {ImGui::GetContentRegionAvail().x, dot_strips_height()});
}

void CompareVerdict::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["sentence"] = core::describe_step(shown_->step);
    shown["headline"] = shown_->headline;
    shown["notes"] = core::note_statistics(shown_->step);
    shown["permutations"] = core::describe_permutations(shown_->step);
    if (!shown_->absent.empty()) shown["parts_absent"] = shown_->absent;
}

}  // namespace ui
