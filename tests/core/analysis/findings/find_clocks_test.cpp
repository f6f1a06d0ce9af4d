#include "tests/core/analysis/telemetry/telemetry_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

// "clocks-low-rank 2 medium": of findings in logs of GPUs.
Rows findings_of(const ScratchFolder& folder) {
    write_telemetry_traces(folder);
    const Table table = answer_of(*open_folder(folder), "findings").main();
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string_view id = table.text(row, 0);
        if (id.starts_with("clocks-") || id == "gpu-errors" || id == "pcie-narrow" || id == "memory-clock-low")
            rows.push_back(row_text(table, row, 3));
    }
    return sorted(std::move(rows));
}

}  // namespace

TEST_CASE("a rank that its clock makes late has the finding, and others do not") {
    const ScratchFolder folder;
    folder.write("node-a.csv", query_csv());
    CHECK(findings_of(folder) == Rows{"clocks-low-rank 2 medium"});
}

TEST_CASE("errors and narrow links are findings of the rank whose GPU the log names") {
    const ScratchFolder folder;
    folder.write("links.csv",
                 "timestamp, index, pci.bus_id, clocks.sm, pcie.link.width.current, pcie.link.width.max\n" +
                     telemetry_lines([](const LoggedSecond& at) {
                         const std::string gpu = std::to_string(at.gpu);
                         return "2025/12/31 " + clock_text(at.second) + ".000, " + gpu + ", 00000000:4" + gpu +
                                ":00.0, 1980 MHz, " + (at.gpu == 1 ? "8" : "16") + ", 16\n";
                     }));
    folder.write("kern.log", "2025-12-31T14:00:07+00:00 node-a kernel: NVRM: Xid (PCI:0000:43:00): 63, pid=1, x\n");
    CHECK(findings_of(folder) == Rows{"gpu-errors 3 high", "pcie-narrow 1 low"});
}

TEST_CASE("ranks whose clocks are all low have a finding each, and none is late by its clock") {
    const ScratchFolder folder;
    folder.write("node-a.csv",
                 "timestamp, index, clocks.sm, clocks.max.sm\n" + telemetry_lines([](const LoggedSecond& at) {
                     return "2025/12/31 " + clock_text(at.second) + ".000, " + std::to_string(at.gpu) +
                            ", 1410 MHz, 1980 MHz\n";
                 }));
    CHECK(findings_of(folder) == Rows{"clocks-low-all 0 medium", "clocks-low-all 1 medium", "clocks-low-all 2 medium",
                                      "clocks-low-all 3 medium"});
}

TEST_CASE("a memory clock below the others' is a finding of its rank") {
    const ScratchFolder folder;
    folder.write("node-a.csv",
                 "timestamp, index, clocks.sm, clocks.mem\n" + telemetry_lines([](const LoggedSecond& at) {
                     return "2025/12/31 " + clock_text(at.second) + ".000, " + std::to_string(at.gpu) + ", 1980 MHz, " +
                            (at.gpu == 1 ? "2400" : "2619") + " MHz\n";
                 }));
    CHECK(findings_of(folder) == Rows{"memory-clock-low 1 medium"});
}
