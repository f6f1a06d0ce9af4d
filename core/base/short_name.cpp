#include "core/base/short_name.hpp"

#include "core/base/join_text.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kLongestLookedAt = 4096;
constexpr std::string_view kDot = " \xC2\xB7 ";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool drop_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix) || text.size() == prefix.size()) return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool drop_suffix(std::string_view& text, std::string_view suffix) {
    if (!text.ends_with(suffix) || text.size() == suffix.size()) return false;
    text.remove_suffix(suffix.size());
    return true;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t at = text.find(separator);
        if (at != 0 && !text.empty()) parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

// The tile in "128x64", "tilesize128x128x16" or "MT192x16x128" (without the letters); else empty.
std::string_view tile_of(std::string_view token) {
    for (const std::string_view prefix : {"tilesize", "tile", "MT"}) {
        if (drop_prefix(token, prefix)) break;
    }
    const std::size_t x = token.find('x');
    if (x == std::string_view::npos || x == 0 || x + 1 == token.size()) return {};
    const bool fits = std::all_of(token.begin(), token.end(), [](char c) { return is_digit(c) || c == 'x'; });
    return fits ? token : std::string_view{};
}

bool names_operation(std::string_view token) {
    for (const std::string_view word :
         {"gemm", "gemv", "conv", "dgrad", "wgrad", "fprop", "attention", "fmha", "flash", "implicit"}) {
        if (token.find(word) != std::string_view::npos) return true;
    }
    return false;
}

constexpr std::array<std::string_view, 8> kLayouts{"nn", "nt", "tn", "tt", "NN", "NT", "TN", "TT"};
constexpr std::array<std::string_view, 22> kTypes{
    "fp16", "fp32", "bf16",   "tf32",     "fp8",     "f16",  "f32",   "f64",    "u8",   "i8",   "int8",
    "i32",  "i64",  "f16f16", "bf16bf16", "tf32f32", "half", "float", "double", "e4m3", "e5m2", "fp64"};

// cutlass_80_tensorop_s1688gemm_128x128_32x3_nt_align1 → "cutlass s1688gemm 128x128 nt"
ShortenedName short_matrix_kernel(std::string_view name, std::string_view family) {
    std::vector<std::string_view> kept{family};
    std::string_view type;
    std::string_view tile;
    std::string_view layout;
    std::string brief(family);
    for (const std::string_view token : split(name, '_')) {
        const std::string_view size = tile_of(token);
        if (!size.empty()) {
            if (tile.empty()) tile = size;
        } else if (is_one_of(token, kTypes)) {
            if (type.empty()) type = token;
        } else if (is_one_of(token, kLayouts)) {
            layout = token;
        } else if (names_operation(token) && token != family) {
            kept.push_back(token);
            if (brief == family) brief = token;
        }
    }
    for (const std::string_view part : {type, tile, layout}) {
        if (!part.empty()) kept.push_back(part);
    }
    if (!tile.empty()) brief += " " + std::string(tile);
    return {join_text(kept, " "), brief};
}

// Cijk_Alik_Bljk_BBS_BH_…_MT192x16x128_… → "Cijk Alik_Bljk BBS 192x16x128"
ShortenedName short_tensile(std::string_view name) {
    const std::vector<std::string_view> tokens = split(name, '_');
    std::string normal = "Cijk";
    std::string brief = "Cijk";
    for (std::size_t i = 1; i < tokens.size() && i < 4; ++i) normal += (i == 2 ? "_" : " ") + std::string(tokens[i]);
    for (const std::string_view token : tokens) {
        if (!token.starts_with("MT") || tile_of(token).empty()) continue;
        normal += " " + std::string(tile_of(token));
        brief += " " + std::string(tile_of(token));
        break;
    }
    return {normal, brief};
}

ShortenedName short_nvjet(std::string_view name) {
    const std::vector<std::string_view> tokens = split(name, '_');
    std::string normal(name);
    std::string brief = "nvjet";
    if (tokens.size() > 3) {
        normal = "nvjet " + std::string(tokens[1]) + " " + std::string(tokens[2]) + " " + std::string(tokens.back());
        brief += " " + std::string(tokens[2]);
    }
    return {normal, brief};
}

// ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…) → "AllReduce · bf16 · RING"
ShortenedName short_collective(std::string_view name) {
    constexpr std::array<std::string_view, 16> kDataTypes{"f16",    "f32",  "f64",    "bf16",  "u8",   "i8",
                                                          "u32",    "i32",  "u64",    "i64",   "half", "float",
                                                          "double", "int8", "f8e4m3", "f8e5m2"};
    constexpr std::array<std::string_view, 7> kAlgorithms{"RING", "TREE", "NVLS", "PAT", "COLLNET", "DIRECT", "CHAIN"};
    const std::size_t arguments = name.find('(');
    const std::vector<std::string_view> tokens = split(name.substr(0, arguments), '_');
    if (tokens.size() < 2) return {std::string(name.substr(0, arguments)), std::string(name.substr(0, arguments))};
    std::string operation(tokens[1]);
    if (operation == "Generic") operation = "nccl Generic";
    std::string_view type;
    std::string_view algorithm;
    for (const std::string_view token : tokens) {
        if (is_one_of(token, kDataTypes)) type = token;
        if (is_one_of(token, kAlgorithms)) algorithm = token;
    }
    std::string normal = operation;
    for (const std::string_view part : {type, algorithm}) {
        if (!part.empty()) normal += std::string(kDot) + std::string(part);
    }
    return {normal, operation};
}

// torch/nn/modules/module.py(1532): _call_impl → "_call_impl · module.py:1532"
ShortenedName short_python(std::string_view name, std::size_t py) {
    const std::size_t open = py + 3;
    const std::size_t close = name.find("): ", open);
    if (close == std::string_view::npos) return {std::string(name), std::string(name)};
    const std::string_view function = name.substr(close + 3);
    const std::size_t slash = name.substr(0, py).rfind('/');
    const std::string_view file = name.substr(slash == std::string_view::npos ? 0 : slash + 1,
                                              open - (slash == std::string_view::npos ? 0 : slash + 1));
    const std::string_view line = name.substr(open + 1, close - open - 1);
    return {std::string(function) + std::string(kDot) + std::string(file) + ":" + std::string(line),
            std::string(function)};
}

// Generic kernels: their names come from the operation in the template arguments.
constexpr std::array<std::string_view, 14> kGeneric{"vectorized_elementwise_kernel",
                                                    "unrolled_elementwise_kernel",
                                                    "elementwise_kernel",
                                                    "elementwise_kernel_with_index",
                                                    "elementwise_kernel_manual_unroll",
                                                    "index_elementwise_kernel",
                                                    "reduce_kernel",
                                                    "multi_tensor_apply_kernel",
                                                    "vectorized_templated_elementwise_kernel",
                                                    "Kernel",
                                                    "Kernel2",
                                                    "device_kernel",
                                                    "kernel",
                                                    "fused_dropout_kernel_vec"};
// Words in template arguments that name the machinery and not the operation.
constexpr std::array<std::string_view, 54> kPlumbing{"at",
                                                     "native",
                                                     "detail",
                                                     "internal",
                                                     "binary_internal",
                                                     "std",
                                                     "c10",
                                                     "cuda",
                                                     "cutlass",
                                                     "cub",
                                                     "thrust",
                                                     "anonymous",
                                                     "namespace",
                                                     "void",
                                                     "const",
                                                     "unsigned",
                                                     "signed",
                                                     "char",
                                                     "short",
                                                     "int",
                                                     "long",
                                                     "bool",
                                                     "float",
                                                     "double",
                                                     "Half",
                                                     "BFloat16",
                                                     "complex",
                                                     "gpu_kernel_impl",
                                                     "gpu_kernel_impl_nocast",
                                                     "BinaryFunctor",
                                                     "AUnaryFunctor",
                                                     "BUnaryFunctor",
                                                     "ReduceOp",
                                                     "func_wrapper_t",
                                                     "TensorListMetadata",
                                                     "TensorListScalarListMetadata",
                                                     "FusedOptimizerTensorListMetadata",
                                                     "type_specialized_broadcast_kernel_launcher",
                                                     "apply",
                                                     "array",
                                                     "Array",
                                                     "OpaqueType",
                                                     "true",
                                                     "false",
                                                     "gpu_index_kernel",
                                                     "__half",
                                                     "__nv_bfloat16",
                                                     "TensorIterator",
                                                     "TensorIteratorBase",
                                                     "opmath_gpu_kernel_with_scalars",
                                                     "gemm",
                                                     "kernel",
                                                     "device",
                                                     "lambda"};
constexpr std::array<std::string_view, 9> kNumberTypes{"float", "double", "Half", "BFloat16", "int",
                                                       "long",  "bool",   "char", "short"};

std::string_view without_decoration(std::string_view word) {
    for (const std::string_view prefix : {"CUDAFunctorOnSelf_", "CUDAFunctorOnOther_", "CUDAFunctor_", "launch_"})
        drop_prefix(word, prefix);
    while (drop_suffix(word, "_kernel_cuda") || drop_suffix(word, "_cuda_kernel") ||
           drop_suffix(word, "_kernel_impl") || drop_suffix(word, "_cuda") || drop_suffix(word, "_kernel") ||
           drop_suffix(word, "_functor") || drop_suffix(word, "CUDAKernelImpl") || drop_suffix(word, "Functor") ||
           drop_suffix(word, "Ops")) {}
    return word;
}

// Operation applied by the template arguments, and the number type near it.
struct AppliedTemplate {
    std::string_view what;
    std::string_view type;
};
AppliedTemplate find_applied(std::string_view arguments) {
    AppliedTemplate found;
    std::size_t i = 0;
    while (i < arguments.size()) {
        if (!is_word(arguments[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < arguments.size() && is_word(arguments[end])) ++end;
        const std::string_view word = arguments.substr(i, end - i);
        i = end;
        if (is_one_of(word, kNumberTypes) && found.type.empty()) found.type = word;
        const bool plumbing = is_digit(word.front()) || is_one_of(word, kPlumbing) || word.size() < 2;
        if (found.what.empty() && !plumbing) found.what = word;
        if (!found.what.empty() && !found.type.empty()) break;
    }
    return found;
}

// Position of the template or function arguments: the first '<' or '(' that is not "(anonymous namespace)".
std::size_t find_arguments(std::string_view name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i).starts_with("(anonymous namespace)")) {
            i += std::string_view("(anonymous namespace)").size() - 1;
            continue;
        }
        if ((name[i] == '<' || name[i] == '(') && i > 0) return i;
    }
    return name.size();
}

