// The list below is the architecture: a folder includes itself and the folders above it in the list.

#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr auto kOrder = std::to_array<std::string_view>({
    "core/base/platform",
    "core/base",
    "core/cluster",
    "core/store",
    "core/store/assemble",
    "core/index",
    "core/graphs",
    "core/collectives",
    "core/ingest/source",
    "core/ingest/json",
    "core/telemetry",
    "core/ingest/kineto",
    "core/ingest/sqlite",
    "core/ingest/nsys",
    "core/ingest/rocm",
    "core/ingest/megatron",
    "core/ingest/nccl",
    "core/ingest/perfetto",
    "core/ingest/xplane",
    "core/ingest/pickle",
    "core/ingest/flight_recorder",
    "core/ingest/memory_snapshot",
    "core/ingest/index_file",
    "core/ingest/remote",
    "core/ingest/load",
    "core/query",
    "core/stats",
    "core/analysis/engine",
    "core/analysis/time",
    "core/analysis/launches",
    "core/analysis/efficiency",
    "core/analysis/operators",
    "core/analysis/memory",
    "core/analysis/critical_path",
    "core/analysis/telemetry",
    "core/analysis/collectives",
    "core/analysis/parallelism",
    "core/analysis/whatif",
    "core/analysis/findings",
    "core/analysis/verdict",
    "core/analysis/hangs",
    "core/analysis/run",
    "core/analysis/catalogue",
    "core/doctor",
    "core/diff/align",
    "core/diff/join",
    "core/diff/statistics",
    "core/diff/step_change",
    "core/diff/operators",
    "core/diff/gates",
    "core/diff/series",
    "core/charts",
    "core/export",
    "core/export/chrome",
    "core/export/perfetto",
    "core/export/report",
    "core/sql",
    "core/session",
    "ui/model/charts",
    "ui/model",
    "ui/model/intents",
    "ui/model/session",
    "ui/model/panels/communication",
    "ui/model/panels",
    "ui/style",
    "ui/platform",
    "ui/remote",
    "ui/widgets",
    "ui/charts",
    "ui/commands",
    "ui/table",
    "ui/timeline/model",
    "ui/timeline/scene",
    "ui/timeline/parts",
    "ui/timeline/rows",
    "ui/shell",
    "ui/panels/communication",
    "ui/panels/efficiency",
    "ui/panels/compare",
    "ui/panels/sql",
    "ui/panels",
    "ui/driver",
    "app",
    "app/compare",
    "app/mcp",
    "app/mpi",
    "app/web",
});

// Exceptions to the order: a folder, extra includes, and the first folder of kOrder that may include it.
struct Side {
    std::string_view folder;
    std::string_view may_include;
    std::string_view first_user;
};
constexpr std::array<Side, 2> kSides = {{
    {"core/sample", "core/base", "ui/shell"},
    {"assets", "", "ui/style"},
}};

constexpr std::array<std::string_view, 8> kDisplayHeaders = {"imgui", "GLFW/", "glad/", "backends/imgui",
                                                             "EGL/",  "GL/",   "KHR/",  "ft2build.h"};

// Only these places may call the operating system. Elsewhere in core, ui and app, neither its headers are included nor
// its functions called that come with headers of the C++ library.
constexpr std::array<std::string_view, 2> kPlatformFolders = {"core/base/platform", "ui/platform"};

