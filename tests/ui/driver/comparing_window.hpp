#pragma once
// A window driven off screen with two runs open: the bundled sample and its candidate, whose differences are known.

#include "tests/ui/driver/sample_window.hpp"

namespace ui::testing {

inline constexpr core::Side kBaseline = core::Side::Baseline;
inline constexpr core::Side kCandidate = core::Side::Candidate;

struct Pair {
    core::testing::TempFolder parent;
    std::filesystem::path baseline = parent.path() / "before";
    std::filesystem::path candidate = parent.path() / "after";
    Pair() {
        core::SampleOptions options;
        options.ranks = 4;
        options.steps = 3;
        options.layers = 1;
        REQUIRE(core::write_sample_run(baseline, options, {}));
        options.candidate = true;
        REQUIRE(core::write_sample_run(candidate, options, {}));
    }
};

// Written once per program and removed at its end.
inline const Pair& pair() {
    static const Pair written;
    return written;
}

struct ComparingWindow : DrivenWindow {
    ComparingWindow(const std::filesystem::path& baseline, const std::filesystem::path& candidate) {
        open(baseline);
        post(OpenPaths{{candidate}, core::Side::Candidate});
    }
    void post(Intent intent) {
        driver->window().post(std::move(intent));
        did(driver->wait_idle());
    }
};

}  // namespace ui::testing
