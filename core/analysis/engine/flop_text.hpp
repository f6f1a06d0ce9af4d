#pragma once
// Floating-point operations and their rates as text: three significant digits, decimal units.

#include <string>

namespace core {

std::string format_flop(double flop);                // "5.76 TFLOP"
std::string format_flop_per_second(double rate);     // "610 TFLOP/s"
std::string format_flop_per_byte(double intensity);  // "693 FLOP/B"

}  // namespace core
