#pragma once
// Runs the built binary as a user would: arguments in, exit status and both streams out.

#include "tests/core/temp_folder.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>

#include <sys/wait.h>

namespace app::testing {

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

inline Outcome run_shell(const std::string& command) {
    const core::testing::TempFolder folder;
    const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
    const std::string plain = "export LOCKSTEP_NO_CACHE=1; ";  // keeps the traces' folders unchanged
    const int status = std::system((plain + "(" + command + ") >" + quoted(out) + " 2>" + quoted(err)).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out), read_file(err)};
}

inline Outcome lockstep(std::initializer_list<std::string> words) {
    std::string command = quoted(core::testing::lockstep_binary());
    for (const std::string& word : words) command += " " + quoted(word);
    return run_shell(command);
}

// Rows of `lockstep index` about written index files, without the run summary.
inline std::size_t count_written_indices(const std::string& table) {
    std::istringstream lines(table);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
        if (line.find(".lockstep-index") != std::string::npos && line.ends_with("  written")) ++count;
    return count;
}

}  // namespace app::testing
