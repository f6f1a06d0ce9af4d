#include "core/query/name_pattern.hpp"

#include <doctest/doctest.h>

#include <random>
#include <regex>
#include <string>

using namespace core;

namespace {

bool found(std::string_view pattern, std::string_view text) {
    const Result<NamePattern> compiled = NamePattern::compile(pattern);
    REQUIRE_MESSAGE(compiled, (compiled ? "" : compiled.error().message));
    return compiled->found_in(text);
}
std::string pattern_error_of(std::string_view pattern) {
    const Result<NamePattern> compiled = NamePattern::compile(pattern);
    return compiled ? "" : compiled.error().message;
}

}  // namespace

TEST_CASE("a pattern matches anywhere unless anchored") {
    CHECK(found("reduce", "all_reduce_kernel"));
    CHECK(found("^nccl.*Send", "ncclDevKernel_SendRecv"));
    CHECK(!found("^Send", "ncclDevKernel_SendRecv"));
    CHECK(found("Recv$", "ncclDevKernel_SendRecv"));
    CHECK(found("", "anything"));
    CHECK(found("^$", ""));
    CHECK(!found("^$", "x"));
}

TEST_CASE("sets, escapes, groups, alternatives and repetitions work") {
    CHECK(found("[a-c]+[0-9]", "xxabc7"));
    CHECK(!found("[^a-c]", "abc"));
    CHECK(found(R"(\bgemm\b)", "a gemm b"));
    CHECK(!found(R"(\bgemm\b)", "gemms"));
    CHECK(found(R"(void .*<float, \d{2,3}>)", "void kernel<float, 128>(int)"));
    CHECK(!found(R"(<\d{4,}>)", "<128>"));
    CHECK(found("(?:ab|cd){2}$", "xabcd"));
    CHECK(!found("(ab|cd){2}$", "xab"));
    CHECK(found("a{,2}", "a{,2}"));
    CHECK(found(R"(\x41\/\.)", "A/."));
    CHECK(found("colou?r", "color"));
    CHECK(found("(a*)*b", "aaab"));
}

TEST_CASE("a UTF-8 sequence is one character, and classes include letters beyond ASCII") {
    CHECK(found("^K.rnel$", "Kérnel"));
    CHECK(found(R"(^\pL+$)", "Köln"));
    CHECK(found(R"(\x{e9})", "Kérnel"));
    CHECK_FALSE(found("^..$", "é"));
    CHECK(found("(?i)KÉRNEL", "kérnel"));
}

TEST_CASE("an invalid pattern is refused with the reason and the piece") {
    CHECK(pattern_error_of("a)") == "unexpected ) in \"a)\"");
    CHECK(pattern_error_of("(a") == "missing ) in \"(a\"");
    CHECK(pattern_error_of("*a") == "nothing to repeat in \"*\"");
    CHECK(pattern_error_of("a**") == "repetition of a repetition in \"**\"");
    CHECK(pattern_error_of("[a") == "missing ] in \"[a\"");
    CHECK(pattern_error_of("[z-a]") == "reversed range or unknown class of characters in \"z-a\"");
    CHECK(pattern_error_of("a{3,1}") == "repetition count that is reversed or above 1000 in \"{3,1}\"");
    CHECK(pattern_error_of("(?=a)") == "unknown group (RE2 has no look-around) in \"(?=\"");
    CHECK(pattern_error_of(R"((a)\1)") == "unknown escape (RE2 has no back references) in \"\\1\"");
    CHECK(pattern_error_of("a\\") == "nothing after the last backslash");
    CHECK(pattern_error_of(R"(\q)") == "unknown escape (RE2 has no back references) in \"\\q\"");
    CHECK(pattern_error_of("[[:nothing:]]") == "reversed range or unknown class of characters in \"[:nothing:]\"");
    CHECK(pattern_error_of("(?P<a b>x)").starts_with("bad name of a group in"));
    CHECK(pattern_error_of("a\xff") == "bytes that are not UTF-8");
}

TEST_CASE("a long piece of a refused pattern is cut between characters") {
    const std::string message = pattern_error_of("(" + std::string(38, 'a') + "éé");
    CHECK(message == "missing ) in \"(" + std::string(38, 'a') + "…\"");
}

TEST_CASE("syntax that earlier versions accepted and RE2 does not is refused by name") {
    CHECK(pattern_error_of(R"([\b])") == "unknown escape (RE2 has no back references) in \"\\b\"");
    CHECK(pattern_error_of("[^]") == "missing ] in \"[^]\"");
    CHECK(pattern_error_of("[]") == "missing ] in \"[]\"");
}

TEST_CASE("patterns that are exponential in backtracking engines match at once") {
    const std::string text(100'000, 'a');
    CHECK(!found("(a+)+$", text + "b"));
    CHECK(!found("(a|a)*c", text));
    CHECK(found(".*.*.*$", text));
    CHECK(!found("(a?){30}a{30}b", text));
}

TEST_CASE("patterns that need unbounded memory are refused") {
    constexpr std::string_view kTooOften = "repetition count that is reversed or above 1000 in ";
    CHECK(pattern_error_of("((a{1000}){1000}){1000}").starts_with(kTooOften));
    CHECK(pattern_error_of("(((((){1000}){1000}){1000}){1000})").starts_with(kTooOften));
    CHECK(pattern_error_of("a{2000}").starts_with(kTooOften));
    CHECK(pattern_error_of(R"((\pL\pN\pP){1000})") == "the pattern is too large; shorten it or repeat less");
    CHECK(pattern_error_of(std::string(100'000, '(')) == "the pattern has more than 8192 bytes");
    CHECK(pattern_error_of(std::string(8'000, '(')).starts_with("missing ) in "));
    CHECK(found(std::string(4'000, '(') + "a" + std::string(4'000, ')'), "a"));
}

TEST_CASE("random patterns agree with the standard library") {
    static constexpr const char* kAtoms[] = {"a",   "b", ".", "[ab]", "[^a]", "(a|bc)", "(?:b)",
                                             "\\w", "^", "$", "\\b",  "c",    "|"};
    static constexpr const char* kSuffixes[] = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}"};
    int compared = 0;
    for (unsigned seed = 0; seed < 3'000; ++seed) {
        std::mt19937_64 random(seed);
        std::string pattern;
        for (auto n = 1 + random() % 5; n > 0; --n) {
            const std::string atom = kAtoms[random() % std::size(kAtoms)];
            const bool repeatable = atom != "^" && atom != "$" && atom != "\\b" && atom != "|";
            pattern += atom + (repeatable ? kSuffixes[random() % std::size(kSuffixes)] : "");
        }
        const std::regex expected(pattern);
        const Result<NamePattern> compiled = NamePattern::compile(pattern);
        REQUIRE(compiled);
        for (int i = 0; i < 20; ++i) {
            std::string text;
            for (auto n = random() % 7; n > 0; --n) text += "abc -"[random() % 5];
            CAPTURE(pattern);
            CAPTURE(text);
            CHECK(compiled->found_in(text) == std::regex_search(text, expected));
            ++compared;
        }
    }
    CHECK(compared == 60'000);
}