// Headers of POSIX, Linux and GNU's C library; with a slash at the end, all in that folder. C library headers are
// listed by their C++ names if they declare POSIX functions.
constexpr auto kSystemHeaders = std::to_array<std::string_view>({
    "aio.h",     "alloca.h",   "arpa/",     "asm/",      "byteswap.h", "csignal",     "dirent.h",   "dlfcn.h",
    "elf.h",     "endian.h",   "err.h",     "error.h",   "execinfo.h", "fcntl.h",     "features.h", "fnmatch.h",
    "fts.h",     "ftw.h",      "getopt.h",  "glob.h",    "gnu/",       "grp.h",       "iconv.h",    "ifaddrs.h",
    "io.h",      "langinfo.h", "libgen.h",  "link.h",    "linux/",     "mach/",       "mach-o/",    "malloc.h",
    "mqueue.h",  "net/",       "netdb.h",   "netinet/",  "nl_types.h", "poll.h",      "process.h",  "pthread.h",
    "pty.h",     "pwd.h",      "regex.h",   "sched.h",   "search.h",   "semaphore.h", "signal.h",   "spawn.h",
    "strings.h", "sys/",       "syslog.h",  "termios.h", "ucontext.h", "ulimit.h",    "unistd.h",   "utime.h",
    "utmp.h",    "utmpx.h",    "windows.h", "wordexp.h", "winsock2.h",
});
constexpr auto kSystemCalls = std::to_array<std::string_view>({
    "_exit",    "environ", "fdopen",    "fileno",   "fork",   "fsync",       "getentropy",
    "getpid",   "gettid",  "gmtime_r",  "isatty",   "kill",   "localtime_r", "mkdtemp",
    "mkstemp",  "mmap",    "munmap",    "pclose",   "popen",  "pread",       "pwrite",
    "realpath", "setenv",  "sigaction", "strptime", "timegm", "unsetenv",    "usleep",
});

constexpr std::array<std::string_view, 16> kTopLevel = {
    "CMakeLists.txt", "CMakePresets.json",
    "README.md",      "ARCHITECTURE.md",
    "HACKING.md",     "CHANGELOG.md",
    "LICENSE",        "app",
    "core",           "ui",
    "shaders",        "assets",
    "tests",          "third_party",
    "scripts",        "docs",
};

