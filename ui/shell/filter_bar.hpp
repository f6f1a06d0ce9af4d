#pragma once
// The filter as text, with completion from what the run has, and a chip for each kind of choice beside it. Follows
// the session while it is not being edited; Enter commits what can be read, Escape takes the edit back.

#include "core/query/filter_completion.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"

#include <imgui.h>

#include <optional>
#include <string>

namespace ui {

class FilterBar {
public:
    // At the cursor; the text takes what the chips leave of the width.
    void draw(Frame&, bool take_focus, float width);
    bool busy() const { return derived_.busy(); }
    float least_width() const;  // below it, the bar wants a line of its own
    void describe(nlohmann::json& shown) const;

private:
    struct Edit {  // to be made inside the text field, which owns its text while it is active
        std::size_t begin;
        std::size_t end;
        std::string text;
    };
    void draw_text_field(Frame&, float width);
    void draw_error(ImVec2 below) const;
    void draw_completions(ImVec2 below, float width);
    void commit(Frame&);
    void accept(const core::Completion&);
    void walk(int rows);
    int on_text_event(ImGuiInputTextCallbackData&);
    const core::FilterVocabulary& vocabulary(Frame&);

    std::string text_;
    std::string error_;
    std::size_t cursor_ = 0;
    bool active_ = false;
    bool refocus_ = false;
    std::optional<Edit> edit_;
    core::Completions completions_;
    std::optional<std::size_t> picked_;  // by the arrow keys
    bool listed_ = false;
    Deferred<std::uint64_t, core::FilterVocabulary> derived_;
    std::shared_ptr<const core::FilterVocabulary> vocabulary_;
};

}  // namespace ui
