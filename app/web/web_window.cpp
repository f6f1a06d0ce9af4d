#include "app/web/web_window.hpp"

#include "app/console.hpp"
#include "core/base/platform/files.hpp"
#include "ui/commands/key_map.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace app::web {
namespace {

constexpr int kSettlingFrames = 3;  // popups and hovers settle within two frames
constexpr std::chrono::milliseconds kBusyTime{66};
constexpr std::chrono::milliseconds kWatchTime{500};
constexpr std::chrono::milliseconds kLongestSleep{60'000};
constexpr std::chrono::milliseconds kLeastIdle{10'000};
constexpr std::chrono::milliseconds kFrameTime{12};  // between frames that no input asked for
constexpr ui::remote::PageSize kFirstSize{.width = 1600, .height = 1000, .ratio = 1};
constexpr std::chrono::seconds kPictureTime{20};
constexpr std::size_t kMostFileBytes = std::size_t{32} << 20;
constexpr double kMostEventsASecond = 1'000;
constexpr double kMostEventsAtOnce = 4'000;

ui::remote::PageCursor cursor_now() {
    using ui::remote::PageCursor;
    switch (ImGui::GetMouseCursor()) {
        case ImGuiMouseCursor_TextInput:
            return PageCursor::Text;
        case ImGuiMouseCursor_ResizeAll:
            return PageCursor::Move;
        case ImGuiMouseCursor_ResizeNS:
            return PageCursor::SizeNs;
        case ImGuiMouseCursor_ResizeEW:
            return PageCursor::SizeEw;
        case ImGuiMouseCursor_ResizeNESW:
            return PageCursor::SizeNesw;
        case ImGuiMouseCursor_ResizeNWSE:
            return PageCursor::SizeNwse;
        case ImGuiMouseCursor_Hand:
            return PageCursor::Hand;
        case ImGuiMouseCursor_NotAllowed:
            return PageCursor::Forbidden;
        case ImGuiMouseCursor_None:
            return PageCursor::None;
        default:
            return PageCursor::Arrow;
    }
}

// A name that no system takes for more than one.
std::string to_plain(std::string name) {
    for (char& c : name) {
        const bool known = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                           c == '-' || c == '_' || c == ' ';
        if (!known) c = '_';
    }
    if (name.empty() || name.front() == '.') name.insert(0, "lockstep");
    return name;
}

}  // namespace

// Frames are read from the window after they were drawn: see send_frame().
class WebWindow::Renderer final : public ui::Renderer {
public:
    explicit Renderer(WebWindow& window) : window_(window) {}
    void draw(const ui::FrameDrawing&) override {}
    ui::Image picture() override { return window_.ask_for_picture(); }

private:
    WebWindow& window_;
};

struct WebWindow::Page {
    std::uint64_t number = 0;
    bool mac = false;
    ui::remote::PageStream stream;
    ui::remote::FlowControl flow;
    std::uint64_t frames = 0;  // sent
    std::uint64_t input = 0;   // number of the newest one
    bool waits = true;         // for a frame
    ui::remote::PageCursor cursor = ui::remote::PageCursor::Arrow;
    bool typing = false;
    bool busy = false;
    std::string title;
    double events_left = kMostEventsAtOnce;
    Clock::time_point events_counted = Clock::now();
};

WebWindow::WebWindow(const WebOptions& options, PageLink& link, ui::WakeSignal& wake)
    : options_(options), link_(link), wake_(wake), drawn_(Clock::now()), alone_since_(Clock::now()) {
    platform_ = ui::Platform::open_undrawn(kFirstSize.width, kFirstSize.height);
    const ViewOptions& view = options.view;
    session_ = std::make_unique<core::Session>(view.loading.threads, [&wake] { wake.raise(); });
    session_->set_index_files(view.loading.index_files);
    session_->set_step_marks(view.loading.step_marks);
    session_->set_page_budget(view.page_budget);
    main_ = std::make_unique<ui::MainWindow>(*platform_, *session_, 1.0f, std::make_unique<Renderer>(*this));
    set_up(view);
}

WebWindow::~WebWindow() {
    main_.reset();
    session_.reset();
    std::error_code ignored;
    if (!outbox_.empty()) std::filesystem::remove_all(outbox_, ignored);
}

void WebWindow::set_up(const ViewOptions& view) {
    place_ = view.place;
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (!error) outbox_ = core::create_private_folder(parent, "lockstep-web-");
    if (!outbox_.empty()) main_->set_outbox(outbox_);
    if (!view.loading.writes_nothing) main_->set_settings_folder(ui::settings_file().parent_path());
    std::string problems;
    for (const std::string& problem : ui::read_settings(ui::settings_file(), ui::key_map()))
        problems += (problems.empty() ? "" : "; ") + problem;
    if (!problems.empty()) main_->tell({problems, true});
    post_runs(*main_, view);
    if (!view.filter.empty()) main_->post(ui::SetFilter{view.filter});
    if (view.theme) main_->post(ui::SetTheme{*view.theme});
    if (!view.panel.empty()) main_->post(ui::ShowPanel{view.panel});
    settling_ = kSettlingFrames;
}

bool WebWindow::has_idled() const {
    return options_.idle.count() > 0 && !page_ && Clock::now() - alone_since_ > options_.idle;
}

void WebWindow::run(const std::stop_token& stop) {
    stop_ = stop;
    const std::stop_callback woken(stop, [this] { wake_.raise(); });
    draw_frame();  // begins to read the run
    while (!stop.stop_requested() && !last_.quit && !has_idled()) {
        wait_for_work();
        if (stop.stop_requested()) return;
        take_arrivals();
        if (begun_) draw_frame();
    }
}

// The first frame with a run chooses heights of rows by the size of the window, so it waits for the first page.
// Asleep it uses no processor. Frames without new input are spaced, as a screen would.
void WebWindow::wait_for_work() {
    using std::chrono::milliseconds;
    if (!queue_.empty() || link_.has_arrivals()) return;
    if (!begun_) return wake_.wait(options_.idle.count() > 0 ? kLeastIdle : kLongestSleep);
    if (settling_ > 0) {
        const auto since = std::chrono::duration_cast<milliseconds>(Clock::now() - drawn_);
        if (since < kFrameTime) wake_.wait(kFrameTime - since);
        return;
    }
    wake_.wait(last_.busy() ? kBusyTime : session_->watched() != nullptr ? kWatchTime : kLongestSleep);
    settling_ = last_.busy() ? 1 : kSettlingFrames;
}

void WebWindow::take_arrivals() {
    const PageLink::Arrivals arrivals = link_.take();
    if (arrivals.left && page_) {
        page_.reset();
        queue_.clear();
        queue_.push({.kind = ui::InputKind::Blur});
        alone_since_ = Clock::now();
    }
    if (arrivals.begun) begin_page(arrivals.page, *arrivals.begun);
    for (const std::string& message : arrivals.messages) take_message(message);
}

void WebWindow::begin_page(std::uint64_t number, const ui::remote::PageBegin& begin) {
    page_ = std::make_unique<Page>();
    begun_ = true;
    page_->number = number;
    page_->mac = begin.mac;
    queue_.clear();
    queue_.push({.kind = ui::InputKind::Blur});
    resize(begin.size);
    link_.send(number, page_->stream.hello("Lockstep " LOCKSTEP_VERSION));
}

void WebWindow::take_message(const std::string& message) {
    if (!page_) return;
    const std::optional<ui::remote::PageRequest> request = ui::remote::decode_request(message);
    if (!request) return link_.close(EndCode::Misused, "The page sent a damaged message.");
    switch (request->kind) {
        case ui::remote::RequestKind::Input:
            return take_input(request->body);
        case ui::remote::RequestKind::Drawn:
            return page_->flow.note_drawn(request->frame, Clock::now());
        case ui::remote::RequestKind::Paste:
            return paste(request->body);
        case ui::remote::RequestKind::Picture:
            picture_ = ui::remote::decode_picture(request->body, platform_->width(), platform_->height());
            return;
        case ui::remote::RequestKind::Begin:
            return;
    }
}

void WebWindow::take_input(std::string_view body) {
    const std::optional<ui::remote::PageInput> input = ui::remote::decode_input(body, page_->mac);
    if (!input) return link_.close(EndCode::Misused, "The page sent damaged input.");
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - std::exchange(page_->events_counted, now)).count();
    page_->events_left = std::min(kMostEventsAtOnce, page_->events_left + elapsed * kMostEventsASecond) -
                         static_cast<double>(input->events.size());
    if (page_->events_left < 0) return link_.close(EndCode::Misused, "The page sent too many events.");
    page_->input = input->number;
    if (input->size) resize(*input->size);
    for (const ui::InputEvent& event : input->events) queue_.push(event);
}

void WebWindow::resize(const ui::remote::PageSize& size) {
    if (const core::Result<bool> resized = platform_->resize(size.width, size.height); !resized)
        return main_->tell({resized.error().message, true});
    main_->set_scale(options_.view.scale > 0 ? options_.view.scale : size.ratio);
    settling_ = kSettlingFrames;
    page_->waits = true;
}

// The key that inserts it comes as input.
void WebWindow::paste(std::string_view text) {
    clipboard_ = text;
    ImGui::SetClipboardText(clipboard_.c_str());
}

void WebWindow::draw_frame() {
    const std::vector<ui::InputEvent> events = queue_.take_frame();
    ui::apply_events(events, input_);
    const Clock::time_point now = Clock::now();
    input_.seconds = std::max(1e-4f, std::chrono::duration<float>(now - std::exchange(drawn_, now)).count());
    const core::RunLoad* load = session_->load();
    const bool read = load && load->finished();  // this frame consumes the rest
    last_ = main_->frame(input_);
    if (place_ && read && session_->run()) {
        if (const core::Result<bool> went = main_->go_to(*std::exchange(place_, std::nullopt)); !went)
            main_->tell({core::Error(went.error()).within("--goto").message, true});
        settling_ = kSettlingFrames;
    }
    --settling_;
    if (last_.changed && !last_.busy()) settling_ = std::max(settling_, 1);
    if (last_.touched || !queue_.empty()) settling_ = kSettlingFrames;
    if (!page_) return;
    page_->waits |= last_.changed || last_.touched;
    send_frame();
    send_texts();
    send_saved();
}

void WebWindow::send_frame() {
    Page& page = *page_;
    const auto cursor = cursor_now();
    page.waits |= cursor != page.cursor || last_.typing != page.typing || last_.busy() != page.busy;
    if (page.waits && page.flow.may_send()) encode_frame();
}

void WebWindow::encode_frame() {
    Page& page = *page_;
    const auto cursor = cursor_now();
    page.waits = false;
    page.cursor = cursor;
    page.typing = last_.typing;
    page.busy = last_.busy();
    std::string bytes = page.stream.frame(
        {.number = ++page.frames, .input = page.input, .cursor = cursor, .typing = page.typing, .busy = page.busy},
        main_->frame_drawing());
    page.flow.note_sent(page.frames, bytes.size(), Clock::now());
    link_.send(page.number, std::move(bytes));
}

void WebWindow::send_texts() {
    Page& page = *page_;
    if (std::string title = main_->title(); title != page.title) {
        page.title = std::move(title);
        link_.send(page.number, page.stream.text(ui::remote::StreamKind::Title, page.title));
    }
    const char* const copied = ImGui::GetClipboardText();
    if (copied == nullptr || clipboard_ == copied) return;
    clipboard_ = copied;
    if (clipboard_.size() > ui::remote::kMostPasteBytes) return main_->tell({"too long for the clipboard", true});
    link_.send(page.number, page.stream.text(ui::remote::StreamKind::Clipboard, clipboard_));
}

// Once the window tells of a file, it is whole.
void WebWindow::send_saved() {
    if (main_->notice().words == notice_) return;
    notice_ = main_->notice().words;
    if (outbox_.empty() || main_->notice().is_error) return;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(outbox_, error)) {
        if (!entry.is_regular_file(error)) continue;
        send_file(entry.path());
        std::filesystem::remove(entry.path(), error);
    }
}

