// Rules for the documents: size, links, folders.

#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = core::testing::source_folder();

std::string read_document(const fs::path& path) {
    std::ifstream in(kRoot / path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream in(kRoot / path);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Code points of UTF-8 text.
std::size_t count_columns(std::string_view line) {
    return static_cast<std::size_t>(
        std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<fs::path> all_documents() {
    std::vector<fs::path> documents;
    for (const fs::path folder : {"", "docs"}) {
        for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / folder)) {
            if (entry.path().extension() == ".md") documents.push_back(entry.path().lexically_relative(kRoot));
        }
    }
    return documents;
}

// Targets of links and pictures: "[text](target)".
// Skips code blocks, whose lambdas look like links.
std::string without_code(std::string text) {
    constexpr std::string_view kFence = "\n```";
    for (std::size_t at; (at = text.find(kFence)) != std::string::npos;) {
        const std::size_t end = text.find(kFence, at + kFence.size());
        text.erase(at, end == std::string::npos ? end : end + kFence.size() - at);
    }
    return text;
}

std::vector<std::string> collect_links(const std::string& document) {
    const std::string text = without_code(document);
    std::vector<std::string> links;
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
        const std::size_t end = text.find(')', at);
        if (end != std::string::npos) links.push_back(text.substr(at + 2, end - at - 2));
    }
    return links;
}

// Folders that hold sources, as paths from the root.
std::set<std::string> collect_source_folders() {
    std::set<std::string> folders;
    for (const char* const top : {"core", "ui", "app"}) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            folders.insert(entry.path().parent_path().lexically_relative(kRoot).generic_string());
        }
    }
    return folders;
}

}  // namespace

TEST_CASE("ARCHITECTURE.md has at most 200 lines of at most 120 columns") {
    const std::vector<std::string> lines = lines_of("ARCHITECTURE.md");
    CHECK(lines.size() > 50);
    CHECK(lines.size() <= 200);
    for (const std::string& line : lines) {
        INFO(line);
        CHECK(count_columns(line) <= 120);
    }
}

TEST_CASE("ARCHITECTURE.md has a row for every folder of sources") {
    const std::string text = read_document("ARCHITECTURE.md");
    for (const std::string& folder : collect_source_folders()) {
        INFO(folder);
        CHECK(text.find("| `" + folder + "` |") != std::string::npos);
    }
}

TEST_CASE("ARCHITECTURE.md names no folder that does not exist") {
    for (const std::string& line : lines_of("ARCHITECTURE.md")) {
        if (!line.starts_with("| `")) continue;
        const std::string folder = line.substr(3, line.find('`', 3) - 3);
        INFO(folder);
        CHECK(fs::is_directory(kRoot / folder));
    }
}

TEST_CASE("every relative link of the documents leads to a file") {
    std::size_t checked = 0;
    for (const fs::path& document : all_documents()) {
        for (const std::string& link : collect_links(read_document(document))) {
            if (link.starts_with("http") || link.starts_with("#")) continue;
            INFO(document.string() << ": " << link);
            CHECK(fs::exists(kRoot / document.parent_path() / link.substr(0, link.find('#'))));
            ++checked;
        }
    }
    CHECK(checked > 10);
}

TEST_CASE("README.md says in its first screen what Lockstep is, shows it, and how to start it") {
    const std::vector<std::string> lines = lines_of("README.md");
    const auto line_of = [&](std::string_view start) {
        return std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(start); }) -
               lines.begin();
    };
    CHECK(line_of("Lockstep ") < 5);
    CHECK(line_of("![") < 15);
    CHECK(line_of("scripts/run.sh") < 25);
    CHECK(line_of("scripts/test.sh") == line_of("scripts/run.sh") + 1);
}

TEST_CASE("columns are counted in characters, not in bytes") {
    CHECK(count_columns("a→b") == 3);
    CHECK(count_columns("") == 0);
}
