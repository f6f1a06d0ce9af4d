#pragma once
// View model of the panel Hang, from the flight-recorder dumps of a run: calls of each rank as bars
// and, for each group, the first collective that some rank did not enter. Computed on the pool,
// O(calls log calls). No ImGui.

#include "core/index/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ui {

inline constexpr std::size_t kMostHangBars = 4096;  // per rank: the latest

struct HangBar {
    core::EventId event{};
    core::RunTime begin, end;  // a pending call ends at the picture's end
    bool pending = false;
    std::uint32_t group = 0;  // index into HangPicture::groups
    std::uint16_t lane = 0;  // bars of a lane don't overlap
};

struct HangRank {
    core::RankKey key;
    std::uint32_t slot = 0;
    std::string verdict;  // "missing in 3 groups"; empty if no rank waits for it
    std::uint16_t lanes = 1;
    std::size_t left_out = 0;  // number of older bars
    std::vector<HangBar> bars;  // by begin
};

struct HangGroup {
    std::string label;
    std::string collective;  // "all_reduce 17"; empty if nothing is pending
    std::string missing, behind, mismatch, no_dump;  // ranks by kind of evidence; no_dump: dump missing or incomplete
    std::size_t waiting = 0;
    bool is_named = false;  // some rank is named
};

struct HangPicture {
    std::vector<HangRank> ranks;  // by key
    std::vector<HangGroup> groups;
    std::vector<std::uint32_t> order;  // groups with pending collectives, those with a named rank first
    core::RunRange range{};  // first creation to shortly after the last time
};

bool has_flight_dumps(const core::Run& run);
HangPicture build_hang_picture(const core::Run& run);

}  // namespace ui
