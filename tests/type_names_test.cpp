// Two types with one name in one namespace are an error that compilers miss if no source includes both headers: the
// linker keeps one of two functions, which then gets the other type's data.

#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Adds the types that a header defines outside of other types: qualified name -> files.
void collect_types(const fs::path& header, std::map<std::string, std::set<std::string>>& types) {
    static const std::regex begins(R"(^(?:inline )?namespace ([\w:]+) \{$)");
    static const std::regex ends(R"(^\}  // namespace.*$)");
    static const std::regex type(R"(^(?:struct|class|enum class|enum) (\w+)\b[^;]*\{.*$)");
    std::vector<std::string> namespaces;
    std::ifstream in(header);
    std::smatch found;
    for (std::string line; std::getline(in, line);) {
        if (std::regex_match(line, found, begins)) {
            namespaces.push_back(found[1]);
        } else if (std::regex_match(line, ends) && !namespaces.empty()) {
            namespaces.pop_back();
        } else if (std::regex_match(line, found, type)) {
            std::string name;
            for (const std::string& part : namespaces) name += part + "::";
            types[name + found[1].str()].insert(header.lexically_relative(core::testing::source_folder()).string());
        }
    }
}

}  // namespace

TEST_CASE("no two headers define types of one name in one namespace") {
    std::map<std::string, std::set<std::string>> types;
    for (const char* folder : {"core", "ui", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(core::testing::source_folder() / folder))
            if (entry.path().extension() == ".hpp") collect_types(entry.path(), types);
    CHECK(types.size() > 300);
    for (const auto& [name, files] : types) {
        std::string list;
        for (const std::string& file : files) list += file + " ";
        INFO(name << ": " << list);
        CHECK(files.size() == 1);
    }
}
