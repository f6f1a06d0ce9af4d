#pragma once
// Collectives that the CPU calls, by the ranges that a process group opens around each, and GPU work that could be
// theirs, by names that only a collective has.

#include "core/index/rank_index.hpp"

#include <string_view>

namespace core {

// "nccl:all_reduce": the backend works on the GPU.
bool calls_collective(std::string_view name);

// A kernel's name that only a collective has, whatever rules of kernel classes say.
bool sounds_like_communication(std::string_view kernel);

struct UnrecordedCollectives {
    std::uint64_t calls = 0;     // 0: none is called, or some GPU event may be one of them
    EventId example = kNoEvent;  // the first call
};

// Looks at ranks with compute on the GPU: communication is unknown there, not 0. O(names) if no collective is called,
// else O(events).
UnrecordedCollectives find_unrecorded_collectives(const RankIndex&);

}  // namespace core
