#pragma once
// The doctor's report as bytes, for run summaries, which have no events to examine. Examples lose the event that they
// are of, not their words.

#include "core/doctor/doctor.hpp"

#include <string>
#include <string_view>

namespace core {

// Reports of a run on recorded clocks, and on aligned ones.
inline constexpr std::string_view kReportRecorded = "(doctor)";
inline constexpr std::string_view kReportAligned = "(doctor, aligned)";

std::string encode_report(const DoctorReport&);
// BadInput: damaged, or of rules that this version does not have.
Result<DoctorReport> decode_report(std::string_view);

}  // namespace core
