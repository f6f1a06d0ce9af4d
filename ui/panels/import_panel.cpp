#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/doctor_model.hpp"
#include "ui/model/panels/import_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/key_list.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace ui {
namespace {

struct Look {
    const char* word;
    ImU32 color;
};

Look look_of(core::Severity severity) {
    switch (severity) {
        case core::Severity::Loss:
            return {"Lost", color::palette().error};
        case core::Severity::Repair:
            return {"Repaired", color::palette().warning};
        case core::Severity::Guess:
            return {"Guessed", color::palette().accent};
        case core::Severity::Note:
            break;
    }
    return {"Note", color::palette().muted};
}

Look look_of(core::DoctorSeverity severity) {
    if (severity == core::DoctorSeverity::Error) return {"Error", color::palette().error};
    if (severity == core::DoctorSeverity::Warning) return {"Warning", color::palette().warning};
    return {"Note", color::palette().muted};
}

std::string ranks_text(const std::vector<core::RankKey>& ranks, std::size_t all) {
    if (ranks.empty()) return "the run as a whole";
    if (ranks.size() == all && all > 1) return "all ranks";
    constexpr std::size_t kMostNamed = 200;
    if (ranks.size() <= kMostNamed) return core::format_ranks(ranks);
    return core::format_ranks(std::span(ranks).first(kMostNamed)) + " and " +
           core::format_plural(ranks.size() - kMostNamed, "other", "others");
}

// Dot, name, state, count and ranks.
void draw_title(std::string_view name, const Look& look, const std::string& count, const std::string& ranks) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = px(8);
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + side / 2, at.y + std::floor(ImGui::GetTextLineHeight() / 2)},
                                                side / 2, look.color);
    ImGui::Indent(px(18));
    heading(name);
    record_item("##kind:" + std::string(name));
    ImGui::SameLine(0, px(12));
    text(look.word, look.color);
    ImGui::SameLine(0, px(12));
    if (!count.empty()) {
        mono_text(count, color::palette().muted);
        ImGui::SameLine(0, px(12));
    }
    fitted_text(ranks, color::palette().muted);
}

void end_entry() {
    ImGui::Unindent(px(18));
    ImGui::Dummy({0, px(6)});
}

void draw_entry(const ImportEntry& entry, std::size_t files) {
    const core::Diagnostic& diagnostic = entry.diagnostic;
    const Look look = look_of(diagnostic.kind->severity);
    draw_title(diagnostic.kind->id, look,
               core::format_count(diagnostic.count) + (diagnostic.count == 1 ? " time" : " times"),
               ranks_text(entry.ranks, files));
    ImGui::PushTextWrapPos(0);
    text(diagnostic.kind->meaning);
    if (!diagnostic.first.empty()) muted_text("First: " + diagnostic.first);
    ImGui::PopTextWrapPos();
    end_entry();
}

nlohmann::json describe_ranks(const std::vector<core::RankKey>& keys) {
    nlohmann::json ranks = nlohmann::json::array();
    for (const core::RankKey rank : keys) ranks.push_back(core::format_rank(rank));
    return ranks;
}

class ImportPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return model_.busy() || !doctor_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_summary(const ImportModel& model);
    void draw_doctor(Frame& frame);
    void draw_finding(const core::DoctorFinding& finding, Frame& frame);
    KeyPress end_item(ImVec2 begin);
    void describe_doctor(nlohmann::json& shown) const;

    KeyList keys_;
    DoctorModel doctor_;
    std::shared_ptr<const Examined> examined_;
    Deferred<WeakKey<core::Run>, ImportModel> model_;
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
    muted_text(line);
    ImGui::Dummy({0, px(4)});
}

// Ends the item of an entry that was drawn from `begin`.
KeyPress ImportPanel::end_item(ImVec2 begin) {
    const float bottom = ImGui::GetCursorScreenPos().y - px(6);
    return keys_.item({begin.x, begin.y - px(3)}, {begin.x + ImGui::GetContentRegionAvail().x, bottom});
}

