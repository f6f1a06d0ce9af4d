// The list below is the architecture: a folder includes itself and those before it.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 12> kOrder = {
    "core/base",   "core/store", "core/index",  "core/ingest",  "core/query", "core/analysis",
    "core/doctor", "core/diff",  "core/export", "core/session", "ui",         "app",
};

// Beside the order: a folder, and all it may include other than itself. Only app and tests look at them,
// except for the embedded files, which ui draws with.
struct Side {
    std::string_view folder;
    std::string_view may_include;
    std::string_view first_user;  // the earliest folder of kOrder that may include it
};
constexpr std::array<Side, 2> kSides = {{
    {"core/sample", "core/base", "app"},
    {"assets", "", "ui"},
}};

constexpr std::array<std::string_view, 8> kDisplayHeaders = {"imgui", "GLFW/", "glad/", "backends/imgui",
                                                             "EGL/",  "GL/",   "KHR/",  "ft2build.h"};

constexpr std::array<std::string_view, 15> kTopLevel = {
    "CMakeLists.txt", "CMakePresets.json",
    "README.md",      "ARCHITECTURE.md",
    "HACKING.md",     "CHANGELOG.md",
    "LICENSE",        "app",
    "core",           "ui",
    "shaders",        "assets",
    "tests",          "third_party",
    "scripts",
};

bool is_in(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::optional<std::size_t> find_place(std::string_view path) {
    const auto it = std::ranges::find_if(kOrder, [&](std::string_view folder) { return is_in(path, folder); });
    if (it == kOrder.end()) return std::nullopt;
    return static_cast<std::size_t>(it - kOrder.begin());
}

const Side* find_side(std::string_view path) {
    const auto it = std::ranges::find_if(kSides, [&](const Side& side) { return is_in(path, side.folder); });
    return it == kSides.end() ? nullptr : it;
}

struct Include {
    std::string target;
    bool quoted = false;
};

std::optional<Include> find_include(std::string_view line) {
    const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) return std::nullopt;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) return std::nullopt;
    line.remove_prefix(7);
    skip_blanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
    const bool quoted = line[0] == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return Include{std::string(line.substr(1, end - 1)), quoted};
}

// What is wrong with a file that includes something of ours, empty when all is well.
std::string find_fault(std::string_view file, std::string_view target) {
    const Side* const to_side = find_side(target);
    const std::optional<std::size_t> to = find_place(target);
    if (!to_side && !to) return "not a path from the root";
    if (const Side* const from_side = find_side(file)) {
        if (to_side == from_side || is_in(target, from_side->may_include)) return "";
        return std::string(from_side->folder) + " stands beside the order";
    }
    const std::optional<std::size_t> from = find_place(file);
    if (!from) return "the file is in no folder of the architecture";
    if (to_side) {
        const std::string first_user = std::string(to_side->first_user) + "/";
        return *from >= find_place(first_user + "x").value() ? "" : "only for " + first_user + " and later";
    }
    return *to <= *from ? "" : "looks the wrong way";
}

bool needs_display(std::string_view header) {
    return std::ranges::any_of(kDisplayHeaders, [&](std::string_view start) { return header.starts_with(start); });
}

bool must_not_draw(std::string_view file) { return is_in(file, "core") || is_in(file, "ui/view_models"); }

std::vector<std::string> collect_sources(const fs::path& root) {
    std::vector<std::string> files;
    for (const char* const top : {"core", "ui", "app"}) {
        if (!fs::exists(root / top)) continue;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
            const std::string extension = entry.path().extension().string();
            if (extension == ".hpp" || extension == ".cpp") {
                files.push_back(entry.path().lexically_relative(root).generic_string());
            }
        }
    }
    return files;
}

}  // namespace

TEST_CASE("folders include only themselves and the folders before them") {
    const fs::path root = LOCKSTEP_SOURCE_DIR;
    const std::vector<std::string> files = collect_sources(root);
    CHECK(files.size() > 3);
    for (const std::string& file : files) {
        INFO(file);
        CHECK((find_place(file) || find_side(file)));
        std::ifstream in(root / file);
        for (std::string line; std::getline(in, line);) {
            const std::optional<Include> include = find_include(line);
            if (!include) continue;
            INFO(line);
            if (include->quoted) CHECK(find_fault(file, include->target) == "");
            if (must_not_draw(file)) CHECK_FALSE(needs_display(include->target));
        }
    }
}

TEST_CASE("the layering rules name what looks the wrong way") {
    CHECK(find_fault("core/index/lanes.cpp", "core/store/rank_trace.hpp") == "");
    CHECK(find_fault("core/index/lanes.cpp", "core/index/lanes.hpp") == "");
    CHECK(find_fault("app/main.cpp", "ui/theme.hpp") == "");
    CHECK(find_fault("core/base/jobs.cpp", "core/store/rank_trace.hpp") == "looks the wrong way");
    CHECK(find_fault("core/session/session.cpp", "ui/theme.hpp") == "looks the wrong way");
    CHECK(find_fault("core/base/jobs.cpp", "jobs.hpp") == "not a path from the root");
    CHECK(find_fault("core/strange/a.cpp", "core/base/jobs.hpp") == "the file is in no folder of the architecture");
    CHECK(find_fault("core/sample/write.cpp", "core/base/result.hpp") == "");
    CHECK(find_fault("core/sample/write.cpp", "core/store/rank_trace.hpp") != "");
    CHECK(find_fault("app/sample_command.cpp", "core/sample/write.hpp") == "");
    CHECK(find_fault("core/ingest/formats.cpp", "core/sample/write.hpp") == "only for app/ and later");
    CHECK(find_fault("ui/theme.cpp", "assets/embedded.hpp") == "");
    CHECK(find_fault("core/base/format.cpp", "assets/embedded.hpp") == "only for ui/ and later");
}

TEST_CASE("an include line is recognised however it is spaced") {
    CHECK(find_include("  #  include <imgui.h>  // why")->target == "imgui.h");
    CHECK(find_include("#include \"core/base/units.hpp\"")->quoted);
    CHECK_FALSE(find_include("// #include <imgui.h>").has_value());
    CHECK(needs_display("GLFW/glfw3.h"));
    CHECK_FALSE(needs_display("algorithm"));
}

TEST_CASE("the top level holds what README.md and HACKING.md say, and nothing else") {
    const fs::path root = LOCKSTEP_SOURCE_DIR;
    for (const std::string_view name : kTopLevel) {
        INFO(name);
        CHECK(fs::exists(root / name));
    }
    CHECK(fs::exists(root / ".ci"));
    const std::set<std::string_view> known(kTopLevel.begin(), kTopLevel.end());
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
        const std::string name = entry.path().filename().string();
        const bool ignored = name.starts_with('.') || name.starts_with("build") || name == "compile_commands.json" ||
                             name == "CMakeUserPresets.json" || name == "imgui.ini";
        INFO(name);
        CHECK((ignored || known.contains(name)));
    }
}