bool is_in(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::string_view folder_of(std::string_view path) { return path.substr(0, std::min(path.rfind('/'), path.size())); }

std::optional<std::size_t> find_place(std::string_view path) {
    const auto it = std::ranges::find(kOrder, folder_of(path));
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

// Why `file` must not include `target`; empty if it may.
std::string find_fault(std::string_view file, std::string_view target) {
    const Side* const to_side = find_side(target);
    const std::optional<std::size_t> to = find_place(target);
    if (!to_side && !to) return "not a path from the root into a listed folder";
    if (const Side* const from_side = find_side(file)) {
        if (to_side == from_side || is_in(target, from_side->may_include)) return "";
        return std::string(from_side->folder) + " is outside the order";
    }
    const std::optional<std::size_t> from = find_place(file);
    if (!from) return "the file is in no listed folder";
    if (to_side) {
        const std::string first_user(to_side->first_user);
        return *from >= find_place(first_user + "/x").value() ? "" : "only for " + first_user + " and later";
    }
    if (*to <= *from) return "";
    return std::string(kOrder[*from]) + " is below " + std::string(kOrder[*to]);
}

bool needs_display(std::string_view header) {
    return std::ranges::any_of(kDisplayHeaders, [&](std::string_view start) { return header.starts_with(start); });
}

bool is_platform(std::string_view file) {
    return std::ranges::any_of(kPlatformFolders, [&](std::string_view folder) { return is_in(file, folder); });
}

bool is_system_header(std::string_view header) {
    return std::ranges::any_of(kSystemHeaders, [&](std::string_view known) {
        return known.ends_with('/') ? header.starts_with(known) : header == known;
    });
}

// The system call in a line of code; empty without one.
std::string_view find_system_call(std::string_view line) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    line = line.substr(0, line.find("//"));
    for (const std::string_view call : kSystemCalls) {
        for (std::size_t at = line.find(call); at != std::string_view::npos; at = line.find(call, at + 1)) {
            const std::string_view before = line.substr(0, at), after = line.substr(at + call.size());
            const bool is_own = !before.empty() && (is_word(before.back()) || before.back() == '.' ||
                                                    before.ends_with("->") || before.ends_with("core::"));
            const bool is_called = after.starts_with('(') || (call == "environ" && !after.starts_with('"'));
            if (!is_own && is_called && (after.empty() || !is_word(after.front()))) return call;
        }
    }
    return {};
}

bool must_not_draw(std::string_view file) {
    return is_in(file, "core") || is_in(file, "ui/model") || is_in(file, "ui/timeline/model");
}

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

// Headers of ours that each header includes.
using IncludeGraph = std::map<std::string, std::vector<std::string>, std::less<>>;

IncludeGraph read_header_includes(const fs::path& root, const std::vector<std::string>& files) {
    IncludeGraph graph;
    for (const std::string& file : files) {
        if (!file.ends_with(".hpp")) continue;
        std::vector<std::string>& targets = graph[file];
        std::ifstream in(root / file);
        for (std::string line; std::getline(in, line);) {
            const std::optional<Include> include = find_include(line);
            if (include && include->quoted) targets.push_back(include->target);
        }
    }
    return graph;
}

// The first include cycle found, as "a -> b -> a"; empty when there is none.
std::string find_include_cycle(const IncludeGraph& graph) {
    std::set<std::string, std::less<>> done;
    std::vector<std::string> path;
    std::string cycle;
    const std::function<void(const std::string&)> visit = [&](const std::string& file) {
        if (!cycle.empty() || done.contains(file)) return;
        const auto open = std::ranges::find(path, file);
        if (open != path.end()) {
            for (auto it = open; it != path.end(); ++it) cycle += *it + " -> ";
            cycle += file;
            return;
        }
        path.push_back(file);
        if (const auto it = graph.find(file); it != graph.end()) std::ranges::for_each(it->second, visit);
        path.pop_back();
        done.insert(file);
    };
    for (const auto& [file, targets] : graph) visit(file);
    return cycle;
}

// Comments and literals as blanks, so that braces, parentheses and semicolons left are those of the code.
std::string without_literals(std::string_view text) {
    std::string code(text);
    const auto blank = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < std::min(end, code.size()); ++i)
            if (code[i] != '\n') code[i] = ' ';
        return end;
    };
    const auto end_of_quoted = [&](std::size_t at) {
        const char quote = code[at];
        for (++at; at < code.size() && code[at] != quote && code[at] != '\n'; ++at)
            if (code[at] == '\\') ++at;
        return at + 1;
    };
    for (std::size_t at = 0; at < code.size();) {
        const std::string_view rest = std::string_view(code).substr(at);
        const bool is_in_number = at > 0 && std::isalnum(static_cast<unsigned char>(code[at - 1])) != 0;
        if (rest.starts_with("//") || (rest.starts_with('#') && (at == 0 || code[at - 1] == '\n'))) {
            at = blank(at, code.find('\n', at));
        } else if (rest.starts_with("R\"")) {
            const std::string close = ")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"";
            at = blank(at, code.find(close, at) + close.size());
        } else if (rest.starts_with('"') || (rest.starts_with('\'') && !is_in_number)) {
            at = blank(at, end_of_quoted(at));
        } else {
            ++at;
        }
    }
    return code;
}

// A function at namespace scope.
struct NamedFunction {
    std::string name;  // with its namespaces
    bool is_defined = false;
};

// The name before the parentheses of a function's declaration, empty if the statement declares none.
std::string name_of_function(std::string_view statement) {
    for (const std::string_view other : {"using ", "typedef ", "static_assert", "friend ", "return "})
        if (statement.starts_with(other)) return "";
    int angles = 0;
    for (std::size_t at = 0; at < statement.size(); ++at) {
        if (statement[at] == '<') ++angles;
        if (statement[at] == '>') --angles;
        if (angles == 0 && statement[at] == '=') return "";
        if (angles > 0 || statement[at] != '(') continue;
        const std::size_t blank = statement.find_last_of(" \n&*", at);
        return blank == std::string_view::npos ? "" : std::string(statement.substr(blank + 1, at - blank - 1));
    }
    return "";
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos) return "";
    return text.substr(first, text.find_last_not_of(" \n") + 1 - first);
}