void WebWindow::send_file(const std::filesystem::path& file) {
    constexpr std::size_t kPiece = 65'536;
    std::error_code error;
    if (const std::uintmax_t bytes = std::filesystem::file_size(file, error); error || bytes > kMostFileBytes)
        return main_->tell({file.filename().string() + " is too large for a download", true});
    std::ifstream in(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string name = to_plain(file.filename().string());
    std::string_view left = content;
    do {
        const std::string_view piece = left.substr(0, kPiece);
        left.remove_prefix(piece.size());
        link_.send(page_->number, page_->stream.file(name, piece, left.size()));
    } while (!left.empty());
    main_->tell({"Sent to the browser: " + name, false});
    notice_ = main_->notice().words;
    settling_ = kSettlingFrames;
}

// Sends the frame, then waits for its pixels: only the page can draw it.
ui::Image WebWindow::ask_for_picture() {
    if (!page_) return {};
    const std::uint64_t number = page_->number;
    page_->waits = true;
    encode_frame();
    picture_.reset();
    link_.send(number, page_->stream.picture_wanted(platform_->width(), platform_->height()));
    const Clock::time_point end = Clock::now() + kPictureTime;
    while (!picture_ && page_ && page_->number == number && Clock::now() < end && !stop_.stop_requested()) {
        wake_.wait(std::chrono::milliseconds(100));
        take_arrivals();
    }
    return picture_ ? *std::exchange(picture_, std::nullopt) : ui::Image{};
}

}  // namespace app::web
