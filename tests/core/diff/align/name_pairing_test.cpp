#include "core/diff/align/name_pairing.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

bool are_one(const NamePairing& names, std::string_view baseline, std::string_view candidate) {
    return names.key(Side::Baseline, baseline) == names.key(Side::Candidate, candidate);
}

}  // namespace

TEST_CASE("exact names pair if equal, normalised names also if they differ only in numbers") {
    const NamePairing exact;
    CHECK(are_one(exact, "gemm_128x64", "gemm_128x64"));
    CHECK_FALSE(are_one(exact, "gemm_128x64", "gemm_64x64"));
    const NamePairing normalised(NameMatching::Normalised);
    CHECK(are_one(normalised, "gemm_128x64", "gemm_64x64"));
    CHECK(normalised.shown(Side::Candidate, "gemm_64x64") == "gemm_NxN");
}

TEST_CASE("a manual pair precedes the rule, and maps from baseline to candidate only") {
    const std::vector<NamePair> pairs{{"gemm_128x64", "nvjet"}};
    const NamePairing names(NameMatching::Normalised, pairs);
    CHECK(are_one(names, "gemm_128x64", "nvjet"));
    CHECK_FALSE(are_one(names, "gemm_128x64", "gemm_64x64"));
    CHECK_FALSE(are_one(names, "nvjet", "gemm_128x64"));
    CHECK(names.shown(Side::Candidate, "nvjet") == "gemm_128x64");
    CHECK(names.is_by_hand(Side::Candidate, "nvjet"));
    CHECK_FALSE(names.is_by_hand(Side::Baseline, "nvjet"));
}

TEST_CASE("names in overlapping pairs form one group") {
    const std::vector<NamePair> pairs{{"a", "x"}, {"b", "y"}, {"a", "y"}, {"c", "z"}};
    const NamePairing names(NameMatching::Exact, pairs);
    CHECK(are_one(names, "a", "x"));
    CHECK(are_one(names, "b", "x"));
    CHECK(are_one(names, "a", "y"));
    CHECK_FALSE(are_one(names, "c", "x"));
}

TEST_CASE("pairs are written with one =, or with blanks around the separating one") {
    const auto pair = [](std::string_view text) {
        const Result<NamePair> parsed = parse_name_pair(text);
        return parsed ? parsed->baseline + "|" + parsed->candidate : parsed.error().message;
    };
    CHECK(pair("a=b") == "a|b");
    CHECK(pair("  void f<int, 4>(int)  =  g ") == "void f<int, 4>(int)|g");
    CHECK(pair("f<A=1> = g<B=2>") == "f<A=1>|g<B=2>");
    CHECK(pair("a").find("is not BASELINE=CANDIDATE") != std::string::npos);
    CHECK(pair("a=b=c").find("put blanks around") != std::string::npos);
    CHECK(pair("= b").find("a name is missing") != std::string::npos);
}

TEST_CASE("a file of pairs has one per line, allows comments, and its errors name the line") {
    const Result<std::vector<NamePair>> pairs = parse_name_pairs("# by hand\n\na = b\r\nc=d");
    REQUIRE(pairs);
    CHECK(*pairs == std::vector<NamePair>{{"a", "b"}, {"c", "d"}});
    const Result<std::vector<NamePair>> wrong = parse_name_pairs("a=b\nc");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message.starts_with("line 2: "));
    CHECK(parse_name_pairs("")->empty());
}
