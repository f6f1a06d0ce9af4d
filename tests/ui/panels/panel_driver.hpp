#pragma once
// One panel without a window: drawn until its answers arrive, clicked by item name. With a
// candidate, a panel that shows both runs.

#include "tests/ui/driver/headless.hpp"
#include "ui/model/intent_value.hpp"
#include "ui/style/items.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <thread>
#include <variant>

namespace ui::testing {

class PanelDriver {
public:
    PanelDriver(std::string_view panel_id, const core::RunPtr& run, ImVec2 size = {900, 400},
                const core::RunPtr& candidate = nullptr)
        : size_(size) {
        const PanelType* type = find_panel(panel_id);
        REQUIRE(type);
        panel_ = type->make();
        items().enabled = true;
        if (run) session.set_run(run);
        store.record(session);
        if (run) show_run(store, session);
        if (candidate) session.set_run(candidate, core::Side::Candidate);
        store.record(session);
        if (candidate) show_run(store, session, core::Side::Candidate);
        wait_idle();
    }
    ~PanelDriver() { items().enabled = false; }
    PanelDriver(const PanelDriver&) = delete;
    PanelDriver& operator=(const PanelDriver&) = delete;

    void frame() {
        items().begin_frame();
        gui_.draw(*panel_, session, store, ephemera, size_);
        intents_.insert(intents_.end(), gui_.intents.begin(), gui_.intents.end());
        candidate_intents_.insert(candidate_intents_.end(), gui_.candidate_intents.begin(),
                                  gui_.candidate_intents.end());
    }
    // Draws until no work is pending.
    void wait_idle() {
        for (int i = 0; i < 4; ++i) frame();
        for (int i = 0; i < 20'000 && (session.results().running() > 0 || panel_->busy()); ++i) {
            frame();
            std::this_thread::yield();
        }
        for (int i = 0; i < 3; ++i) frame();
        items().begin_frame();
    }
    const Item* find(std::string_view name) const { return items().find(name); }
    void click(std::string_view name, bool ctrl = false) { press(name, ctrl, 1); }
    void double_click(std::string_view name) { press(name, false, 2); }
    void drag(std::string_view from, std::string_view to) {
        const Item* end = items().find(to);
        REQUIRE(end);
        drag(from, middle_of(*end));
    }
    void drag(std::string_view from, ImVec2 to) {
        const Item* item = items().find(from);
        REQUIRE(item);
        const ImVec2 start = middle_of(*item);
        begin_click(start, false);
        gui_.point_at(start, true);
        frame();
        for (const float share : {0.3f, 0.7f, 1.0f}) {
            gui_.point_at({start.x + share * (to.x - start.x), start.y + share * (to.y - start.y)}, true);
            frame();
        }
        gui_.point_at(to, false);
        frame();
        end_click();
    }

    nlohmann::json shown() const {
        nlohmann::json json;
        panel_->describe(json);
        return json;
    }
    // The last intent of a type since the last click, or nullptr.
    template <class T>
    const T* last(core::Side side = core::Side::Baseline) const {
        const T* found = nullptr;
        for (const Intent& intent : side == core::Side::Baseline ? intents_ : candidate_intents_)
            if (const T* is = intent.find<T>()) found = is;
        return found;
    }

    const UiChoices& choices() const { return store.choices(); }
    template <class Change>
    void choose(const Change& change) {  // as a session file would
        UiChoices changed = store.choices();
        change(changed);
        store.apply(SetChoices{std::move(changed)}, {.session = session});
    }

    const View& view() const { return store.view(core::Side::Baseline); }
    template <class Change>
    void change_view(const Change& change) {
        testing::change_view(store, session, core::Side::Baseline, change);
    }

    core::Session session{2};
    DocumentStore store;
    Ephemera ephemera;

private:
    // Scrolls to the item if needed.
    const Item& in_view(std::string_view name) {
        const Item* item = items().find(name);
        REQUIRE(item);
        if (!item->visible) {
            items().bring_into_view = item->path;
            for (int i = 0; i < 3; ++i) frame();
            items().bring_into_view.clear();
            items().begin_frame();
            item = items().find(name);
            REQUIRE(item);
        }
        REQUIRE(item->visible);
        return *item;
    }
    static ImVec2 middle_of(const Item& item) { return {(item.min.x + item.max.x) / 2, (item.min.y + item.max.y) / 2}; }
    void begin_click(ImVec2 at, bool ctrl) {
        ImGui::GetIO().DeltaTime = 1;   // long enough that no earlier click makes this a double click
        intents_.clear();
        candidate_intents_.clear();
        gui_.point_at(at, false, ctrl);
        frame();
        frame();
        ImGui::GetIO().DeltaTime = 1.0f / 60;
    }
    void end_click() {
        wait_idle();
        gui_.point_at({-1e6f, -1e6f}, false);
        wait_idle();
    }
    void press(std::string_view name, bool ctrl, int times) {
        const std::string wanted(name);
        CAPTURE(wanted);
        const ImVec2 middle = middle_of(in_view(name));
        begin_click(middle, ctrl);
        for (int i = 0; i < times; ++i) {
            gui_.point_at(middle, true, ctrl);
            frame();
            gui_.point_at(middle, false, ctrl);
            frame();
        }
        end_click();
    }

    Headless gui_;
    ImVec2 size_;
    std::unique_ptr<Panel> panel_;
    std::vector<Intent> intents_;
    std::vector<Intent> candidate_intents_;
};

}  // namespace ui::testing
