#include "core/index/class_rules.hpp"

#include "core/base/ascii.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

namespace core {
namespace {

using Condition = ClassRule::Condition;

constexpr std::array<std::string_view, 4> kClassNames = {"compute", "communication", "memory", ""};
constexpr std::array<std::string_view, kClassSets> kSetNames = {
    "idle",   "compute",        "communication",        "compute+communication",
    "memory", "compute+memory", "communication+memory", "compute+communication+memory"};
constexpr std::array<std::string_view, 4> kConditionNames = {"collective-arguments", "category", "name-starts",
                                                             "name-contains"};
constexpr std::size_t kClassWidth = 13;  // width of "communication": aligns the lines of text()

struct StandardRule {
    KernelClass result;
    Condition condition;
    std::string_view value;
};

// The first match decides. A name that starts with hip…, or contains "dma" or "Sync", decides
// nothing.
constexpr StandardRule kStandardRules[] = {
    {KernelClass::Communication, Condition::CollectiveArguments, ""},
    {KernelClass::Communication, Condition::NameStarts, "nccl"},
    {KernelClass::Communication, Condition::NameStarts, "rccl"},
    {KernelClass::Communication, Condition::NameStarts, "hccl"},
    {KernelClass::Communication, Condition::NameStarts, "hcom_"},
    {KernelClass::Communication, Condition::NameContains, "ncclKernel"},
    {KernelClass::Communication, Condition::NameContains, "ncclDevKernel"},
    {KernelClass::Communication, Condition::NameContains, "rccl_main_kernel"},
    {KernelClass::Communication, Condition::NameContains, "msccl"},  // and MSCCL++
    {KernelClass::Communication, Condition::NameContains, "nvshmem"},
    {KernelClass::Communication, Condition::NameContains, "rocshmem"},
    {KernelClass::Communication, Condition::NameContains, "cclKernel"},  // of other makers' libraries, as pcclKernel
    {KernelClass::Communication, Condition::NameStarts, "oneccl_"},
    {KernelClass::Communication, Condition::NameStarts, "ccl_"},
    {KernelClass::Communication, Condition::NameContains, "oneapi::ccl"},
    // Custom all-reduces: vLLM, SGLang, AITER; PyTorch symmetric memory and intra-node; TensorRT-LLM, FlashInfer.
    {KernelClass::Communication, Condition::NameContains, "cross_device_reduce"},
    {KernelClass::Communication, Condition::NameContains, "multimem_all_reduce"},
    {KernelClass::Communication, Condition::NameContains, "multimem_one_shot"},
    {KernelClass::Communication, Condition::NameContains, "multimem_all_gather"},
    {KernelClass::Communication, Condition::NameContains, "one_shot_all_reduce"},
    {KernelClass::Communication, Condition::NameContains, "two_shot_all_reduce"},
    {KernelClass::Communication, Condition::NameContains, "oneShotAllReduce"},
    {KernelClass::Communication, Condition::NameContains, "twoShotAllReduce"},
    {KernelClass::Communication, Condition::NameContains, "oneshotAllreduce"},
    {KernelClass::Communication, Condition::NameContains, "twoshotAllreduce"},
    {KernelClass::Communication, Condition::NameContains, "oneShotAllreduce"},
    {KernelClass::Communication, Condition::NameContains, "twoShotAllreduce"},
    {KernelClass::Communication, Condition::NameContains, "multimem_reduce_scatter"},
    {KernelClass::Communication, Condition::NameContains, "two_shot_reduce_scatter"},
    {KernelClass::Communication, Condition::NameContains, "quick_all_reduce"},
    {KernelClass::Communication, Condition::NameContains, "moeAllToAll"},
    {KernelClass::Communication, Condition::NameContains, "moe_a2a"},
    {KernelClass::Communication, Condition::NameContains, "hybridCubeMeshAllReduce"},
    {KernelClass::Communication, Condition::NameContains, "allreduce_fusion_kernel"},
    {KernelClass::Communication, Condition::NameContains, "allreduce_prototype"},
    {KernelClass::Communication, Condition::NameContains, "userbuffers"},
    // DeepEP's dispatch and combine, within and between nodes and with low latency, under any namespace: deep_ep,
    // dpsk::ep. Its layout kernels only compute.
    {KernelClass::Communication, Condition::NameContains, "::intranode::"},
    {KernelClass::Communication, Condition::NameContains, "::internode::"},
    {KernelClass::Communication, Condition::NameContains, "::internode_ll::"},
    {KernelClass::Communication, Condition::NameContains, "EpDispatch"},  // MORI's
    {KernelClass::Communication, Condition::NameContains, "EpCombine"},
    // XLA's operations, which are the rows of a TPU.
    {KernelClass::Communication, Condition::NameStarts, "all-reduce"},
    {KernelClass::Communication, Condition::NameStarts, "all-gather"},
    {KernelClass::Communication, Condition::NameStarts, "reduce-scatter"},
    {KernelClass::Communication, Condition::NameStarts, "all-to-all"},
    {KernelClass::Communication, Condition::NameStarts, "collective-permute"},
    {KernelClass::Communication, Condition::NameStarts, "ucp_"},  // copies of UCX
    {KernelClass::Communication, Condition::NameStarts, "uct_"},
    {KernelClass::Memory, Condition::Category, "gpu_memcpy"},
    {KernelClass::Memory, Condition::Category, "gpu_memset"},
    {KernelClass::Memory, Condition::Category, "memcpy"},
    {KernelClass::Memory, Condition::Category, "memset"},
    {KernelClass::Memory, Condition::NameStarts, "Memcpy"},
    {KernelClass::Memory, Condition::NameStarts, "Memset"},
    {KernelClass::Memory, Condition::NameStarts, "__amd_rocclr_copy"},
    {KernelClass::Memory, Condition::NameStarts, "__amd_rocclr_fill"},
    {KernelClass::Memory, Condition::NameStarts, "dma_request"},
    // Copies and sets of tools that trace ROCm or Level Zero.
    {KernelClass::Memory, Condition::NameStarts, "CopyDevice"},
    {KernelClass::Memory, Condition::NameStarts, "CopyHost"},
    {KernelClass::Memory, Condition::NameStarts, "FillBuffer"},
    {KernelClass::Memory, Condition::NameStarts, "MEMORY_COPY_"},
    {KernelClass::Memory, Condition::NameStarts, "zeCommandListAppendMemory"},
    // Ascend's copy tasks.
    {KernelClass::Memory, Condition::NameStarts, "MEMCPY_ASYNC"},
    {KernelClass::Memory, Condition::NameStarts, "SDMA"},
};

bool equal_without_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_ascii, lower_ascii);
}

