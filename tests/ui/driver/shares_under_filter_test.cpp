// A filter by class or name highlights only: shares of time stay unchanged.

#include "tests/ui/driver/sample_window.hpp"

using nlohmann::json;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct SharesWindow : SampleWindow {
    void filter_by(const char* text) {
        did(driver->click("top/filter"));
        did(driver->key("ctrl+a"));
        driver->type(text);
        did(driver->key("enter"));
        did(driver->wait_idle());
    }
    json show(const char* panel, const char* pointer) {
        driver->window().post(ui::ShowPanel{panel});
        return at(pointer);
    }
};

}  // namespace

TEST_CASE_FIXTURE(SharesWindow, "a click on a legend item leaves 2.5 % idle at 2.5 %") {
    const json before = show("breakdown", "/panels/breakdown/ranks");
    REQUIRE(before.size() == 8);
    did(driver->click("breakdown/legend:Compute"));
    CHECK(at("/filter") == "class:compute");
    CHECK(at("/panels/breakdown/fresh") == true);
    CHECK(at("/panels/breakdown/ranks") == before);
}

TEST_CASE_FIXTURE(SharesWindow, "findings are the same under a filter by class or name, and other under one by rank") {
    const json before = show("findings", "/panels/findings/cards");
    REQUIRE(before.size() > 0);
    for (const char* text : {"class:communication", "name:nothing_is_called_this"}) {
        filter_by(text);
        CHECK(at("/filter") == text);
        CHECK(at("/panels/findings/cards") == before);
    }
    filter_by("rank:5");
    CHECK(at("/panels/findings/cards") != before);
}