// Functions that a source declares or defines outside of unnamed namespaces and classes.
std::vector<NamedFunction> collect_functions(std::string_view text) {
    const std::string code = without_literals(text);
    std::vector<NamedFunction> functions;
    std::vector<std::string> scopes;  // open namespaces; unnamed ones have no name
    std::size_t inner = 0;            // open braces that are no namespace's
    std::size_t begin = 0;
    const auto add = [&](std::size_t end, bool is_defined) {
        const std::string name = name_of_function(trimmed(std::string_view(code).substr(begin, end - begin)));
        if (name.empty() || std::ranges::find(scopes, "") != scopes.end()) return;
        std::string path;
        for (const std::string& scope : scopes) path += scope + "::";
        functions.push_back({path + name, is_defined});
    };
    for (std::size_t at = 0; at < code.size(); ++at) {
        if (code[at] == '{' && inner == 0) {
            const std::string_view head = trimmed(std::string_view(code).substr(begin, at - begin));
            if (head.starts_with("namespace")) {
                scopes.emplace_back(trimmed(head.substr(9)));
            } else {
                add(at, true);
                ++inner;
            }
        } else if (code[at] == '{') {
            ++inner;
        } else if (code[at] == '}') {
            if (inner > 0) {
                --inner;
            } else if (!scopes.empty()) {
                scopes.pop_back();
            }
        } else if (code[at] == ';' && inner == 0) {
            add(at, false);
        }
        if (inner == 0 && (code[at] == '{' || code[at] == '}' || code[at] == ';')) begin = at + 1;
    }
    return functions;
}

std::string read_text(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Source files by folder; a .cpp and its header count once.
std::map<std::string, std::set<std::string>> group_by_folder(const std::vector<std::string>& files) {
    std::map<std::string, std::set<std::string>> folders;
    for (const std::string& file : files) {
        folders[std::string(folder_of(file))].insert(fs::path(file).replace_extension().string());
    }
    return folders;
}

}  // namespace

