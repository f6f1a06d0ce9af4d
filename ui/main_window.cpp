#include "ui/main_window.hpp"

#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"
#include "ui/commands.hpp"
#include "ui/widgets/fill.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/tabs.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ui {
namespace {

constexpr float kTopBar = 40;      // heights at scale 1
constexpr float kStatusBar = 26;
constexpr float kSplitter = 6;
constexpr ImGuiWindowFlags kBareWindow = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                         ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                         ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav;

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
    return core::format_count(static_cast<std::int64_t>(count)).append(" ").append(count == 1 ? one : many);
}

bool command_button(const char* label, std::string_view command_id, bool enabled) {
    const Command* command = find_command(command_id);
    ImGui::PushStyleColor(ImGuiCol_Text, enabled ? color::kText : color::kFaint);
    const bool pressed = quiet_button(label) && enabled;
    ImGui::PopStyleColor();
    if (command) tooltip(std::string(command->title) + "   " + format_chord(command->chord));
    return pressed;
}

// The run's name on a quiet pill; takes as much room as it needs up to a third of the bar.
void draw_run_chip(const core::Session& session, float most) {
    const core::RunPtr& run = session.run();
    const std::string name = run ? run->name() : session.load() ? "Opening\xE2\x80\xA6" : "No run";
    const std::string ranks = run ? plural(run->ranks().size(), "rank", "ranks") : "";
    const float ranks_width = ranks.empty() ? 0 : text_width(small_style(), ranks) + px(8);
    const std::string shown = fit_text(heading_style(), name, most - ranks_width - px(20));
    const float name_width = text_width(heading_style(), shown);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{name_width + ranks_width + px(20), ImGui::GetFrameHeight()};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, color::kRaised, px(4));
    const float y = at.y + (size.y - ui_style().size_px) / 2 - px(1);
    draw_text(list, heading_style(), {at.x + px(10), y}, run ? color::kText : color::kMuted, shown);
    if (!ranks.empty()) draw_text(list, small_style(), {at.x + px(18) + name_width, y + px(1)}, color::kMuted, ranks);
    ImGui::Dummy(size);
    record_item("##run");
    if (run && shown != name) tooltip(name);
}

std::string load_text(const core::RunLoad& load) {
    const core::LoadProgress& progress = load.progress();
    std::string text = "Reading " + core::format_bytes(static_cast<std::int64_t>(progress.bytes_done.load())) + " of " +
                       core::format_bytes(static_cast<std::int64_t>(progress.bytes_total.load()));
    text += "  \xC2\xB7  " + plural(progress.events.load(), "event", "events");
    return text + "  \xC2\xB7  " + std::to_string(progress.ranks_done.load()) + " of " +
           plural(progress.ranks_total.load(), "rank", "ranks");
}

double load_share(const core::RunLoad& load) {
    const auto total = static_cast<double>(load.progress().bytes_total.load());
    return total > 0 ? static_cast<double>(load.progress().bytes_done.load()) / total : 0;
}

}  // namespace

MainWindow::MainWindow(Platform& platform, core::Session& session, float scale)
    : platform_(platform), session_(session), gui_(platform) {
    build_fonts(scale);
    state_.scale = ui::scale();
    timeline_ = std::make_unique<Timeline>();
}

MainWindow::~MainWindow() = default;

std::string MainWindow::title() const {
    const core::RunPtr& run = session_.run();
    return run ? run->name() + " \xE2\x80\x93 Lockstep" : "Lockstep";
}

Panel& MainWindow::panel(const PanelType& type) {
    std::unique_ptr<Panel>& made = panels_[type.id];
    if (!made) made = type.make();
    return *made;
}

void MainWindow::apply_intents(const std::vector<Intent>& intents, FrameReport& report) {
    const Applied applied = apply(intents, session_, state_);
    if (applied.reveal.valid()) timeline_->reveal(applied.reveal);
    report.quit |= applied.quit;
}