void ImportPanel::draw_finding(const core::DoctorFinding& finding, Frame& frame) {
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    draw_title(finding.rule->id, look_of(finding.severity), {},
               ranks_text(finding.ranks, examined_->report.rank_stats.files));
    ImGui::PushTextWrapPos(0);
    text(finding.text);
    if (!finding.example.text.empty()) {
        const bool shows = finding.example.event.valid() && doctor_.fresh();
        text("Example: " + finding.example.text, shows ? color::palette().accent : color::palette().muted);
        record_item("##example:" + std::string(finding.rule->id));
        if (shows && ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (shows) tooltip("Show it on the timeline");
        if (shows && ImGui::IsItemClicked()) frame.intents.push_back(SelectEvent{finding.example.event, true});
    }
    muted_text(finding.rule->means);
    muted_text("What to do: " + std::string(finding.what_to_do()));
    ImGui::PopTextWrapPos();
    end_entry();
    if (end_item(begin) != KeyPress::None && finding.example.event.valid() && doctor_.fresh())
        frame.intents.push_back(SelectEvent{finding.example.event, true});
}

void ImportPanel::draw_doctor(Frame& frame) {
    if (!examined_) return muted_text("Examining the run ...");
    const core::DoctorReport& report = examined_->report;
    text((report.findings.empty() ? "All is well: " : "") + report.rank_stats.text());
    record_item("##rank_stats");
    ImGui::Dummy({0, px(6)});
    for (const core::DoctorFinding& finding : report.findings) draw_finding(finding, frame);
}

void draw_nothing_lost() {
    ImGui::PushTextWrapPos(0);
    muted_text("Nothing was left out, repaired or guessed: every record of every file was used as it is.");
    ImGui::PopTextWrapPos();
}

void ImportPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.run();
    shown_ = nullptr;
    examined_ = nullptr;
    if (!run) return empty_state("No run", "Open a folder of traces.");
    shown_ = model_.ask(frame.session.pool(), run, [run] { return ImportModel::of(*run); });
    examined_ = doctor_.ask(frame.session.pool(), run);
    if (!shown_) return;
    keys_.begin("entries-list");
    ImGui::PushTextWrapPos(0);
    draw_doctor(frame);
    draw_summary(*shown_);
    ImGui::PopTextWrapPos();
    if (shown_->entries.empty()) return draw_nothing_lost();
    for (const ImportEntry& entry : shown_->entries) {
        const ImVec2 begin = ImGui::GetCursorScreenPos();
        draw_entry(entry, shown_->files);
        end_item(begin);
    }
}

void ImportPanel::describe_doctor(nlohmann::json& shown) const {
    if (!examined_) return;
    shown["examined"] = doctor_.fresh();
    shown["rank_stats"] = examined_->report.rank_stats.text();
    shown["doctor"] = nlohmann::json::array();
    for (const core::DoctorFinding& finding : examined_->report.findings)
        shown["doctor"].push_back({{"id", finding.rule->id},
                                   {"severity", core::name_of(finding.severity)},
                                   {"count", finding.count},
                                   {"text", finding.text},
                                   {"example", finding.example.text},
                                   {"ranks", describe_ranks(finding.ranks)}});
}

void ImportPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = model_.fresh();
    shown["files"] = shown_->files;
    shown["size_bytes"] = shown_->bytes;
    shown["records"] = shown_->records.total;
    shown["records_dropped"] = shown_->records.dropped;
    describe_doctor(shown);
    const std::size_t entries = shown_->entries.size() + (examined_ ? examined_->report.findings.size() : 0);
    if (keys_.cursor() < entries) shown["cursor"] = keys_.cursor();
    shown["diagnostics"] = nlohmann::json::array();
    for (const ImportEntry& entry : shown_->entries) {
        nlohmann::json ranks = describe_ranks(entry.ranks);
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
