// Reports of runs with hostile text in every field, opened in a browser: no script in a text runs and no request is
// sent.

#include "tests/app/browser.hpp"

#include <nlohmann/json.hpp>

using app::testing::Browser;
using app::testing::lockstep;
using app::testing::Outcome;
using app::testing::read_file;
using core::testing::TempFolder;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHost = "canary.test";

// An attribute that only an injected script would set.
constexpr std::string_view kAct = "document.documentElement.setAttribute('data-owned','1')";

std::vector<std::string> hostile_texts() {
    std::vector<std::string> texts;
    for (const char* const pattern : {"<script>@</script>",
                                      "</script><script>@</script>",
                                      "</title></style></textarea><script>@</script>",
                                      "\"><img src=x onerror=\"@\">",
                                      "'><img src=x onerror='@'>",
                                      "\" onmouseover=\"@\" onfocus=\"@\" onclick=\"@\" autofocus x=\"",
                                      "' onmouseover='@' onfocus='@' onclick='@' x='",
                                      "` onmouseover=@ x=`",
                                      "javascript:@",
                                      "<a href=\"javascript:@\">click</a>",
                                      "<svg onload=\"@\"><animate onbegin=\"@\" attributeName=x dur=1s>",
                                      "<iframe src=\"javascript:parent.@\"></iframe>",
                                      "<iframe srcdoc=\"<script>parent.@</script>\"></iframe>",
                                      "]]><script>@</script><![CDATA[",
                                      "<!--><script>@</script>",
                                      "&lt;script&gt;@&lt;/script&gt;",
                                      "&#60;script&#62;@&#60;/script&#62;",
                                      "<img src=\"http://canary.test/image\">",
                                      "<link rel=\"stylesheet\" href=\"http://canary.test/style\">",
                                      "<iframe src=\"http://canary.test/frame\"></iframe>",
                                      "<meta http-equiv=\"refresh\" content=\"0;url=http://canary.test/refresh\">",
                                      "<base href=\"http://canary.test/\">",
                                      "url(http://canary.test/url)",
                                      "</style><style>@import 'http://canary.test/import';"}) {
        std::string text = pattern;
        for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + kAct.size()))
            if (text.compare(at, 7, "@import") != 0) text.replace(at, 1, kAct);
        texts.push_back(std::move(text));
    }
    texts.push_back(std::string("a\0b<script>", 11) + std::string(kAct) + "</script>");
    texts.push_back("\xE2\x80\xAE\xE2\x81\xA6<script>" + std::string(kAct) + "</script>\xE2\x81\xA9");
    std::string longest;
    while (longest.size() < 100'000) longest += texts[3] + texts[17];
    texts.push_back(longest);
    return texts;
}

json event(std::string_view category, const std::string& name, int pid, int tid, double ts, double dur, json args) {
    return {{"ph", "X"},  {"cat", category}, {"name", name}, {"pid", pid},
            {"tid", tid}, {"ts", ts},        {"dur", dur},   {"args", std::move(args)}};
}

// One rank with each text in every possible field.
void write_hostile_trace(const fs::path& file, int rank, double longer) {
    json events = json::array();
    int number = 0;
    double at = 1;
    events.push_back(event("user_annotation", "ProfilerStep#1", 1, 1, 0, 1e6 * longer, json::object()));
    for (const std::string& text : hostile_texts()) {
        ++number;
        events.push_back(event("user_annotation", text, 1, 1, at, 90, json::object()));
        events.push_back(event("cpu_op", text, 1, 1, at + 1, 80, {{text, text}, {"External id", number}}));
        events.push_back(event("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 2, 5, {{"correlation", number}}));
        events.push_back(event("kernel", number % 3 == 0 ? "ncclDevKernel_AllReduce " + text : text, 0, 7, at + 20,
                               50 * longer,
                               {{"correlation", number},
                                {"stream", 7},
                                {"device", 0},
                                {"Process Group Name", text},
                                {"Process Group Description", text},
                                {"Collective name", text}}));
        events.push_back(
            {{"ph", "M"}, {"name", "thread_name"}, {"pid", 1}, {"tid", 100 + number}, {"args", {{"name", text}}}});
        at += 100 * longer;
    }
    const std::string first = hostile_texts()[3];
    events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", 1}, {"args", {{"name", first}}}});
    const json trace = {{"schemaVersion", 1},
                        {"trace_name", first},
                        {"host_name", first},
                        {first, first},
                        {"distributedInfo", {{"backend", first}, {"rank", rank}, {"world_size", 2}}},
                        {"deviceProperties", json::array({{{"id", 0}, {"name", first}}})},
                        {"traceEvents", events}};
    std::ofstream(file) << trace.dump();
}

fs::path write_hostile_run(const TempFolder& folder, const std::string& name, double longer) {
    const fs::path run = folder.path() / (name + " <img src=x onerror=\"" + std::string(kAct) + "\">");
    fs::create_directory(run);
    for (const int rank : {0, 1})
        write_hostile_trace(run / ("rank" + std::to_string(rank) + "\" onmouseover=\"x.json"), rank, longer);
    std::ofstream(run / "<script>broken rank9.json") << "{\"traceEvents\": [{\"ph\": \"";
    return run;
}

bool has_acted(const std::string& page) {
    const std::size_t begin = page.find("<html");
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find('>', begin) - begin).find("data-owned") != std::string::npos;
}

// Moves over everything and clicks on everything, as a user would.
constexpr std::string_view kHands =
    "<script>for (const e of document.querySelectorAll('*')) for (const kind of "
    "['mouseover','mouseenter','focus','click'])"
    " e.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true}));"
    "document.body.setAttribute('data-touched', document.querySelectorAll('td').length);</script></body>";

}  // namespace

