#pragma once
// One frame of the whole window, the same to a screen and to a file: top bar, timeline, drawers with
// panels, status bar. Intents of a frame take effect after it. Never waits for anything.
// Main thread only; one at a time (Dear ImGui's context is global).

#include "ui/gui.hpp"
#include "ui/panel.hpp"
#include "ui/timeline/timeline.hpp"

#include <map>
#include <string>

namespace ui {

struct FrameReport {
    bool quit = false;
    bool busy = false;       // something is loading or computing
    bool changed = true;     // differs from the frame before, or an intent was applied
    bool typing = false;     // a text cursor blinks
    bool settled() const { return !busy && !changed; }
};

class MainWindow {
public:
    MainWindow(Platform&, core::Session&, float scale);
    ~MainWindow();

    FrameReport frame(const Input& input = {});
    void post(Intent intent) { posted_.push_back(std::move(intent)); }  // takes effect before the next frame
    void set_scale(float scale) { wanted_scale_ = scale; }
    bool input_pending() const { return gui_.input_pending(); }
    const UiState& state() const { return state_; }
    UiState& state() { return state_; }
    const TimelineStats& timeline_stats() const { return timeline_->stats(); }
    std::string title() const;   // of the window: names the run

private:
    void draw(Frame& frame);
    void draw_top_bar(Frame& frame, ImVec2 size);
    void draw_filter(Frame& frame, float width);
    void draw_main_area(Frame& frame, ImVec2 min, ImVec2 size);
    void draw_drawers(Frame& frame, ImVec2 min, ImVec2 max);
    void draw_drawer(Frame& frame, Drawer drawer, ImVec2 min, ImVec2 max);
    void draw_welcome(Frame& frame, ImVec2 min, ImVec2 size);
    void draw_open_dialog(Frame& frame);
    void draw_status_bar(Frame& frame, ImVec2 min, ImVec2 size);
    Panel& panel(const PanelType& type);
    void apply_intents(const std::vector<Intent>& intents, FrameReport& report);

    Platform& platform_;
    core::Session& session_;
    Gui gui_;
    UiState state_;
    std::unique_ptr<Timeline> timeline_;
    std::map<std::string_view, std::unique_ptr<Panel>> panels_;
    std::vector<Intent> intents_;
    std::vector<Intent> posted_;
    std::string filter_text_;
    std::string filter_error_;
    bool filter_active_ = false;
    std::string path_text_;
    float right_share_ = 0.3f;      // of the width
    float wanted_scale_ = 0;         // 0: as it is
    std::uint64_t last_hash_ = 0;
    double frame_ms_ = 0;
    bool panels_busy_ = false;
};

}  // namespace ui
