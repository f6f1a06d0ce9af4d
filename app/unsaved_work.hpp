#pragma once
// Writes the open session to a per-process file on every change, so it survives a crash; a normal
// exit removes the file. Not thread-safe.

#include "ui/shell/main_window.hpp"

#include <filesystem>
#include <string>

namespace app {

class UnsavedWork {
public:
    // folder: the user's state folder; empty: writes nothing.
    explicit UnsavedWork(const std::filesystem::path& folder);
    // Call once per frame.
    void update(const ui::MainWindow&, const ui::FrameReport&);
    void end();  // normal exit

private:
    std::filesystem::path file_;
    std::string written_;
};

// The newest session left by a dead process of this machine; empty if there is none. Removes files older than a month.
std::filesystem::path find_left_behind(const std::filesystem::path& folder);

// Reads sizes, panels and switches of the last session, for a window without a run.
ui::UiChoices read_last_layout(const std::filesystem::path& file);
void write_last_layout(const std::filesystem::path& file, const ui::UiChoices&);

}  // namespace app
