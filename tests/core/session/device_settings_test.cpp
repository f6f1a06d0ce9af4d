// Device peaks and links as changed by settings: the texts of peaks.json and links.txt.

#include "core/session/device_settings.hpp"
#include "core/analysis/efficiency/device_peaks.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

std::string peak(std::string_view text, std::string_view device, std::string_view key, std::optional<double> value) {
    const core::Result<std::string> changed = core::change_peak(text, device, key, value);
    REQUIRE(changed);
    return *changed;
}

}  // namespace

TEST_CASE("a peak is added to existing ones, and removed again") {
    const std::string one = peak("", "H100", "bf16", 900);
    CHECK(json::parse(one) == json{{"H100", {{"bf16", 900.0}}}});
    const std::string two = peak(one, "H100", "bandwidth", 3000.5);
    CHECK(json::parse(two)["H100"] == json{{"bf16", 900.0}, {"bandwidth", 3000.5}});
    CHECK(json::parse(peak(two, "H100", "bf16", {})) == json{{"H100", {{"bandwidth", 3000.5}}}});
    CHECK(json::parse(peak(one, "H100", "bf16", {})).empty());
}

TEST_CASE("a peak that cannot be read back is refused, and so are files that are not plain JSON") {
    CHECK_FALSE(core::change_peak("", "H100", "bf17", 1));
    CHECK_FALSE(core::change_peak("", "H100", "bf16", -1));
    CHECK_FALSE(core::change_peak("", "", "bf16", 1));
    CHECK_FALSE(core::change_peak("[1]", "H100", "bf16", 1));
    const core::Result<std::string> commented = core::change_peak("{} // mine", "H100", "bf16", 1);
    REQUIRE_FALSE(commented);
    CHECK(commented.error().message.find("peaks.json cannot be changed here") != std::string::npos);
    // A later entry whose name is part of the device's would override it.
    CHECK_FALSE(core::change_peak(R"({"ZZ": {"bf16": 5}})", "A ZZ", "bf16", 1));
}

TEST_CASE("a link is a line; other lines and comments stay") {
    const core::Result<std::string> changed =
        core::change_link("# mine\nH100 = 450\nA100 = 300 # both\n", "h100", 400.0);
    REQUIRE(changed);
    CHECK(*changed == "# mine\nA100 = 300 # both\nh100 = 400\n");
    CHECK(*core::change_link(*changed, "H100", {}) == "# mine\nA100 = 300 # both\n");
    CHECK_FALSE(core::change_link("", "a=b", 1));
    CHECK_FALSE(core::change_link("", "A", -1));
    CHECK_FALSE(core::change_link("nonsense\n", "A", 1));
    CHECK(core::change_link("NVIDIA H100 80GB = 5\n", "H100", 1));  // a longer name is of another device
}