TEST_CASE("folders include only themselves and the folders before them") {
    const fs::path root = core::testing::source_folder();
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

TEST_CASE("the system is asked in the platform folders only") {
    const fs::path root = core::testing::source_folder();
    std::size_t of_system = 0;
    for (const std::string& file : collect_sources(root)) {
        INFO(file);
        std::ifstream in(root / file);
        for (std::string line; std::getline(in, line);) {
            const std::optional<Include> include = find_include(line);
            const bool includes = include && !include->quoted && is_system_header(include->target);
            of_system += includes ? 1 : 0;
            if (is_platform(file)) continue;
            INFO(line);
            CHECK_FALSE(includes);
            CHECK(find_system_call(line) == "");
        }
    }
    CHECK(of_system > 10);
}

// A header says what a folder offers; a declaration by hand hides an include from the first test.
TEST_CASE("sources declare no functions of other folders") {
    const fs::path root = core::testing::source_folder();
    std::map<std::string, std::set<std::string>> defined;  // by folder
    std::vector<std::pair<std::string, std::string>> declared;
    for (const std::string& file : collect_sources(root)) {
        if (!file.ends_with(".cpp")) continue;
        for (const NamedFunction& function : collect_functions(read_text(root / file))) {
            if (function.is_defined)
                defined[std::string(folder_of(file))].insert(function.name);
            else
                declared.emplace_back(file, function.name);
        }
    }
    CHECK(defined["core/analysis/run"].contains("core::run_analysis"));
    CHECK(declared.size() > 10);
    for (const auto& [file, name] : declared) {
        INFO(file, " declares ", name);
        CHECK(defined[std::string(folder_of(file))].contains(name));
    }
}

TEST_CASE("functions declared at namespace scope are found") {
    const auto found_in = [](std::string_view text) {
        std::string found;
        for (const NamedFunction& function : collect_functions(text))
            found += (found.empty() ? "" : " ") + function.name + (function.is_defined ? "{}" : "");
        return found;
    };
    CHECK(found_in("namespace a {\nint f(int);\nint g() { return f(1); }\n}\nvoid h();") == "a::f a::g{} h");
    CHECK(found_in("namespace a::b { std::map<int, void(int)> f(const X&, int = 1); }") == "a::b::f");
    CHECK(found_in("namespace a { namespace { int f(int); } }") == "");
    CHECK(found_in("namespace a { namespace b { Columns columns; Rank* rank(); } }") == "a::b::rank");
    CHECK(found_in("class A { void f(); };\nusing F = int(int);\nconst int k = f(1);\n#define F(x) f(x);") == "");
    CHECK(found_in("// int f();\nconst char* t = R\"(int g();)\";\nchar c = '{';\nint n = 1'000;\nint h();") == "h");
}

TEST_CASE("headers and calls of the system are distinguished from others") {
    for (const char* const header : {"unistd.h", "fcntl.h", "sys/stat.h", "sys/mman.h", "poll.h", "signal.h", "csignal",
                                     "dirent.h", "pthread.h", "linux/futex.h", "netinet/in.h", "windows.h"}) {
        INFO(header);
        CHECK(is_system_header(header));
    }
    for (const char* const header : {"cerrno", "cstdio", "ctime", "algorithm", "system_error", "syscall", "zlib.h"}) {
        INFO(header);
        CHECK_FALSE(is_system_header(header));
    }
    CHECK(is_platform("core/base/platform/files_posix.cpp"));
    CHECK(is_platform("ui/platform/platform.cpp"));
    CHECK_FALSE(is_platform("core/base/pages.cpp"));
    CHECK(find_system_call("    const int own = ::getpid();") == "getpid");
    CHECK(find_system_call("    if (kill(process, 0) == 0) return;") == "kill");
    CHECK(find_system_call("    run(arguments.data(), environ);") == "environ");
    CHECK(find_system_call("    window.kill(process);  // not getpid()") == "");
    CHECK(find_system_call("    void may_kill(int process);") == "");
    CHECK(find_system_call("    const std::string name = \"fork\";") == "");
}

TEST_CASE("every listed folder exists and holds at most 25 source files") {
    const std::map<std::string, std::set<std::string>> folders =
        group_by_folder(collect_sources(core::testing::source_folder()));
    for (const std::string_view folder : kOrder) {
        INFO(folder);
        CHECK(folders.contains(std::string(folder)));
    }
    for (const auto& [folder, sources] : folders) {
        INFO(folder);
        CHECK(sources.size() <= 25);
    }
}

// Names are searched for without their folder, so stems are unique. A .cpp and its header count once.
TEST_CASE("no two folders hold files of the same stem") {
    std::map<std::string, std::set<std::string>> folders_of;
    for (const std::string& file : collect_sources(core::testing::source_folder())) {
        folders_of[fs::path(file).stem().string()].insert(std::string(folder_of(file)));
    }
    for (const auto& [stem, folders] : folders_of) {
        INFO(stem);
        CHECK(folders.size() == 1);
    }
}

TEST_CASE("no headers include each other in a cycle") {
    const fs::path root = core::testing::source_folder();
    CHECK(find_include_cycle(read_header_includes(root, collect_sources(root))) == "");
    CHECK(find_include_cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}) == "b -> c -> b");
    CHECK(find_include_cycle({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}) == "");
}

