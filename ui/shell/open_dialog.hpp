#pragma once
// The Open dialog: a path to type (Tab completes it, arrows walk the list, Enter opens), what was opened before, and a
// browser that lists folders and files named like traces. A folder is one run; several chosen files are one run too.
// Listing is done on the pool.

#include "core/session/folder_listing.hpp"
#include "core/session/recent_runs.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"

#include <imgui.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

class OpenDialog {
public:
    // open_for: opens now, for a run of that side.
    void draw(Frame&, const core::RecentRuns&, std::optional<core::Side> open_for);
    bool busy() const { return shown_ && listing_.busy(); }

private:
    void start(const core::RecentRuns&);
    void collect_rows();
    void draw_path(Frame&, float width);
    int on_text_event(ImGuiInputTextCallbackData&);
    void complete(ImGuiInputTextCallbackData&) const;
    void enter(Frame&);
    void read_path();
    void draw_recent(Frame&, const core::RecentRuns&, ImVec2 size);
    void draw_entries(Frame&, ImVec2 size);
    void draw_entry(Frame&, std::size_t row, float width);
    void draw_buttons(Frame&);
    void browse(const std::filesystem::path& folder);
    void open(Frame&, std::vector<std::filesystem::path> paths);

    std::string text_;  // the path field
    std::filesystem::path folder_;  // listed
    std::string part_;  // of names that are shown, typed behind the folder
    std::string read_;  // what folder_ and part_ were read from
    std::vector<const core::FolderEntry*> rows_;  // of listed_, that fit
    std::optional<std::size_t> walked_;  // the row that the arrows are on
    bool focus_ = false;  // gives the field the keyboard, the cursor at its end
    bool to_end_ = false;
    bool scroll_ = false;  // to the walked row
    std::set<std::string> chosen_;  // files of the folder
    Deferred<std::filesystem::path, core::FolderListing> listing_;
    std::shared_ptr<const core::FolderListing> listed_;
    core::Side side_ = core::Side::Baseline;
    bool shown_ = false;
    bool close_ = false;
};

// List of recently opened runs: name and folder. Returns the paths that were clicked, or null.
const core::RecentRuns::Paths* draw_recent_runs(const core::RecentRuns&, float width, std::size_t most);
inline constexpr std::size_t kMostPairs = 3;
// The same of pairs: "baseline | candidate".
const core::BySide<core::RecentRuns::Paths>* draw_recent_pairs(const core::RecentRuns&, float width, std::size_t most);
void open_pair(Frame&, const core::BySide<core::RecentRuns::Paths>&);

}  // namespace ui
