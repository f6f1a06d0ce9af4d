#include "ui/platform/gui.hpp"

#include "ui/platform/gl_renderer.hpp"
#include "ui/platform/input_queue.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/theme.hpp"

#include <backends/imgui_impl_glfw.h>

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <span>
#include <utility>

namespace ui {
namespace {

#if !LOCKSTEP_IMGUI_EVENTS
// Dear ImGui before 1.87 samples keys once per frame.
InputQueue g_keys;

void drain_keys(GLFWwindow* window) {
    for (const InputEvent& event : g_keys.take_frame()) {
        if (event.kind == InputKind::Text)
            ImGui_ImplGlfw_CharCallback(window, static_cast<unsigned>(event.character));
        else
            ImGui_ImplGlfw_KeyCallback(window, event.code, event.scancode, static_cast<int>(event.action),
                                       event.modifiers);
    }
}

void queue_keys(GLFWwindow* window) {
    glfwSetKeyCallback(window, [](GLFWwindow*, int key, int scancode, int action, int modifiers) {
        g_keys.push({.kind = InputKind::Key,
                     .action = static_cast<KeyAction>(action),
                     .code = key,
                     .scancode = scancode,
                     .modifiers = modifiers});
    });
    glfwSetCharCallback(window, [](GLFWwindow*, unsigned character) {
        g_keys.push({.kind = InputKind::Text, .character = character});
    });
}

void map_keys(ImGuiIO& io) {
    constexpr std::pair<int, int> kMap[] = {{ImGuiKey_Tab, GLFW_KEY_TAB},
                                            {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
                                            {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
                                            {ImGuiKey_UpArrow, GLFW_KEY_UP},
                                            {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
                                            {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
                                            {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
                                            {ImGuiKey_Home, GLFW_KEY_HOME},
                                            {ImGuiKey_End, GLFW_KEY_END},
                                            {ImGuiKey_Insert, GLFW_KEY_INSERT},
                                            {ImGuiKey_Delete, GLFW_KEY_DELETE},
                                            {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
                                            {ImGuiKey_Space, GLFW_KEY_SPACE},
                                            {ImGuiKey_Enter, GLFW_KEY_ENTER},
                                            {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
                                            {ImGuiKey_A, GLFW_KEY_A},
                                            {ImGuiKey_C, GLFW_KEY_C},
                                            {ImGuiKey_V, GLFW_KEY_V},
                                            {ImGuiKey_X, GLFW_KEY_X},
                                            {ImGuiKey_Y, GLFW_KEY_Y},
                                            {ImGuiKey_Z, GLFW_KEY_Z}};
    for (const auto& [to, from] : kMap) io.KeyMap[to] = from;
}
#endif

bool holds(const std::vector<int>& keys, int left, int right) {
    return std::ranges::any_of(keys, [&](int key) { return key == left || key == right; });
}

bool has_touched_keys() {
    for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
        if (compat::key_of_glfw(key) == 0) continue;
        if (compat::is_key_pressed(key) || compat::is_key_released(key)) return true;
    }
    return ImGui::GetIO().InputQueueCharacters.Size > 0;
}

bool has_touched_mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    for (int button = 0; button < 3; ++button)
        if (ImGui::IsMouseClicked(button) || ImGui::IsMouseReleased(button)) return true;
    return io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || io.MouseWheelH != 0;
}

// Collisions are ignored.
std::uint64_t mix_bytes(std::uint64_t hash, const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; at += 8, bytes -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    for (; bytes > 0; ++at, --bytes) hash = (hash ^ *at) * 0x100000001B3u;
    return hash;
}

// A scene has a version for each change of its strips and rectangles.
std::uint64_t hash_of(const FrameDrawing& frame) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const ListDrawing& list : frame.lists)
        hash = mix_bytes(hash, list.vertices.data(), list.vertices.size_bytes());
    for (const SceneDrawing* const scene : frame.scenes) {
        const std::uint64_t versions[] = {scene->id, scene->strips_version, scene->rects_version};
        hash = mix_bytes(hash, versions, sizeof versions);
    }
    return hash;
}

}  // namespace

Gui::Gui(Platform& platform, std::unique_ptr<Renderer> renderer)
    : platform_(platform), windowed_(platform.window() != nullptr) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    if (windowed_) {
        ImGui_ImplGlfw_InitForOpenGL(platform.window(), true);
#if !LOCKSTEP_IMGUI_EVENTS
        queue_keys(platform.window());
#endif
    } else {
        io.ConfigInputTextCursorBlink = false;
#if LOCKSTEP_IMGUI_EVENTS
        io.ConfigInputTrickleEventQueue = false;
#else
        map_keys(io);
#endif
    }
    recorder_.emplace();
    renderer_ = renderer ? std::move(renderer) : std::make_unique<GlRenderer>(platform);
}

Gui::~Gui() {
    renderer_.reset();
    recorder_.reset();
    if (windowed_) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

bool Gui::input_pending() const {
#if LOCKSTEP_IMGUI_EVENTS
    return false;
#else
    return windowed_ && !g_keys.empty();
#endif
}

#if LOCKSTEP_IMGUI_EVENTS
void Gui::inject(const Input& input) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddMousePosEvent(input.mouse_x, input.mouse_y);
    for (int i = 0; i < 3; ++i) io.AddMouseButtonEvent(i, input.buttons[static_cast<std::size_t>(i)]);
    if (input.wheel != 0 || input.wheel_x != 0) io.AddMouseWheelEvent(input.wheel_x, input.wheel);
    io.AddKeyEvent(ImGuiMod_Ctrl, holds(input.keys, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL));
    io.AddKeyEvent(ImGuiMod_Shift, holds(input.keys, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT));
    io.AddKeyEvent(ImGuiMod_Alt, holds(input.keys, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT));
    for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
        const ImGuiKey named = compat::key_of_glfw(key);
        if (named != ImGuiKey_None) io.AddKeyEvent(named, std::ranges::find(input.keys, key) != input.keys.end());
    }
    if (!input.text.empty()) io.AddInputCharactersUTF8(input.text.c_str());
}
#else
void Gui::inject(const Input& input) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {input.mouse_x, input.mouse_y};
    std::ranges::copy(input.buttons, io.MouseDown);
    io.MouseWheel += input.wheel;
    io.MouseWheelH += input.wheel_x;
    io.KeyCtrl = holds(input.keys, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    io.KeyShift = holds(input.keys, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    io.KeyAlt = holds(input.keys, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
    for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key)
        io.KeysDown[key] = std::ranges::find(input.keys, key) != input.keys.end();
    if (!input.text.empty()) io.AddInputCharactersUTF8(input.text.c_str());
}
#endif

void Gui::walk_by_keys(bool on) {
    ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
#if !LOCKSTEP_IMGUI_EVENTS
    ImGui::GetIO().KeyMap[ImGuiKey_Space] =
        on ? GLFW_KEY_ENTER : GLFW_KEY_SPACE;  // activates the entry, as in later versions
#endif
    flags = on ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}

void Gui::hide_pointer() {
    ImGuiIO& io = ImGui::GetIO();
    pointer_ = {io.MousePos.x, io.MousePos.y};
#if LOCKSTEP_IMGUI_EVENTS
    io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
#else
    io.MousePos = {-FLT_MAX, -FLT_MAX};
#endif
}

void Gui::begin_frame(const Input& input, bool without_pointer) {
    platform_.begin_frame();
    if (windowed_) {
#if !LOCKSTEP_IMGUI_EVENTS
        drain_keys(platform_.window());
#endif
        ImGui_ImplGlfw_NewFrame();
    } else {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = {static_cast<float>(platform_.width()), static_cast<float>(platform_.height())};
        io.DisplayFramebufferScale = {1, 1};
        io.DeltaTime = input.seconds;
        inject(input);
    }
    if (without_pointer) hide_pointer();
#if !LOCKSTEP_IMGUI_EVENTS
    // Ctrl+Tab is one of our commands, not Dear ImGui's list of windows; KeyFocus handles Tab outside of text fields
    // and popups.
    const bool takes_tab = ImGui::GetIO().WantTextInput || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    ImGui::GetIO().KeyMap[ImGuiKey_Tab] = ImGui::GetIO().KeyCtrl || !takes_tab ? -1 : GLFW_KEY_TAB;
#endif
    ImGui::NewFrame();
    touched_ = has_touched_mouse() || has_touched_keys();
    caret_.update(ImGui::GetTime(), touched_);
    if (windowed_) ImGui::GetIO().ConfigInputTextCursorBlink = caret_.blinks();
}

bool Gui::is_caret_blinking() const { return caret_.blinks() && ImGui::GetIO().WantTextInput; }

void Gui::end_frame() {
    ImGui::Render();
#if LOCKSTEP_IMGUI_EVENTS
    // Backends report the pointer only when it moves.
    if (const auto pointer = std::exchange(pointer_, std::nullopt))
        ImGui::GetIO().AddMousePosEvent((*pointer)[0], (*pointer)[1]);
#endif
    hash_ = hash_of(recorder_->record(*ImGui::GetDrawData(), color::palette().background));
    if (rasterising_) renderer_->draw(recorder_->frame());
}

Image Gui::picture() {
    if (!rasterising_) renderer_->draw(recorder_->frame());
    return renderer_->picture();
}

}  // namespace ui
