#include "core/ingest/source/sequential_reader.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace core;
using namespace core::testing;

namespace {

// A file of two processes, whose reader takes a while to see that they are ranks.
class SlowReader final : public SequentialReader {
public:
    explicit SlowReader(LoadProgress& progress)
        : SequentialReader("slow.pftrace", std::make_unique<MemorySource>(""), progress) {}
    std::atomic<bool> has_begun = false;

private:
    Result<bool> read_all(const JobContext&) override {
        has_begun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EventBatch batch;
        for (const std::string_view pid : {"100", "200"}) {
            EventRow row{};
            row.duration_ns = 5;
            row.name = batch.pool.intern("op");
            row.category = batch.pool.intern("cpu_op");
            row.pid = row.tid = batch.pool.intern(pid);
            row.order = static_cast<std::uint32_t>(batch.records.total++);
            row.phase = Phase::Complete;
            ++batch.records.complete;
            batch.events.push_back(row);
        }
        builder().append(std::move(batch));
        builder().divide_by_process({{"100", 0}, {"200", 1}});
        hold_ranks();
        return true;
    }
    RankInfo describe() override { return {}; }
};

}  // namespace

TEST_CASE("a thread that asks for ranks while another one still reads gets all of them") {
    LoadProgress progress;
    SlowReader reader(progress);
    std::jthread other([&] { reader.work({}); });
    while (!reader.has_begun) std::this_thread::yield();
    reader.work({});  // nothing is left to do
    const Result<std::vector<RankTracePtr>> ranks = reader.finish_ranks({});
    REQUIRE(ranks);
    CHECK(ranks->size() == 2);
}
