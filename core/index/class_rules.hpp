#pragma once
// Kernel classes, decided by the first rule that hits, from a list the user can see and edit
// (DEFINITIONS 1). A rule is one line of text: `CLASS if CONDITION VALUE`, for example
//   communication if collective-arguments
//   communication if name-starts nccl
//   memory        if category gpu_memcpy
// A GPU event no rule hits is compute. Events that are no GPU events have no class.

#include "core/base/result.hpp"
#include "core/store/rank_trace.hpp"
#include "core/store/values.hpp"

#include <string>
#include <vector>

namespace core {

enum class KernelClass : std::uint8_t { Compute = 0, Communication = 1, Memory = 2, None = 3 };
inline constexpr std::size_t kKernelClasses = 3;
std::string_view name_of(KernelClass);  // "compute", "communication", "memory", ""

// A set of kernel classes as bits: 1 compute, 2 communication, 4 memory.
using ClassSet = std::uint8_t;
inline constexpr std::size_t kClassSets = 8;
constexpr ClassSet set_of(KernelClass c) {
    return c == KernelClass::None ? ClassSet{0} : static_cast<ClassSet>(1u << static_cast<unsigned>(c));
}
// Names joined by '+' in the order compute, communication, memory; "idle" for the empty set.
std::string_view name_of_set(ClassSet);

struct ClassRule {
    enum class Condition : std::uint8_t { CollectiveArguments, Category, NameStarts, NameContains };
    KernelClass result = KernelClass::Compute;
    Condition condition = Condition::NameStarts;
    std::string value;  // names are compared as written, categories without regard to case
    bool operator==(const ClassRule&) const = default;
};

struct ClassRules {
    std::vector<ClassRule> rules;
    bool operator==(const ClassRules&) const = default;
    static const ClassRules& standard();
    static Result<ClassRules> parse(std::string_view text);  // one rule a line; lines that start with '#' are comments
    std::string text() const;
    std::uint64_t hash() const;  // the same for equal rules, in every session and on every machine
    KernelClass decide(std::string_view name, std::string_view category, bool has_collective) const;
};

// The rules applied to one rank: two bits per event, found once per distinct name, category and kind of arguments.
class ClassTable {
public:
    ClassTable(const RankTrace&, const ClassRules&);
    // As a section of an index file and back: a byte for every four events, which the caller checks.
    explicit ClassTable(const Blob&);
    void collect_sections(SectionList&) const;
    KernelClass of(EventId e) const {
        const std::size_t i = index_of(e);
        return static_cast<KernelClass>(packed_[i / 4] >> 2 * (i % 4) & 3);
    }
    std::size_t resident_bytes() const { return packed_.size(); }

private:
    Values<std::uint8_t> packed_;
};

}  // namespace core
