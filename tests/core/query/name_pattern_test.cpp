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

TEST_CASE("a pattern is found anywhere unless it is anchored") {
    CHECK(found("reduce", "all_reduce_kernel"));
    CHECK(found("^nccl.*Send", "ncclDevKernel_SendRecv"));
    CHECK(!found("^Send", "ncclDevKernel_SendRecv"));
    CHECK(found("Recv$", "ncclDevKernel_SendRecv"));
    CHECK(found("", "anything"));
    CHECK(found("^$", ""));
    CHECK(!found("^$", "x"));
}

TEST_CASE("sets, escapes, groups, choices and repetitions work as usual") {
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

TEST_CASE("a broken pattern is refused with place and reason") {
    CHECK(pattern_error_of("a)") == "at 2: ) without (");
    CHECK(pattern_error_of("(a") == "at 3: ( without )");
    CHECK(pattern_error_of("*a") == "at 1: nothing to repeat");
    CHECK(pattern_error_of("a**").find("nothing to repeat") != std::string::npos);
    CHECK(pattern_error_of("[a").find("[ without ]") != std::string::npos);
    CHECK(pattern_error_of("[z-a]").find("reversed") != std::string::npos);
    CHECK(pattern_error_of("a{3,1}").find("reversed") != std::string::npos);
    CHECK(pattern_error_of("(?=a)").find("not supported") != std::string::npos);
    CHECK(pattern_error_of(R"((a)\1)").find("not supported") != std::string::npos);
    CHECK(pattern_error_of("a\\").find("backslash") != std::string::npos);
    CHECK(pattern_error_of(R"(\q)").find("unknown escape") != std::string::npos);
}

TEST_CASE("patterns that ruin backtracking engines are answered at once") {
    const std::string text(100'000, 'a');
    CHECK(!found("(a+)+$", text + "b"));
    CHECK(!found("(a|a)*c", text));
    CHECK(found(".*.*.*$", text));
    CHECK(!found("(a?){30}a{30}b", text));
}

TEST_CASE("patterns that would grow without bound are refused") {
    CHECK(pattern_error_of("((a{1000}){1000}){1000}") == "the pattern is too large");
    CHECK(pattern_error_of("(((((){1000}){1000}){1000}){1000})") == "the pattern is too large");
    CHECK(pattern_error_of(std::string(100'000, '(')) == "the pattern is too long");
    CHECK(pattern_error_of(std::string(8'000, '(')).find("nested too deeply") != std::string::npos);
    CHECK(pattern_error_of("a{2000}").find("too many repetitions") != std::string::npos);
}

TEST_CASE("answers equal those of the standard library on random patterns") {
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
