#pragma once
// Kernel classes: the first matching rule of a list that the user can see and edit decides
// (DEFINITIONS 1). GPU events without a matching rule are compute. Other events have no class.

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

// One line of text, `CLASS if CONDITION VALUE`:
//   communication if collective-arguments
//   communication if name-starts nccl
//   memory if category gpu_memcpy
struct ClassRule {
    enum class Condition : std::uint8_t { CollectiveArguments, Category, NameStarts, NameContains };
    KernelClass result = KernelClass::Compute;
    Condition condition = Condition::NameStarts;
    std::string value;  // names are case-sensitive, categories aren't
    bool operator==(const ClassRule&) const = default;
};

struct ClassRules {
    std::vector<ClassRule> rules;
    bool operator==(const ClassRules&) const = default;
    static const ClassRules& standard();
    static Result<ClassRules> parse(std::string_view text);  // one rule per line; '#' starts a comment line
    std::string text() const;
    std::uint64_t hash() const;  // equal for equal rules on every machine
    KernelClass decide(std::string_view name, std::string_view category, bool has_collective) const;
};

// The rules applied to one rank: two bits per event, decided once per distinct name, category and
// kind of arguments.
class ClassTable {
public:
    ClassTable(const RankTrace&, const ClassRules&);
    // Converts to and from a section of an index file: one byte per four events; the caller
    // validates its size.
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
