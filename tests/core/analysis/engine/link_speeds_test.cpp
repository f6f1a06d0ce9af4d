#include "core/analysis/engine/link_speeds.hpp"

#include <doctest/doctest.h>

using core::LinkSpeeds;

TEST_CASE("the longest name that a device contains decides, without case") {
    const LinkSpeeds& speeds = LinkSpeeds::standard();
    CHECK(speeds.find("NVIDIA H100 80GB HBM3") == 450e9);
    CHECK_FALSE(speeds.find("NVIDIA H100 PCIe"));
    CHECK(speeds.find("NVIDIA A100-SXM4-80GB") == 300e9);
    CHECK(speeds.find("nvidia gb200") == 900e9);
    CHECK_FALSE(speeds.find("NVIDIA H100"));  // of either kind
    CHECK_FALSE(speeds.find(""));
    CHECK_FALSE(speeds.find("Tesla T4"));
}

TEST_CASE("a user's lines come before the table, and an error names its line") {
    LinkSpeeds speeds = LinkSpeeds::standard();
    const core::Result<LinkSpeeds> given = LinkSpeeds::parse("# ours\nH100 = 400\n  T4=1.5 # PCIe\n\n");
    REQUIRE(given);
    speeds.add(*given);
    CHECK(speeds.find("NVIDIA H100 80GB HBM3") == 400e9);
    CHECK(speeds.find("Tesla T4") == 1.5e9);
    CHECK(speeds.find("NVIDIA A100-SXM4-80GB") == 300e9);
    for (const char* const wrong : {"H100 450", "= 5", "H100 = fast", "H100 = -1", "H100 = 1e9", "H100 = 5 GB"}) {
        INFO(wrong);
        const core::Result<LinkSpeeds> refused = LinkSpeeds::parse(std::string("A = 1\n") + wrong);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("line 2") != std::string::npos);
    }
}