FrameReport MainWindow::frame(const Input& input) {
    FrameReport report;
    const double began = now_ms();
    if (wanted_scale_ > 0) {
        build_fonts(std::exchange(wanted_scale_, 0.0f));
        state_.scale = ui::scale();
    }
    const core::RunPtr before = session_.run();
    session_.update();
    if (before != session_.run()) follow_run(before, session_.run(), state_);
    apply_intents(std::exchange(posted_, {}), report);

    gui_.begin_frame(input);
    items().begin_frame();
    intents_.clear();
    panels_busy_ = false;
    Frame frame{session_, session_.results(), state_, intents_};
    draw(frame);
    gui_.end_frame();
    session_.results().end_frame();
    apply_intents(intents_, report);

    const core::RunLoad* load = session_.load();
    report.busy = (load && !load->finished()) || session_.results().running() > 0 || panels_busy_;
    report.changed = gui_.frame_hash() != last_hash_ || !intents_.empty() || before != session_.run();
    report.typing = ImGui::GetIO().WantTextInput;
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
    const float top = px(kTopBar);
    const float bottom = px(kStatusBar);
    draw_top_bar(frame, {full.x, top});
    draw_main_area(frame, {0, top}, {full.x, full.y - top - bottom});
    draw_status_bar(frame, {0, full.y - bottom}, {full.x, bottom});
    draw_open_dialog(frame);
    collect_pressed(state_, frame.intents);
    ImGui::End();
}

void MainWindow::draw_top_bar(Frame& frame, ImVec2 size) {
    const ItemScope scope("top");
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, {0, 0}, size, color::kPanel);
    list->AddRectFilled({0, size.y - 1}, size, color::kLine);
    ImGui::SetCursorPos({px(8), std::floor((size.y - ImGui::GetFrameHeight()) / 2)});
    if (command_button("Open\xE2\x80\xA6##open", "open", true)) frame.intents.push_back(AskForPath{});
    ImGui::SameLine(0, px(8));
    draw_run_chip(session_, size.x * 0.3f);
    ImGui::SameLine(0, px(12));
    const float buttons = text_width(ui_style(), "UndoRedoColours: class") + px(16) * 3 + px(4) * 3 + px(8);
    draw_filter(frame, size.x - ImGui::GetCursorPosX() - buttons - px(8));
    ImGui::SameLine(0, px(8));
    if (command_button("Undo##undo", "undo", session_.query().can_undo())) frame.intents.push_back(Undo{});
    ImGui::SameLine(0, px(4));
    if (command_button("Redo##redo", "redo", session_.query().can_redo())) frame.intents.push_back(Redo{});
    ImGui::SameLine(0, px(4));
    if (command_button(state_.color_by_class ? "Colours: class##colors" : "Colours: name##colors", "colors", true))
        frame.intents.push_back(ToggleColors{});
}

// The filter as text. Follows the session while it is not being edited; Enter commits what parses.
void MainWindow::draw_filter(Frame& frame, float width) {
    if (std::exchange(state_.focus_filter, false)) ImGui::SetKeyboardFocusHere();
    if (!filter_active_ && filter_error_.empty()) filter_text_ = core::format_filter(session_.filter());
    const bool wrong = !filter_error_.empty();
    if (wrong) ImGui::PushStyleColor(ImGuiCol_Border, color::kError);
    if (wrong) ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, std::max(1.0f, px(1)));
    const bool committed =
        input_text("##filter", "Filter: rank:0-3 step:complete class:communication name:gemm dur:>10us", filter_text_,
                   std::max(px(120), width), ImGuiInputTextFlags_EnterReturnsTrue);
    if (wrong) ImGui::PopStyleVar();
    if (wrong) ImGui::PopStyleColor();
    const bool was_active = std::exchange(filter_active_, ImGui::IsItemActive());
    const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4)};
    if (ImGui::IsItemEdited() || (was_active && !filter_active_ && !committed)) filter_error_.clear();
    if (committed) {
        core::Result<core::Filter> parsed = core::parse_filter(filter_text_);
        filter_error_ = parsed ? std::string() : parsed.error().message;
        if (parsed) frame.intents.push_back(SetFilter{std::move(parsed).value()});
    }
    if (filter_error_.empty()) return;
    ImDrawList* over = ImGui::GetForegroundDrawList();
    const float wide = text_width(ui_style(), filter_error_) + px(20);
    over->AddRectFilled(below, {below.x + wide, below.y + px(28)}, color::kRaised, px(4));
    draw_text(over, ui_style(), {below.x + px(10), below.y + px(6)}, color::kError, filter_error_);
}

