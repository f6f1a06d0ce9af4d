#pragma once
// A fuzzer is a function that accepts any bytes, and seeds to begin with. One source defines both.
//
// fuzz_NAME [FILE|FOLDER…] runs its seeds and the given files (an ordinary build)
//
// fuzz_NAME --write-seeds FOLDER writes its seeds there, also in a libFuzzer build
//
// A violation ends the program: std::abort, a sanitizer, or the time limit of libFuzzer.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace fuzz {

// Generated inputs, such as packed ones, in addition to tests/fuzz/seeds.
std::vector<std::string> make_seeds();

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Prints the violation and ends the program.
[[noreturn]] void fail(std::string_view what);

}  // namespace fuzz
