#pragma once
// The window of a page: runs the main window without a display, sends its frames to the page that
// the PageLink has, and gives it the page's input. Main thread only; one at a time.

#include "app/view_options.hpp"
#include "app/web/page_link.hpp"
#include "ui/driver/wake_signal.hpp"
#include "ui/platform/input_queue.hpp"
#include "ui/remote/flow_control.hpp"
#include "ui/remote/page_stream.hpp"
#include "ui/shell/main_window.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace app::web {

struct WebOptions {
    ViewOptions view;
    std::chrono::seconds idle{0};  // ends without a page for so long; 0: never
};

class WebWindow {
public:
    WebWindow(const WebOptions&, PageLink&, ui::WakeSignal&);
    ~WebWindow();

    void run(const std::stop_token&);  // until stopped, idle for too long, or the window is closed

private:
    using Clock = std::chrono::steady_clock;
    class Renderer;
    struct Page;  // the page that is there

    void set_up(const ViewOptions&);
    void wait_for_work();
    void take_arrivals();
    void begin_page(std::uint64_t number, const ui::remote::PageBegin&);
    void take_message(const std::string&);
    void take_input(std::string_view body);
    void resize(const ui::remote::PageSize&);
    void paste(std::string_view text);
    void draw_frame();
    void send_frame();
    void encode_frame();
    void send_texts();
    void send_saved();
    void send_file(const std::filesystem::path&);
    ui::Image ask_for_picture();
    bool has_idled() const;

    WebOptions options_;
    PageLink& link_;
    ui::WakeSignal& wake_;
    std::unique_ptr<ui::Platform> platform_;
    std::unique_ptr<core::Session> session_;
    std::unique_ptr<ui::MainWindow> main_;
    std::optional<ui::Place> place_;  // to go to once the run is read
    std::unique_ptr<Page> page_;
    ui::InputQueue queue_;
    ui::Input input_;
    ui::FrameReport last_;
    int settling_ = 0;
    bool begun_ = false;  // a page has come
    Clock::time_point drawn_;        // when the last frame was
    Clock::time_point alone_since_;  // without a page
    std::string clipboard_;
    std::filesystem::path outbox_;  // of files that the page downloads; empty: there is none
    std::string notice_;            // the last one
    std::stop_token stop_;
    std::optional<ui::Image> picture_;  // that the page has sent
};

}  // namespace app::web
