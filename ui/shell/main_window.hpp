#pragma once
// One frame of the whole window, the same to a screen and to a file: top bar, timeline, drawers with
// panels, status bar. Intents of a frame take effect after it. Never waits for anything.
// Main thread only; one at a time (Dear ImGui's context is global).

#include "ui/model/intents/document_store.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/run_differences.hpp"
#include "ui/platform/gui.hpp"
#include "ui/shell/capture_offer.hpp"
#include "ui/shell/drop_dialog.hpp"
#include "ui/shell/open_dialog.hpp"
#include "ui/shell/palette.hpp"
#include "ui/shell/sample_maker.hpp"
#include "ui/shell/save_dialog.hpp"
#include "ui/shell/saving.hpp"
#include "ui/shell/settings_dialog.hpp"
#include "ui/shell/top_bar.hpp"
#include "ui/timeline/parts/timeline.hpp"
#include "ui/timeline/parts/timeline_pair.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct FrameReport {
    bool quit = false;
    std::vector<std::string> busy_with = {};  // what is loading or computing
    bool changed = true;     // differs from the frame before, or an intent was applied
    bool typing = false;     // a text field has the keys
    bool blinking = false;   // its caret blinks
    bool touched = false;    // mouse, keys or a post did something: what follows from it takes a few frames more
    bool busy() const { return !busy_with.empty(); }
    bool is_idle() const { return !busy() && !changed; }
};

class MainWindow {
public:
    // renderer: draws the frames; null: OpenGL.
    MainWindow(Platform&, core::Session&, float scale, std::unique_ptr<Renderer> renderer = nullptr);
    ~MainWindow();

    FrameReport frame(const Input& input = {});
    // In the baseline; NotFound, in words, if it has no such place.
    core::Result<bool> go_to(const Place&);
    void post(Intent intent) { posted_.push_back(std::move(intent)); }  // takes effect before the next frame
    void set_recent(core::RecentRuns recent) { recent_ = std::move(recent); }
    // Saved files go there, for a page to download: see Saving::set_outbox.
    void set_outbox(std::filesystem::path folder) {
        saving_.set_outbox(std::move(folder));
        save_dialog_.ask_for_names();
    }
    // Folder for peaks and links changed in the settings; unset: nothing is written.
    void set_settings_folder(std::filesystem::path folder) { settings_folder_ = std::move(folder); }
    // Folder that keeps the sample run; unset: a temporary one.
    void set_sample_folder(std::filesystem::path folder) { sample_maker_.set_folder(std::move(folder)); }
    void set_rasterising(bool on) { gui_.set_rasterising(on); }
    Image picture() { return gui_.picture(); }  // of the last frame
    const FrameDrawing& frame_drawing() const { return gui_.frame_drawing(); }  // same; until the next begins
    void set_scale(float scale) { monitor_scale_ = scale; }
    bool input_pending() const { return gui_.input_pending(); }
    const Document& document() const { return store_.document(); }
    const View& view(core::Side side = core::Side::Baseline) const { return store_.view(side); }
    const SideEphemera& ephemeral(core::Side side = core::Side::Baseline) const { return ephemera_.sides[side]; }
    const Timeline& timeline(core::Side side = core::Side::Baseline) const { return *sides_[side].timeline; }
    const TimelineStats& timeline_stats() const { return timeline().stats(); }
    // Null until it was shown.
    const Panel* find_made_panel(std::string_view id, core::Side side = core::Side::Baseline) const;
    // Ids of the panels that the last frame drew.
    std::span<const std::string_view> drawn_panels(core::Side side = core::Side::Baseline) const {
        return drawn_[side];
    }
    std::string title() const;   // of the window: names the run
    bool can_undo() const { return store_.can_undo(); }
    bool can_redo() const { return store_.can_redo(); }
    const Notice& notice() const { return saving_.notice(); }
    const SettingsDialog& settings() const { return settings_; }
    void tell(Notice notice) { saving_.tell(std::move(notice)); }
    // The session file of the present state; empty: nothing is open.
    std::string session_text() const;
    // A session that an earlier start of the program left behind; offered while nothing is open.
    void set_left_behind(std::filesystem::path file) { left_behind_ = std::move(file); }
    const std::filesystem::path& left_behind() const { return left_behind_; }

private:
    struct SideView {
        std::unique_ptr<Timeline> timeline;
        std::map<std::string_view, std::unique_ptr<Panel>> panels;
        std::vector<Intent> intents;
        core::RunPtr shown;      // in the last frame
    };
    Frame frame_of(core::Side side);
    const UiChoices& choices() const { return store_.choices(); }
    WindowRequests& requests() { return ephemera_.window; }
    Facts facts(core::Side side) const {
        return {.session = session_, .side = side, .work = ephemera_.sides[side].work};
    }
    bool comparing() const { return session_.alignment() != nullptr; }
    void sync_runs();
    void keep_shared_panels();
    void sync_bounds();
    void group_ranks_at_first();
    void show_first_screen(bool restored);
    void set_bounds(core::Side side, core::RunRange bounds, core::RunRange work);
    void note_mouse(core::Side side);
    void link_views();
    void mark_differences();
    void apply_looks();
    void check_sources();
    void make_sample();
    void draw(Frame& frame);
    void draw_timelines(ImVec2 min, ImVec2 size);
    void draw_timeline(core::Side side, ImVec2 min, ImVec2 size);
    void draw_panel(const PanelType& type, core::Side side, ImVec2 min, ImVec2 max);
    void draw_main_area(Frame& frame, ImVec2 min, ImVec2 size);
    void draw_drawers(Frame& frame, ImVec2 min, ImVec2 max);
    void draw_drawer(Frame& frame, Drawer drawer, ImVec2 min, ImVec2 max);
    void draw_sides(const PanelType& type, ImVec2 min, ImVec2 max);
    Panel& panel(const PanelType& type, core::Side side);
    void remember_run();
    void apply_intents(core::Side side, std::span<const Intent> intents, FrameReport& report);
    void apply_frame_intents(FrameReport& report);

