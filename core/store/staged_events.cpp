#include "core/store/staged_events.hpp"

#include <algorithm>

namespace core {

void share_rows(const JobContext& job, std::size_t rows,
                const std::function<void(std::size_t first, std::size_t last)>& body) {
    constexpr std::size_t kRowsOfPiece = std::size_t{1} << 17;
    job.parallel_for((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece) {
        body(piece * kRowsOfPiece, std::min((piece + 1) * kRowsOfPiece, rows));
    });
}

}  // namespace core
