#pragma once
// A memory snapshot as JSON, to be pickled: a small allocator writes its own history, so totals are known.

#include "tests/core/ingest/pickle/pickle_writer.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace core::testing {

inline constexpr std::int64_t kSnapshotBeginUs = 1'700'000'000'000'000;

inline nlohmann::json frames_of(std::string_view function, std::string_view file = "/home/me/model.py") {
    return nlohmann::json::array(
        {{{"name", "torch::unwind::unwind()"}, {"filename", "??"}, {"line", 0}},
         {{"name", "_call_impl"}, {"filename", "/env/site-packages/torch/nn/module.py"}, {"line", 17}},
         {{"name", std::string(function)}, {"filename", std::string(file)}, {"line", 5}}});
}

class SnapshotFixture {
public:
    using Json = nlohmann::json;

    SnapshotFixture& segment(std::int64_t address, std::int64_t bytes, bool is_small = false) {
        segments_[address] = {bytes, is_small, pool_, stream_};
        return *this;
    }
    SnapshotFixture& give_segment(std::int64_t address, std::int64_t bytes, bool is_small = false) {
        segment(address, bytes, is_small);
        return action("segment_alloc", address, bytes);
    }
    SnapshotFixture& return_segment(std::int64_t address) {
        const std::int64_t bytes = segments_.at(address).bytes;
        segments_.erase(address);
        return action("segment_free", address, bytes);
    }
    // The pool of the segments that are added next; the default pool is {0, 0}.
    SnapshotFixture& in_pool(std::pair<std::int64_t, std::int64_t> pool, std::int64_t stream = 0) {
        pool_ = pool;
        stream_ = stream;
        return *this;
    }
    // All segments; a part of them is mapped or unmapped.
    SnapshotFixture& expandable() {
        is_expandable_ = true;
        return *this;
    }
    SnapshotFixture& map(std::int64_t address, std::int64_t bytes) { return action("segment_map", address, bytes); }
    SnapshotFixture& unmap(std::int64_t address, std::int64_t bytes) { return action("segment_unmap", address, bytes); }
    // In use before the history begins.
    SnapshotFixture& older(std::int64_t address, std::int64_t bytes, std::string_view function) {
        live_[address] = {bytes, std::string(function)};
        return *this;
    }
    SnapshotFixture& alloc(std::int64_t address, std::int64_t bytes, std::string_view function) {
        live_[address] = {bytes, std::string(function)};
        action("alloc", address, bytes);
        events_.back()["frames"] = frames_of(function);
        return *this;
    }
    SnapshotFixture& free(std::int64_t address) {
        const std::int64_t bytes = live_.at(address).first;
        live_.erase(address);
        action("free_requested", address, bytes);
        return action("free_completed", address, bytes);
    }
    SnapshotFixture& out_of_memory(std::int64_t asked, std::int64_t device_free) {
        action("oom", 0, asked);
        events_.back().erase("addr");
        events_.back()["device_free"] = device_free;
        events_.back()["frames"] = frames_of("too_much");
        return *this;
    }
    SnapshotFixture& without_times() {
        for (Json& event : events_) event.erase("time_us");
        return *this;
    }

    Json build() const {
        Json segments = Json::array();
        for (const auto& [address, segment] : segments_) segments.push_back(build_segment(address, segment));
        return {{"segments", segments}, {"device_traces", Json::array({events_})}};
    }

private:
    static std::int64_t rounded(std::int64_t bytes) { return (bytes + 511) / 512 * 512; }

    SnapshotFixture& action(std::string_view name, std::int64_t address, std::int64_t bytes) {
        events_.push_back({{"action", std::string(name)},
                           {"addr", address},
                           {"size", bytes},
                           {"stream", 0},
                           {"time_us", kSnapshotBeginUs + static_cast<std::int64_t>(events_.size()) * 10},
                           {"frames", Json::array()}});
        return *this;
    }

    struct Segment {
        std::int64_t bytes = 0;
        bool is_small = false;
        std::pair<std::int64_t, std::int64_t> pool;
        std::int64_t stream = 0;
    };

    Json build_segment(std::int64_t address, const Segment& segment) const {
        Json blocks = Json::array();
        std::int64_t at = address;
        const auto add_free = [&](std::int64_t until) {
            if (until > at)
                blocks.push_back({{"address", at}, {"size", until - at}, {"requested_size", 0}, {"state", "inactive"}});
        };
        for (const auto& [start, block] : live_) {
            if (start < address || start >= address + segment.bytes) continue;
            add_free(start);
            blocks.push_back({{"address", start},
                              {"size", rounded(block.first)},
                              {"requested_size", block.first},
                              {"state", "active_allocated"},
                              {"frames", frames_of(block.second)}});
            at = start + rounded(block.first);
        }
        add_free(address + segment.bytes);
        return {{"device", 0},
                {"address", address},
                {"total_size", segment.bytes},
                {"stream", segment.stream},
                {"segment_type", segment.is_small ? "small" : "large"},
                {"segment_pool_id", {segment.pool.first, segment.pool.second}},
                {"is_expandable", is_expandable_},
                {"blocks", blocks}};
    }

    std::map<std::int64_t, Segment> segments_;
    std::pair<std::int64_t, std::int64_t> pool_{0, 0};
    std::int64_t stream_ = 0;
    bool is_expandable_ = false;
    std::map<std::int64_t, std::pair<std::int64_t, std::string>> live_;
    Json events_ = Json::array();
};

}  // namespace core::testing
