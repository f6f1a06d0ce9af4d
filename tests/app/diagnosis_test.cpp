// The measure of a diagnosis: every labelled run of ../shared/diagnosis, scored by ../shared/tools/score_diagnosis.py
// against the built binary. Skipped without that folder. Small cases of our own: sample_diagnosis_test.cpp.

#include "tests/app/cli.hpp"

#include <regex>
#include <string>

using namespace app::testing;
namespace fs = std::filesystem;

namespace {

struct Score {
    int right = -1;
    int of = 0;
    bool is_at_least(int percent) const { return of > 0 && right * 100 >= of * percent; }
};

// "  first finding right      22/22 = 100 % [85, 100]" of the summary.
Score find_score(const std::string& summary, const std::string& line) {
    const std::size_t at = summary.find("\n  " + line + " ");
    if (at == std::string::npos) return {};
    const std::string rest = summary.substr(at + 1, summary.find('\n', at + 1) - at - 1);
    std::smatch match;
    if (!std::regex_search(rest, match, std::regex(R"((\d+)/(\d+) =)"))) return {};
    return {.right = std::stoi(match[1]), .of = std::stoi(match[2])};
}

}  // namespace

TEST_CASE("on labelled runs the first sentence names the culprits, with the gain, and blames nobody else") {
    const fs::path shared = core::testing::source_folder().parent_path() / "shared";
    const fs::path script = shared / "tools" / "score_diagnosis.py", runs = shared / "diagnosis";
    if (!fs::exists(script) || !fs::exists(runs / "labels.json")) {
        MESSAGE("skipped: no " << script.string() << " or no " << runs.string());
        return;
    }
    const Outcome outcome = run_shell("LOCKSTEP=" + quoted(core::testing::lockstep_binary()) + " python3 " +
                                      quoted(script.string()) + " " + quoted(runs.string()));
    INFO(outcome.out, outcome.err);
    const auto score = [&](const std::string& line) { return find_score(outcome.out, line); };
    CHECK(score("first finding right").is_at_least(95));
    CHECK(score("first row of what-to-do right").is_at_least(95));
    CHECK(score("cause, exact").is_at_least(90));
    CHECK(score("gain within 25 % or 2 % of the step").is_at_least(90));
    CHECK(score("gain: sign errors").right == 0);
    CHECK(score("false blame, nobody to blame (strict)").right == 0);
    CHECK(score("the same, hints included").right == 0);
    CHECK(score("incomplete_first_sentence").is_at_least(100));
}
