#include "ui/shell/saving.hpp"

#include "core/base/format.hpp"
#include "core/base/output_file.hpp"
#include "core/base/short_name.hpp"
#include "core/base/small_file.hpp"
#include "core/base/small_json.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/query/filter_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

namespace ui {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLongestCopy = std::size_t{64} << 20;

constexpr std::string_view kNoPicture = "there is no page that could draw the picture";

// Without a folder, and not one by itself.
fs::path plain_name(const fs::path& file) {
    fs::path name = file.filename();
    return name.empty() || name == "." || name == ".." ? fs::path("lockstep") : name;
}

core::Result<std::string> write_picture(const fs::path& file, const Image& image, const core::InputFiles& inputs) {
    if (image.rgba.empty()) return core::bad_input(std::string(kNoPicture));
    const core::Result<bool> written = write_png(file, image, inputs);
    if (!written) return written.error();
    return "Picture written: " + file.string();
}

std::vector<std::size_t> count_up(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

core::ReportQuery report_query(const core::Session& session) {
    core::ReportQuery query;
    for (const core::Side side : core::kSides) query.runs[side] = session.run(side);
    query.filter = session.filter();
    if (const core::RunAlignment* alignment = session.alignment())
        query.alignment = *alignment;
    else
        query.runs.candidate.reset();
    query.analyses = core::usual_report_parts(query.compares());
    query.is_usual = true;
    query.short_name = [](std::string_view name) { return core::short_name(name).normal; };
    query.threads = std::max(1u, std::thread::hardware_concurrency() / 2);
    return query;
}

core::Result<std::string> write_report(const core::ReportQuery& query, const Image& image, const fs::path& file,
                                       const core::InputFiles& inputs, const core::JobContext& context) {
    core::Result<core::HtmlReport> report = core::gather_report(query, context);
    if (!report) return report.error();
    if (image.rgba.empty())
        report->picture_missing = kNoPicture;
    else if (core::Result<std::string> picture = encode_png(image))
        report->picture = *std::move(picture);
    else
        report->picture_missing = picture.error().message;
    const core::Result<std::uint64_t> written =
        core::write_whole_file(file, core::to_html(*report), {.inputs = inputs});
    if (!written) return written.error();
    return "Report written: " + file.string();
}

}  // namespace

core::InputFiles inputs_of(const core::Session& session) {
    std::vector<fs::path> paths;
    for (const core::Side side : core::kSides)
        if (const core::RunLoad* load = session.load(side))
            paths.insert(paths.end(), load->paths().begin(), load->paths().end());
    return core::run_inputs(std::move(paths));
}

std::string session_text(const core::Session& session, const Document& document, const fs::path& folder) {
    return session_text(save_session(session, document.views), document.choices, folder);
}

void Saving::open_session(const fs::path& file, core::Session& session, DocumentStore& store, Ephemera& ephemera) {
    UiChoices choices = store.choices();
    core::Result<SavedSession> read = read_session_file(file, choices);
    if (!read) return fail(std::move(read).error());
    for (const core::Side side : core::kSides) {
        ephemera.sides[side].hovered = {};
        store.apply(DropSelection{}, {.session = session, .side = side});
    }
    choices.listed.reset();
    store.apply(SetChoices{std::move(choices)}, {.session = session});
    if (session.run(core::Side::Candidate)) session.close(core::Side::Candidate);
    for (const core::Side side : core::kSides) {
        if (read->sides[side].paths.empty()) continue;
        session.open(read->sides[side].paths, side);
        session.restore_clocks(side, read->sides[side].clocks);
        session.restore_gaps_cut(side, read->sides[side].gaps_cut);
    }
    if (read->parts) session.restore_parts(*read->parts);
    store.record(session);
    restoring_ = *std::move(read);
    clear_notice();
}

bool Saving::restore(core::Session& session, DocumentStore& store) {
    if (!restoring_) return false;
    for (const core::Side side : core::kSides) {
        const std::vector<fs::path>& wanted = restoring_->sides[side].paths;
        const core::RunLoad* load = session.load(side);
        if (wanted.empty()) continue;
        if (!load || load->paths() != wanted) {  // something else was opened meanwhile
            restoring_.reset();
            return false;
        }
        if (!session.is_whole(side)) return false;
    }
    const auto has_ranks = [&](core::Side side) { return session.run(side) && !session.run(side)->ranks().empty(); };
    if (std::ranges::all_of(core::kSides, has_ranks) && !session.alignment()) return false;
    const SavedSession saved = *std::exchange(restoring_, std::nullopt);
    for (const core::Side side : core::kSides) {
        const core::RunPtr& run = session.run(side);
        if (!run) continue;
        View view = store.view(side);
        restore_side(saved.sides[side], *run, view);
        store.apply(SetView{std::move(view)}, {.session = session, .side = side});
        session.restore_marks(side, restore_marks(saved.sides[side], *run));
        store.record(session);
    }
    if (!saved.sides.candidate.paths.empty() || saved.parts) {
        session.set_names(saved.names);
        session.set_statistics(saved.statistics);
        session.align(restore_alignment(saved.align, session));
    }
    // One that was given meanwhile, as on the command line, stays.
    const core::Result<core::Filter> filter = core::parse_filter(saved.filter);
    if (filter && session.filter().empty()) session.set_filter(*filter);
    store.record(session);
    return true;
}

void Saving::write_session_file(const fs::path& file, const core::Session& session, const Document& document) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(file, ignored).lexically_normal().parent_path();
    const std::string text = session_text(session, document, folder);
    const core::Result<std::uint64_t> written = core::write_whole_file(file, text, {.inputs = inputs_of(session)});
    if (!written) return fail(written.error());
    notice_ = {"Session saved: " + file.string(), false};
}