bool hits(const ClassRule& rule, std::string_view name, std::string_view category, bool has_collective) {
    switch (rule.condition) {
        case Condition::CollectiveArguments:
            return has_collective;
        case Condition::Category:
            return equal_without_case(category, rule.value);
        case Condition::NameStarts:
            return name.starts_with(rule.value);
        case Condition::NameContains:
            return name.find(rule.value) != std::string_view::npos;
    }
    return false;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\v\f";
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string_view consume_word(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

template <class Names>
std::optional<std::size_t> index_in(const Names& names, std::string_view word) {
    const auto it = std::ranges::find(names, word);
    if (word.empty() || it == std::end(names)) return std::nullopt;
    return static_cast<std::size_t>(it - std::begin(names));
}

Error bad_rule(std::string_view problem) { return Error{ErrorCode::BadInput, std::string(problem)}; }

Result<ClassRule> parse_rule(std::string_view line) {
    const std::optional<std::size_t> result = index_in(kClassNames, consume_word(line));
    if (!result) return bad_rule("a rule starts with compute, communication or memory");
    if (consume_word(line) != "if") return bad_rule("expected `if` after the class");
    const std::optional<std::size_t> condition = index_in(kConditionNames, consume_word(line));
    if (!condition) return bad_rule("the condition is collective-arguments, category, name-starts or name-contains");
    const ClassRule rule{.result = static_cast<KernelClass>(*result),
                         .condition = static_cast<Condition>(*condition),
                         .value = std::string(line)};
    const bool takes_value = rule.condition != Condition::CollectiveArguments;
    if (takes_value && rule.value.empty()) return bad_rule("the condition needs a text to compare with");
    if (!takes_value && !rule.value.empty()) return bad_rule("collective-arguments takes no value");
    return rule;
}

}  // namespace

std::string_view name_of(KernelClass c) { return kClassNames[static_cast<std::size_t>(c)]; }

std::string_view name_of_set(ClassSet set) {
    assert(set < kClassSets);
    return kSetNames[set];
}

const ClassRules& ClassRules::standard() {
    static const ClassRules kRules = [] {
        ClassRules all;
        for (const StandardRule& rule : kStandardRules) {
            all.rules.push_back({rule.result, rule.condition, std::string(rule.value)});
        }
        return all;
    }();
    return kRules;
}

Result<ClassRules> ClassRules::parse(std::string_view text) {
    ClassRules parsed;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#') continue;
        Result<ClassRule> rule = parse_rule(line);
        if (!rule) return std::move(rule).error().within("line " + std::to_string(number) + ": " + std::string(line));
        parsed.rules.push_back(std::move(*rule));
    }
    return parsed;
}

std::string ClassRules::text() const {
    std::string text;
    for (const ClassRule& rule : rules) {
        const std::string_view result = name_of(rule.result);
        text.append(result).append(kClassWidth - std::min(kClassWidth, result.size()), ' ').append(" if ");
        text.append(kConditionNames[static_cast<std::size_t>(rule.condition)]);
        if (!rule.value.empty()) text.append(" ").append(rule.value);
        text += '\n';
    }
    return text;
}

std::uint64_t ClassRules::hash() const { return hash_text(text()); }

KernelClass ClassRules::decide(std::string_view name, std::string_view category, bool has_collective) const {
    for (const ClassRule& rule : rules) {
        if (hits(rule, name, category, has_collective)) return rule.result;
    }
    return KernelClass::Compute;
}

ClassTable::ClassTable(const RankTrace& trace, const ClassRules& rules) {
    std::vector<std::uint8_t> packed((trace.size() + 3) / 4, 0xFF);
    struct Decided {
        std::uint16_t category;
        KernelClass result = KernelClass::None;
    };
    std::vector<Decided> decided(trace.names.size() * 2);  // by name and presence of collective arguments
    for (const EventId e : trace.gpu_events) {
        const std::size_t i = index_of(e);
        const bool collective = trace.has(e, kHasCollective);
        Decided& known = decided[index_of(trace.name[i]) * 2 + (collective ? 1 : 0)];
        if (known.result == KernelClass::None || known.category != trace.category[i]) {
            known = {trace.category[i], rules.decide(trace.name_text(e), trace.category_text(e), collective)};
        }
        const unsigned at = 2 * (i % 4);
        const unsigned without = packed[i / 4] & ~(3u << at);
        packed[i / 4] = static_cast<std::uint8_t>(without | static_cast<unsigned>(known.result) << at);
    }
    packed_ = Values(std::move(packed));
}

ClassTable::ClassTable(const Blob& blob)
    : packed_(Values<std::uint8_t>::lent(blob.section<std::uint8_t>(section::kClasses))) {}

void ClassTable::collect_sections(SectionList& list) const { list.add(section::kClasses, packed_.all()); }

}  // namespace core
