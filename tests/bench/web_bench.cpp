// Bytes and time of frames as messages to a page: the window is worked off screen, without drawing,
// and each frame is encoded and deflated on one stream. bytes: median and p95 of the frames of an
// action that changed; encode_ms: median of encoding and deflating.
//   bench_web_bench [--open PATH] [--width W] [--height H] [--scale S] [--frames F] [--json FILE]
// Without --open: the bundled sample.

#include "core/sample/sample_run.hpp"
#include "ui/driver/driver.hpp"
#include "ui/remote/deflate_stream.hpp"
#include "ui/remote/frame_encoder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Options {
    std::string open;
    std::string json;
    int width = 1920;
    int height = 1080;
    float scale = 1;
    int frames = 60;
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string key = argv[i];
        if (key == "--open") options.open = argv[i + 1];
        if (key == "--json") options.json = argv[i + 1];
        if (key == "--width") options.width = std::atoi(argv[i + 1]);
        if (key == "--height") options.height = std::atoi(argv[i + 1]);
        if (key == "--scale") options.scale = std::strtof(argv[i + 1], nullptr);
        if (key == "--frames") options.frames = std::atoi(argv[i + 1]);
    }
    return options;
}

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double at_share(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// One page that watches the window.
class Page {
public:
    explicit Page(ui::Driver& driver, nlohmann::json& rows) : driver_(driver), rows_(rows) {}

    void measure(const std::string& what, int frames, const std::function<void(int)>& act) {
        std::vector<double> bytes, raw, encode;
        for (int i = 0; i < frames; ++i) {
            act(i);
            if (!driver_.frame().changed && i > 0) continue;
            const double began = now_ms();
            const std::string message = encoder_.encode(driver_.window().frame_drawing());
            const std::string packed = packer_.add(message);
            encode.push_back(now_ms() - began);
            bytes.push_back(static_cast<double>(packed.size()));
            raw.push_back(static_cast<double>(message.size()));
        }
        std::printf("%-26s %4zu frames  %8.0f bytes  p95 %8.0f  undeflated %8.0f  encode %.2f ms\n", what.c_str(),
                    bytes.size(), at_share(bytes, 0.5), at_share(bytes, 0.95), at_share(raw, 0.5),
                    at_share(encode, 0.5));
        rows_.push_back({{"what", what},
                         {"frames", bytes.size()},
                         {"bytes", at_share(bytes, 0.5)},
                         {"p95", at_share(bytes, 0.95)},
                         {"encode_ms", at_share(encode, 0.5)}});
    }

private:
    ui::Driver& driver_;
    nlohmann::json& rows_;
    ui::remote::FrameEncoder encoder_;
    ui::remote::DeflateStream packer_;
};

void change_view(ui::Driver& driver, const std::function<void(ui::TimeView&)>& change) {
    ui::TimeView view = driver.window().view().time;
    change(view);
    driver.window().post(ui::MoveView{.time = view, .whole = driver.window().view().whole});
}

void measure_all(ui::Driver& driver, const Options& options, nlohmann::json& rows) {
    const auto settle = [&] {
        if (!driver.wait_idle()) std::abort();
    };
    Page page(driver, rows);
    const auto width = static_cast<float>(options.width);
    const auto height = static_cast<float>(options.height);
    page.measure("join", 1, [](int) {});
    for (const double part : {1.0, 20.0}) {
        change_view(driver, [&](ui::TimeView& view) { view.zoom(part * 1.5, static_cast<double>(view.width_px) / 2); });
        settle();
        page.measure("catch up", 1, [](int) {});
        const std::string where = part > 1 ? ", zoomed 20 times" : "";
        for (const double px : {4.0, 17.0})  // there and back, so that no pan ends at the border of the run
            page.measure("pan " + std::to_string(static_cast<int>(px)) + " px" + where, options.frames, [&](int i) {
                change_view(driver, [&](ui::TimeView& view) { view.pan(i < options.frames / 2 ? px : -px); });
            });
        page.measure("zoom 0.2 notch" + where, options.frames, [&](int i) {
            change_view(driver, [&](ui::TimeView& view) {
                view.zoom(i % 40 < 20 ? 1.03 : 1 / 1.03, static_cast<double>(view.width_px) / 3);
            });
        });
    }
    page.measure("hover", options.frames, [&](int i) {
        driver.input().mouse_x = width * 0.2f + static_cast<float>(i) * 11;
        driver.input().mouse_y = height * 0.3f + static_cast<float>(i % 20) * 5;
    });
    driver.leave();
    settle();
    page.measure("catch up", 1, [](int) {});
    for (const char* const panel : {"kernels", "communication", "overview", "steps"}) {
        driver.window().post(ui::ShowPanel{panel});
        settle();
        page.measure(std::string("panel ") + panel, 1, [](int) {});
    }
    driver.window().post(ui::ShowPanel{"kernels"});
    settle();
    page.measure("catch up", 1, [](int) {});
    if (!driver.click("top/filter")) std::abort();
    settle();
    page.measure("catch up", 1, [](int) {});
    const std::string typed = "rank:0-3 name:gemm";
    page.measure("type in the filter", static_cast<int>(typed.size()),
                 [&](int i) { driver.input().text = typed.substr(static_cast<std::size_t>(i), 1); });
    driver.input().text.clear();
    settle();
    page.measure("filter applied", 1, [](int) {});
    page.measure("at rest", 20, [](int) {});
}

}  // namespace

int main(int argc, char** argv) {
    Options options = read_options(argc, argv);
    std::filesystem::path written;
    if (options.open.empty()) {
        written = std::filesystem::temp_directory_path() / ("lockstep-web-bench-" + std::to_string(now_ms()));
        if (!core::write_sample_run(written, {}, {})) return 1;
        options.open = written.string();
    }
    nlohmann::json rows = nlohmann::json::array();
    {
        auto driver = ui::Driver::open({.width = options.width, .height = options.height, .scale = options.scale});
        if (!driver) return 1;
        (*driver)->window().post(ui::OpenPaths{{options.open}});
        if (!(*driver)->wait_idle()) return 1;
        measure_all(**driver, options, rows);
    }
    if (!options.json.empty()) std::ofstream(options.json) << rows.dump(1) << '\n';
    std::error_code ignored;
    if (!written.empty()) std::filesystem::remove_all(written, ignored);
    return 0;
}
