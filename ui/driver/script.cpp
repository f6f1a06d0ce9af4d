#include "ui/driver/script.hpp"

#include "ui/driver/compare_pictures.hpp"
#include "ui/driver/match.hpp"
#include "ui/shell/saving.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using nlohmann::json;

struct Context {
    Driver& driver;
    const ScriptOptions& options;
    std::filesystem::path path(const json& name) const { return options.folder / name.get<std::string>(); }
};

// Runs a verb; exceptions of the JSON library become the step's error.
struct VerbRun {
    std::string_view verb;
    core::Result<bool> (*run)(Context&, const json& step, const json& value);
};

core::Result<bool> with_target(const json& value, auto act) {
    const core::Result<Target> target = read_target(value);
    if (!target) return target.error();
    return act(*target);
}

std::vector<std::filesystem::path> read_paths(Context& context, const json& value) {
    std::vector<std::filesystem::path> paths;
    if (value.is_string()) paths.push_back(context.path(value));
    if (value.is_array())
        for (const json& path : value) paths.push_back(context.path(path));
    return paths;
}

core::Result<bool> run_open(Context& context, const json& step, const json& value) {
    OpenPaths open{read_paths(context, value)};
    if (open.paths.empty()) return core::bad_input("open needs a path or an array of paths");
    if (const auto side = step.find("as"); side != step.end()) {
        if (*side != core::name_of(core::Side::Baseline) && *side != core::name_of(core::Side::Candidate))
            return core::bad_input("as is \"baseline\" or \"candidate\"");
        if (*side == core::name_of(core::Side::Candidate)) open.side = core::Side::Candidate;
    }
    context.driver.window().post(std::move(open));
    context.driver.frames(2);
    return true;
}

core::Result<bool> run_drop(Context& context, const json&, const json& value) {
    DropPaths drop{read_paths(context, value)};
    if (drop.paths.empty()) return core::bad_input("drop needs a path or an array of paths");
    context.driver.window().post(std::move(drop));
    context.driver.frames(3);
    return true;
}

core::Result<bool> run_wait(Context& context, const json& step, const json& value) {
    if (value.is_number_unsigned()) {
        context.driver.frames(value.get<int>());
        return true;
    }
    if (value != "idle") return core::bad_input("wait needs \"idle\" or a count of frames");
    const double seconds = step.value("seconds", 600.0);
    core::Result<bool> idle =
        context.driver.wait_idle(std::chrono::milliseconds(std::llround(std::clamp(seconds, 0.0, 1e6) * 1000)));
    if (idle && !*idle) return core::bad_input("something moves for ever");
    return idle;
}

core::Result<bool> click(Context& context, const json& step, const json& value, int button, int count) {
    const std::string with = step.value("with", "");
    return with_target(value, [&](const Target& target) {
        return context.driver.click(target, {.button = button, .count = count, .with = with});
    });
}
core::Result<bool> run_click(Context& context, const json& step, const json& value) {
    return click(context, step, value, 0, 1);
}
core::Result<bool> run_double_click(Context& context, const json& step, const json& value) {
    return click(context, step, value, 0, 2);
}
core::Result<bool> run_right_click(Context& context, const json& step, const json& value) {
    return click(context, step, value, 1, 1);
}

core::Result<bool> run_hover(Context& context, const json&, const json& value) {
    if (value.is_null()) {
        context.driver.leave();
        return true;
    }
    return with_target(value, [&](const Target& target) { return context.driver.hover(target); });
}

core::Result<bool> run_drag(Context& context, const json& step, const json& value) {
    const core::Result<Target> to = read_target(step.at("to"));
    if (!to) return to.error();
    const std::string with = step.value("with", "");
    const std::string button = step.value("button", "left");
    if (button != "left" && button != "middle") return core::bad_input("drag: button is left or middle, not " + button);
    return with_target(value, [&](const Target& from) {
        return context.driver.drag(from, *to, {.button = button == "left" ? 0 : 2, .count = 1, .with = with},
                                   std::clamp(step.value("steps", 8), 1, 1000));
    });
}

core::Result<bool> run_scroll(Context& context, const json& step, const json& value) {
    const std::string with = step.value("with", "");
    return with_target(value, [&](const Target& target) {
        return context.driver.scroll(target, step.value("by", 0.0f), with, step.value("sideways", 0.0f));
    });
}

