// Phrases that the interface must not use: each was found in the window or in a message and has a plain form.

#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

constexpr auto kOddPhrases = std::to_array<std::string_view>({
    "kind of repair or loss",
    "kinds of repair or loss",
    "Nothing has all of these words",
    "names only here",
    "other devices:",
    "Active together",
    "This is longer than",
    "critical path of a rank, or not",
    "Colour events the next way",
    "Every command\xE2\x80\xA6",
    "Opened before",
    "Open what was open",
    "No filter can say",
    "idles most",
    "rows stand for several names",
    "what cannot be is left out",
    "least to greatest",
    "some compute kernel runs",
    "whatever else does",
    "\"+1 rows\"",
    "Nothing lies in an area",
    "The filter takes no rank",
    "hold none; Import",
    "this is no JSON",
    "which is so longer",
    "are not to be had",
    "1 could not, 2 wrong usage",
    "can be gone to",
    "has no place in the plot",
    "Time above the roof",
    "gap before, which is longer",
    "Runs beside",
    "kinds of data problems",
    "transfer or unknown",
    "a ceiling, not a promise",
    "failed without a word",
    "its size lets expect",
    "\"In the end\"",
    "waits that begin here",
    "of the GPU time is below no module",
    "no such event in their files",
    "usual rule of communication",
    "nothing is called",
});

// The code of a line without its comment; a text that contains "//" is taken for one.
std::string_view without_comment(std::string_view line) {
    for (std::size_t at = line.find("//"); at != std::string_view::npos; at = line.find("//", at + 2))
        if (at == 0 || line[at - 1] != ':') return line.substr(0, at);
    return line;
}

}  // namespace

TEST_CASE("no message or label uses a phrase that was found to be odd") {
    for (const char* folder : {"ui", "app", "core"}) {
        for (const fs::directory_entry& entry :
             fs::recursive_directory_iterator(core::testing::source_folder() / folder)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            std::ifstream in(entry.path());
            std::size_t number = 0;
            for (std::string line; std::getline(in, line);) {
                ++number;
                const std::string_view code = without_comment(line);
                for (const std::string_view phrase : kOddPhrases) {
                    INFO(entry.path().string() << ":" << number << ": " << phrase);
                    CHECK(code.find(phrase) == std::string_view::npos);
                }
            }
        }
    }
}
