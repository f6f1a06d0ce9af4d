#include "app/unsaved_work.hpp"

#include "core/base/output_file.hpp"
#include "core/base/platform/processes.hpp"
#include "core/base/small_json.hpp"

#include <nlohmann/json.hpp>

#include <cctype>
#include <charconv>
#include <chrono>
#include <optional>

namespace app {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "unsaved-";
constexpr auto kLongestKept = std::chrono::hours(24 * 31);
constexpr std::uint64_t kMostLayoutBytes = std::uint64_t{1} << 20;

// Host name within file names, because several machines may share a home folder.
std::string host_in_names() {
    const std::string name = core::host_name();
    if (name.empty()) return "host";
    std::string host;
    for (const char c : name) host += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return host;
}

std::string prefix() { return std::string(kPrefix) + host_in_names() + "-"; }

// The process of this machine that wrote the file; absent for files of other machines.
std::optional<int> process_of(const fs::path& file) {
    const std::string name = file.stem().string();
    if (file.extension() != ui::kSessionExtension || !name.starts_with(prefix())) return std::nullopt;
    int process = 0;
    const char* const end = name.data() + name.size();
    const auto [stopped, error] = std::from_chars(name.data() + prefix().size(), end, process);
    if (error != std::errc() || stopped != end || process <= 0) return std::nullopt;
    return process;
}

// Our own pid means an earlier process: this one hasn't written yet.
bool is_alive(int process) { return process != core::own_process() && core::is_running(process); }

// Ignores errors: they would repeat in every frame.
bool write_state(const fs::path& file, std::string_view text) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    return core::write_whole_file(file, text, {.sync = false}).has_value();
}

}  // namespace

UnsavedWork::UnsavedWork(const fs::path& folder) {
    if (folder.empty()) return;
    file_ = folder / prefix().append(std::to_string(core::own_process())).append(ui::kSessionExtension);
}

void UnsavedWork::update(const ui::MainWindow& main, const ui::FrameReport& report) {
    if (file_.empty() || !report.is_idle()) return;
    std::string text = main.session_text();
    if (text == written_ || text.empty()) return;
    write_state(file_, text);
    written_ = std::move(text);
}

void UnsavedWork::end() {
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
}

fs::path find_left_behind(const fs::path& folder) {
    fs::path newest;
    fs::file_time_type newest_time{};
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::optional<int> process = process_of(entry.path());
        if (!process || is_alive(*process)) continue;
        const fs::file_time_type written = entry.last_write_time(error);
        if (error) continue;
        if (fs::file_time_type::clock::now() - written > kLongestKept) {
            fs::remove(entry.path(), error);
        } else if (newest.empty() || written > newest_time) {
            newest = entry.path();
            newest_time = written;
        }
    }
    return newest;
}

ui::UiChoices read_last_layout(const fs::path& file) {
    ui::UiChoices choices;
    if (file.empty()) return choices;
    if (const core::Result<nlohmann::json> layout = core::read_small_json(file, {.bytes = kMostLayoutBytes}))
        ui::read_layout(*layout, choices);
    return choices;
}

void write_last_layout(const fs::path& file, const ui::UiChoices& choices) {
    if (!file.empty()) write_state(file, ui::write_layout(choices).dump(1) + "\n");
}

}  // namespace app
