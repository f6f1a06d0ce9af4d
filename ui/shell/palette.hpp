#pragma once
// A box in the middle of the window: every command by a part of its name, or where one can go (time, step, rank,
// stream) by what is typed; Enter takes the chosen row, arrows choose. Or the sheet of all keys.

#include "ui/model/deferred.hpp"
#include "ui/model/go_to.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/weak_key.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ui {

class Palette {
public:
    // frame: the window's, for commands. active: of the run one goes in. open: opens it in this mode.
    void draw(Frame& frame, Frame& active, std::optional<PaletteMode> open);
    bool busy() const { return shown_ && mode_ == PaletteMode::GoTo && found_.busy(); }

private:
    struct Key {
        WeakKey<core::Run> run;
        core::RunRange view;
        std::string text;
        bool operator==(const Key&) const = default;
    };
    struct Row {
        std::string title;
        std::string note;
        std::vector<Intent> window;  // for the window
        std::vector<Intent> view;    // for the run's own view
        std::string_view group;      // of a command; named beside its first row
    };
    std::vector<Row> rows_of_commands(const Frame&) const;
    void add_timeline_keys(std::vector<Row>& rows, std::vector<Row>& others) const;
    std::vector<Row> rows_of_places(Frame&);
    void draw_list(Frame& frame, Frame& active);
    void draw_rows(const std::vector<Row>& rows, float width, bool no_run);

    PaletteMode mode_ = PaletteMode::Commands;
    std::string text_;
    std::size_t chosen_ = 0;
    bool take_ = false;   // the chosen row, once it is known
    bool close_ = false;
    bool focus_ = false;  // on the text again
    bool shown_ = false;
    Deferred<Key, std::vector<Destination>> found_;
    core::RunRange view_{};  // when it was opened
};

}  // namespace ui
