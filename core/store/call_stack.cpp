#include "core/store/call_stack.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace core {
namespace {

constexpr std::string_view kSourceSuffix = ".py";

// First folders of installed packages, also where a profiler has cut the path before them.
constexpr auto kTorchPackages =
    std::to_array<std::string_view>({"torch", "torch_npu", "torch_xla", "functorch", "triton", "torchinductor",
                                     "torchgen", "intel_extension_for_pytorch"});
constexpr auto kOtherPackages = std::to_array<std::string_view>({"accelerate",
                                                                 "apex",
                                                                 "bitsandbytes",
                                                                 "deepspeed",
                                                                 "diffusers",
                                                                 "einops",
                                                                 "flash_attn",
                                                                 "ignite",
                                                                 "lightning",
                                                                 "mmcv",
                                                                 "mmengine",
                                                                 "numpy",
                                                                 "peft",
                                                                 "pytorch_lightning",
                                                                 "ray",
                                                                 "sgl_kernel",
                                                                 "timm",
                                                                 "torchao",
                                                                 "torchaudio",
                                                                 "torchmetrics",
                                                                 "torchrec",
                                                                 "torchvision",
                                                                 "transformer_engine",
                                                                 "transformers",
                                                                 "trl",
                                                                 "typing_extensions.py",
                                                                 "xformers",
                                                                 "tqdm"});
// Parts of Python's library that stand below calls of a program.
constexpr auto kInterpreterFiles = std::to_array<std::string_view>(
    {"abc.py", "asyncio",        "bdb.py",       "cProfile.py",  "collections", "concurrent", "contextlib.py",
     "ctypes", "dataclasses.py", "enum.py",      "functools.py", "importlib",   "inspect.py", "multiprocessing",
     "pdb.py", "runpy.py",       "threading.py", "typing.py",    "unittest",    "weakref.py"});
// Parts of a source tree of PyTorch that is used without being installed.
constexpr auto kTorchParts = std::to_array<std::string_view>(
    {"nn", "optim", "autograd", "distributed", "utils", "cuda", "amp", "fx", "_dynamo", "_inductor", "_functorch",
     "_higher_order_ops", "_ops.py", "_tensor.py", "functional.py", "_library", "jit", "library.py"});

bool is_one_of(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

bool is_drive_path(std::string_view path) { return path.size() > 2 && path[1] == ':' && path[2] == '/'; }

// "python3.11", "Python311".
bool is_python_folder(std::string_view part) {
    constexpr std::string_view kPython = "ython";
    return part.size() > kPython.size() + 1 && (part[0] == 'p' || part[0] == 'P') &&
           part.substr(1).starts_with(kPython) && part[kPython.size() + 1] >= '0' && part[kPython.size() + 1] <= '9';
}

// From the part of the path at which an installed file's own name begins; npos: user code.
std::size_t find_package(std::string_view path) {
    for (const std::string_view folder : {"site-packages/", "dist-packages/"})
        if (const std::size_t at = path.rfind(folder); at != std::string_view::npos && at + folder.size() < path.size())
            return at + folder.size();
    std::size_t begin = 0;
    std::string_view before;
    while (begin < path.size()) {
        const std::size_t slash = path.find('/', begin);
        if (slash == std::string_view::npos) break;
        const std::string_view part = path.substr(begin, slash - begin), after = path.substr(slash + 1);
        const bool is_library = before == "lib" || before == "lib64";
        if (is_python_folder(part) && is_library) return begin;
        if (part == "Lib" && (is_python_folder(before) || is_drive_path(path))) return begin;
        if (part.starts_with("torchinductor_")) return begin;
        if (part == "torch" && is_one_of(kTorchParts, first_part(after))) return begin;
        before = part;
        begin = slash + 1;
    }
    const bool is_relative = !path.empty() && path.front() != '/' && !is_drive_path(path);
    const std::string_view root = first_part(path);
    const bool is_known =
        is_one_of(kTorchPackages, root) || is_one_of(kOtherPackages, root) || is_one_of(kInterpreterFiles, root);
    return is_relative && is_known ? 0 : std::string_view::npos;
}

// "(loss.py:22)" at the end of a frame; npos: none.
std::size_t find_place(std::string_view frame) {
    return frame.ends_with(')') ? frame.rfind(" (") : std::string_view::npos;
}

}  // namespace

std::string short_file(std::string_view path) {
    std::string whole(path);
    std::ranges::replace(whole, '\\', '/');
    if (whole.starts_with('<')) return whole;
    std::size_t begin = find_package(whole);
    if (begin == std::string_view::npos) {
        const std::size_t slash = whole.rfind('/');
        begin = slash == std::string::npos ? 0 : slash + 1;
    }
    return whole.substr(begin);
}

FrameOwner owner_of_file(std::string_view file) {
    if (file.empty()) return FrameOwner::Interpreter;
    // A person typed the code of a notebook or of the prompt; other code without a file is generated.
    if (file.starts_with('<'))
        return file.starts_with("<ipython-input") || file.starts_with("<stdin") ? FrameOwner::User
                                                                                : FrameOwner::Interpreter;
    const std::string_view root = first_part(file);
    if (is_python_folder(root) || root == "Lib" || is_one_of(kInterpreterFiles, root)) return FrameOwner::Interpreter;
    if (is_one_of(kTorchPackages, root) || root.starts_with("torchinductor_")) return FrameOwner::Torch;
    return root == file && !is_one_of(kOtherPackages, root) ? FrameOwner::User : FrameOwner::Package;
}

std::string frame_text(std::string_view function, std::string_view path, std::optional<std::int64_t> line) {
    std::string text(function);
    text += " (" + short_file(path);
    if (line && *line > 0) text += ":" + std::to_string(*line);
    return text + ")";
}

std::string_view place_of_frame(std::string_view frame) {
    const std::size_t open = find_place(frame);
    return open == std::string_view::npos ? frame : frame.substr(open + 2, frame.size() - open - 3);
}

FrameOwner owner_of_frame(std::string_view frame) {
    const std::size_t open = find_place(frame);
    if (open == std::string_view::npos) return FrameOwner::Interpreter;
    std::string_view file = place_of_frame(frame);
    // "<frozen runpy>:198" as well as "model.py:54".
    if (const std::size_t colon = file.rfind(':'); colon != std::string_view::npos) file = file.substr(0, colon);
    if (file == "autograd") return FrameOwner::Torch;
    return owner_of_file(file);
}

std::string_view user_frame(std::string_view call_stack) {
    std::string_view best;
    FrameOwner owner = FrameOwner::Interpreter;
    for (std::string_view rest = call_stack; !rest.empty();) {
        const std::size_t end = rest.find(kFrameSeparator);
        const std::string_view frame = rest.substr(0, end);
        const FrameOwner of_frame = owner_of_frame(frame);
        if (of_frame == FrameOwner::User) return frame;
        if (best.empty() || of_frame > owner) {
            best = frame;
            owner = of_frame;
        }
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + kFrameSeparator.size());
    }
    return best;
}

std::optional<std::string> frame_of_python_call(std::string_view name) {
    constexpr std::string_view kBeforeFunction = "): ";
    const std::size_t function = name.find(kBeforeFunction);
    if (function == std::string_view::npos) return std::nullopt;
    const std::size_t open = name.rfind('(', function);
    if (open == std::string_view::npos || open == 0) return std::nullopt;
    const std::string_view file = name.substr(0, open), digits = name.substr(open + 1, function - open - 1);
    std::int64_t line = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
    if (!file.ends_with(kSourceSuffix) && !file.starts_with('<')) return std::nullopt;
    return frame_text(name.substr(function + kBeforeFunction.size()), file, line);
}

}  // namespace core
