// The verdict and the lights of the panel Overview.

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"
#include "ui/model/panels/health_model.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

constexpr std::int64_t kUs = 1'000;

// Each kernel is launched long after the previous one ended, so the GPU mostly waits for the host.
core::RunPtr starved() {
    TraceFixture fixture;
    for (int i = 0; i < 20; ++i) {
        const std::int64_t begin = i * 100 * kUs;
        fixture.launch(begin, 5 * kUs, i).kernel(begin + 10 * kUs, 20 * kUs, "elementwise", 7, i);
    }
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("the overview shows the verdict, lights that warn, and the others once they are unfolded") {
    PanelDriver panel("overview", starved(), {500, 700});
    const nlohmann::json shown = panel.shown();
    CHECK(shown["bound"]["verdict"] == "host-bound");
    CHECK(shown["health"].size() == core::health_checks().size());
    CHECK(shown["health"]["host"]["status"] == "bad");
    CHECK(shown["health"]["stragglers"]["status"] == "unknown");
    CHECK(shown["health"]["stragglers"]["value"] == "");
    CHECK(panel.find("light:host") != nullptr);
    CHECK(panel.find("light:stragglers") == nullptr);
    panel.click("lights");
    for (const core::HealthCheck& check : core::health_checks())
        CHECK(panel.find("light:" + std::string(check.id)) != nullptr);
}

TEST_CASE("a click on a light or on the verdict shows the evidence, without one the analysis") {
    PanelDriver panel("overview", starved(), {500, 700});
    panel.click("light:host");
    const auto* event = panel.last<ui::SelectEvent>();
    REQUIRE(event);
    CHECK(event->show);
    panel.click("lights");
    panel.click("light:stragglers");
    const auto* analysis = panel.last<ui::ShowAnalysis>();
    REQUIRE(analysis);
    CHECK(analysis->id == "stragglers");
    panel.click("verdict");
    CHECK(panel.last<ui::SelectEvent>() != nullptr);
}

TEST_CASE("with two runs each has its lights") {
    PanelDriver panel("overview", starved(), {700, 900}, starved());
    CHECK(panel.shown()["health"]["host"]["status"] == "bad");
    CHECK(panel.shown()["candidate"]["health"]["host"]["status"] == "bad");
    CHECK(panel.find("light:host") != nullptr);
    CHECK(panel.find("candidate-light:host") != nullptr);
}

TEST_CASE("a summary counts what is known and what is not") {
    ui::HealthModel model;
    CHECK(model.summary().empty());
    model.counts = {3, 1, 2, 8};
    CHECK(model.summary() == "2 bad, 1 warning, 3 ok, 8 unknown");
}

TEST_CASE("a light says value, limit and why, and gives advice only where something is wrong") {
    ui::HealthLight light{.id = "host",
                          .title = "Host",
                          .status = core::Health::Warn,
                          .value = "12.0 %",
                          .of = "idle",
                          .limit = "warn above 10.0 %",
                          .evidence = "numbers",
                          .advice = "do this",
                          .analysis = "device-idle",
                          .event = {}};
    CHECK(light.tooltip() ==
          "Host: warn, 12.0 %\nidle; warn above 10.0 %\nnumbers\ndo this\nClick: the analysis device-idle");
    light.status = core::Health::Ok;
    CHECK(light.tooltip().find("do this") == std::string::npos);
}
