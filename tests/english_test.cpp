// Comments and documents in plain English: tests/odd_words.txt says which words they do without. Places that are left
// stand in tests/odd_words_left.txt, a path and a count each; the list only gets shorter. LOCKSTEP_RECORD=1 shortens
// it.

#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct OddWords {
    std::vector<std::string> first;
    std::vector<std::string> any;
};

OddWords read_odd_words(std::istream& in) {
    OddWords words;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t space = line.find(' '), bar = line.find(" | ");
        REQUIRE(space != std::string::npos);
        REQUIRE(bar != std::string::npos);
        const std::string word = line.substr(space + 1, bar - space - 1);
        (line.starts_with("first ") ? words.first : words.any).push_back(word);
    }
    return words;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    return text;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool begins_with(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    const char after = text.size() == word.size() ? ' ' : text[word.size()];
    return !is_letter(after) && after != '-' && !text.starts_with("What if");  // the analysis what-if
}

bool contains_word(std::string_view text, std::string_view phrase) {
    for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
        const std::size_t end = at + phrase.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
    }
    return false;
}

struct OddPlace {
    std::size_t line;
    std::string word;
};

void find_in_text(std::string_view text, std::size_t line, bool begins, const OddWords& words,
                  std::vector<OddPlace>& places) {
    for (const std::string& word : words.first)
        if (begins && begins_with(text, word)) places.push_back({line, word});
    for (const std::string& phrase : words.any)
        if (contains_word(text, phrase)) places.push_back({line, phrase});
}

// A block of comment lines begins with its first line; a comment behind code is a block of its own.
std::vector<OddPlace> find_in_source(std::istream& in, const OddWords& words) {
    std::vector<OddPlace> places;
    bool in_block = false;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const std::string_view text = trimmed(line);
        if (text.starts_with("//")) {
            const std::string_view comment = trimmed(text.substr(2));
            find_in_text(comment, number, !in_block, words, places);
            in_block = !comment.empty();
            continue;
        }
        in_block = false;
        if (const std::size_t at = text.rfind("  // "); at != std::string_view::npos)
            find_in_text(trimmed(text.substr(at + 5)), number, true, words, places);
    }
    return places;
}

// Sentences of paragraphs and lists; headings, tables, code blocks and questions are left alone.
std::vector<OddPlace> find_in_document(std::istream& in, const OddWords& words) {
    std::vector<OddPlace> places;
    bool in_code = false, begins = true;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::string_view text = trimmed(line);
        if (text.starts_with("```")) in_code = !in_code;
        if (in_code || text.empty() || text[0] == '#' || text[0] == '|' || text.starts_with("```")) {
            begins = true;
            continue;
        }
        if (text.starts_with("- ") || text.starts_with("> ")) {
            text = trimmed(text.substr(2));
            begins = true;
        }
        while (!text.empty()) {
            const std::size_t stop = text.find(". ");
            const std::string_view sentence = trimmed(text.substr(0, stop));
            find_in_text(sentence, number, begins && sentence.find('?') == std::string_view::npos, words, places);
            begins = stop != std::string_view::npos || sentence.ends_with('.') || sentence.ends_with(':');
            text = stop == std::string_view::npos ? std::string_view() : text.substr(stop + 2);
        }
    }
    return places;
}

bool is_source(const fs::path& path) { return path.extension() == ".hpp" || path.extension() == ".cpp"; }

// docs/definitions.md and docs/sql.md are recorded from the code; CHANGELOG.md tells history.
std::vector<std::string> collect_checked(const fs::path& root) {
    std::vector<std::string> files{"README.md", "ARCHITECTURE.md", "HACKING.md"};
    for (const char* const folder : {"core", "ui", "app", "tests", "docs"}) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string name = entry.path().filename().string();
            if (is_source(entry.path()) ||
                (entry.path().extension() == ".md" && name != "definitions.md" && name != "sql.md"))
                files.push_back(entry.path().lexically_relative(root).generic_string());
        }
    }
    std::ranges::sort(files);
    return files;
}

std::map<std::string, std::size_t> read_left(const fs::path& path) {
    std::map<std::string, std::size_t> left;
    std::ifstream in(path);
    std::string file;
    for (std::size_t count = 0; in >> file >> count;) left[file] = count;
    return left;
}

const OddWords kExamples{{"Of", "What"}, {"is to be"}};

std::size_t count_in_source(const std::string& text) {
    std::istringstream in(text);
    return find_in_source(in, kExamples).size();
}
std::size_t count_in_document(const std::string& text) {
    std::istringstream in(text);
    return find_in_document(in, kExamples).size();
}

}  // namespace

TEST_CASE("comments and documents do without odd words, but for places that become fewer") {
    const fs::path root = core::testing::source_folder();
    std::ifstream list(root / "tests/odd_words.txt");
    const OddWords words = read_odd_words(list);
    CHECK(words.first.size() >= 5);
    const std::map<std::string, std::size_t> left = read_left(root / "tests/odd_words_left.txt");
    std::ostringstream recorded;
    for (const std::string& file : collect_checked(root)) {
        std::ifstream in(root / file);
        const std::vector<OddPlace> places = is_source(file) ? find_in_source(in, words) : find_in_document(in, words);
        if (!places.empty()) recorded << file << ' ' << places.size() << '\n';
        const auto known = left.find(file);
        const std::size_t most = known == left.end() ? 0 : known->second;
        std::string listed;
        for (const OddPlace& place : places)
            listed += "\n" + file + ":" + std::to_string(place.line) + ": " + place.word;
        INFO(file << ": " << most << " places may be left; tests/odd_words.txt says what to write" << listed);
        CHECK(places.size() <= most);
        if (places.size() < most) MESSAGE(file << ": fewer places are left, so record the list with LOCKSTEP_RECORD=1");
        CHECK((places.size() == most || std::getenv("LOCKSTEP_RECORD") != nullptr || places.size() > most));
    }
    if (std::getenv("LOCKSTEP_RECORD")) std::ofstream(root / "tests/odd_words_left.txt") << recorded.str();
}

TEST_CASE("odd words are found at the beginning of comments and sentences, and phrases anywhere") {
    CHECK(count_in_source("// Of a rank, its steps.\nint a;") == 1);
    CHECK(count_in_source("// Steps\n// Of a rank.\nint a;") == 0);
    CHECK(count_in_source("// Steps\n//\n// What they take.\n") == 1);
    CHECK(count_in_source("int a;  // What it is\nint b;  // its Of\n") == 1);
    CHECK(count_in_source("// Often used\n\n// Whatever\n\n// What-if of a rank\n\n// What if: replayed\n") == 0);
    CHECK(count_in_source("// The file is to be closed, this is to become true\n") == 1);
    CHECK(count_in_document("# What it does\n\nIt works. What it does is\nclear. Of course.\n") == 2);
    CHECK(count_in_document("| What | Of |\n\n```\nOf code\n```\n\n- What now?\n- Of lists\n") == 1);
}
