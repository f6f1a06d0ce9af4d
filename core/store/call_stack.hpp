#pragma once
// Call stacks as one line each, innermost frame first: "forward (model.py:54) < step (train.py:7)". Files of installed
// packages and of Python's own library keep their path inside the package, so user code is what has no folder.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::string_view kFrameSeparator = " < ";

// The owner of the code of a frame, the least telling first.
enum class FrameOwner : std::uint8_t { Interpreter, Torch, Package, User };

// "model.py" of a path of user code, "torch/nn/functional.py" of an installed file, "python3.11/threading.py" of
// Python's own library.
std::string short_file(std::string_view path);

// Takes a file as short_file() gives it.
FrameOwner owner_of_file(std::string_view short_file);

// "forward (model.py:54)"; without a positive line "forward (model.py)".
std::string frame_text(std::string_view function, std::string_view path, std::optional<std::int64_t> line);

// The innermost frame of user code; else of a package other than torch, of torch, of the interpreter. A view into the
// stack, empty if that is.
std::string_view user_frame(std::string_view call_stack);

// "loss.py:22" of "forward (loss.py:22)"; the whole text if it has no place.
std::string_view place_of_frame(std::string_view frame);

// The frame of a Python call as PyTorch's profiler names it, "src/loss.py(22): forward"; absent for other names.
std::optional<std::string> frame_of_python_call(std::string_view name);

// The owner of such a frame text.
FrameOwner owner_of_frame(std::string_view frame);

}  // namespace core
