#include "ui/panels/panels.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/import_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
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

std::string ranks_text(const std::vector<core::RankKey>& ranks, std::size_t all) {
    if (ranks.empty()) return "the run as a whole";
    if (ranks.size() == all && all > 1) return "all ranks";
    constexpr std::size_t kMost = 12;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i)
        text.append(i > 0 ? ", " : "").append(core::format_rank(ranks[i]));
    return ranks.size() > kMost ? text + " and " + std::to_string(ranks.size() - kMost) + " more" : text;
}

void draw_entry(const ImportEntry& entry, std::size_t files) {
    const core::Diagnostic& diagnostic = entry.diagnostic;
    const Look look = look_of(diagnostic.kind->severity);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = px(8);
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + side / 2, at.y + std::floor(ImGui::GetTextLineHeight() / 2)},
                                                side / 2, look.color);
    ImGui::Indent(px(18));
    heading(diagnostic.kind->id);
    record_item("##kind:" + std::string(diagnostic.kind->id));
    ImGui::SameLine(0, px(12));
    text(look.word, look.color);
    ImGui::SameLine(0, px(12));
    mono_text(core::format_count(diagnostic.count) + (diagnostic.count == 1 ? " time" : " times"), color::kMuted);
    ImGui::SameLine(0, px(12));
    fitted_text(ranks_text(entry.ranks, files), color::kMuted);
    ImGui::PushTextWrapPos(0);
    text(diagnostic.kind->meaning);
    if (!diagnostic.first.empty()) muted_text("First: " + diagnostic.first);
    ImGui::PopTextWrapPos();
    ImGui::Unindent(px(18));
    ImGui::Dummy({0, px(6)});
}

class ImportPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !model_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_summary(const ImportModel& model);

    Derived<core::RunPtr, ImportModel> model_;
    std::shared_ptr<const ImportModel> shown_;
};

void ImportPanel::draw_summary(const ImportModel& model) {
    std::string line = core::format_count(model.files) + (model.files == 1 ? " file, " : " files, ");
    line += core::format_bytes(static_cast<std::int64_t>(model.bytes));
    line += "  \xC2\xB7  " + core::format_count(model.records.total) + " records, " +
            core::format_count(model.records.dropped) + " dropped";
    for (const core::Severity severity :
         {core::Severity::Loss, core::Severity::Repair, core::Severity::Guess, core::Severity::Note})
        if (const std::size_t kinds = model.kinds[static_cast<std::size_t>(severity)]; kinds > 0)
            line += "  \xC2\xB7  " + std::string(look_of(severity).word) + ": " + core::format_count(kinds);
    fitted_text(line, color::kMuted);
    ImGui::Dummy({0, px(4)});
}

void ImportPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.run();
    shown_ = nullptr;
    if (!run) return empty_state("No run", "Open a folder of traces.");
    shown_ = model_.ask(frame.session.pool(), run, [run] { return ImportModel::of(*run); });
    if (!shown_) return;
    draw_summary(*shown_);
    if (shown_->entries.empty())
        return empty_state("Nothing was left out, repaired or guessed",
                           "Every record of every file was taken as it is.");
    for (const ImportEntry& entry : shown_->entries) draw_entry(entry, shown_->files);
}

void ImportPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = model_.fresh();
    shown["files"] = shown_->files;
    shown["size_bytes"] = shown_->bytes;
    shown["records"] = shown_->records.total;
    shown["records_dropped"] = shown_->records.dropped;
    shown["diagnostics"] = nlohmann::json::array();
    for (const ImportEntry& entry : shown_->entries) {
        nlohmann::json ranks = nlohmann::json::array();
        for (const core::RankKey rank : entry.ranks) ranks.push_back(core::format_rank(rank));
        shown["diagnostics"].push_back({{"kind", entry.diagnostic.kind->id},
                                        {"severity", core::name_of(entry.diagnostic.kind->severity)},
                                        {"count", entry.diagnostic.count},
                                        {"first", entry.diagnostic.first},
                                        {"ranks", std::move(ranks)}});
    }
}

}  // namespace

std::unique_ptr<Panel> make_import_panel() { return std::make_unique<ImportPanel>(); }

}  // namespace ui
