#pragma once
// Rows of partials that their merges alone read. Internal to this folder.

#include "core/analysis/engine/record_table.hpp"

namespace core {

// A kernel on a rank, for `kernel-imbalance`.
struct KernelOnRank {
    std::int64_t rank = 0;  // RankKey::packed
    std::string_view kernel_class, kernel;
    std::int64_t count = 0;
    std::int64_t total = 0;  // ns
};
template <>
inline constexpr auto kFields<KernelOnRank> =
    std::tuple{field("rank", &KernelOnRank::rank).as(Unit::Rank, Role::Key, Facet::Rank),
               field("class", &KernelOnRank::kernel_class), field("kernel", &KernelOnRank::kernel),
               field("count", &KernelOnRank::count), field("total", &KernelOnRank::total)};

// Sums for `operators`: over the calls of one, by inputs or all together, that own FLOP and launched GPU work.
struct WorkOfCalls {
    std::string_view name, inputs;
    std::int64_t flop = 0, bytes = 0;
    std::int64_t time = 0;  // ns
    bool all_bytes = true;  // the bytes of every call are known
};
template <>
inline constexpr auto kFields<WorkOfCalls> =
    std::tuple{field("operator", &WorkOfCalls::name), field("inputs", &WorkOfCalls::inputs),
               field("flop", &WorkOfCalls::flop),     field("bytes", &WorkOfCalls::bytes),
               field("time", &WorkOfCalls::time),     field("all bytes", &WorkOfCalls::all_bytes)};

}  // namespace core
