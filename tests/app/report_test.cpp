// lockstep report as scripts see it: the page, exit status and errors.

#include "core/export/report/html_style.hpp"
#include "tests/app/cli.hpp"
#include "tests/core/export/report/markup.hpp"
#include "ui/style/theme.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

using namespace app::testing;
using core::testing::find_markup_error;
using core::testing::find_outside_reference;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

struct ReportSamples {
    TempFolder folder;
    std::string baseline = (folder.path() / "before").string();
    std::string candidate = (folder.path() / "after").string();
    ReportSamples() {
        for (const char* variant : {"baseline", "candidate"}) {
            const std::string& path = *variant == 'b' ? baseline : candidate;
            REQUIRE(lockstep({"sample", path, "--ranks", "2", "--steps", "3", "--layers", "2", "--variant", variant,
                              "--quiet"})
                        .status == 0);
        }
    }
    std::string path(const char* name) const { return (folder.path() / name).string(); }
};

const ReportSamples& report_samples() {
    static const ReportSamples written;
    return written;
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void check_report(const std::string& page) {
    CHECK(page.ends_with("</html>\n"));
    CHECK(find_markup_error(page) == "");
    CHECK(find_outside_reference(page) == "");
}

}  // namespace

TEST_CASE("report writes one page with the numbers of the analyses, identical every time") {
    const ReportSamples& samples = report_samples();
    const std::string file = samples.path("a.html");
    const Outcome written = lockstep({"report", samples.baseline, "-o", file, "--no-picture", "--quiet"});
    INFO(written.err);
    REQUIRE(written.status == 0);
    CHECK(written.out.empty());
    CHECK(written.err.empty());
    const std::string page = read_file(file);
    check_report(page);
    const Outcome again = lockstep({"report", samples.baseline, "-o", "-", "--no-picture", "--quiet", "--jobs", "1"});
    CHECK(again.out == page);
    const Outcome answer = lockstep({"analyze", "temporal-breakdown", samples.baseline, "--format", "json"});
    const nlohmann::json parsed = nlohmann::json::parse(answer.out);
    for (const nlohmann::json& row : parsed["rows"]) {
        for (std::size_t c = 1; c < row.size(); ++c)
            CHECK(says(page, "data-v=\"" + std::to_string(row[c].get<std::int64_t>()) + "\""));
    }
    for (const std::string_view id : {"findings", "temporal-breakdown", "steps", "kernels", "operators"})
        CHECK(says(page, "<section id=\"" + std::string(id) + "\">"));
    CHECK(says(page, "<h1>before</h1>"));
}

TEST_CASE("report includes the requested analyses and names the filter") {
    const ReportSamples& samples = report_samples();
    const Outcome page = lockstep({"report", samples.baseline, "-o", "-", "--no-picture", "--quiet", "--analysis",
                                   "overlap,names", "--analysis", "launches", "--ranks", "1"});
    REQUIRE(page.status == 0);
    check_report(page.out);
    CHECK(says(page.out, "<code>rank:1</code>"));
    const std::size_t overlap = page.out.find("<section id=\"overlap\">");
    const std::size_t names = page.out.find("<section id=\"names\">");
    const std::size_t launches = page.out.find("<section id=\"launches\">");
    CHECK(overlap < names);
    CHECK(names < launches);
    CHECK(launches != std::string::npos);
    CHECK_FALSE(says(page.out, "<section id=\"kernels\">"));
}

TEST_CASE("report of two paths compares them") {
    const ReportSamples& samples = report_samples();
    const Outcome page =
        lockstep({"report", samples.baseline, samples.candidate, "-o", "-", "--no-picture", "--quiet"});
    REQUIRE(page.status == 0);
    check_report(page.out);
    CHECK(says(page.out, "mean step, baseline"));
    CHECK(says(page.out, "<section id=\"change\">"));
    CHECK(says(page.out, "<h1>before \xE2\x86\x92 after</h1>"));
    const Outcome named = lockstep({"report", "--baseline", samples.baseline, "--candidate", samples.candidate, "-o",
                                    "-", "--no-picture", "--quiet"});
    CHECK(named.out == page.out);
    const Outcome waterfall =
        lockstep({"diff", samples.baseline, samples.candidate, "--waterfall", "--format", "json", "--quiet"});
    const nlohmann::json rows = nlohmann::json::parse(waterfall.out)["rows"];
    CHECK(says(page.out, "<td class=\"n\" data-v=\"" + std::to_string(rows[0][3].get<std::int64_t>()) + "\""));
    // The sentence and the headline of the command line, first of all.
    const nlohmann::json statistics = nlohmann::json::parse(waterfall.out)["statistics"];
    CHECK(says(page.out, "<p><b>" + statistics["sentence"].get<std::string>() + "</b></p>"));
    CHECK(says(page.out, "<p>" + statistics["contributions"]["headline"].get<std::string>() + "</p>"));
    CHECK(page.out.find("<section id=\"verdict\">") < page.out.find("<section id=\"run\">"));
    CHECK(says(page.out, "<section id=\"op-by-op\">"));
    CHECK(says(page.out, " operators against "));
}

