#pragma once
// The timeline alone in a hidden window, with keys, mouse and pixels.

#include "tests/ui/driver/headless.hpp"
#include "ui/commands/commands.hpp"
#include "ui/model/intent_value.hpp"
#include "ui/model/intents/document_store.hpp"
#include "ui/platform/gui.hpp"
#include "ui/style/items.hpp"
#include "ui/style/theme.hpp"
#include "ui/timeline/parts/timeline.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ui::testing {

class Bench {
public:
    static constexpr int kWidth = 800;
    static constexpr int kHeight = 320;

    explicit Bench(const core::RunPtr& run) : platform_(open()), gui_(*platform_) {
        build_fonts(1);
        timeline_ = std::make_unique<Timeline>();
        items().enabled = true;
        session_.set_run(run);
        store_.record(session_);
        change_view([&](View& view) {
            view.time.fit(run->window());
            view.whole = view.time;
        });
        frames(2);
    }
    ~Bench() { items().enabled = false; }

    void frames(int count = 1) {
        for (int i = 0; i < count; ++i) {
            intents_.clear();
            gui_.begin_frame(input);
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({kWidth, kHeight});
            ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
            ImGui::Begin("bench", nullptr,
                         ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove);
            ImGui::PopStyleVar();
            Frame frame{session_, session_.results(), store_.document(), ephemera_, intents_};
            timeline_->draw(frame, ephemera_.sides.baseline, ephemera_.asked.baseline, {kWidth, kHeight});
            collect_pressed(store_.choices(), false, intents_);
            ImGui::End();
            items().begin_frame();  // publishes recorded items
            gui_.end_frame();
            picture_ = platform_->read_pixels();
            platform_->present();
            const Applied applied = apply(intents_, session_, store_, ephemera_);
            if (applied.reveal.valid()) timeline_->reveal(applied.reveal);
            all_intents_.insert(all_intents_.end(), intents_.begin(), intents_.end());
            input.wheel = 0;
        }
    }
    const Item& item(std::string_view path) const {
        const Item* found = items().find(path);
        REQUIRE(found != nullptr);
        return *found;
    }
    std::uint32_t pixel(int x, int y) const {
        const std::uint8_t* p = &picture_.rgba[static_cast<std::size_t>(y * kWidth + x) * 4];
        return IM_COL32(p[0], p[1], p[2], 255);
    }
    void point_at(float x, float y) {
        input.mouse_x = x;
        input.mouse_y = y;
        frames(2);
    }
    void click() {
        input.buttons[0] = true;
        frames();
        input.buttons[0] = false;
        frames();
    }
    void press(std::vector<int> keys) {  // a key, or modifiers and a key
        input.keys = std::move(keys);
        frames();
        input.keys.clear();
        frames();
    }
    void press(int key) { press(std::vector<int>{key}); }
    void type(const std::string& text) {
        input.text = text;
        frames();
        input.text.clear();
        settle();
    }
    void settle() {  // until no background work is pending
        frames(2);
        for (int i = 0; i < 1000 && timeline_->busy(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            frames();
        }
        frames(2);
    }
    nlohmann::json described() const {
        nlohmann::json shown;
        timeline_->describe(shown);
        return shown;
    }
    template <class T>
    const T* last_intent() const {
        for (auto i = all_intents_.rbegin(); i != all_intents_.rend(); ++i) {
            if (const T* found = i->find<T>()) return found;
        }
        return nullptr;
    }

    Input input;
    const View& view() const { return store_.view(core::Side::Baseline); }
    template <class Change>
    void change_view(const Change& change) {
        testing::change_view(store_, session_, core::Side::Baseline, change);
    }
    Ephemera& ephemera() { return ephemera_; }
    const SideEphemera& ephemeral() const { return ephemera_.sides.baseline; }
    const UiChoices& choices() const { return store_.choices(); }
    DocumentStore& store() { return store_; }
    template <class Change>
    void choose(const Change& change) {  // as a session file would
        UiChoices changed = store_.choices();
        change(changed);
        store_.apply(SetChoices{std::move(changed)}, {.session = session_});
    }
    Timeline& timeline() { return *timeline_; }
    core::Session& session() { return session_; }

private:
    static std::unique_ptr<Platform> open() {
        auto platform = Platform::open_offscreen(kWidth, kHeight);
        REQUIRE(platform.has_value());
        return std::move(platform).value();
    }
    std::unique_ptr<Platform> platform_;
    Gui gui_;
    core::Session session_{1};
    DocumentStore store_;
    Ephemera ephemera_;
    std::unique_ptr<Timeline> timeline_;
    std::vector<Intent> intents_;
    std::vector<Intent> all_intents_;
    Image picture_;
};

}  // namespace ui::testing
