// What charts and tables are of: the rows of an area, worked through the whole window.

#include "core/analysis/engine/analysis.hpp"
#include "core/base/format.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/driver/script.hpp"

#include <map>

using nlohmann::json;
using ui::testing::did;
using ui::testing::SampleWindow;

TEST_CASE("a drag over rows of two ranks breaks down the time of these ranks only, and says so") {
    const ui::testing::SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"resize": [1100, 620]},
        {"panel": "breakdown"},
        {"drag": "timeline/plot@0.3,0.2", "to": "timeline/plot@0.7,0.5"},
        {"expect": {"at": "/panels/breakdown/fresh", "equals": true}},
        {"expect": {"at": "/panels/breakdown/of", "contains": " of 8 ranks"}},
        {"expect": {"at": "/panels/breakdown/ranks/1", "exists": true}},
        {"expect": {"at": "/panels/breakdown/ranks/7", "exists": false}},
        {"expect": {"at": "/timeline/area/of", "contains": " of 8 ranks"}},
        {"click": "area/details"},
        {"expect": {"at": "/panels/area/of", "contains": " of 8 ranks"}},
        {"expect": {"item": "area/scope"}}
    ])"),
                       {}));
}

TEST_CASE("Overview, Details and Hang say what they are of") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"panel": "overview"},
        {"expect": {"at": "/panels/overview/of", "contains": "8 ranks"}},
        {"expect": {"item": "overview/scope"}},
        {"click": "top/filter"}, {"type": "rank:0-2 class:compute"}, {"key": "enter"},
        {"expect": {"at": "/panels/overview/of", "contains": "3 of 8 ranks"}},
        {"expect": {"at": "/panels/overview/of", "contains": "class:compute highlights"}},
        {"click": {"event": "ncclDevKernel_AllReduce", "rank": 0, "nth": 1}},
        {"expect": {"at": "/panels/details/of", "contains": "rank 0 of 8 ranks"}}
    ])"),
                       {}));
}

TEST_CASE("the strip of the whole run has the scale of the timeline and follows the filter") {
    const SampleWindow window;
    did(ui::run_script(*window.driver, json::parse(R"([
        {"key": "home"},
        {"expect": {"at": "/timeline/overview/marked_px/0", "equals": 0}},
        {"click": "top/filter"}, {"type": "rank:0-2 class:compute time:1ms..5ms"}, {"key": "enter"},
        {"expect": {"at": "/timeline/overview/ranks", "equals": 3}},
        {"expect": {"at": "/timeline/overview/dimmed", "equals": 6}},
        {"expect": {"at": "/timeline/overview/cuts_time", "equals": true}},
        {"expect": {"at": "/timeline/overview/highlights", "equals": false}},
        {"click": "top/filter"}, {"key": "ctrl+a"}, {"type": "name:AllReduce"}, {"key": "enter"},
        {"expect": {"at": "/timeline/overview/highlights", "equals": true}},
        {"expect": {"at": "/timeline/overview/ranks", "equals": 8}}
    ])"),
                       {}));
}