ShortenedName short_cpp(std::string_view name);

ShortenedName short_identifier(std::string_view name) {
    if (name.starts_with("Cijk_")) return short_tensile(name);
    if (name.starts_with("nvjet_")) return short_nvjet(name);
    if (name.find("cutlass") != std::string_view::npos && name.find('_') != std::string_view::npos)
        return short_matrix_kernel(name, "cutlass");
    if (name.find("xmma") != std::string_view::npos) return short_matrix_kernel(name, "xmma");
    const bool is_long = name.size() > 28;
    if (is_long && name.find("gemm") != std::string_view::npos && std::count(name.begin(), name.end(), '_') > 3) {
        const std::size_t family = name.find('_');
        return short_matrix_kernel(name, name.substr(0, family));
    }
    std::string_view brief = name;
    drop_suffix(brief, "_kernel");
    drop_prefix(brief, "triton_");
    return {std::string(name), std::string(brief)};
}

ShortenedName short_cpp(std::string_view name) {
    drop_prefix(name, "void ");
    const std::size_t arguments_at = find_arguments(name);
    std::string_view base = name.substr(0, arguments_at);
    const std::size_t scope = base.rfind("::");
    if (scope != std::string_view::npos && scope + 2 < base.size()) base.remove_prefix(scope + 2);
    const std::string_view arguments = name.substr(arguments_at);
    if (!is_one_of(base, kGeneric) || !arguments.starts_with('<')) return short_identifier(base);
    const AppliedTemplate applied = find_applied(arguments);
    if (applied.what.empty()) return short_identifier(base);
    if (applied.what.find("gemm") != std::string_view::npos || applied.what.starts_with("cutlass"))
        return short_identifier(applied.what);
    std::string_view how = base;
    drop_suffix(how, "_kernel");
    for (const std::string_view prefix : {"vectorized_", "unrolled_"}) drop_prefix(how, prefix);
    const std::string what(without_decoration(applied.what));
    if (base == "Kernel" || base == "Kernel2" || base == "kernel" || base == "device_kernel") return {what, what};
    std::string normal = what;
    if (!applied.type.empty()) normal += " " + std::string(applied.type);
    return {normal + std::string(kDot) + std::string(how), what};
}

