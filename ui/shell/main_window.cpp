#include "ui/shell/main_window.hpp"

#include "core/index/summary_rank.hpp"
#include "core/index/work_window.hpp"
#include "ui/commands/commands.hpp"
#include "ui/model/intent_value.hpp"
#include "ui/model/intents/apply.hpp"
#include "ui/model/panels/first_screen.hpp"
#include "ui/shell/apply_intents.hpp"
#include "ui/shell/side_title.hpp"
#include "ui/shell/status_bar.hpp"
#include "ui/shell/welcome.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/key_focus.hpp"
#include "ui/style/theme.hpp"
#include "ui/widgets/tabs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ui {
namespace {

const core::Run* find_summary(const Frame& frame) {
    if (core::is_summary(*frame.run())) return frame.run().get();
    const core::RunPtr& other = frame.session.run(core::Side::Candidate);
    return other && core::is_summary(*other) ? other.get() : nullptr;
}

constexpr float kStatusBar = 26;   // sizes at scale 1
constexpr float kSplitter = 6;
constexpr float kShareOfTab = 0.58f;  // of the panel that has the tab, where a part is next to it
constexpr ImGuiWindowFlags kBareWindow = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                         ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                         ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav;

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

MainWindow::MainWindow(Platform& platform, core::Session& session, float scale, std::unique_ptr<Renderer> renderer)
    : platform_(platform), session_(session), gui_(platform, std::move(renderer)), monitor_scale_(scale) {
    store_.begin(session_);
    apply_looks();
    for (const core::Side side : core::kSides) sides_[side].timeline = std::make_unique<Timeline>();
}

MainWindow::~MainWindow() = default;

// Theme, fonts and sizes as they are chosen now.
void MainWindow::apply_looks() {
    const bool recolored = choices().theme != theme();
    if (recolored) set_theme(choices().theme);
    const float wanted = monitor_scale_ * choices().interface_size;
    if (wanted == built_scale_) return;
    built_scale_ = wanted;
    build_fonts(wanted);
}

std::string MainWindow::title() const {
    const core::RunPtr& run = session_.run();
    if (!run) return "Lockstep";
    const core::RunPtr& candidate = session_.run(core::Side::Candidate);
    if (const std::optional<core::BySide<core::RunPart>>& parts = session_.parts())
        return parts->candidate.title + " against " + parts->baseline.title + " \xC2\xB7 " + run->name() +
               " \xE2\x80\x93 Lockstep";
    return run->name() + (candidate ? " | " + candidate->name() : "") + " \xE2\x80\x93 Lockstep";
}

const Panel* MainWindow::find_made_panel(std::string_view id, core::Side side) const {
    const auto made = sides_[side].panels.find(id);
    return made == sides_[side].panels.end() ? nullptr : made->second.get();
}

Panel& MainWindow::panel(const PanelType& type, core::Side side) {
    std::unique_ptr<Panel>& made = sides_[side].panels[type.id];
    if (!made) made = type.make();
    return *made;
}

Frame MainWindow::frame_of(core::Side side) {
    SideView& view = sides_[side];
    return {.session = session_,
            .results = session_.results(),
            .document = store_.document(),
            .ephemera = ephemera_,
            .intents = view.intents,
            .side = side,
            .can_undo = store_.can_undo(),
            .can_redo = store_.can_redo()};
}

std::string MainWindow::session_text() const {
    if (!session_.load()) return {};
    for (const core::Side side : core::kSides)  // swapped or opened just now: the views follow with the next frame
        if (sides_[side].shown != session_.run(side)) return {};
    return ui::session_text(session_, store_.document(), {});
}

void MainWindow::apply_intents(core::Side side, std::span<const Intent> intents, FrameReport& report) {
    const IntentTargets targets{.session = session_,
                                .saving = saving_,
                                .store = store_,
                                .ephemera = ephemera_,
                                .timelines = {sides_.baseline.timeline.get(), sides_.candidate.timeline.get()},
                                .active = active_,
                                .selected = selected_,
                                .settings_folder = settings_folder_};
    const AppliedIntents applied = ui::apply_intents(targets, side, intents);
    report.quit |= applied.quit;
    if (!applied.opened_session.empty()) opens_left_behind_ = applied.opened_session == left_behind_;
}

// Input to the timelines comes first, because the other intents were made from its result.
void MainWindow::apply_frame_intents(FrameReport& report) {
    core::BySide<std::vector<Intent>> others;
    for (const core::Side side : core::kSides) {
        std::vector<Intent> input;
        for (Intent& intent : sides_[side].intents) {
            const bool is_input = addressee_of(intent).target == IntentSide::Timeline;
            (is_input ? input : others[side]).push_back(std::move(intent));
        }
        sides_[side].intents.clear();
        apply_intents(side, input, report);
        store_.apply(KeepWhole{}, facts(side));
    }
    for (const core::Side side : core::kSides) {
        report.changed |= !others[side].empty();
        apply_intents(side, others[side], report);
    }
}

// Choices in a panel of both runs stay when the runs change places.
void MainWindow::keep_shared_panels() {
    for (const PanelType& type : all_panels())
        if (type.shows_both) std::swap(sides_.baseline.panels[type.id], sides_.candidate.panels[type.id]);
}

void MainWindow::sync_runs() {
    const core::RunPtr& first = session_.run();
    if (first && first != sides_.baseline.shown && first == sides_.candidate.shown) {  // swapped, or the other closed
        std::swap(sides_.baseline, sides_.candidate);
        std::swap(ephemera_.sides.baseline, ephemera_.sides.candidate);
        keep_shared_panels();
    }
    bool changed = false;
    for (const core::Side side : core::kSides) {
        SideView& view = sides_[side];
        const core::RunPtr& run = session_.run(side);
        if (view.shown != run) {
            SideEphemera& ephemeral = ephemera_.sides[side];
            ephemeral.hovered = {};
            ephemeral.area_summary.reset();  // its examples are in slots of the last run
            ephemeral.search.found.reset();
            store_.apply(CarryView{.before = view.shown, .after = run}, facts(side));
            view.timeline->carry_over(view.shown.get(), run.get());
            if (!run) view.timeline->clear_run();
        }
        changed |= view.shown != run;
        view.shown = run;
    }
    group_ranks_at_first();
    if (!session_.run(core::Side::Candidate)) active_ = selected_ = core::Side::Baseline;
    const core::BySide<core::RunTime> anchor =
        comparing() ? session_.alignment()->anchor : core::BySide<core::RunTime>{};
    if (!changed && anchor == anchor_) return;
    anchor_ = anchor;
    sync_bounds();
}

// Many ranks or windows are shown in groups: windows as ranks arrive, many ranks once. Choices of the user stay.
void MainWindow::group_ranks_at_first() {
    const core::RunPtr& run = session_.run();
    if (!run) grouping_ = {};
    if (!run || comparing() || run->id() == grouping_.looked_at) return;
    grouping_.looked_at = run->id();
    // Every file of a watched folder is a load of its own.
    const void* const of = session_.watched() ? static_cast<const void*>(session_.watched()) : session_.load();
    if (!of) return;  // a run that was not opened
    if (of != grouping_.of) grouping_ = {.of = of, .looked_at = run->id(), .given = {}, .of_many = false};
    if (grouping_.of_many || store_.document().choices.ranks != grouping_.given) return;
    RankChoices grouped = group_at_first(*run);
    grouping_.of_many = run->ranks().size() > kManyRanks;
    if (grouped == grouping_.given) return;
    grouping_.given = grouped;
    store_.apply(SetRanks{std::move(grouped)}, facts(core::Side::Baseline));
}

// A run opens on what its files are about, once it is whole, unless another panel was chosen by then.
void MainWindow::show_first_screen(bool restored) {
    const core::RunLoad* const load = session_.load();
    if (restored && load) first_screen_of_ = load;
    if (!load || load == first_screen_of_ || !load->finished() || !session_.run()) return;
    first_screen_of_ = load;
    if (comparing() || choices().left_tab != UiChoices{}.left_tab) return;
    const FirstScreen first = find_first_screen(*session_.run());
    const Facts of = facts(core::Side::Baseline);
    if (!first.panel.empty()) store_.apply(ShowPanel{std::string(first.panel)}, of);
    if (!first.analysis.empty()) store_.apply(ShowAnalysis{std::string(first.analysis)}, of);
    if (!first.communication.empty()) store_.apply(ShowCommunication{std::string(first.communication)}, of);
}

// Both runs can be reached and seen whole on either side.
void MainWindow::sync_bounds() {
    const core::RunAlignment* alignment = session_.alignment();
    for (const core::Side side : core::kSides) {
        const core::RunPtr& run = session_.run(side);
        if (!run) continue;
        if (!alignment) {
            set_bounds(side, {}, {});
            continue;
        }
        const core::Run& other = *session_.run(other_side(side));
        const auto both = [&](core::RunRange own, core::RunRange theirs) {
            return core::RunRange{std::min(own.begin, alignment->across(other_side(side), theirs.begin)),
                                  std::max(own.end, alignment->across(other_side(side), theirs.end))};
        };
        set_bounds(side, both(run->window(), other.window()),
                   both(core::find_work_window(*run), core::find_work_window(other)));
    }
}

void MainWindow::set_bounds(core::Side side, core::RunRange bounds, core::RunRange work) {
    SideEphemera& ephemeral = ephemera_.sides[side];
    if (bounds == ephemeral.bounds && work == ephemeral.work) return;
    ephemeral.bounds = bounds;
    ephemeral.work = work;
    if (shows_whole(store_.view(side))) store_.apply(ShowRun{}, facts(side));
}

// A drag stays with the side it began on.
void MainWindow::note_mouse(core::Side side) {
    if (!comparing() || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
    const bool pressed = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2);
    if (pressed || !ImGui::IsAnyMouseDown()) active_ = side;
}

// The view that was used last leads, the other one follows.
void MainWindow::link_views() {
    const core::RunAlignment* alignment = session_.alignment();
    for (const core::Side side : core::kSides) {
        ephemera_.sides[side].echo.reset();
        ephemera_.sides[side].has_keys = side == active_;
        sides_[side].timeline->set_partner(alignment ? sides_[other_side(side)].timeline.get() : nullptr);
    }
    if (!alignment || !choices().locked)
        timeline_pair_.part({sides_.baseline.timeline.get(), sides_.candidate.timeline.get()});
    if (!alignment) return;
    const core::Side other = other_side(active_);
    const core::Duration offset = alignment->anchor[other] - alignment->anchor[active_];
    if (const std::optional<core::RunTime>& pointer = ephemera_.sides[active_].pointer)
        ephemera_.sides[other].echo = *pointer + offset;
    if (!choices().locked) return;
    const std::vector<core::TrackRows>& rows =
        timeline_pair_.partners_of(session_, active_, store_.view(active_).area_rows);
    store_.apply(MirrorView{.offset = offset, .area_rows = rows}, facts(other));
    sides_[other].timeline->scroll_to(sides_[active_].timeline->scroll());
}

core::Result<bool> MainWindow::go_to(const Place& place) {
    if (!session_.run()) return core::Error{core::ErrorCode::NotFound, "no run is open"};
    const core::Result<Destination> found = find_place(*session_.run(), place);
    if (!found) return found.error();
    if (found->range) post(ShowRange{*found->range});
    if (found->reveal.valid()) post(RevealEvent{found->reveal});
    return true;
}

void MainWindow::mark_differences() {
    differences_.update(session_);
    const core::UniqueEvents* found = differences_.found();
    for (const core::Side side : core::kSides) {
        ephemera_.sides[side].unique_events = found ? found->events[side] : nullptr;
        ephemera_.sides[side].unique_names = found ? found->names[side] : 0;
    }
}

// Adds the opened paths to the recent ones.
void MainWindow::remember_run() {
    core::BySide<core::RecentRuns::Paths> open;
    for (const core::Side side : core::kSides) {
        const bool is_part = side == core::Side::Candidate && session_.parts();
        if (const core::RunLoad* load = session_.load(side); load && session_.run(side) && !is_part)
            open[side] = load->paths();
    }
    if (open.baseline.empty() || open == remembered_) return;
    if (open.baseline != remembered_.baseline) recent_.add(open.baseline);
    if (!open.candidate.empty()) recent_.add_pair(open);
    remembered_ = std::move(open);
}

// While somebody works in the window; an idle one does nothing.
void MainWindow::check_sources() {
    constexpr double kSecondsBetween = 2;
    if (!gui_.touched()) return;
    const double now = ImGui::GetTime();
    if (now - checked_sources_ < kSecondsBetween) return;
    checked_sources_ = now;
    session_.check_sources();
}

// Opens the sample run once it is written.
void MainWindow::make_sample() {
    if (std::exchange(requests().open_sample, false)) sample_maker_.start(session_.pool());
    if (const std::string problem = sample_maker_.poll(posted_); !problem.empty()) saving_.tell({problem, true});
}

FrameReport MainWindow::frame(const Input& input) {
    FrameReport report;
    const double began = now_ms();
    const core::BySide<core::RunTime> anchor = anchor_;
    const core::BySide<core::RunPtr> before{sides_.baseline.shown, sides_.candidate.shown};
    make_sample();
    const bool posted = !posted_.empty();
    store_.record(session_);  // runs opened by the program itself
    apply_intents(core::Side::Baseline, std::exchange(posted_, {}), report);
    apply_looks();
    for (const core::Side side : core::kSides) session_.want_whole(side, ephemera_.sides[side].wanted_whole);
    session_.update();
    store_.record(session_);
    check_sources();
    sync_runs();
    remember_run();
    const bool restored = saving_.restore(session_, store_);
    if (restored && session_.run() && std::exchange(opens_left_behind_, false)) left_behind_.clear();
    show_first_screen(restored);
    if (store_.poll_restored())
        for (const core::Side side : core::kSides)
            if (shows_whole(store_.view(side))) store_.apply(ShowRun{}, facts(side));
    mark_differences();
    link_views();

    // Arrows, Enter and Space walk open menus and lists; a text field and what was typed for have the keys themselves.
    had_popup_ = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    gui_.walk_by_keys(had_popup_ && !ImGui::GetIO().WantTextInput && !has_typed());
    gui_.begin_frame(input, chart_export().wants());
    key_map().begin_frame();
    collect_typed(had_popup_);
    key_focus().begin_frame();
    ++frame_count;
    items().begin_frame();
    chart_export().begin_frame();
    for (const core::Side side : core::kSides) sides_[side].intents.clear();
    drawn_ = {};
    busy_with_.clear();
    Frame frame = frame_of(core::Side::Baseline);
    draw(frame);
    gui_.end_frame();
    saving_.after_frame(gui_, session_);
    session_.results().end_frame();
    note_busy(session_.checking_sources(), "sources");
    note_busy(saving_.busy(), "saving");
    note_busy(sample_maker_.busy() || requests().open_sample, "sample");
    note_busy(session_.results().running() > 0, "answers");
    note_busy(differences_.busy(), "differences");
    report.changed = gui_.frame_hash() != last_hash_;
    for (const core::Side side : core::kSides) {
        const SideView& view = sides_[side];
        const core::RunLoad* load = session_.load(side);
        note_busy(load && !load->finished(), "loading");
        const core::PagedRun* const pages = session_.pages(side);
        note_busy(pages && pages->loading(), "ranks");
        report.changed |= view.shown != before[side];
    }
    const core::BySide<View> views = store_.document().views;
    apply_frame_intents(report);
    link_views();
    report.changed |= !(views == store_.document().views);  // input on a view that follows the other changes nothing
    const bool same_runs = before.baseline == sides_.baseline.shown && before.candidate == sides_.candidate.shown;
    store_.end_frame(same_runs && !restored && anchor == anchor_, static_cast<double>(ImGui::GetIO().DeltaTime));
    report.touched = posted || gui_.touched();
    report.typing = ImGui::GetIO().WantTextInput;
    report.blinking = gui_.is_caret_blinking();
    report.busy_with = std::move(busy_with_);
    last_hash_ = gui_.frame_hash();
    frame_ms_ = now_ms() - began;
    return report;
}

void MainWindow::draw(Frame& frame) {
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(full);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("main", nullptr, kBareWindow);
    ImGui::PopStyleVar();
    const bool had_popup = had_popup_ || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    const float top = top_bar_.height(full.x);
    const float bottom = px(kStatusBar);
    top_bar_.draw(frame, std::exchange(requests().focus_filter, false), {full.x, top});
    draw_main_area(frame, {0, top}, {full.x, full.y - top - bottom});
    draw_status_bar(frame, {0, full.y - bottom}, {full.x, bottom}, platform_.window() ? frame_ms_ : -1,
                    saving_.notice());
    open_dialog_.draw(frame, recent_, std::exchange(requests().ask_for_path, std::nullopt));
    drop_dialog_.draw(frame, std::exchange(requests().dropped, {}));
    settings_.draw(frame, std::exchange(requests().ask_for_settings, false));
    save_dialog_.draw(frame, std::exchange(requests().ask_to_save, std::nullopt));
    chart_export().draw_menu(frame);
    Frame active = frame_of(active_);
    palette_.draw(frame, active, std::exchange(requests().open_palette, std::nullopt));
    note_busy(key_map().waits(), "keys");
    note_busy(palette_.busy(), "palette");
    note_busy(settings_.busy(), "settings");
    note_busy(open_dialog_.busy(), "open dialog");
    note_busy(top_bar_.filter().busy(), "filter");
    const bool escape_taken = had_popup || std::ranges::any_of(core::kSides, [&](core::Side side) {
                                  return std::ranges::any_of(sides_[side].intents, [](const Intent& intent) {
                                      return intent.find<TakeEscape>() != nullptr;
                                  });
                              });
    collect_pressed(choices(), escape_taken, frame.intents);
    ImGui::End();
}

void MainWindow::draw_main_area(Frame& frame, ImVec2 min, ImVec2 size) {
    if (!session_.run()) {
        const Welcome welcome{.recent = recent_,
                              .left_behind = left_behind_,
                              .notice = saving_.notice(),
                              .makes_sample = sample_maker_.busy()};
        return draw_welcome(frame, welcome, min, size);
    }
    const float drawers = choices().drawer_open ? std::floor(size.y * choices().drawer_share) : 0;
    const float split = choices().drawer_open ? px(kSplitter) : 0;
    const float upper = size.y - drawers - split;
    draw_timelines(min, {size.x, upper});
    if (!choices().drawer_open) return;
    const float moved = drag_splitter("##split", {min.x, min.y + upper}, {min.x + size.x, min.y + upper + split});
    if (moved != 0) frame.intents.push_back(ResizeDrawer{choices().drawer_share - moved / size.y});
    draw_drawers(frame, {min.x, min.y + upper + split}, {min.x + size.x, min.y + size.y});
}

void MainWindow::draw_timelines(ImVec2 min, ImVec2 size) {
    const core::BySide<Timeline*> timelines{sides_.baseline.timeline.get(), sides_.candidate.timeline.get()};
    if (!comparing()) {
        Frame frame = frame_of(core::Side::Baseline);
        const float offer = capture_offer_.height(frame);
        if (offer > 0) capture_offer_.draw(frame, min, size.x);
        return draw_timeline(core::Side::Baseline, {min.x, min.y + offer}, {size.x, size.y - offer});
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool stacked = choices().placement == Placement::Stacked;
    const ImVec2 half = stacked ? ImVec2{size.x, std::floor(size.y / 2)} : ImVec2{std::floor(size.x / 2), size.y};
    if (choices().locked) timeline_pair_.update(session_, timelines, half.y - 1 - px(kSideTitle));
    for (const core::Side side : core::kSides) {
        const bool second = side == core::Side::Candidate;
        const ImVec2 at{min.x + (second && !stacked ? half.x : 0), min.y + (second && stacked ? half.y : 0)};
        const ImVec2 end{second || stacked ? min.x + size.x : at.x + half.x - 1,
                         second || !stacked ? min.y + size.y : at.y + half.y - 1};
        Frame frame = frame_of(side);
        draw_timeline_title(frame, at, end.x - at.x);
        draw_timeline(side, {at.x, at.y + px(kSideTitle)}, {end.x - at.x, end.y - at.y - px(kSideTitle)});
    }
    if (stacked)
        list->AddRectFilled({min.x, min.y + half.y - 1}, {min.x + size.x, min.y + half.y}, color::palette().line);
    else
        list->AddRectFilled({min.x + half.x - 1, min.y}, {min.x + half.x, min.y + size.y}, color::palette().line);
}

void MainWindow::draw_timeline(core::Side side, ImVec2 min, ImVec2 size) {
    const char* id = side == core::Side::Baseline ? "timeline" : "candidate-timeline";
    ImGui::SetCursorPos(min);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild(id, size, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar();
    {
        const ItemScope scope(id);
        SideView& view = sides_[side];
        Frame frame = frame_of(side);
        view.timeline->draw(frame, ephemera_.sides[side], ephemera_.asked[side], size);
        note_busy(view.timeline->busy() || view.timeline->stats().moving, id);
        note_mouse(side);
    }
    ImGui::EndChild();
}

void MainWindow::draw_drawers(Frame& frame, ImVec2 min, ImVec2 max) {
    const float width = max.x - min.x;
    const float split = px(kSplitter);
    const float least = std::min(px(300), width * 0.45f);
    float& share = comparing() ? right_share_of_two_ : right_share_;
    const float right = std::floor(std::clamp(width * share, least, width - least));
    const float middle = max.x - right;
    fill(ImGui::GetWindowDrawList(), {middle - split, min.y}, {middle, max.y}, color::palette().panel);
    draw_drawer(frame, Drawer::Left, min, {middle - split, max.y});
    draw_drawer(frame, Drawer::Right, {middle, min.y}, max);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({middle - split, min.y}, {middle, min.y + 1}, color::palette().line);
    list->AddRectFilled({middle - px(kSplitter / 2), min.y}, {middle - px(kSplitter / 2) + 1, max.y},
                        color::palette().line);
    share -= drag_splitter("##split-drawers", {middle - split, min.y}, {middle, max.y}) / width;
    share = std::clamp(share, 0.1f, 0.9f);
}

void MainWindow::draw_drawer(Frame& frame, Drawer drawer, ImVec2 min, ImVec2 max) {
    const std::string& shown = drawer == Drawer::Left ? choices().left_tab : choices().right_tab;
    const char* id = drawer == Drawer::Left ? "left" : "right";
    const ItemScope scope(id);
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, min, max, color::palette().panel);
    list->AddRectFilled(min, {max.x, min.y + 1}, color::palette().line);
    ImGui::SetCursorScreenPos({min.x + px(4), min.y});
    const Frame candidate = frame_of(core::Side::Candidate);
    const Frame* other = comparing() ? &candidate : nullptr;
    if (const PanelType* clicked = draw_tabs(drawer, shown, frame, max.x - min.x - px(8), other))
        frame.intents.push_back(ShowPanel{std::string(clicked->id)});
    const float top = min.y + px(kTabHeight);
    list->AddRectFilled({min.x, top}, {max.x, top + 1}, color::palette().line);
    const PanelType* const chosen = find_panel(shown);
    if (!chosen) return;
    const std::vector<const PanelType*> together = drawn_together(*chosen, max.x - min.x - px(8));
    const float middle = std::floor(min.x + (max.x - min.x) * kShareOfTab);
    for (std::size_t i = 0; i < together.size(); ++i) {
        const ImVec2 from{i == 0 ? min.x : middle, top + 1};
        const float right = i + 1 == together.size() ? max.x : middle - 1;
        draw_sides(*together[i], from, {right, max.y});
        if (right < max.x) list->AddRectFilled({right, top}, {right + 1, max.y}, color::palette().line);
    }
}

// One panel of a drawer, for each of two runs unless it draws both.
void MainWindow::draw_sides(const PanelType& type, ImVec2 min, ImVec2 max) {
    if (!comparing()) return draw_panel(type, core::Side::Baseline, min, max);
    if (type.shows_both) return draw_panel(type, core::Side::Baseline, min, max);
    if (type.shows_selection) return draw_panel(type, selected_, min, max);
    const float middle = std::floor((min.x + max.x) / 2);
    for (const core::Side side : core::kSides) {
        const bool second = side == core::Side::Candidate;
        const ImVec2 at{second ? middle : min.x, min.y};
        const float right = second ? max.x : middle - 1;
        draw_side_title(session_, side, at, right - at.x);
        draw_panel(type, side, {at.x, at.y + px(kSideTitle)}, {right, max.y});
    }
    ImGui::GetWindowDrawList()->AddRectFilled({middle - 1, min.y - 1}, {middle, max.y}, color::palette().line);
}

void MainWindow::draw_panel(const PanelType& type, core::Side side, ImVec2 min, ImVec2 max) {
    drawn_[side].push_back(type.id);
    const std::string id = side == core::Side::Baseline ? std::string(type.id) : "candidate/" + std::string(type.id);
    ImGui::SetCursorScreenPos(min);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(16), px(12)});
    ImGui::BeginChild(id.c_str(), {max.x - min.x, max.y - min.y}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    {
        const ItemScope panel_scope(id);
        Frame frame = frame_of(side);
        Frame candidate = frame_of(core::Side::Candidate);
        if (comparing() && type.shows_both) frame.candidate = &candidate;
        const core::RunPtr& other = session_.run(core::Side::Candidate);
        const std::string both = frame.candidate ? " | " + other->name() : "";
        chart_export().set_place(id, std::string(type.title), frame.run()->name() + both);
        const core::Run* const summary = type.needs_events ? find_summary(frame) : nullptr;
        if (summary) {
            ImGui::TextWrapped("%s", core::needs_events(*summary, "which this panel shows").message.c_str());
        } else {
            Panel& content = panel(type, side);
            content.draw(frame);
            note_busy(content.busy(), id);
        }
    }
    ImGui::EndChild();
}

}  // namespace ui