core::Result<bool> run_key(Context& context, const json& step, const json& value) {
    return context.driver.key(value.get<std::string>(), std::clamp(step.value("frames", 1), 1, 10'000));
}

core::Result<bool> run_type(Context& context, const json&, const json& value) {
    context.driver.type(value.get<std::string>());
    return true;
}

core::Result<bool> run_panel(Context& context, const json&, const json& value) {
    const std::string id = value.get<std::string>();
    if (!find_panel(id)) return core::bad_input("no panel '" + id + "'");
    context.driver.window().post(ShowPanel{id});
    context.driver.frames(2);
    return true;
}

core::Result<bool> run_resize(Context& context, const json&, const json& value) {
    constexpr int kLeast = 64;
    constexpr int kMost = 16384;
    const auto [width, height] = value.get<std::pair<int, int>>();
    if (std::min(width, height) < kLeast || std::max(width, height) > kMost)
        return core::bad_input("resize needs [WIDTH, HEIGHT] from 64 to 16384");
    return context.driver.resize(width, height);
}

core::Result<bool> wait_idle(Context& context) { return context.driver.wait_idle(); }

core::Result<bool> expect_item(const json& value) {
    if (value.size() > 2 || (value.size() == 2 && !value.contains("exists")))
        return core::bad_input("an item is expected by item and exists, not " + value.dump());
    const std::string path = value.at("item").get<std::string>();
    const core::Result<Item> item = find_item(items().items(), path);
    if (value.value("exists", true)) return item ? core::Result<bool>(true) : core::Result<bool>(item.error());
    return item ? core::Result<bool>(core::bad_input("there is an item '" + item->path + "'"))
                : core::Result<bool>(true);
}

core::Result<bool> run_expect(Context& context, const json&, const json& value) {
    if (core::Result<bool> idle = wait_idle(context); !idle) return idle;
    if (value.contains("item")) return expect_item(value);
    return match_state(context.driver.state(), value);
}

core::Result<bool> run_shot(Context& context, const json&, const json& value) {
    if (core::Result<bool> idle = wait_idle(context); !idle) return idle;
    return context.driver.shot(context.path(value));
}

core::Result<bool> run_compare(Context& context, const json& step, const json& value) {
    if (core::Result<bool> idle = wait_idle(context); !idle) return idle;
    const std::filesystem::path expected = context.path(value);
    const Image actual = context.driver.picture();
    if (context.options.record) return record_picture(actual, expected);
    const core::Result<bool> comparable = is_expected_drawing(expected.parent_path());
    if (!comparable) return comparable.error();
    if (!*comparable) {
        if (context.options.say) context.options.say(expected.filename().string() + " skipped: other fonts");
        return true;
    }
    const PictureTolerance usual;
    return check_picture(actual, expected, {step.value("tolerance", usual.channel), step.value("share", usual.share)});
}

core::Result<bool> run_state(Context& context, const json& step, const json& value) {
    if (core::Result<bool> idle = wait_idle(context); !idle) return idle;
    const json state = context.driver.state(step.value("items", false));
    const core::Result<std::uint64_t> written =
        core::write_whole_file(context.path(value), state.dump(1, ' ', false, json::error_handler_t::replace) + "\n",
                               {.inputs = inputs_of(context.driver.session())});
    if (!written) return written.error();
    return true;
}

// Same order as kScriptVerbs.
constexpr VerbRun kVerbRuns[] = {
    {"open", run_open},
    {"drop", run_drop},
    {"wait", run_wait},
    {"click", run_click},
    {"double_click", run_double_click},
    {"right_click", run_right_click},
    {"hover", run_hover},
    {"drag", run_drag},
    {"scroll", run_scroll},
    {"key", run_key},
    {"type", run_type},
    {"panel", run_panel},
    {"resize", run_resize},
    {"expect", run_expect},
    {"shot", run_shot},
    {"compare", run_compare},
    {"state", run_state},
};
static_assert(std::ranges::equal(kVerbRuns, kScriptVerbs, {}, &VerbRun::verb, &ScriptVerb::name));

core::Result<bool> run_step(Context& context, const ScriptVerb& verb, const json& step) {
    try {
        return kVerbRuns[&verb - kScriptVerbs].run(context, step, step.at(std::string(verb.name)));
    } catch (const json::exception& error) {
        return core::bad_input(error.what());
    }
}

}  // namespace

core::Result<bool> run_script(Driver& driver, const json& steps, const ScriptOptions& options) {
    if (core::Result<bool> checked = check_script(steps); !checked) return checked;
    Context context{driver, options};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const core::Result<const ScriptVerb*> verb = read_verb(steps[i]);
        core::Result<bool> done = run_step(context, **verb, steps[i]);
        if (!done)
            return std::move(done).error().within("step " + std::to_string(i + 1) + " (" + std::string((*verb)->name) +
                                                  ")");
    }
    return true;
}

}  // namespace ui
