#pragma once
// Random input: moves, clicks, drags, wheel, keys, text, panels, runs and sizes from one seed.
// Checks the window's invariants after each action. Frames are laid out in full but not drawn.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/commands/commands.hpp"
#include "ui/model/intent_value.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <span>

namespace ui::testing {

// LOCKSTEP_MONKEY_STEPS and LOCKSTEP_MONKEY_SEED in the environment: longer runs, or a repeated one.
inline std::uint64_t monkey_number(const char* variable, std::uint64_t usual) {
    const char* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : usual;
}

// Folder for files that the monkey saves.
struct WorkingFolder {
    explicit WorkingFolder(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
    ~WorkingFolder() { std::filesystem::current_path(before); }
    WorkingFolder(const WorkingFolder&) = delete;
    WorkingFolder& operator=(const WorkingFolder&) = delete;
    std::filesystem::path before = std::filesystem::current_path();
};

class Monkey {
public:
    using Paths = std::vector<std::filesystem::path>;

    // runs: those it may open.
    Monkey(std::uint64_t seed, std::vector<Paths> runs) : random_(seed), runs_(std::move(runs)) {
        auto opened = Driver::open({});
        REQUIRE_MESSAGE(opened, "no window off screen");
        driver_ = std::move(opened).value();
    }

    void open(std::size_t run, core::Side side) {
        driver_->window().post(OpenPaths{runs_.at(run), side});
        did(driver_->wait_idle());
    }

    Driver& driver() { return *driver_; }

    // Kinds of the intents that it posts or that a command is: home and place in it.
    std::set<std::pair<std::size_t, std::size_t>> collect_posted() {
        std::set<std::pair<std::size_t, std::size_t>> kinds;
        const auto add = [&](const Intent& intent) {
            std::visit([&](const auto& home) { kinds.emplace(intent.value().home.index(), home.index()); },
                       intent.value().home);
        };
        for (const Post post : posts()) add(post(*this));
        for (const Command& command : all_commands()) add(command.intent(driver_->window().document().choices));
        return kinds;
    }

    void act(std::uint64_t steps) {
        for (std::uint64_t i = 0; i < steps; ++i) {
            const std::string what = act_once();
            INFO("action " << i << ": " << what);
            if (i % 16 == 15) calm_down();
            check(what);
        }
        calm_down();
    }

private:
    std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
    bool one_in(std::size_t count) { return below(count) == 0; }
    template <class Range>
    const auto& any_of(const Range& range) {
        return range[below(std::size(range))];
    }

    void run_frames(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) driver_->frame();
    }

    void move_anywhere() {
        Input& input = driver_->input();
        const std::vector<Item>& known = items().items();
        if (!known.empty() && !one_in(3)) {
            const Item& item = any_of(known);
            input.mouse_x = (item.min.x + item.max.x) / 2;
            input.mouse_y = (item.min.y + item.max.y) / 2;
        } else {
            input.mouse_x = static_cast<float>(below(static_cast<std::size_t>(driver_->platform().width()) + 40)) - 20;
            input.mouse_y = static_cast<float>(below(static_cast<std::size_t>(driver_->platform().height()) + 40)) - 20;
        }
        run_frames(2);
    }

    std::vector<int> any_modifiers() {
        static const std::vector<int> kChoices[] = {{},
                                                    {},
                                                    {},
                                                    {GLFW_KEY_LEFT_CONTROL},
                                                    {GLFW_KEY_LEFT_SHIFT},
                                                    {GLFW_KEY_LEFT_CONTROL, GLFW_KEY_LEFT_SHIFT},
                                                    {GLFW_KEY_LEFT_ALT}};
        return any_of(kChoices);
    }

    std::string click() {
        move_anywhere();
        Input& input = driver_->input();
        input.keys = any_modifiers();
        bool& button = input.buttons.at(one_in(3) ? below(3) : 0);
        for (std::size_t i = 0, count = one_in(4) ? 2 : 1; i < count; ++i) {
            button = true;
            driver_->frame();
            button = false;
            driver_->frame();
        }
        return "click";
    }

    std::string drag() {
        move_anywhere();
        Input& input = driver_->input();
        input.keys = any_modifiers();
        bool& button = input.buttons.at(one_in(3) ? below(3) : 0);
        button = true;
        driver_->frame();
        for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) move_anywhere();
        if (one_in(4)) press_any_key();  // with the button down
        button = false;
        driver_->frame();
        return "drag";
    }

    std::string roll() {
        if (one_in(2)) move_anywhere();
        Input& input = driver_->input();
        input.keys = any_modifiers();
        for (std::size_t i = 0, count = 1 + below(6); i < count; ++i) {
            input.wheel = static_cast<float>(below(7)) - 3;
            input.wheel_x = one_in(3) ? static_cast<float>(below(7)) - 3 : 0;
            driver_->frame();
        }
        return "wheel";
    }

