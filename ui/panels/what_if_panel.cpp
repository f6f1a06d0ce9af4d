// The panel What if: sliders that change the run, and the resulting step time. The graph of all ranks is built once and
// replayed for every change, on the pool. The last answer stays until the next one is ready.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/whatif/what_if_choice.hpp"
#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/what_if_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/wrap.hpp"
#include "ui/widgets/status.hpp"

#include <imgui.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kControlsWidth = 340;  // sizes at scale 1
constexpr float kLabelWidth = 150;
constexpr float kValueWidth = 52;
constexpr float kPathRow = 9;
constexpr float kMostPathHeight = 120;
constexpr float kNumberWidth = 84;
constexpr std::size_t kMostRanksInTable = 512;

struct Slider {
    core::what_if::Given param;
    const char* id;
    const char* title;
    int least, most;  // percent
    const char* tip;
};
constexpr Slider kSliders[] = {
    {core::what_if::kCompute, "compute", "Compute kernels", 0, 200, "Percent of their time"},
    {core::what_if::kCommunication, "communication", "Communication", 0, 200,
     "Percent of the time of transfers; at 0 communication is free, waiting for others stays"},
    {core::what_if::kLink, "link", "Links", 25, 1000,
     "Percent of their bandwidth: the part of a transfer that goes with its size is divided by it"},
    {core::what_if::kBuckets, "buckets", "Buckets", 25, 1600,
     "Percent of the size of all_reduce and reduce_scatter: larger ones pay the start-up of a transfer less often"},
    {core::what_if::kCpu, "cpu", "Operators and calls", 0, 200, "Percent of their time on the threads"},
    {core::what_if::kLaunchDelay, "launch_delay", "Launch delays", 0, 200,
     "Percent of the delays from a call to its GPU work"},
    {core::what_if::kMemory, "memory", "Copies and sets", 0, 200, "Percent of their time"},
    {core::what_if::kChosen, "chosen", "Chosen by the filter", 0, 200,
     "Percent of the time of what the filter's terms on name, class, duration, stream and group choose"},
};

struct Switch {
    core::what_if::Given param;
    const char* id;
    const char* title;
    const char* tip;
};
constexpr Switch kSwitches[] = {
    {core::what_if::kLaunches, "launches", "No launch gaps", "GPU work does not wait for launches"},
    {core::what_if::kStragglers, "stragglers", "No stragglers", "Every rank is like its peers"},
    {core::what_if::kGathers, "gathers", "Gathers prefetched", "Transfers of all_gather take no time"},
    {core::what_if::kExperts, "experts", "Experts balanced",
     "Transfers of all_to_all take mean / largest bytes of their members"},
};

// Only for pipelines.
constexpr Switch kStagesSwitch = {
    core::what_if::kStages, "stages", "Stages balanced",
    "Every stage of the pipeline computes as long as the average stage and waits only for its input"};

// Every parameter has a control; typical and over have one of their own.
static_assert(std::size(kSliders) + std::size(kSwitches) + 3 == core::what_if::kStages + 1);

// True for parameters that the replay of a schedule can change.
bool is_of_schedule(core::what_if::Given param) {
    switch (param) {
        case core::what_if::kCompute:
        case core::what_if::kCommunication:
        case core::what_if::kLaunches:
        case core::what_if::kStragglers:
        case core::what_if::kStages:
        case core::what_if::kOver:
            return true;
        default:
            return false;
    }
}

// Tooltip that also appears on a disabled control.
void control_tooltip(std::string_view tip) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) show_tooltip(tip);
}

bool can_replay(const core::LiveWhatIf& live) { return live.has_graph() || live.has_schedule(); }

struct LiveKey {
    WeakKey<core::Run> run;
    core::Filter filter;
    bool with_chosen = false;
    std::int64_t over = 0;
    std::int64_t stages = 0;
    bool operator==(const LiveKey&) const = default;
};
struct Live {
    core::LiveWhatIf what_if;
    std::vector<PathOnRank> path;  // recorded
};
struct ReplayKey {
    std::shared_ptr<const Live> live;
    core::Params params;
    bool operator==(const ReplayKey&) const = default;
};

core::Result<Live> build_live(const core::Run& run, const core::Filter& filter, const core::Params& params,
                              const core::JobContext& job) {
    core::Result<core::LiveWhatIf> built = core::LiveWhatIf::build(run, filter, params, job);
    if (!built) return std::move(built).error();
    Live live{*std::move(built), {}};
    if (!live.what_if.has_graph()) return live;
    const core::Result<core::LiveReplay> recorded = live.what_if.replay(run, core::standard_what_if(), job);
    if (recorded) live.path = WhatIfModel::path_of(live.what_if, recorded->path);
    return live;
}

class WhatIfPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return live_.busy() || replay_.busy() || behind_; }
    void describe(nlohmann::json& shown) const override;

private:
    void update(Frame& frame);
    void draw_controls(Frame& frame);
    void draw_slider(Frame& frame, const Slider& slider);
    void draw_switch(Frame& frame, const Switch& one);
    std::string_view find_why_disabled(core::what_if::Given param) const;
    void draw_rank_choice(Frame& frame);
    void draw_peers_choice(Frame& frame);
    void draw_buttons(Frame& frame);
    void draw_answer(const WhatIfModel& model) const;
    static void draw_kinds(const WhatIfModel& model);
    static void draw_ranks(const WhatIfModel& model);
    static void draw_path(const WhatIfModel& model);
    void set(Frame& frame, std::size_t param, std::int64_t value, std::uint64_t gesture = 0);
    core::Filter filter_of_graph(const Frame& frame) const;

    core::Params params_;
    Deferred<LiveKey, Live> live_;
    Deferred<ReplayKey, WhatIfModel> replay_;
    std::shared_ptr<const Live> graph_;
    std::shared_ptr<const WhatIfModel> shown_;
    std::string command_;
    std::uint64_t gesture_ = 0;
    bool behind_ = false;  // the shown answer has other parameters
};

void WhatIfPanel::update(Frame& frame) {
    params_ = core::what_if_or_standard(frame.choices().what_if);
    const LiveKey key{.run = frame.run(),
                      .filter = frame.filter(),
                      .with_chosen = params_[core::what_if::kChosen] != core::kAsItIs,
                      .over = params_[core::what_if::kOver],
                      .stages = params_[core::what_if::kStages]};
    graph_ = live_.ask(frame.session.pool(), key,
                       [run = frame.run(), filter = frame.filter(), params = params_](const core::JobContext& job) {
                           return build_live(*run, filter, params, job);
                       });
    behind_ = false;
    if (!live_.fresh()) return;
    if (!graph_ || !can_replay(graph_->what_if)) {
        replay_ = {};
        shown_ = nullptr;
        return;
    }
    const ReplayKey wanted{.live = graph_, .params = params_};
    // Wait while a replay is under way: otherwise a long drag would never show an answer.
    if (replay_.fresh() || replay_.is_asked(wanted))
        shown_ = replay_.ask(frame.session.pool(), wanted,
                             [run = frame.run(), wanted](const core::JobContext& job) -> core::Result<WhatIfModel> {
                                 const core::Result<core::LiveReplay> replay =
                                     wanted.live->what_if.replay(*run, wanted.params, job);
                                 if (job.cancelled()) return core::cancelled_error();
                                 return WhatIfModel::of(*run, wanted.live->what_if, replay, wanted.live->path);
                             });
    else
        shown_ = replay_.last();
    behind_ = !replay_.fresh() || !replay_.is_asked(wanted);
}

void WhatIfPanel::set(Frame& frame, std::size_t param, std::int64_t value, std::uint64_t gesture) {
    core::Params params = params_;
    params[param] = value;
    frame.intents.push_back(SetWhatIf{std::move(params), gesture});
}

// Why a parameter does not affect this run; empty if it does.
std::string_view WhatIfPanel::find_why_disabled(core::what_if::Given param) const {
    if (!graph_) return {};
    if (graph_->what_if.has_schedule() && !is_of_schedule(param))
        return "A pipeline's schedule is replayed: only compute, communication, gaps, stragglers and stages can change";
    if (graph_->what_if.has_graph() && param == core::what_if::kStages && !graph_->what_if.has_stages())
        return "Only for ranks that are pipelines of one length and send to one another";
    return {};
}

