// lockstep shot: draws the window off screen until nothing changes or, with a script, operates it step by step.

#include "app/console.hpp"
#include "app/view_run.hpp"
#include "core/base/output_file.hpp"
#include "core/ingest/load/discover.hpp"
#include "ui/driver/script.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdlib>

namespace app {
namespace {

constexpr int kLeastSide = 64;
constexpr int kMostSide = 16384;

constexpr Option kShotOptions[] = {
    {"--out", "FILE", "the picture to write (PNG)", "-o"},
    {"--size", "WxH", "in pixels (1920x1080)"},
    {"--script", "FILE", "steps to take before the picture, as JSON (see HACKING.md); makes -o optional"},
};

struct Shot {
    ViewOptions view;
    std::filesystem::path script;  // empty: none
    std::filesystem::path file;    // empty: no picture
    std::vector<std::filesystem::path> read_files{};  // besides the runs
    ViewSize size{};
};

core::Result<std::pair<int, int>> read_size(const std::string& text) {
    int width = 0;
    int height = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    const bool parted = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
    const auto second = parted ? std::from_chars(first.ptr + 1, end, height) : first;
    const bool whole = parted && second.ec == std::errc{} && second.ptr == end;
    if (!whole || std::min(width, height) < kLeastSide || std::max(width, height) > kMostSide)
        return core::bad_input("--size: '" + text + "' is not WIDTHxHEIGHT with sides from 64 to 16384");
    return std::pair{width, height};
}

core::Result<Shot> read_shot(const Options& options) {
    Shot shot;
    shot.script = options.last("--script");
    shot.file = options.last("--out");
    if (shot.file.empty() && shot.script.empty()) return core::bad_input("needs -o OUT.png");
    core::Result<std::pair<int, int>> size = read_size(options.last("--size", "1920x1080"));
    if (!size) return std::move(size).error();
    std::tie(shot.size.width, shot.size.height) = *size;
    core::Result<ViewOptions> view = read_view_options(options);
    if (!view) return std::move(view).error();
    shot.view = std::move(view).value();
    shot.read_files = find_read_files(options);
    shot.read_files.push_back(shot.script);
    return shot;
}

core::Result<bool> run_steps(ui::Driver& driver, const std::filesystem::path& file, const nlohmann::json& steps) {
    ui::ScriptOptions options;
    options.record = std::getenv("LOCKSTEP_RECORD") != nullptr;
    options.say = [](const std::string& text) { say(text); };
    core::Result<bool> done = ui::run_script(driver, steps, options);
    if (!done) return std::move(done).error().within(file.string());
    return driver.wait_idle();
}

core::Result<bool> take(const Shot& shot, const std::stop_token& stop) {
    nlohmann::json steps = nlohmann::json::array();
    if (!shot.script.empty()) {
        core::Result<nlohmann::json> script = ui::read_script(shot.script);
        if (!script) return std::move(script).error();
        steps = std::move(script).value();
    }
    if (!shot.file.empty()) {
        std::vector<std::filesystem::path> paths = shot.view.paths;
        paths.insert(paths.end(), shot.view.candidate.begin(), shot.view.candidate.end());
        const core::InputFiles inputs = core::run_inputs(std::move(paths), shot.read_files);
        if (core::Result<bool> writable = core::check_output(shot.file, {.inputs = inputs}); !writable) return writable;
    }
    const core::Result<std::unique_ptr<ui::Driver>> driver = view_run(shot.view, shot.size, stop);
    if (!driver) return driver.error();
    if (core::Result<bool> done = run_steps(**driver, shot.script, steps); !done) return done;
    return shot.file.empty() ? core::Result<bool>(true) : (*driver)->shot(shot.file);
}

}  // namespace

int run_shot(Arguments args) {
    const std::vector<Option> known =
        join_options({kShotOptions, view_options(), filter_options(), loading_options(), clock_options()});
    return run_command("shot", known, args, read_shot, [](const Shot& shot) {
        const Interrupt interrupt;
        const core::Result<bool> taken = take(shot, interrupt.token());
        return taken ? kDone : report_failure(taken.error());
    });
}

}  // namespace app
