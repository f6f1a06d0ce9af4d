#pragma once
// Asks where a session, a picture of the window or of a chart, or a report is to go. Main thread only.

#include "ui/model/panel.hpp"

#include <optional>
#include <string>

namespace ui {

class SaveDialog {
public:
    // Asks for names alone: see Saving::set_outbox.
    void ask_for_names() { names_ = true; }
    // ask: open it for this kind of file.
    void draw(Frame& frame, std::optional<SaveKind> ask);

private:
    SaveKind kind_ = SaveKind::Session;
    std::string path_;
    bool focus_ = false;
    bool names_ = false;
};

// In the folder it was started in, named after the run: "run.lockstep".
std::filesystem::path usual_file(SaveKind kind, const std::string& run_name);

}  // namespace ui