    Platform& platform_;
    core::Session& session_;
    DocumentStore store_;
    Ephemera ephemera_;
    Gui gui_;
    core::BySide<SideView> sides_;
    core::Side active_ = core::Side::Baseline;  // the one the mouse was on last: its view leads, keys are its own
    core::Side selected_ = core::Side::Baseline;  // whose event was selected last
    core::BySide<std::vector<std::string_view>> drawn_;
    std::vector<Intent> posted_;
    TopBar top_bar_;
    OpenDialog open_dialog_;
    DropDialog drop_dialog_;
    CaptureOffer capture_offer_;
    SettingsDialog settings_;
    SaveDialog save_dialog_;
    Saving saving_;
    Palette palette_;
    SampleMaker sample_maker_;
    TimelinePair timeline_pair_;
    RunDifferences differences_;
    core::RecentRuns recent_;
    std::filesystem::path settings_folder_;
    std::filesystem::path left_behind_;  // empty: none
    bool opens_left_behind_ = false;     // it is being read
    core::BySide<core::RecentRuns::Paths> remembered_;  // of the loads that recent_ has
    core::BySide<core::RunTime> anchor_;  // of the bounds the views have
    // The groups that ranks were shown in at first, by group_ranks_at_first.
    struct FirstGroups {
        const void* of = nullptr;     // load or watched folder
        std::uint64_t looked_at = 0;  // id of its run
        RankChoices given;
        bool of_many = false;  // more ranks than kManyRanks were there
    } grouping_;
    const core::RunLoad* first_screen_of_ = nullptr;  // the load that has had it
    float right_share_ = 0.3f;      // of the width
    float right_share_of_two_ = 0.4f;  // with two runs
    float monitor_scale_ = 1;
    float built_scale_ = 0;          // that fonts were asked for
    std::uint64_t last_hash_ = 0;
    double checked_sources_ = 0;  // when, by ImGui::GetTime()
    double frame_ms_ = 0;
    bool had_popup_ = false;  // before the frame began
    void note_busy(bool busy, std::string_view who) {
        if (busy) busy_with_.emplace_back(who);
    }
    std::vector<std::string> busy_with_;  // in this frame
};

}  // namespace ui
