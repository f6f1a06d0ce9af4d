#pragma once
// A field of several lines for a SQL query, with completions below it: Tab takes the first, a click any. Ctrl+Enter
// runs the query; Escape leaves the field and keeps its text.

#include "core/sql/sql_completion.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace ui {

class SqlEditor {
public:
    // True if the query is to be run.
    bool draw(ImVec2 size);
    const std::string& text() const { return text_; }
    void set_text(std::string text);  // and gives it the keyboard
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
    std::optional<std::size_t> cursor_to_;  // where it goes once the field is active
};

}  // namespace ui
