#pragma once
// What a fuzzer is: a function that takes any bytes, and seeds to begin with. One source defines both.
//   fuzz_NAME [FILE|FOLDER…]       runs its seeds and every file it is given (an ordinary build)
//   fuzz_NAME --write-seeds FOLDER  writes its seeds there, also where it is a libFuzzer target
// What must not be ends the program: std::abort, a sanitizer, or the time limit of libFuzzer.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace fuzz {

// Inputs that are made rather than kept below tests/fuzz/seeds, such as packed ones.
std::vector<std::string> make_seeds();

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Says what was found wrong, and ends the program.
[[noreturn]] void fail(std::string_view what);

}  // namespace fuzz
