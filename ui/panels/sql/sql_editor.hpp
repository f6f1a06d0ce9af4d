#pragma once
// A multi-line field for a SQL query, with completions below it: Tab inserts the first, a click
// any. Ctrl+Enter runs the query; Escape leaves the field and keeps its text.

#include "core/sql/sql_completion.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace ui {

class SqlEditor {
public:
    // True if the query should run.
    bool draw(ImVec2 size);
    const std::string& text() const { return text_; }
    void set_text(std::string text);  // and focuses the field
    void describe(nlohmann::json& shown) const;

private:
    static int on_event(ImGuiInputTextCallbackData* data);
    void draw_completions();
    void accept(const core::SqlCompletion& completion);

    std::string text_ = "select name, count(*), sum(dur)\nfrom kernels\ngroup by name\norder by 3 desc limit 20";
    std::size_t cursor_ = 0;
    core::SqlCompletions completions_;
    bool active_ = false;
    bool refocus_ = false;
    std::optional<std::size_t> cursor_to_;  // cursor position to set once the field is active
};

}  // namespace ui