TEST_CASE("no text of a trace runs as a script in a report or makes the browser ask for anything") {
    const std::string program = Browser::find();
    if (program.empty()) {
        MESSAGE("skipped: Chromium is not installed");
        return;
    }
    const TempFolder folder;
    const Browser browser(program);
    // First checks that the browser can detect an attack.
    const fs::path control = folder.path() / "control.html";
    std::ofstream(control) << "<!DOCTYPE html><html><body><img src=\"http://" << kHost
                           << "/control\"><img src=x onerror=\"" << kAct << "\"></body></html>";
    const std::string seen = browser.open(control);
    if (seen.empty()) {
        MESSAGE("skipped: Chromium cannot start here");
        return;
    }
    REQUIRE(has_acted(seen));
    const std::size_t before = browser.requests_to(kHost);
    REQUIRE(before > 0);

    const fs::path baseline = write_hostile_run(folder, "before", 1),
                   candidate = write_hostile_run(folder, "after", 1.5);
    const fs::path page = folder.path() / "report.html", touched = folder.path() / "touched.html";
    for (const bool two : {false, true}) {
        const Outcome written =
            two ? lockstep({"report", baseline.string(), candidate.string(), "-o", page.string(), "--no-picture"})
                : lockstep({"report", baseline.string(), "-o", page.string(), "--no-picture"});
        INFO(written.err.substr(0, 500));
        REQUIRE((written.status == 0 || written.status == 5));  // 5: the broken rank
        std::string text = read_file(page);
        REQUIRE(text.find("data-owned") != std::string::npos);  // the texts are on the page
        REQUIRE(text.find(kHost) != std::string::npos);
        const std::size_t end = text.rfind("</body>");
        REQUIRE(end != std::string::npos);
        std::ofstream(touched) << text.replace(end, 7, kHands);
        for (const fs::path& file : {page, touched}) {
            const std::string shown = browser.open(file);
            REQUIRE(shown.find("</footer>") != std::string::npos);
            CHECK_FALSE(has_acted(shown));
            CHECK(browser.requests_to(kHost) == before);
            if (file == touched) CHECK(shown.find("data-touched=\"") != std::string::npos);
        }
    }
}

TEST_CASE("the timeline of a report draws, zooms by keys and says what is under the pointer, within two megabytes") {
    const std::string program = Browser::find();
    if (program.empty()) {
        MESSAGE("skipped: Chromium is not installed");
        return;
    }
    const TempFolder folder;
    const std::string run = (folder.path() / "run").string();
    REQUIRE(lockstep({"sample", run, "--ranks", "4", "--steps", "4", "--quiet"}).status == 0);
    const fs::path page = folder.path() / "report.html", touched = folder.path() / "touched.html";
    REQUIRE(lockstep({"report", run, "-o", page.string(), "--no-picture", "--quiet"}).status == 0);
    CHECK(fs::file_size(page) < std::uintmax_t{2} << 20);
    const Browser browser(program);
    const std::string drawn = browser.open(page);
    if (drawn.empty()) {
        MESSAGE("skipped: Chromium cannot start here");
        return;
    }
    const auto number = [](const std::string& text, const std::string& name) {
        const std::size_t at = text.find(name + "=\"");
        return at == std::string::npos ? -1 : std::atof(text.c_str() + at + name.size() + 2);
    };
    const double whole = number(drawn, "data-to");
    CHECK(number(drawn, "data-from") == 0);
    CHECK(whole > 0);
    CHECK(number(drawn, "data-events") > 100);
    const std::string actions =
        "<script>var c=document.querySelector('.timeline canvas');"
        "['+','+','ArrowRight'].forEach(function(k){c.dispatchEvent(new KeyboardEvent('keydown',{key:k}))});"
        "var box=c.getBoundingClientRect();for(var x=60;x<700;++x)for(var i=0;i<2;++i){"
        "c.dispatchEvent(new MouseEvent('mousemove',{clientX:box.left+x,clientY:box.top+22+(i?22:6),bubbles:true}));"
        "var t=document.querySelector('.tip').textContent;if(t)document.body.setAttribute(i?'data-low':'data-high',t)}"
        "</script></body>";
    std::string text = read_file(page);
    text.replace(text.rfind("</body>"), 7, actions);
    std::ofstream(touched) << text;
    const std::string zoomed = browser.open(touched);
    CHECK(number(zoomed, "data-from") > 0);
    CHECK(number(zoomed, "data-to") - number(zoomed, "data-from") == doctest::Approx(whole / 4).epsilon(0.01));
    CHECK(number(zoomed, "data-events") < number(drawn, "data-events"));
    CHECK(zoomed.find("data-high=\"rank 0 at ") != std::string::npos);
    CHECK(zoomed.find("data-low=\"") != std::string::npos);
}
