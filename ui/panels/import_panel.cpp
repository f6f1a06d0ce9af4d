#include "ui/panels/panels.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include "core/base/format.hpp"

#include <cmath>

namespace ui {
namespace {

struct Look {
    const char* word;
    ImU32 color;
};

Look look_of(core::Severity severity) {
    switch (severity) {
        case core::Severity::Loss:
            return {"Lost", color::kError};
        case core::Severity::Repair:
            return {"Repaired", color::kWarning};
        case core::Severity::Guess:
            return {"Guessed", color::kAccent};
        case core::Severity::Note:
            break;
    }
    return {"Note", color::kMuted};
}

void draw_entry(const core::Diagnostic& entry) {
    const Look look = look_of(entry.kind->severity);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = px(8);
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + side / 2, at.y + std::floor(ImGui::GetTextLineHeight() / 2)},
                                                side / 2, look.color);
    ImGui::Indent(px(18));
    heading(entry.kind->id);
    ImGui::SameLine(0, px(12));
    text(look.word, look.color);
    ImGui::SameLine(0, px(12));
    mono_text(core::format_count(static_cast<std::int64_t>(entry.count)) + (entry.count == 1 ? " time" : " times"),
              color::kMuted);
    record_item("##kind:" + std::string(entry.kind->id));
    ImGui::PushTextWrapPos(0);
    text(entry.kind->meaning);
    if (!entry.first.empty()) muted_text("First: " + entry.first);
    ImGui::PopTextWrapPos();
    ImGui::Unindent(px(18));
    ImGui::Dummy({0, px(6)});
}

class ImportPanel final : public Panel {
public:
    void draw(Frame& frame) override;

private:
    std::uint64_t run_ = 0;
    core::Diagnostics diagnostics_;
};

void ImportPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.session.run();
    if (!run) return empty_state("No run", "Open a folder of traces.");
    if (run->id() != run_) {
        run_ = run->id();
        diagnostics_ = run->all_diagnostics();
    }
    if (diagnostics_.empty())
        return empty_state("Nothing was left out, repaired or guessed",
                           "Every record of every file was taken as it is.");
    for (const core::Diagnostic& entry : diagnostics_.entries()) draw_entry(entry);
}

}  // namespace

std::unique_ptr<Panel> make_import_panel() { return std::make_unique<ImportPanel>(); }

}  // namespace ui