void MainWindow::draw_main_area(Frame& frame, ImVec2 min, ImVec2 size) {
    if (!session_.run()) return draw_welcome(frame, min, size);
    const float drawers = state_.drawer_open ? std::floor(size.y * state_.drawer_share) : 0;
    const float split = state_.drawer_open ? px(kSplitter) : 0;
    const float upper = size.y - drawers - split;
    ImGui::SetCursorPos(min);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild("timeline", {size.x, upper}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar();
    {
        const ItemScope scope("timeline");
        timeline_->draw(frame, state_, {size.x, upper});
        keep_whole(*session_.run(), state_);
    }
    ImGui::EndChild();
    if (!state_.drawer_open) return;
    const float moved = drag_splitter("##split", {min.x, min.y + upper}, {min.x + size.x, min.y + upper + split});
    state_.drawer_share = std::clamp(state_.drawer_share - moved / size.y, 0.12f, 0.85f);
    draw_drawers(frame, {min.x, min.y + upper + split}, {min.x + size.x, min.y + size.y});
}

void MainWindow::draw_drawers(Frame& frame, ImVec2 min, ImVec2 max) {
    const float width = max.x - min.x;
    const float split = px(kSplitter);
    const float least = std::min(px(300), width * 0.45f);
    const float right = std::floor(std::clamp(width * right_share_, least, width - least));
    const float middle = max.x - right;
    fill(ImGui::GetWindowDrawList(), {middle - split, min.y}, {middle, max.y}, color::kPanel);
    draw_drawer(frame, Drawer::Left, min, {middle - split, max.y});
    draw_drawer(frame, Drawer::Right, {middle, min.y}, max);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({middle - split, min.y}, {middle, min.y + 1}, color::kLine);
    list->AddRectFilled({middle - px(kSplitter / 2), min.y}, {middle - px(kSplitter / 2) + 1, max.y}, color::kLine);
    right_share_ -= drag_splitter("##split-drawers", {middle - split, min.y}, {middle, max.y}) / width;
    right_share_ = std::clamp(right_share_, 0.1f, 0.9f);
}

void MainWindow::draw_drawer(Frame& frame, Drawer drawer, ImVec2 min, ImVec2 max) {
    const std::string& shown = drawer == Drawer::Left ? state_.left_tab : state_.right_tab;
    const char* id = drawer == Drawer::Left ? "left" : "right";
    const ItemScope scope(id);
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, min, max, color::kPanel);
    list->AddRectFilled(min, {max.x, min.y + 1}, color::kLine);
    ImGui::SetCursorScreenPos({min.x + px(4), min.y});
    if (const PanelType* clicked = draw_tabs(drawer, shown, max.x - min.x - px(8)))
        frame.intents.push_back(ShowPanel{std::string(clicked->id)});
    const float top = min.y + px(kTabHeight);
    list->AddRectFilled({min.x, top}, {max.x, top + 1}, color::kLine);
    const PanelType* type = find_panel(shown);
    if (!type) return;
    ImGui::SetCursorScreenPos({min.x, top + 1});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(16), px(12)});
    ImGui::BeginChild(id, {max.x - min.x, max.y - top - 1}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    {
        const ItemScope panel_scope(type->id);
        ImGui::PushID(type->id.data());
        Panel& content = panel(*type);
        content.draw(frame);
        panels_busy_ |= content.busy();
        ImGui::PopID();
    }
    ImGui::EndChild();
}

// Nothing to show yet: what to do, what is going on, or what went wrong.
void MainWindow::draw_welcome(Frame& frame, ImVec2 min, ImVec2 size) {
    const ItemScope scope("welcome");
    const core::RunLoad* load = session_.load();
    const bool loading = load && !load->finished();
    const float width = std::min(px(560), size.x - px(48));
    ImGui::SetCursorPos({min.x + std::floor((size.x - width) / 2), min.y + std::floor(size.y * 0.36f)});
    ImGui::BeginGroup();
    if (loading) {
        heading(load->cancelled() ? "Stopping" : "Opening");
        ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
        muted_text(load->paths().empty() ? std::string() : load->paths().front().string());
        ImGui::PopTextWrapPos();
        ImGui::Dummy({0, px(4)});
        progress_bar(load_share(*load), {width, px(4)});
        ImGui::Dummy({0, px(2)});
        muted_text(load_text(*load));
        ImGui::Dummy({0, px(4)});
        if (!load->cancelled() && button("Cancel##cancel-load")) frame.intents.push_back(CancelLoad{});
    } else {
        const std::string error = load ? load->error() : std::string();
        heading(error.empty() ? "Open a folder of traces" : "Nothing could be opened");
        ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
        if (!error.empty()) text(error, color::kError);
        muted_text(
            "A run is a folder with one Kineto trace (.json, .json.gz) per rank, or a single file. "
            "Drop it on this window, or give its path.");
        ImGui::PopTextWrapPos();
        ImGui::Dummy({0, px(4)});
        ImGui::PushID("welcome");
        if (button("Open\xE2\x80\xA6##open")) frame.intents.push_back(AskForPath{});
        ImGui::PopID();
    }
    ImGui::EndGroup();
}