TEST_CASE("a wrong include is named") {
    CHECK(find_fault("core/index/lanes.cpp", "core/store/rank_trace.hpp") == "");
    CHECK(find_fault("core/index/lanes.cpp", "core/index/lanes.hpp") == "");
    CHECK(find_fault("app/main.cpp", "ui/style/theme.hpp") == "");
    CHECK(find_fault("core/base/jobs.cpp", "core/store/rank_trace.hpp") == "core/base is below core/store");
    CHECK(find_fault("core/store/blob.hpp", "core/store/assemble/track_order.hpp") ==
          "core/store is below core/store/assemble");
    CHECK(find_fault("core/session/session.cpp", "ui/style/theme.hpp") == "core/session is below ui/style");
    CHECK(find_fault("ui/model/view.cpp", "ui/panels/step_map.hpp") == "ui/model is below ui/panels");
    CHECK(find_fault("core/base/jobs.cpp", "jobs.hpp") == "not a path from the root into a listed folder");
    CHECK(find_fault("core/strange/a.cpp", "core/base/jobs.hpp") == "the file is in no listed folder");
    CHECK(find_fault("ui/stray.cpp", "core/base/jobs.hpp") == "the file is in no listed folder");
    CHECK(find_fault("core/sample/write.cpp", "core/base/result.hpp") == "");
    CHECK(find_fault("core/sample/write.cpp", "core/store/rank_trace.hpp") == "core/sample is outside the order");
    CHECK(find_fault("app/sample_command.cpp", "core/sample/write.hpp") == "");
    CHECK(find_fault("core/ingest/load/formats.cpp", "core/sample/write.hpp") == "only for ui/shell and later");
    CHECK(find_fault("ui/style/theme.cpp", "assets/embedded.hpp") == "");
    CHECK(find_fault("core/base/format.cpp", "assets/embedded.hpp") == "only for ui/style and later");
    CHECK(must_not_draw("ui/model/panels/kernels_model.cpp"));
    CHECK_FALSE(must_not_draw("ui/style/theme.cpp"));
}

TEST_CASE("an include line is recognised however it is spaced") {
    CHECK(find_include("  #  include <imgui.h>  // why")->target == "imgui.h");
    CHECK(find_include("#include \"core/base/units.hpp\"")->quoted);
    CHECK_FALSE(find_include("// #include <imgui.h>").has_value());
    CHECK(needs_display("GLFW/glfw3.h"));
    CHECK_FALSE(needs_display("algorithm"));
}

TEST_CASE("the top level holds what README.md and HACKING.md say, and nothing else") {
    const fs::path root = core::testing::source_folder();
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

// A time of a trace is on its rank's clock; RankSlot and Run convert it to the run's.
TEST_CASE("clock maps are applied by the ranks of a run only") {
    constexpr std::array<std::string_view, 2> kUses = {"clock.to_", "ClockMap"};
    constexpr std::array<std::string_view, 5> kMayUse = {
        "core/index/run.", "core/index/summary_rank.", "core/collectives/choose_clocks.",
        "core/ingest/load/align_clocks.", "core/ingest/load/assemble_run."};
    const auto uses_map = [&](std::string_view line) {
        return std::ranges::any_of(kUses,
                                   [&](std::string_view use) { return line.find(use) != std::string_view::npos; });
    };
    CHECK(uses_map("    const RunTime t = rank.clock.to_run(trace.start[0]);"));
    const fs::path root = core::testing::source_folder();
    for (const std::string& file : collect_sources(root)) {
        if (std::ranges::any_of(kMayUse, [&](std::string_view start) { return file.starts_with(start); })) continue;
        INFO(file);
        std::ifstream in(root / file);
        for (std::string line; std::getline(in, line);) {
            INFO(line);
            CHECK_FALSE(uses_map(line));
        }
    }
}

// Panels and the timeline read a const document and push intents.
TEST_CASE("the store of the document is named only where intents are applied and by the window that owns it") {
    constexpr std::array<std::string_view, 2> kMayWrite = {"ui/model/intents/", "ui/shell/"};
    const fs::path root = core::testing::source_folder();
    std::size_t named = 0;
    for (const std::string& file : collect_sources(root)) {
        INFO(file);
        const bool may_write =
            std::ranges::any_of(kMayWrite, [&](std::string_view start) { return file.starts_with(start); });
        std::ifstream in(root / file);
        for (std::string line; std::getline(in, line);) {
            const bool names_store = line.find("DocumentStore") != std::string::npos;
            named += names_store ? 1 : 0;
            INFO(line);
            CHECK((may_write || !names_store));
        }
    }
    CHECK(named > 0);
}