TEST_CASE("report notes that a picture cannot be made, and continues") {
    const ReportSamples& samples = report_samples();
    const Outcome page = lockstep({"report", samples.baseline, "-o", "-", "--analysis", "overlap"});
    REQUIRE(page.status == 0);
    check_report(page.out);
    const bool has_picture = says(page.out, "src=\"data:image/png;base64,iVBOR");
    CHECK(has_picture != says(page.out, "No picture: "));
    CHECK(has_picture != says(page.err, "no picture of the window: "));
}

TEST_CASE("report notes a broken rank on the page") {
    const TempFolder folder;
    fs::copy(report_samples().baseline, folder.path() / "run");
    const fs::path broken = folder.path() / "run" / "rank9.json";
    std::ofstream(broken) << "this is no trace";
    const Outcome page =
        lockstep({"report", (folder.path() / "run").string(), "-o", "-", "--no-picture", "--analysis", "overlap"});
    REQUIRE(page.status == 0);
    check_report(page.out);
    CHECK(says(page.out, "rank9.json"));
}

TEST_CASE("class colours of a report equal those of the window") {
    for (const auto& [name, color] : {std::pair{"compute", ui::color::palette().compute},
                                      {"communication", ui::color::palette().communication},
                                      {"memory", ui::color::palette().memory},
                                      {"idle", ui::color::palette().idle},
                                      {"violet", ui::color::of_set(3)},
                                      {"mint", ui::color::of_set(5)},
                                      {"rose", ui::color::of_set(6)},
                                      {"mixed", ui::color::of_set(7)}}) {
        char text[48];
        std::snprintf(text, sizeof text, "--%s:#%02x%02x%02x", name, (color >> IM_COL32_R_SHIFT) & 0xFFu,
                      (color >> IM_COL32_G_SHIFT) & 0xFFu, (color >> IM_COL32_B_SHIFT) & 0xFFu);
        CHECK(says(std::string(core::kReportStyle), text));
    }
}

TEST_CASE("report refuses invalid options") {
    const ReportSamples& samples = report_samples();
    const std::string file = samples.path("refused.html");
    CHECK(lockstep({"report", samples.baseline}).status == 2);
    CHECK(lockstep({"report", "-o", file}).status == 2);
    CHECK(lockstep({"report", samples.baseline, "-o", file, "--format", "json"}).status == 2);
    const Outcome unknown = lockstep({"report", samples.baseline, "-o", file, "--analysis", "kernel"});
    CHECK(unknown.status == 2);
    CHECK(says(unknown.err, "kernels"));
    const Outcome lone =
        lockstep({"report", samples.baseline, samples.candidate, "-o", file, "--analysis", "launches"});
    CHECK(lone.status == 2);
    CHECK(says(lone.err, "launches"));
    const Outcome nowhere = lockstep({"report", samples.path("nowhere"), "-o", file, "--no-picture"});
    CHECK(nowhere.status == 1);
    CHECK(says(nowhere.err, "lockstep: "));
    CHECK(says(nowhere.err, "nowhere"));
    const Outcome none = lockstep({"report", samples.baseline, "-o", file, "--no-picture", "--ranks", "77"});
    CHECK(none.status == 1);
    CHECK(says(none.err, "no rank of this run matches the filter"));
    const Outcome unwritable =
        lockstep({"report", samples.baseline, "-o", samples.path("no/such/folder.html"), "--no-picture", "--quiet"});
    CHECK(unwritable.status == 1);
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("outputs never replace lists and settings that the command reads") {
    const ReportSamples& samples = report_samples();
    const std::string links = samples.path("links.txt");
    std::ofstream(links) << "H100 = 100\n";
    const std::string before = read_file(links);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"report", samples.baseline, "--no-picture"},
                                                  {"export", samples.baseline, "--to", "perfetto"},
                                                  {"export", samples.baseline, "--to", "sqlite"},
                                                  {"shot", samples.baseline},
                                                  {"analyze", "kernels", samples.baseline}}) {
        std::string command = quoted(core::testing::lockstep_binary());
        for (const std::string& word : words) command += " " + quoted(word);
        const Outcome refused = run_shell(command + " --links " + quoted(links) + " -o " + quoted(links));
        INFO(command, refused.err);
        CHECK(refused.status != 0);
        CHECK(read_file(links) == before);
    }
}