    std::string press_any_key() {
        static const int kOthers[] = {GLFW_KEY_W,
                                      GLFW_KEY_A,
                                      GLFW_KEY_S,
                                      GLFW_KEY_D,
                                      GLFW_KEY_F,
                                      GLFW_KEY_R,
                                      GLFW_KEY_Z,
                                      GLFW_KEY_ENTER,
                                      GLFW_KEY_ESCAPE,
                                      GLFW_KEY_TAB,
                                      GLFW_KEY_LEFT,
                                      GLFW_KEY_RIGHT,
                                      GLFW_KEY_UP,
                                      GLFW_KEY_DOWN,
                                      GLFW_KEY_COMMA,
                                      GLFW_KEY_PERIOD,
                                      GLFW_KEY_DELETE,
                                      GLFW_KEY_END,
                                      GLFW_KEY_LEFT_BRACKET,
                                      GLFW_KEY_RIGHT_BRACKET};
        Input& input = driver_->input();
        std::string said;
        if (one_in(2)) {
            const Command& command = any_of(all_commands());
            if (command.chord.key != 0) input.keys.push_back(command.chord.key);
            if (command.chord.ctrl) input.keys.push_back(GLFW_KEY_LEFT_CONTROL);
            if (command.chord.shift) input.keys.push_back(GLFW_KEY_LEFT_SHIFT);
            said = command.id;
        } else {
            input.keys = any_modifiers();
            input.keys.push_back(any_of(kOthers));
            said = "key " + std::to_string(input.keys.back());
        }
        run_frames(1 + below(one_in(5) ? 12 : 2));
        input.keys.clear();
        driver_->frame();
        return said;
    }

    std::string type() {
        static const char* const kTexts[] = {"rank:0",
                                             "rank:0-3,8 ",
                                             "step:complete ",
                                             "class:communication ",
                                             "name:/^nccl.*(/",
                                             "time:+1.5ms..+2ms ",
                                             "-name:gemm ",
                                             "\"",
                                             "aten",
                                             "1.2345s",
                                             "rank 3",
                                             "step 1",
                                             "\xE2\x80\xA6\xF0\x9F\x98\x80",
                                             "99999999999999999999s",
                                             "dur:>10us ",
                                             "%s%n",
                                             "x"};
        driver_->input().text = any_of(kTexts);
        run_frames(2);
        return "text";
    }

    using Post = Intent (*)(Monkey&);

    // Posts intents of menus, dialogs and dropped files that have several values to choose from.
    static std::span<const Post> posts() {
        static constexpr Post kPosts[] = {
            [](Monkey& m) -> Intent {
                return OpenPaths{m.any_of(m.runs_), core::Side::Baseline};
            },
            [](Monkey& m) -> Intent {
                return OpenPaths{m.any_of(m.runs_), core::Side::Candidate};
            },
            [](Monkey& m) -> Intent { return CloseRun{m.one_in(3) ? core::Side::Baseline : core::Side::Candidate}; },
            [](Monkey&) -> Intent { return SwapRuns{}; },
            [](Monkey& m) -> Intent { return DropPaths{m.any_of(m.runs_)}; },
            [](Monkey&) -> Intent { return CancelLoad{}; },
            [](Monkey& m) -> Intent { return CutGaps{m.one_in(2)}; },
            [](Monkey& m) -> Intent {
                return PlaceIndexFiles{m.one_in(2), static_cast<std::int64_t>(m.below(3))};
            },
            [](Monkey& m) -> Intent { return SetWheel{m.one_in(2)}; },
            [](Monkey& m) -> Intent {
                return CompareInside{static_cast<InsideKind>(m.below(4)), {}, {}};
            },
            [](Monkey& m) -> Intent { return ShowAnalysis{std::string(m.any_of(core::all_analyses()).id)}; },
            [](Monkey& m) -> Intent { return ShowCommunication{m.any_view()}; },
            [](Monkey& m) -> Intent { return WalkGaps{m.one_in(2) ? 1 : -1}; },
            [](Monkey& m) -> Intent { return ShowPanelAt{m.below(12)}; },
            [](Monkey& m) -> Intent { return KeepIndexFiles{m.one_in(2)}; },
            [](Monkey&) -> Intent { return AskForSettings{}; },
            [](Monkey&) -> Intent { return OpenSample{}; },
            [](Monkey&) -> Intent { return Say{"said"}; },
            [](Monkey& m) -> Intent { return PressKey{std::string(m.any_of(all_commands()).id)}; },
            [](Monkey& m) -> Intent {
                return SetDeviceNumber{m.any_device(), m.one_in(2) ? "bf16" : "link", m.any_number()};
            },
            [](Monkey& m) -> Intent {
                return SetLimit{m.one_in(9) ? "none.such" : std::string(m.any_of(core::limit_rows()).id),
                                m.any_number()};
            },
            [](Monkey& m) -> Intent { return ShowPanel{std::string(m.any_of(all_panels()).id)}; },
        };
        return kPosts;
    }

