#pragma once
// Writes files and text out of the window, and reads sessions: a session is written at once, a picture after the next
// frame (without the dialog), a report on the pool with that picture in it; the text of a table is made on the pool and
// reaches the clipboard some frames later. Main thread only.

#include "core/export/csv.hpp"
#include "core/export/report/gather_report.hpp"
#include "ui/model/intent.hpp"
#include "ui/model/intents/document_store.hpp"
#include "ui/model/session/saved_session.hpp"
#include "ui/platform/gui.hpp"
#include "ui/widgets/chart_export.hpp"

#include <optional>
#include <string>

namespace ui {

// A sentence about the outcome of the last file.
struct Notice {
    std::string words;
    bool is_error = false;
    bool operator==(const Notice&) const = default;
};

class Saving {
public:
    // Opens the runs it names; what it says of them is restored when they have been read.
    void open_session(const std::filesystem::path& file, core::Session&, DocumentStore&, Ephemera&);
    // Once per frame, before it is drawn. True when something was restored just now.
    bool restore(core::Session&, DocumentStore&);
    void save(const SaveFile&, const core::Session&, const Document&);
    // Null: there is no table. One text at a time: the later one counts.
    void copy(const core::Session&, const std::optional<TableSource>&);
    void copy_chart();
    // Files go into this folder under their names alone, wherever they are asked for; a page downloads them from it.
    void set_outbox(std::filesystem::path folder) { outbox_ = std::move(folder); }
    // Once per frame, after it was drawn and before it is shown.
    void after_frame(Gui&, const core::Session&);
    bool busy() const { return restoring_ || pictured_ || writing_ || charted_ || copying_; }
    const Notice& notice() const { return notice_; }
    void clear_notice() { notice_ = {}; }
    void tell(Notice notice) { notice_ = std::move(notice); }
    void fail(core::Error error) { notice_ = {std::move(error.message), true}; }

private:
    void write_session_file(const std::filesystem::path& file, const core::Session&, const Document&);

    std::filesystem::path outbox_;  // empty: files go where they are asked for
    std::optional<SavedSession> restoring_;
    std::optional<SaveFile> pictured_;  // waits for its picture
    void write_chart(Gui&, const core::Session&, const SaveFile&, const ExportedChart&);
    void finish_copy();

    bool charted_ = false;  // a chart will be copied once it is drawn
    struct CopiedText {
        core::TsvText text;
        std::size_t rows = 0;  // of the table
    };
    static CopiedText text_of(const TableSource&);
    core::Job<CopiedText> copying_;
    core::Job<std::string> writing_;  // to the words that tell of it
    Notice notice_;
};

// Files that are being read, which no saved file may replace.
core::InputFiles inputs_of(const core::Session&);

// The text of a session file beside which `folder` lies.
std::string session_text(const core::Session&, const Document&, const std::filesystem::path& folder);

}  // namespace ui
