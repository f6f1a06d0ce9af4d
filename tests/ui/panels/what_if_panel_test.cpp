// What if: replayed while its parameters and the filter change.

#include "core/analysis/whatif/what_if_choice.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/model/panels/gemm_and_relu.hpp"
#include "tests/ui/panels/panel_driver.hpp"

#include <atomic>

namespace {

using ui::testing::PanelDriver;

// Blocks the pool: nothing given to it begins before this ends.
class StoppedPool {
public:
    explicit StoppedPool(core::JobPool& pool) {
        for (int i = 0; i < kMost; ++i)
            pool.run([go = go_, begun = begun_] {
                ++*begun;
                while (!*go) std::this_thread::sleep_for(std::chrono::milliseconds{1});
            });
        while (*begun_ < kThreads) std::this_thread::yield();
    }
    ~StoppedPool() { *go_ = true; }
    StoppedPool(const StoppedPool&) = delete;
    StoppedPool& operator=(const StoppedPool&) = delete;

private:
    static constexpr int kThreads = 2, kMost = 2;  // of PanelDriver's session
    std::shared_ptr<std::atomic<bool>> go_ = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<std::atomic<int>> begun_ = std::make_shared<std::atomic<int>>(0);
};

void set_compute(PanelDriver& panel, std::string_view percent) {
    const std::pair<std::string, std::string> given[] = {{"compute", std::string(percent)}};
    panel.store.apply(ui::SetWhatIf{core::make_what_if(given)}, {.session = panel.session});
}

}  // namespace

TEST_CASE("a filter that leaves nothing to replay ends the replay under way") {
    PanelDriver panel("what-if", ui::testing::gemm_and_relu());
    set_compute(panel, "50");
    panel.wait_idle();
    CHECK(panel.shown()["fresh"] == true);
    {
        const StoppedPool stopped(panel.session.pool());
        set_compute(panel, "60");
        panel.frame();
        CHECK(panel.shown()["fresh"] == false);
        panel.session.set_filter(*core::parse_filter("rank:77"));
        panel.frame();
    }
    panel.wait_idle();
    CHECK(panel.shown()["fresh"] == true);
    CHECK_FALSE(panel.shown().contains("gain_ns"));
    panel.session.set_filter({});
    panel.wait_idle();
    CHECK(panel.shown()["fresh"] == true);
    CHECK(panel.shown()["change"].get<std::string>().find("60") != std::string::npos);
}