ShortenedName choose(std::string_view name) {
    if (name.starts_with("ncclDevKernel") || name.starts_with("ncclKernel")) return short_collective(name);
    const std::size_t python = name.find(".py(");
    if (python != std::string_view::npos) return short_python(name, python);
    constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
    if (name.starts_with(kEvaluate) && name.size() > kEvaluate.size()) {
        const std::string function(name.substr(kEvaluate.size()));
        return {function, function.substr(function.rfind(':') + 1)};
    }
    if (name.starts_with("Memcpy") || name.starts_with("Memset")) {
        const std::size_t detail = name.find(" (");
        return {std::string(name), std::string(name.substr(0, detail))};
    }
    const bool has_call = name.find('(') != std::string_view::npos && name.find(" (") == std::string_view::npos;
    if (name.starts_with("void ") || name.find('<') != std::string_view::npos || has_call) return short_cpp(name);
    if (name.find(' ') != std::string_view::npos) return {std::string(name), std::string(name)};
    if (name.starts_with("aten::")) return {std::string(name), std::string(name.substr(6))};
    return short_identifier(name);
}

}  // namespace

ShortenedName short_name(std::string_view full) {
    ShortenedName result = choose(full.substr(0, kLongestLookedAt));
    if (result.normal.empty()) result.normal = full.substr(0, kLongestLookedAt);
    if (result.brief.empty() || result.brief.size() > result.normal.size()) result.brief = result.normal;
    return result;
}

