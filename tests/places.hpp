#pragma once
// Places, and whether a sanitizer is in: all that differs between builds and checkouts. Compiled into main.cpp alone: a
// path in every source would keep the compiler cache from serving another checkout, and sanitized builds link the
// objects of another build (tests/CMakeLists.txt).

#include <filesystem>

namespace core::testing {

std::filesystem::path source_folder();

// The thread or the address sanitizer watches what is tested.
bool is_sanitized();

// For tests of app alone; empty elsewhere, and without MPI.
const char* lockstep_binary();
const char* drop_paths_binary();
const char* mpi_binary();
const char* mpirun();

}  // namespace core::testing