void WhatIfPanel::draw_slider(Frame& frame, const Slider& slider) {
    const std::string_view against = find_why_disabled(slider.param);
    const std::string tip(against.empty() ? slider.tip : against);
    ImGui::AlignTextToFramePadding();
    const auto value = static_cast<int>(params_[slider.param]);
    text(slider.title, value == core::kAsItIs ? color::palette().muted : color::palette().text);
    tooltip(tip);
    ImGui::SameLine(px(kLabelWidth));
    ImGui::SetNextItemWidth(px(kControlsWidth - kLabelWidth - 12 - kValueWidth));
    ImGui::BeginDisabled(!against.empty() && value == core::kAsItIs);
    int moved = value;
    const bool wide = slider.most > 200;
    const std::string id = std::string("##") + slider.id;
    const bool changed = ImGui::SliderInt(id.c_str(), &moved, slider.least, slider.most, "",
                                          wide ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
    record_item(id);
    if (ImGui::IsItemActivated()) ++gesture_;
    ImGui::EndDisabled();
    control_tooltip(against.empty() ? tip + "\nCtrl+click: type a number" : tip);
    const core::Param& param = core::find_analysis("what-if")->params[slider.param];
    ImGui::SameLine(px(kControlsWidth - kValueWidth - 4));
    text(std::to_string(value) + " %");  // outside the slider, whose grab would cover it
    if (changed) set(frame, slider.param, std::clamp<std::int64_t>(moved, param.least, param.most), gesture_);
}

void WhatIfPanel::draw_rank_choice(Frame& frame) {
    ImGui::AlignTextToFramePadding();
    const std::int64_t chosen = params_[core::what_if::kTypical];
    text("One rank like its peers", chosen < 0 ? color::palette().muted : color::palette().text);
    tooltip("Each duration of the rank becomes the median of its peers");
    ImGui::SameLine(px(kLabelWidth));
    ImGui::SetNextItemWidth(px(kControlsWidth - kLabelWidth - 12));
    if (!begin_combo("##typical", chosen < 0 ? "none" : "rank " + std::to_string(chosen))) return;
    if (selectable("none##typical:none", chosen < 0)) set(frame, core::what_if::kTypical, -1);
    if (graph_ && graph_->what_if.has_graph()) {
        for (const core::GraphPart& part : graph_->what_if.graph().parts) {
            if (part.slot >= frame.run()->ranks().size()) continue;
            const std::int64_t number = frame.run()->rank(part.slot).key.number;
            const std::string label = "rank " + std::to_string(number) + "##typical:" + std::to_string(number);
            if (selectable(label.c_str(), number == chosen)) set(frame, core::what_if::kTypical, number);
        }
    }
    ImGui::EndCombo();
}

void WhatIfPanel::draw_peers_choice(Frame& frame) {
    const core::Param& param = core::find_analysis("what-if")->params[core::what_if::kOver];
    const auto chosen = static_cast<std::size_t>(params_[core::what_if::kOver]);
    const auto name_of = [&](std::size_t i) {
        return i == 0 ? std::string("the other ranks") : "also of other " + std::string(param.choices[i]);
    };
    ImGui::AlignTextToFramePadding();
    text("Peers", chosen == 0 ? color::palette().muted : color::palette().text);
    tooltip(
        "Whose median a time becomes, of one rank like its peers and of no stragglers: that of the same event on the "
        "other ranks, or also in other steps; stages are those of a pipeline's schedule");
    ImGui::SameLine(px(kLabelWidth));
    ImGui::SetNextItemWidth(px(kControlsWidth - kLabelWidth - 12));
    if (!begin_combo("##over", name_of(chosen))) return;
    for (std::size_t i = 0; i < param.choices.size(); ++i)
        if (selectable((name_of(i) + "##over:" + std::to_string(i)).c_str(), i == chosen))
            set(frame, core::what_if::kOver, static_cast<std::int64_t>(i));
    ImGui::EndCombo();
}

// The filter for the replayed steps.
core::Filter WhatIfPanel::filter_of_graph(const Frame& frame) const {
    core::Filter filter = frame.filter();
    if (!shown_ || shown_->steps_term.empty()) return filter;
    std::erase_if(filter.terms, [](const core::FilterTerm& term) {
        return !term.negated && std::holds_alternative<core::StepTerm>(term.what);
    });
    const core::Result<core::Filter> steps = core::parse_filter(shown_->steps_term);
    if (steps) filter.terms.insert(filter.terms.end(), steps->terms.begin(), steps->terms.end());
    return filter;
}

void WhatIfPanel::draw_buttons(Frame& frame) {
    const core::RunLoad* const load = frame.session.load(frame.side);
    command_ = load ? core::format_what_if_command(load->paths(), filter_of_graph(frame), params_) : std::string();
    if (button("Reset##reset")) frame.intents.push_back(SetWhatIf{core::standard_what_if(), 0});
    tooltip("As recorded");
    ImGui::SameLine();
    if (button("Copy the command line##copy")) ImGui::SetClipboardText(command_.c_str());
    tooltip(command_);
}

void WhatIfPanel::draw_switch(Frame& frame, const Switch& one) {
    const std::string_view against = find_why_disabled(one.param);
    bool on = params_[one.param] != 0;
    ImGui::BeginDisabled(!against.empty() && !on);  // an active switch can always be turned off
    if (checkbox((std::string(one.title) + "##" + one.id).c_str(), &on)) set(frame, one.param, on ? 1 : 0);
    ImGui::EndDisabled();
    control_tooltip(against.empty() ? one.tip : against);
}

void WhatIfPanel::draw_controls(Frame& frame) {
    for (const Slider& slider : kSliders) draw_slider(frame, slider);
    draw_rank_choice(frame);
    draw_peers_choice(frame);
    for (std::size_t i = 0; i < std::size(kSwitches); ++i) {
        if (i % 2 == 1) ImGui::SameLine(px(kLabelWidth));
        draw_switch(frame, kSwitches[i]);
    }
    draw_switch(frame, kStagesSwitch);
    draw_buttons(frame);
}

void draw_numbers(std::string_view name, std::int64_t recorded, std::int64_t replayed) {
    const auto& colors = color::palette();
    const float left = ImGui::GetCursorPosX();
    muted_text(name);
    ImGui::SameLine(left + px(110));
    mono_text(padded(core::format_duration(core::Duration{recorded}), 9), colors.muted);
    ImGui::SameLine(left + px(110 + kNumberWidth));
    const ImU32 color = replayed < recorded ? colors.better : replayed > recorded ? colors.worse : colors.text;
    mono_text(padded(core::format_duration(core::Duration{replayed}), 9), color);
}

void draw_head(std::string_view name) {
    const float left = ImGui::GetCursorPosX();
    text(name, color::palette().faint);
    ImGui::SameLine(left + px(110));
    text("recorded", color::palette().faint);
    ImGui::SameLine(left + px(110 + kNumberWidth));
    text("replayed", color::palette().faint);
}

void WhatIfPanel::draw_kinds(const WhatIfModel& model) {
    ImGui::BeginGroup();
    draw_head("path bound by");
    for (const WhatIfKind& kind : model.kinds) {
        std::string name = kind.bound_by;
        std::ranges::replace(name, '_', ' ');
        draw_numbers(name, kind.recorded, kind.replayed);
    }
    ImGui::EndGroup();
}

void WhatIfPanel::draw_ranks(const WhatIfModel& model) {
    ImGui::BeginGroup();
    draw_head("waits of");
    for (std::size_t i = 0; i < std::min(model.ranks.size(), kMostRanksInTable); ++i)
        draw_numbers("rank " + core::format_rank(model.ranks[i].key), model.ranks[i].times.waits,
                     model.ranks[i].times.waits_replayed);
    if (model.ranks.size() > kMostRanksInTable)
        muted_text("and " + std::to_string(model.ranks.size() - kMostRanksInTable) +
                   " more: the command line lists all");
    ImGui::EndGroup();
    tooltip("How long each rank waits per step for the last member of a collective, or for a send");
}

// Columns that a rank's stretches cover, merged.
void draw_rank_spans(std::span<const PathOnRank> path, std::size_t ranks, double px_per_ns, ImVec2 at, float row,
                     float height, ImU32 color) {
    ImDrawList* const list = ImGui::GetWindowDrawList();
    std::vector<float> drawn(ranks, -1);
    for (const PathOnRank& stretch : path) {
        const auto left =
            std::max(static_cast<float>(static_cast<double>(stretch.begin) * px_per_ns), drawn[stretch.rank]);
        const float right =
            std::max(std::ceil(static_cast<float>(static_cast<double>(stretch.end) * px_per_ns)), std::floor(left) + 1);
        if (right <= drawn[stretch.rank]) continue;
        drawn[stretch.rank] = right;
        const float top = at.y + static_cast<float>(stretch.rank) * row;
        draw_rect(list, {at.x + left, top}, {at.x + right, top + height}, color);
    }
}

// The rank that the path is on over time: recorded and, below it, replayed, on one time scale.
void WhatIfPanel::draw_path(const WhatIfModel& model) {
    if (model.window <= 0 || model.ranks.empty()) return;
    const float width = std::max(ImGui::GetContentRegionAvail().x - px(8), px(60));
    const auto ranks = static_cast<float>(model.ranks.size());
    const float row = std::min(px(kPathRow), px(kMostPathHeight) / ranks);
    const double px_per_ns = static_cast<double>(width) / static_cast<double>(model.window);
    const struct {
        const char* title;
        const std::vector<PathOnRank>& path;
        ImU32 color;
        std::int64_t length;
    } both[] = {{"Critical path as recorded, by rank", model.recorded_path, color::palette().muted, model.recorded},
                {"Critical path replayed, by rank", model.path, color::palette().path, model.step_time}};
    for (const auto& one : both) {
        text(one.title, color::palette().faint);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 size{width, row * ranks};
        draw_rect(ImGui::GetWindowDrawList(), at, {at.x + size.x, at.y + size.y}, color::palette().raised);
        draw_rank_spans(one.path, model.ranks.size(), px_per_ns, at, row, std::max(row - 1, 1.0f), one.color);
        ImGui::Dummy(size);
        if (!ImGui::IsItemHovered()) continue;
        const auto rank =
            std::min(static_cast<std::size_t>((ImGui::GetMousePos().y - at.y) / row), model.ranks.size() - 1);
        show_tooltip("Rank " + core::format_rank(model.ranks[rank].key) + ": " +
                     core::format_duration(core::Duration{one.color == color::palette().path
                                                              ? model.ranks[rank].times.on_path_replayed
                                                              : model.ranks[rank].times.on_path}) +
                     " of the path per step");
    }
}

void WhatIfPanel::draw_answer(const WhatIfModel& model) const {
    const core::Duration recorded{model.recorded}, replayed{model.step_time};
    const std::string unit = model.extent == "the window" ? "The window takes " : "A step takes ";
    heading(model.change.empty() ? unit + core::format_duration(recorded)
                                 : unit + core::format_duration(replayed) + " instead of " +
                                       core::format_duration(recorded) + ": " + format_gain(model));
    wrapped_text((model.change.empty() ? "As recorded" : "With " + model.change) + "; of " + model.extent +
                     ". Links and order stay as recorded, so this is an upper bound.",
                 color::palette().muted);
    if (model.ranks.empty()) return;  // replays of a schedule have neither path nor waits
    ImGui::Spacing();
    draw_path(model);
    ImGui::Spacing();
    draw_kinds(model);
    ImGui::SameLine(0, px(24));
    draw_ranks(model);
}

void WhatIfPanel::draw(Frame& frame) {
    if (!frame.run()) {
        live_ = {};
        replay_ = {};
        graph_ = nullptr;
        shown_ = nullptr;
        return empty_state("No run", "Open a folder of traces.");
    }
    update(frame);
    if (live_.fresh() && (!graph_ || !can_replay(graph_->what_if)))
        return empty_state("Nothing to replay",
                           graph_ ? graph_->what_if.why_not() : "No work of a rank passes the filter.");
    if (ImGui::BeginChild("controls", {px(kControlsWidth), 0})) draw_controls(frame);
    ImGui::EndChild();
    ImGui::SameLine(0, px(16));
    if (ImGui::BeginChild("answer", {0, 0})) {
        const bool stale = busy();
        if (stale) progress_line(0, ImGui::GetContentRegionAvail().x);
        if (!shown_)
            muted_text("Building the graph of all ranks\xE2\x80\xA6");
        else if (!shown_->error.empty())
            wrapped_text(shown_->error, color::palette().error);
        else
            draw_answer(*shown_);
    }
    ImGui::EndChild();
}

void WhatIfPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    shown["command"] = command_;
    for (const auto& [name, value] : core::collect_changed_what_if(params_)) shown["params"][name] = value;
    if (!shown_) return;
    shown["error"] = shown_->error;
    shown["change"] = shown_->change;
    shown["of"] = shown_->extent;
    shown["recorded_ns"] = shown_->recorded;
    shown["step_time_ns"] = shown_->step_time;
    shown["gain_ns"] = shown_->gain;
    shown["crossings"] = shown_->path.empty() ? 0 : shown_->path.size() - 1;
    for (const WhatIfRank& rank : shown_->ranks)
        shown["ranks"][core::format_rank(rank.key)] = {{"waits_ns", rank.times.waits},
                                                       {"waits_replayed_ns", rank.times.waits_replayed},
                                                       {"on_path_ns", rank.times.on_path},
                                                       {"on_path_replayed_ns", rank.times.on_path_replayed}};
}

}  // namespace

std::unique_ptr<Panel> make_what_if_panel() { return std::make_unique<WhatIfPanel>(); }

}  // namespace ui