void Saving::save(const SaveFile& asked, const core::Session& session, const Document& document) {
    SaveFile wanted = asked;
    if (!outbox_.empty()) wanted.file = outbox_ / plain_name(asked.file);
    clear_notice();
    if (!session.run()) return fail(core::bad_input("nothing is open that could be saved"));
    if (wanted.kind == SaveKind::Session) return write_session_file(wanted.file, session, document);
    if (pictured_ || writing_) return fail(core::bad_input("the last file is still being written"));
    if (wanted.kind == SaveKind::ChartPicture) chart_export().want(ChartForm::Picture);
    if (wanted.kind == SaveKind::ChartDrawing) chart_export().want(ChartForm::Drawing);
    pictured_ = wanted;
}

void Saving::copy_chart() {
    clear_notice();
    chart_export().want(ChartForm::Table);
    charted_ = true;
}

void Saving::copy(const core::Session& session, const std::optional<TableSource>& source) {
    clear_notice();
    if (!source || !source->table) return fail(core::bad_input("no table is shown that could be copied"));
    copying_ = core::Job<CopiedText>::start(
        session.pool(),
        [source = *source](const core::JobContext&) -> core::Result<CopiedText> { return text_of(source); });
}

Saving::CopiedText Saving::text_of(const TableSource& source) {
    const std::vector<std::size_t> rows = source.rows ? *source.rows : count_up(source.table->rows());
    const std::vector<std::size_t> columns =
        source.columns.empty() ? count_up(source.table->columns().size()) : source.columns;
    return {core::to_tsv(*source.table, rows, columns, kLongestCopy), rows.size()};
}

void Saving::finish_copy() {
    const core::Result<CopiedText>* result = copying_ ? copying_.poll() : nullptr;
    if (!result) return;
    if (*result) {
        const CopiedText& copied = **result;
        ImGui::SetClipboardText(copied.text.text.c_str());
        const std::string rows = core::format_count(std::uint64_t{copied.text.rows});
        const bool all = copied.text.rows == copied.rows;
        notice_ = {all ? "Table copied: " + rows + (copied.rows == 1 ? " row" : " rows")
                       : "The first " + rows + " of " + core::format_count(std::uint64_t{copied.rows}) +
                             " rows copied: more is too long for the clipboard",
                   !all};
    } else {
        fail((*result).error());
    }
    copying_ = {};
}

void Saving::write_chart(Gui& gui, const core::Session& session, const SaveFile& wanted, const ExportedChart& chart) {
    if (wanted.kind == SaveKind::ChartDrawing) {
        writing_ = core::Job<std::string>::start(session.pool(),
                                                 [svg = chart.svg, file = wanted.file, inputs = inputs_of(session)](
                                                     const core::JobContext&) -> core::Result<std::string> {
                                                     const core::Result<std::uint64_t> written =
                                                         core::write_whole_file(file, svg, {.inputs = inputs});
                                                     if (!written) return written.error();
                                                     return "Drawing written: " + file.string();
                                                 });
        return;
    }
    const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
    const auto pixels = [](float place, float each) { return static_cast<int>(std::lround(place * each)); };
    const auto image = std::make_shared<const Image>(
        crop(gui.picture(), pixels(chart.min.x, density.x), pixels(chart.min.y, density.y),
             pixels(chart.max.x, density.x), pixels(chart.max.y, density.y)));
    writing_ = core::Job<std::string>::start(
        session.pool(), [image, file = wanted.file, inputs = inputs_of(session)](const core::JobContext&) {
            return write_picture(file, *image, inputs);
        });
}

void Saving::after_frame(Gui& gui, const core::Session& session) {
    if (const core::Result<std::string>* result = writing_ ? writing_.poll() : nullptr) {
        notice_ = *result ? Notice{**result, false} : Notice{result->error().message, true};
        writing_ = {};
    }
    finish_copy();
    const bool charted = std::exchange(charted_, false);
    const std::optional<ExportedChart> chart = chart_export().take();
    if (charted && chart)
        copying_ = core::Job<CopiedText>::start(
            session.pool(), [make = chart->table](const core::JobContext&) -> core::Result<CopiedText> {
                return text_of({.table = std::make_shared<const core::Table>(make()), .rows = nullptr, .columns = {}});
            });
    if (charted && !chart) fail(core::bad_input("the chart is no longer shown"));
    if (!pictured_ || writing_) return;
    const SaveFile wanted = *std::exchange(pictured_, std::nullopt);
    if (!session.run()) return;
    if (wanted.kind == SaveKind::ChartPicture || wanted.kind == SaveKind::ChartDrawing) {
        if (!chart) return fail(core::bad_input("the chart is no longer shown"));
        return write_chart(gui, session, wanted, *chart);
    }
    const auto image = std::make_shared<const Image>(gui.picture());
    if (wanted.kind == SaveKind::Picture) {
        writing_ = core::Job<std::string>::start(
            session.pool(), [image, file = wanted.file, inputs = inputs_of(session)](const core::JobContext&) {
                return write_picture(file, *image, inputs);
            });
        return;
    }
    writing_ =
        core::Job<std::string>::start(session.pool(), [image, file = wanted.file, query = report_query(session),
                                                       inputs = inputs_of(session)](const core::JobContext& context) {
            return write_report(query, *image, file, inputs, context);
        });
    notice_ = {"Writing the report\xE2\x80\xA6", false};
}

}  // namespace ui
