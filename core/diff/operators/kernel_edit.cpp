#include "core/diff/operators/kernel_edit.hpp"

#include "core/diff/align/normalise_name.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Spellings of element types in kernel names; the longest come before their own beginnings.
constexpr std::array<std::string_view, 18> kTypeWords = {"bfloat16", "BFloat16", "double", "float", "half", "Half",
                                                         "bf16",     "fp16",     "fp32",   "fp64",  "tf32", "e4m3",
                                                         "e5m2",     "f16",      "f32",    "f64",   "fp8",  "f8"};
constexpr std::array<std::string_view, 4> kTypedGemms = {"hgemm", "sgemm", "dgemm", "bgemm"};

// "f16", "f16f16f32", …
bool is_types(std::string_view word) {
    while (!word.empty()) {
        const auto it = std::ranges::find_if(kTypeWords, [&](std::string_view type) { return word.starts_with(type); });
        if (it == kTypeWords.end()) return false;
        word.remove_prefix(it->size());
    }
    return true;
}

// The name without numbers and element types: "gemm_f16_128x64" and "gemm_f32_64x64" are one.
std::string without_types(std::string_view name) {
    std::string text;
    for (std::size_t i = 0; i < name.size();) {
        std::size_t end = i;
        while (end < name.size() && is_word(name[end])) ++end;
        if (end == i) {
            text += name[i++];
            continue;
        }
        const std::string_view word = name.substr(i, end - i);
        if (is_types(word))
            text += 'T';
        else
            text += std::ranges::find(kTypedGemms, word) == kTypedGemms.end() ? word : "gemm";
        i = end;
    }
    for (const std::string_view prefix : {"c10::", "__nv_", "__"})
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
            text.erase(at, prefix.size());
    return normalise_kernel_name(text);
}

}  // namespace

std::string_view name_of(KernelEdit edit) {
    constexpr std::array<std::string_view, 6> kNames = {"same",         "other tuning",  "other type",
                                                        "other kernel", "fewer kernels", "more kernels"};
    return kNames[static_cast<std::size_t>(edit)];
}

KernelEdit compare_kernels(std::span<const std::string_view> baseline, std::span<const std::string_view> candidate,
                           const NamePairing& names) {
    if (baseline.size() != candidate.size())
        return baseline.size() > candidate.size() ? KernelEdit::Fewer : KernelEdit::More;
    KernelEdit edit = KernelEdit::Same;
    for (std::size_t i = 0; i < baseline.size(); ++i) {
        const std::string_view b = baseline[i], c = candidate[i];
        if (b == c || names.key(Side::Baseline, b) == names.key(Side::Candidate, c)) continue;
        edit = std::max(edit, normalise_kernel_name(b) == normalise_kernel_name(c) ? KernelEdit::Tuning
                              : without_types(b) == without_types(c)               ? KernelEdit::Type
                                                                                   : KernelEdit::Other);
    }
    return edit;
}

}  // namespace core
