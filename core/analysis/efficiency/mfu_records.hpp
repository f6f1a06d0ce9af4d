#pragma once
// Rows of the partials of `mfu`; its merge makes the answer of them when it knows the precision of the run. Also
// read by `energy`.

#include "core/analysis/engine/record_table.hpp"

namespace core {

// One step of one rank, or its whole window. Times in ns.
struct MfuStep {
    std::int64_t rank = 0;  // RankKey::packed
    std::optional<std::int64_t> step{};  // absent: outside every step, or the GPU window
    std::optional<std::int64_t> duration{};
    std::optional<std::int64_t> flop{};  // absent: matrix work ran and none of it is known
    std::int64_t recomputed = 0, model = 0;  // FLOP
    std::int64_t matrix = 0, uncounted = 0;  // as in Coverage
    std::optional<double> floor{};  // ns that the FLOP take at the peaks of their precisions
    std::int64_t time = 0;  // GPU time of the operators counted
};
template <>
inline constexpr auto kFields<MfuStep> = std::tuple{field("rank", &MfuStep::rank),
                                                    field("step", &MfuStep::step),
                                                    field("duration", &MfuStep::duration),
                                                    field("flop", &MfuStep::flop),
                                                    field("recomputed_flop", &MfuStep::recomputed),
                                                    field("model_flop", &MfuStep::model),
                                                    field("matrix", &MfuStep::matrix),
                                                    field("uncounted", &MfuStep::uncounted),
                                                    field("floor", &MfuStep::floor),
                                                    field("time", &MfuStep::time)};

struct MfuPrecision {
    std::int64_t rank = 0;
    std::int64_t precision = 0;  // Precision
    std::int64_t flop = 0;
    std::optional<double> peak{};  // FLOP per second of the rank's device; absent: unknown
};
template <>
inline constexpr auto kFields<MfuPrecision> =
    std::tuple{field("rank", &MfuPrecision::rank), field("precision", &MfuPrecision::precision),
               field("flop", &MfuPrecision::flop), field("peak", &MfuPrecision::peak)};

}  // namespace core
