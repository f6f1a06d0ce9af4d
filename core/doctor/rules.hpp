#pragma once
// The list of what the doctor can find, and which kinds of diagnostics it takes over as they are.

#include "core/doctor/doctor.hpp"

namespace core::doctor {

const DoctorRule& rule(std::string_view id);  // asserts that it exists
// Not those of index files, nor those that a finding of its own tells better.
bool is_told(const DiagnosticKind&);

}  // namespace core::doctor