void MainWindow::draw_open_dialog(Frame& frame) {
    if (std::exchange(state_.ask_for_path, false)) ImGui::OpenPopup("Open a run");
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({full.x / 2, full.y * 0.4f}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(20), px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    const bool open = ImGui::BeginPopupModal(
        "Open a run", nullptr,
        ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove);
    ImGui::PopStyleVar(2);
    if (!open) return;
    const ItemScope scope("dialog");
    heading("Open a run");
    muted_text("The path of a folder or of a trace file");
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::PushStyleColor(ImGuiCol_FrameBg, color::kBackground);
    const bool entered = input_text("##path", "/path/to/traces", path_text_, std::min(px(520), full.x - px(80)),
                                    ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::PopStyleColor();
    ImGui::Dummy({0, px(4)});
    const bool chosen = button("Open##ok") || entered;
    ImGui::SameLine();
    const bool cancelled = button("Cancel##cancel") || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
    if (chosen && !path_text_.empty()) frame.intents.push_back(OpenPaths{{path_text_}});
    if ((chosen && !path_text_.empty()) || cancelled) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

void MainWindow::draw_status_bar(Frame& frame, ImVec2 min, ImVec2 size) {
    const ItemScope scope("status");
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, min, {min.x + size.x, min.y + size.y}, color::kPanel);
    list->AddRectFilled(min, {min.x + size.x, min.y + 1}, color::kLine);
    const float text_y = min.y + std::floor((size.y - small_style().size_px) / 2) - px(1);
    float right = min.x + size.x - px(12);
    if (platform_.window()) {
        char time[32];
        std::snprintf(time, sizeof time, "%.1f ms", frame_ms_);
        draw_text_right(list, mono_style(), {right, text_y - px(1)}, color::kFaint, time);
        right -= px(76);
    }
    if (const std::size_t running = session_.results().running(); running > 0) {
        const std::string jobs = "Computing " + plural(running, "answer", "answers");
        draw_text_right(list, small_style(), {right, text_y}, color::kMuted, jobs);
        right -= text_width(small_style(), jobs) + px(16);
    }
    float x = min.x + px(12);
    const core::RunLoad* load = session_.load();
    if (session_.run() && load && !load->finished()) {
        ImGui::SetCursorScreenPos({x, min.y + std::floor((size.y - px(4)) / 2)});
        progress_bar(load_share(*load), {px(120), px(4)});
        const std::string words = load_text(*load);
        draw_text(list, small_style(), {x + px(132), text_y}, color::kMuted, words);
        x += px(132) + text_width(small_style(), words) + px(12);
    } else if (const core::RunPtr& run = session_.run()) {
        std::string words = plural(run->event_count(), "event", "events") + "  \xC2\xB7  " +
                            plural(run->ranks().size(), "rank", "ranks");
        words += "  \xC2\xB7  " +
                 (session_.filter().empty() ? std::string("no filter") : core::format_filter(session_.filter()));
        if (load && !load->error().empty()) words += "  \xC2\xB7  " + load->error();
        draw_text(list, small_style(), {x, text_y}, color::kMuted, words, right - x);
    }
    if (!session_.run() || !load || load->finished() || load->cancelled()) return;
    const FontScope font(small_style());
    ImGui::SetCursorScreenPos({x, min.y + px(2)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), px(3)});
    if (button("Cancel##cancel")) frame.intents.push_back(CancelLoad{});
    ImGui::PopStyleVar();
}

}  // namespace ui