    std::string any_view() {
        static constexpr std::string_view kViews[] = {"waiting", "bandwidth", "matrix", "arrivals", "none-such"};
        return std::string(any_of(kViews));
    }
    std::string any_device() {
        const core::RunPtr& run = driver_->session().run();
        return run && !run->ranks().empty() && !one_in(4) ? core::device_name_of(*run, 0, core::kNoEvent) : "any";
    }
    std::optional<double> any_number() {
        static constexpr std::optional<double> kNumbers[] = {std::nullopt, 0.0, 0.25, 100.0, -1.0, 1e300};
        return any_of(kNumbers);
    }

    std::string post_anything() {
        driver_->window().post((one_in(4) ? posts().back() : any_of(posts()))(*this));
        run_frames(1 + below(3));
        return "post";
    }

    std::string run_command() {
        const Command& command = any_of(all_commands());
        driver_->window().post(command.intent(driver_->window().document().choices));
        run_frames(2);
        return std::string(command.id);
    }

    std::string resize() {
        static const std::pair<int, int> kSizes[] = {{640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160},
                                                     {320, 200}, {97, 61},    {1, 1},       {2000, 150}};
        const auto& [width, height] = any_of(kSizes);
        did(driver_->resize(width, height));
        if (one_in(3)) driver_->window().set_scale(any_of(std::initializer_list<float>{1.0f, 1.5f, 2.0f}.begin(), 3));
        run_frames(2);
        return "resize";
    }
    template <class T>
    const T& any_of(const T* first, std::size_t count) {
        return first[below(count)];
    }

    std::string act_once() {
        const std::size_t kind = below(100);
        if (kind < 28) return click();
        if (kind < 44) return drag();
        if (kind < 56) return roll();
        if (kind < 78) return press_any_key();
        if (kind < 84) return type();
        if (kind < 92) return run_command();
        if (kind < 97) return post_anything();
        return resize();
    }

    // Ends everything that moves, and leaves the file browser.
    void calm_down() {
        Input& input = driver_->input();
        input.keys = {GLFW_KEY_ESCAPE};
        driver_->frame();
        input.keys.clear();
        input.buttons = {};
        driver_->window().post(CancelLoad{});
        // Returns to a state with something to do.
        if (!driver_->session().run() && !one_in(4)) driver_->window().post(OpenPaths{runs_.front()});
        if (!driver_->session().filter().empty() && one_in(2)) driver_->window().post(SetFilter{});
        if (driver_->platform().height() < 400 && !one_in(4)) did(driver_->resize(1280, 720));
        const core::Result<bool> calm = driver_->wait_idle(std::chrono::seconds(30));
        INFO((calm ? std::string() : calm.error().message));
        INFO((calm && *calm ? std::string() : driver_->state().dump(1)));
        REQUIRE(calm.has_value());
        REQUIRE_MESSAGE(*calm, "something moves without any work");
    }

    void check_side(core::Side side) {
        const View& view = driver_->window().view(side);
        const core::RunPtr& run = driver_->session().run(side);
        REQUIRE(std::isfinite(view.time.px_per_ns));
        REQUIRE(view.time.px_per_ns >= 0);
        if (!run) return;
        REQUIRE(view.time.range().begin <= view.time.range().end);
        if (!view.selected.valid()) return;
        REQUIRE(view.selected.slot < run->ranks().size());
        REQUIRE(core::index_of(view.selected.event) < run->rank(view.selected.slot).trace().size());
    }

    void check(const std::string& what) {
        INFO(what);
        driver_->frame();  // the last frame may have opened, swapped or restored a run
        for (const core::Side side : core::kSides) check_side(side);
        const UiChoices& choices = driver_->window().document().choices;
        REQUIRE(find_panel(choices.left_tab));
        REQUIRE(find_panel(choices.right_tab));
        REQUIRE(choices.drawer_share > 0);
        REQUIRE(choices.drawer_share < 1);
        const core::Filter& filter = driver_->session().filter();
        const core::Result<core::Filter> again = core::parse_filter(core::format_filter(filter));
        REQUIRE_MESSAGE(again.has_value(), core::format_filter(filter));
        REQUIRE(*again == filter);
        if (one_in(20)) REQUIRE(driver_->state(true).is_object());
    }

    std::mt19937_64 random_;
    std::vector<Paths> runs_;
    std::unique_ptr<Driver> driver_;
};

}  // namespace ui::testing
