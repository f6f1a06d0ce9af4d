#include "core/query/find_text.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("text without arg: is a name with its spaces, or a regular expression between slashes") {
    CHECK(parse_find_text("aten::mm out") == FindText{{"aten::mm out", false}, {}, false});
    CHECK(parse_find_text("/^gemm x$/") == FindText{{"^gemm x$", true}, {}, false});
    CHECK(parse_find_text("/").name == NameTerm{"/", false});
    CHECK(parse_find_text("xarg:y").name == NameTerm{"xarg:y", false});
    CHECK_FALSE(parse_find_text("mm").reads_arguments());
    CHECK(parse_find_text("mm", true).reads_arguments());
    CHECK_FALSE(parse_find_text("", true).reads_arguments());
}

TEST_CASE("arg: takes a key and its value, quotes protect spaces, terms and names combine") {
    using Terms = std::vector<ArgumentTerm>;
    CHECK(parse_find_text("arg:Seq=12").arguments == Terms{{"Seq", {"12", false}}});
    CHECK(parse_find_text("arg:\"Process Group Name\"=dp").arguments == Terms{{"Process Group Name", {"dp", false}}});
    CHECK(parse_find_text("arg:k=\"a b\"").arguments == Terms{{"k", {"a b", false}}});
    CHECK(parse_find_text("arg:k=/a b$/").arguments == Terms{{"k", {"a b$", true}}});
    CHECK(parse_find_text("arg:k=").arguments == Terms{{"k", {"", false}}});
    CHECK(parse_find_text("arg:float").arguments == Terms{{"", {"float", false}}});
    CHECK(parse_find_text("arg:/f=l/").arguments == Terms{{"", {"f=l", true}}});
    CHECK(parse_find_text("arg:").arguments.empty());
    const FindText both = parse_find_text("nccl all arg:Seq=12  arg:dtype=Float");
    CHECK(both.name == NameTerm{"nccl all", false});
    CHECK(both.arguments == Terms{{"Seq", {"12", false}}, {"dtype", {"Float", false}}});
    CHECK(parse_find_text("arg:Seq=12 nccl").name == NameTerm{"nccl", false});
}

TEST_CASE("an unmatched quote or slash is literal") {
    CHECK(parse_find_text("arg:\"Seq=1").arguments.front() == ArgumentTerm{"\"Seq", {"1", false}});
    CHECK(parse_find_text("arg:k=/x").arguments.front() == ArgumentTerm{"k", {"/x", false}});
}
