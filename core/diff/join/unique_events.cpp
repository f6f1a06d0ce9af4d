#include "core/diff/join/unique_events.hpp"

#include "core/base/ascii.hpp"
#include "core/base/bits.hpp"
#include "core/base/jobs.hpp"

#include <string>
#include <unordered_map>

namespace core {
namespace {

constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;
constexpr std::uint8_t kNoClass = 1u << static_cast<unsigned>(KernelClass::None);

std::string without_digits(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (!is_digit(c))
            text += c;
        else if (text.empty() || text.back() != '0')
            text += '0';
    }
    return text;
}

// Classes of the events of each local name, as bits.
std::optional<WantedNames> collect_classes(const RankSlot& rank, const JobContext& job) {
    const RankTrace& trace = rank.trace();
    const ClassTable& classes = rank.index->classes();
    WantedNames seen(trace.names.size());
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && job.cancelled()) return std::nullopt;
        const auto bit = 1u << static_cast<unsigned>(classes.of(static_cast<EventId>(i)));
        seen[index_of(trace.name[i])] |= static_cast<std::uint8_t>(bit);
    }
    return seen;
}

// Comparison keys of a name: one for GPU events, one for all others.
struct NameKeys {
    std::uint32_t exact = kUnknown;
    std::uint32_t loose = kUnknown;
};

class NameComparison {
public:
    NameComparison(const BySide<RunPtr>& runs, const JobContext& job) : runs_(runs), job_(job) {}

    Result<UniqueEvents> run() && {
        for (const Side side : kSides) {
            if (!read(side)) return cancelled_error();
        }
        UniqueEvents result;
        for (const Side side : kSides) {
            Result<FoundEventsPtr> events = FoundEvents::collect(runs_[side], collect_lone(side), job_);
            if (!events) return Error(events.error());
            result.events[side] = std::move(events).value();
            result.names[side] = lone_;
        }
        return result;
    }

private:
    bool read(Side side) {
        std::vector<NameKeys>& keys = keys_[side];
        for (const RankSlot& rank : runs_[side]->ranks()) {
            std::optional<WantedNames> classes = collect_classes(rank, job_);
            if (!classes) return false;
            for (std::size_t local = 0; local < classes->size(); ++local) {
                if ((*classes)[local] == 0) continue;
                const std::size_t name = index_of((*rank.names)[local]);
                if (name >= keys.size()) keys.resize(name + 1 + name / 2);
                keep(side, keys[name], rank.trace().text(static_cast<NameId>(local)), (*classes)[local]);
            }
            classes_[side].push_back(std::move(*classes));
        }
        return true;
    }
    // Looks up each distinct name once, however many ranks have it.
    void keep(Side side, NameKeys& keys, std::string_view name, std::uint8_t classes) {
        const auto number = [](std::unordered_map<std::string, std::uint32_t>& known, std::string text) {
            return known.try_emplace(std::move(text), static_cast<std::uint32_t>(known.size())).first->second;
        };
        if (keys.exact == kUnknown) keys = {number(exact_, std::string(name)), number(loose_, without_digits(name))};
        mark(exact_classes_[side], keys.exact, classes & static_cast<std::uint8_t>(~kNoClass));
        mark(loose_classes_[side], keys.loose, classes & kNoClass);
    }
    static void mark(std::vector<std::uint8_t>& classes, std::uint32_t key, unsigned bits) {
        if (key >= classes.size()) classes.resize(key + 1 + key / 2);
        classes[key] |= static_cast<std::uint8_t>(bits);
    }
    static std::uint8_t classes_of(const std::vector<std::uint8_t>& classes, std::uint32_t key) {
        return key < classes.size() ? classes[key] : std::uint8_t{0};
    }

    // By slot: for each name, the classes that the other run lacks. Counts them once per name of the run.
    std::vector<WantedNames> collect_lone(Side side) {
        const Side other = other_side(side);
        std::vector<std::uint8_t> counted;
        lone_ = 0;
        std::vector<WantedNames> lone = std::move(classes_[side]);
        for (std::size_t slot = 0; slot < lone.size(); ++slot) {
            const std::vector<InternedName>& names = *runs_[side]->rank(slot).names;
            for (std::size_t local = 0; local < lone[slot].size(); ++local) {
                if (lone[slot][local] == 0) continue;
                const NameKeys& keys = keys_[side][index_of(names[local])];
                const unsigned there =
                    classes_of(exact_classes_[other], keys.exact) | classes_of(loose_classes_[other], keys.loose);
                lone[slot][local] = static_cast<std::uint8_t>(lone[slot][local] & ~there);
                count(counted, keys.exact, lone[slot][local]);
            }
        }
        return lone;
    }
    void count(std::vector<std::uint8_t>& counted, std::uint32_t key, std::uint8_t classes) {
        const unsigned fresh = classes & ~static_cast<unsigned>(classes_of(counted, key));
        lone_ += count_bits(fresh);
        mark(counted, key, classes);
    }

    const BySide<RunPtr>& runs_;
    const JobContext& job_;
    std::unordered_map<std::string, std::uint32_t> exact_;
    std::unordered_map<std::string, std::uint32_t> loose_;
    BySide<std::vector<NameKeys>> keys_;                  // by InternedName of the run
    BySide<std::vector<std::uint8_t>> exact_classes_;     // classes that occur, by key
    BySide<std::vector<std::uint8_t>> loose_classes_;
    BySide<std::vector<WantedNames>> classes_;            // classes that occur, by slot and local name
    std::size_t lone_ = 0;
};

}  // namespace

Result<UniqueEvents> find_unique_events(const BySide<RunPtr>& runs, const JobContext& job) {
    return NameComparison(runs, job).run();
}

}  // namespace core