namespace {

// Distinguishes names of one short form: adds the words between their common beginning and end.
void tell_apart(const std::vector<std::string_view>& full, std::map<std::string_view, std::string>& names,
                std::set<std::string>& taken) {
    constexpr std::size_t kMostAdded = 40;
    std::size_t before = full.front().size();
    std::size_t after = full.front().size();
    for (const std::string_view name : full) {
        const std::string_view first = full.front();
        const std::size_t most = std::min(name.size(), first.size());
        std::size_t same = 0;
        while (same < std::min(most, before) && name[same] == first[same]) ++same;
        before = same;
        same = 0;
        while (same < std::min(most, after) && name[name.size() - 1 - same] == first[first.size() - 1 - same]) ++same;
        after = same;
    }
    const std::string_view first = full.front();
    while (before > 0 && is_word(first[before - 1])) --before;                  // whole words
    while (after > 0 && is_word(first[first.size() - after])) --after;
    for (const std::string_view name : full) {
        const std::size_t end = std::max(before, name.size() - std::min(after, name.size()));
        std::string_view differs = name.substr(before, end - before);
        while (!differs.empty() && !is_word(differs.front())) differs.remove_prefix(1);
        std::string& shown = names[name];
        if (!differs.empty()) shown.append(kDot).append(differs.substr(0, kMostAdded));
        const std::string base = shown;
        for (int number = 2; !taken.insert(shown).second; ++number) shown = base + " #" + std::to_string(number);
    }
}

}  // namespace

std::vector<std::string> distinct_short_names(std::span<const std::string_view> full) {
    std::map<std::string_view, std::string> names;
    for (const std::string_view name : full)
        if (const auto [at, is_new] = names.try_emplace(name); is_new) at->second = short_name(name).normal;
    std::map<std::string, std::vector<std::string_view>> alike;
    for (const auto& [name, shown] : names) alike[shown].push_back(name);
    std::set<std::string> taken;
    for (const auto& [shown, of] : alike)
        if (of.size() == 1) taken.insert(shown);
    for (const auto& [shown, of] : alike)
        if (of.size() > 1) tell_apart(of, names, taken);
    std::vector<std::string> shown;
    shown.reserve(full.size());
    for (const std::string_view name : full) shown.push_back(names[name]);
    return shown;
}

std::string describe_sequence(std::string_view names) {
    std::string text;
    std::string last;
    std::size_t repeats = 0;
    const auto end_run = [&] {
        if (repeats > 1) text += " \xC3\x97 " + std::to_string(repeats);
    };
    while (true) {
        const std::size_t end = std::min(names.find('|'), names.size());
        const std::string name = short_name(names.substr(0, end)).brief;
        if (repeats > 0 && name == last) {
            ++repeats;
        } else {
            end_run();
            text += (text.empty() ? "" : " \xE2\x86\x92 ") + name;
            last = name;
            repeats = 1;
        }
        if (end == names.size()) break;
        names.remove_prefix(end + 1);
    }
    end_run();
    return text;
}

std::string cut_name(std::string_view name) {
    constexpr std::size_t kMostBytes = 96;
    if (name.size() <= kMostBytes) return std::string(name);
    std::string_view cut = cut_utf8(name, kMostBytes);
    if (const std::size_t end = cut.find_last_of(" ,;:.<(/#"); end != std::string_view::npos && end > kMostBytes / 2)
        cut = cut.substr(0, end);
    return std::string(cut) + std::string(kEllipsis);
}

}  // namespace core
