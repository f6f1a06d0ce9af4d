#pragma once
// The table of the doctor's rules, and the kinds of diagnostics that are findings as they are.

#include "core/doctor/doctor.hpp"

namespace core::doctor {

const DoctorRule& rule(std::string_view id);  // asserts that it exists
// False for diagnostics of index files, and for those that another rule reports in more detail.
bool is_reported(const DiagnosticKind&);

}  // namespace core::doctor
