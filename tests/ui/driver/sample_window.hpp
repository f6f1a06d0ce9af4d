#pragma once
// A window driven off screen on the bundled sample (8 ranks, 2 steps), with its truth.json.

#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"
#include "ui/driver/driver.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace ui::testing {

// Written once per program and removed at its end.
inline const std::filesystem::path& sample_folder() {
    struct Sample {
        core::testing::TempFolder parent;
        std::filesystem::path folder = parent.path() / "sample";
        Sample() {
            core::SampleOptions options;
            options.steps = 2;
            options.layers = 1;
            const auto written = core::write_sample_run(folder, options, {});
            REQUIRE_MESSAGE(written, "the sample could not be written");
        }
    };
    static const Sample sample;
    return sample.folder;
}

inline nlohmann::json sample_truth() {
    std::ifstream in(sample_folder() / "truth.json");
    return nlohmann::json::parse(in);
}

// A failed step fails the test with its error.
inline void did(const core::Result<bool>& result) {
    INFO((result ? std::string() : result.error().message));
    REQUIRE(result.has_value());
    CHECK(*result);
}

struct DrivenWindow {
    DrivenWindow() {
        auto opened = Driver::open({});
        REQUIRE_MESSAGE(opened, "no window off screen");
        driver = std::move(opened).value();
    }
    void open(const std::filesystem::path& path) {
        driver->window().post(OpenPaths{{path}});
        did(driver->wait_idle());
    }
    // The state once nothing moves; "" selects all of it.
    nlohmann::json at(const char* pointer) const {
        did(driver->wait_idle());
        return driver->state().at(nlohmann::json::json_pointer(pointer));
    }
    std::unique_ptr<Driver> driver;
};

struct SampleWindow : DrivenWindow {
    SampleWindow() { open(sample_folder()); }
};

}  // namespace ui::testing
