#include "core/analysis/engine/flop_expression.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;

TEST_CASE("the FLOP of a model are an expression") {
    CHECK(parse_flop_expression("6*7e9*4194304").value() == doctest::Approx(6 * 7e9 * 4194304));
    CHECK(parse_flop_expression(" 2 + 3 * (4 - 1) / 2 ").value() == doctest::Approx(6.5));
    CHECK(parse_flop_expression("0").value() == 0);
}

TEST_CASE("a transformer's FLOP follow from its sizes, half the pairs with a causal mask") {
    const double layer = 4.0 * 64 * 64 * (1 + 0.25) + 2.0 * 3 * 64 * 128 + 4.0 * 16 * 64 * 0.5;
    const double expected = 3.0 * 2 * 16 * (3 * layer + 2.0 * 64 * 1000);
    CHECK(parse_flop_expression("transformer(layers=3,hidden=64,heads=8,kv_heads=2,ffn=128,gated=1,vocab=1000,seq=16,"
                                "batch=2,causal=1)")
              .value() == doctest::Approx(expected));
}

TEST_CASE("invalid expressions are refused, however deep or long") {
    for (const std::string& text :
         {std::string(), std::string("6*"), std::string("(1"), std::string("1)"), std::string("1 2"), std::string("x"),
          std::string("-1"), std::string("0-1"), std::string("1/0"), std::string("1e999"), std::string("transformer"),
          std::string("transformer()"), std::string("transformer(layers=1)"), std::string("transformer(size=1)"),
          std::string(1000, '('), std::string(100'000, '1')}) {
        CAPTURE(text.substr(0, 40));
        CHECK_FALSE(parse_flop_expression(text).has_value());
    }
}
