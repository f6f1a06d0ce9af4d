// The window without a run: what can be opened, and the sample in one click.

#include "core/ingest/load/formats.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/style/items.hpp"

using ui::testing::did;
using ui::testing::DrivenWindow;

TEST_CASE_FIXTURE(DrivenWindow,
                  "one click on the start screen writes a sample run and opens it, without a trace left") {
    did(driver->wait_idle());
    CHECK(ui::items().find("welcome/formats"));
    CHECK(ui::items().find("welcome/open"));
    did(driver->click("welcome/sample"));
    CHECK(at("/run/ranks") == 8);
    const std::filesystem::path folder = driver->session().load()->paths().front();
    CHECK(std::filesystem::exists(folder / "truth.json"));
    driver.reset();
    CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE_FIXTURE(DrivenWindow,
                  "a sample folder is kept and opened again as it is; one that cannot be written says so") {
    const core::testing::TempFolder parent;
    const std::filesystem::path folder = parent.path() / "kept";
    std::filesystem::copy(ui::testing::sample_folder(), folder);
    const auto written = std::filesystem::last_write_time(folder / "truth.json");
    driver->window().set_sample_folder(folder);
    driver->window().post(ui::OpenSample{});
    CHECK(at("/run/ranks") == 8);
    CHECK(std::filesystem::last_write_time(folder / "truth.json") == written);
    std::ofstream(parent.path() / "file") << "no folder";
    driver->window().set_sample_folder(parent.path() / "file" / "sample");
    driver->window().post(ui::OpenSample{});
    CHECK(at("/notice").get<std::string>().starts_with("The sample could not be written: "));
}
