#pragma once
// A table for programs: bounded, with the meaning of each column, the sources of the numbers, warnings, and the command
// that repeats it. Schema "lockstep.table/1": docs/command-line.md. Times are integer nanoseconds;
// absent cells are null.

#include "core/doctor/doctor.hpp"
#include "core/export/json.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace core {

struct EnvelopeLimits {
    std::size_t rows = 50;
    std::size_t bytes = 100'000;  // of all rows together, about
    std::size_t cell_bytes = 500;  // longer texts end with …
};

// Columns and rows, with `total_rows` and `truncated`.
void add_rows(SmallJson& envelope, const Table&, const EnvelopeLimits&, const NumberCells& numbers = {});

// A run as a source of numbers, with its warnings.
struct EnvelopeRun {
    const Run& run;
    const DoctorReport& doctor;
    std::string_view side = {};  // of a comparison
};
// "files", "total_files": paths and sizes of the files of the runs, and "warnings", the doctor's findings.
void add_sources(SmallJson& envelope, std::span<const EnvelopeRun>);
// The same as the members of a JSON object.
std::string json_sources(std::span<const EnvelopeRun>);

struct EnvelopeOf {
    const Analysis& analysis;
    const Run& run;
    const Filter& filter;
    const Params& params;
    const Answer& answer;
    const Table& table;  // of the answer
    std::string_view command;
};
SmallJson table_envelope(const EnvelopeOf&, const DoctorReport&, const EnvelopeLimits&);

}  // namespace core
