#pragma once
// The terminal that the standard streams may lead to.

#include <cstddef>

namespace core {

std::size_t terminal_columns();  // of the terminal at standard output, 0 if it isn't one
bool is_error_output_terminal();
bool is_input_terminal();
bool is_output_read();  // false once standard output is a pipe whose reader has closed it

// From now what this process writes to standard output and standard error is discarded.
class SilencedOutput {
public:
    SilencedOutput();
    void restore_errors() const;  // standard error only, so that a last word is read

private:
    int error_output_;
};

}  // namespace core
