#pragma once
// A small hung job: four ranks in one group and in two pairs; rank 2 has not come to the fourth collective of the
// group.

#include "tests/core/ingest/flight_recorder/flight_fixture.hpp"

#include <filesystem>
#include <fstream>

namespace core::testing {

inline void write_hung_job(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (int rank = 0; rank < 4; ++rank) {
        const std::string pair = rank < 2 ? "1" : "2";
        FlightFixture dump;
        dump.group("0", "[0, 1, 2, 3]").group(pair, rank < 2 ? "[0, 1]" : "[2, 3]");
        for (std::int64_t n = 1; n <= (rank == 2 ? 3 : 5); ++n)
            dump.call({.group = "0", .number = n, .state = n < 4 ? "completed" : "scheduled", .at = 100 * n + rank});
        if (rank < 2) dump.call({.group = pair, .number = 1, .state = "scheduled", .at = 620 + rank});
        std::ofstream(folder / ("rank_" + std::to_string(rank)), std::ios::binary) << pickled(dump.build());
    }
}

}  // namespace core::testing
