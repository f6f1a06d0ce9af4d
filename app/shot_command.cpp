// lockstep shot: the window's own frame, drawn off screen until nothing changes any more.

#include "app/console.hpp"
#include "app/view_options.hpp"
#include "ui/main_window.hpp"

#include <charconv>
#include <condition_variable>
#include <mutex>

namespace app {
namespace {

constexpr int kLeastSide = 64;
constexpr int kMostSide = 16384;
constexpr int kEqualFrames = 2;
constexpr int kMostIdleFrames = 600;  // something moves for ever: the picture is taken anyway
constexpr auto kLongestNap = std::chrono::milliseconds(50);

constexpr Option kShotOptions[] = {
    {"--out", "FILE", "the picture to write (PNG)", "-o"},
    {"--size", "WxH", "in pixels; 1920x1080 if not given"},
    {"--script", "FILE", "steps to take before the picture (not there yet)"},
};

struct Shot {
    ViewOptions view;
    std::filesystem::path file;
    int width = 1920;
    int height = 1080;
};

core::Error wrong(std::string message) { return {core::ErrorCode::BadInput, std::move(message)}; }

core::Result<std::pair<int, int>> read_size(const std::string& text) {
    int width = 0;
    int height = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    const bool parted = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
    const auto second = parted ? std::from_chars(first.ptr + 1, end, height) : first;
    const bool whole = parted && second.ec == std::errc{} && second.ptr == end;
    if (!whole || std::min(width, height) < kLeastSide || std::max(width, height) > kMostSide)
        return wrong("--size: '" + text + "' is not WIDTHxHEIGHT with sides from 64 to 16384");
    return std::pair{width, height};
}

core::Result<Shot> read_shot(const Options& options) {
    Shot shot;
    if (options.has("--script")) return wrong("--script is not there yet");
    shot.file = options.last("--out");
    if (shot.file.empty()) return wrong("needs -o OUT.png");
    core::Result<std::pair<int, int>> size = read_size(options.last("--size", "1920x1080"));
    if (!size) return std::move(size).error();
    std::tie(shot.width, shot.height) = *size;
    core::Result<ViewOptions> view = read_view_options(options);
    if (!view) return std::move(view).error();
    shot.view = std::move(view).value();
    return shot;
}

// Worker threads ring it; the drawing thread naps until they do.
class Bell {
public:
    void ring() {
        {
            const std::lock_guard lock(mutex_);
            rung_ = true;
        }
        wake_.notify_one();
    }
    void nap() {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, kLongestNap, [this] { return rung_; });
        rung_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable wake_;
    bool rung_ = false;
};

core::Result<bool> draw_until_settled(ui::Platform& platform, ui::MainWindow& main, Bell& bell,
                                      const std::stop_token& stop) {
    int idle = 0;
    for (int equal = 0; equal < kEqualFrames;) {
        if (stop.stop_requested()) return core::Error{core::ErrorCode::Cancelled, "stopped"};
        const ui::FrameReport report = main.frame();
        equal = report.settled() ? equal + 1 : 0;
        idle = report.busy ? 0 : idle + 1;
        if (equal == kEqualFrames || idle > kMostIdleFrames) break;  // not presented: its pixels are read
        platform.present();
        if (report.busy) bell.nap();
    }
    return true;
}

int take(const Shot& shot) {
    const Interrupt interrupt;
    core::Result<std::unique_ptr<ui::Platform>> platform = ui::Platform::open_offscreen(shot.width, shot.height);
    if (!platform) return report_failure(platform.error());
    Bell bell;
    core::Session session(shot.view.threads, [&bell] { bell.ring(); });
    ui::MainWindow main(**platform, session, shot.view.scale > 0 ? shot.view.scale : 1.0f);
    if (!shot.view.paths.empty()) main.post(ui::OpenPaths{shot.view.paths});
    if (!shot.view.filter.empty()) main.post(ui::SetFilter{shot.view.filter});
    if (!shot.view.panel.empty()) main.post(ui::ShowPanel{shot.view.panel});
    const core::Result<bool> drawn = draw_until_settled(**platform, main, bell, interrupt.token());
    if (!drawn) return report_failure(drawn.error());
    if (session.load() && !session.run()) return report_failure({core::ErrorCode::NotFound, session.load()->error()});
    const core::Result<bool> written = ui::write_png(shot.file, (*platform)->read_pixels());
    return written ? kDone : report_failure(written.error());
}

}  // namespace

int run_shot(Arguments args) {
    const std::vector<Option> known = join_options({kShotOptions, view_options(), filter_options(), loading_options()});
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage("shot", options.error().message);
    if (options->has("--help")) return write_output(format_help(*find_command("shot"), known), {});
    const core::Result<Shot> shot = read_shot(*options);
    if (!shot) return refuse_usage("shot", shot.error().message);
    return take(*shot);
}

}  // namespace app
