#include "app/console.hpp"
#include "app/options.hpp"
#include "app/subcommands.hpp"
#include "core/base/format.hpp"
#include "core/ingest/load/discover.hpp"
#include "ui/model/session/merge_sessions.hpp"

#include <filesystem>

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr Option kMergeOptions[] = {
    {"--out", "FILE", "the session file to write; view, filter and layout are those of the first", "-o"},
};

core::InputFiles inputs_of(const ui::SavedSession& session, const std::vector<std::string>& files) {
    std::vector<fs::path> paths(files.begin(), files.end());
    for (const core::Side side : core::kSides)
        paths.insert(paths.end(), session.sides[side].paths.begin(), session.sides[side].paths.end());
    return core::run_inputs(std::move(paths));
}

int merge(const std::vector<std::string>& files, const fs::path& out) {
    ui::UiChoices choices;
    core::Result<ui::SavedSession> session = ui::read_session_file(files.front(), choices);
    if (!session) return report_failure(session.error());
    std::string text;
    for (std::size_t i = 1; i < files.size(); ++i) {
        ui::UiChoices others;
        const core::Result<ui::SavedSession> other = ui::read_session_file(files[i], others);
        if (!other) return report_failure(other.error());
        const core::Result<ui::MergedMarks> merged = ui::merge_sessions(*session, *other);
        if (!merged) return report_failure(core::Error(merged.error()).within(files[i]));
        text += files[i] + ": " + core::format_plural(merged->added, "mark or bookmark", "marks and bookmarks") +
                " added, " + core::format_plural(merged->combined, "note", "notes") + " merged";
        if (merged->left_out > 0)
            text += ", " + core::format_count(merged->left_out) + " left out: too many marks or bookmarks";
        text += "\n";
    }
    std::error_code ignored;
    const fs::path folder = fs::absolute(out, ignored).lexically_normal().parent_path();
    const core::Result<std::uint64_t> written = core::write_whole_file(out, ui::session_text(*session, choices, folder),
                                                                       {.inputs = inputs_of(*session, files)});
    if (!written) return report_failure(written.error());
    return print_text(text);
}

}  // namespace

int run_merge(Arguments args) {
    const core::Result<Options> options = parse_options(kMergeOptions, args);
    if (!options) return refuse_usage("merge", options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command("merge"), kMergeOptions));
    if (options->words().size() < 2) return refuse_usage("merge", "needs two session files or more");
    if (options->last("--out").empty()) return refuse_usage("merge", "needs -o OUT");
    return merge(options->words(), options->last("--out"));
}

}  // namespace app
