#pragma once
// What is open is written to a file of this process whenever it has changed, so that it survives a crash; a start that
// ends in order takes the file away. One thread.

#include "ui/shell/main_window.hpp"

#include <filesystem>
#include <string>

namespace app {

class UnsavedWork {
public:
    // folder: of the user's state; empty: nothing is kept.
    explicit UnsavedWork(const std::filesystem::path& folder);
    // Once per frame.
    void update(const ui::MainWindow&, const ui::FrameReport&);
    void end();  // in order

private:
    std::filesystem::path file_;
    std::string written_;
};

// The newest session that a process which is gone of this machine has left in the folder;
// what is older than a month is removed. Empty: none.
std::filesystem::path find_left_behind(const std::filesystem::path& folder);

// Sizes, panels and switches of the last start; for a window that has nothing open yet.
void read_last_layout(const std::filesystem::path& file, ui::UiChoices&);
void write_last_layout(const std::filesystem::path& file, const ui::UiChoices&);

}  // namespace app
