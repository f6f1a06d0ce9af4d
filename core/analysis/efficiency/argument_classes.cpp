#include "core/analysis/efficiency/argument_classes.hpp"

#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace core {
namespace {

constexpr std::size_t kCallsPerPiece = 1 << 14;

// A writer records values and strides of every call of an operator or of none: after so many without, no more texts of
// that operator are unpacked. Old traces have long call stacks in them.
constexpr std::uint32_t kCallsWithoutValues = 32;

// Classes that one thread finds in its piece of the calls; merged afterwards.
struct Piece {
    struct Class {
        NameId name, sizes, types;
        const OperatorRow* row;
        std::string values, strides;
    };
    std::vector<std::uint32_t> class_of_call;
    std::vector<Class> classes;
};

struct Candidate {
    EventId event;
    std::uint32_t order;
    const OperatorRow* row;
};

std::string key_of(const Piece::Class& c) {
    std::string key(3 * sizeof(NameId), '\0');
    const NameId ids[] = {c.name, c.sizes, c.types};
    std::copy_n(reinterpret_cast<const char*>(ids), key.size(), key.data());
    key += c.values;
    key += '\n';
    key += c.strides;
    return key;
}

class Collector {
public:
    Collector(const RankTrace& trace, const JobContext& job)
        : trace_(trace), job_(job), sizes_(trace.texts(Arg::InputDims)), types_(trace.texts(Arg::InputTypes)) {}

    ListedCalls run() && {
        find_candidates();
        std::vector<Piece> pieces((candidates_.size() + kCallsPerPiece - 1) / kCallsPerPiece);
        job_.parallel_for(pieces.size(), [&](std::size_t i) { read(i, pieces[i]); });
        ListedCalls found;
        if (!job_.cancelled()) put_together(pieces, found);
        return found;
    }

private:
    void find_candidates() {
        std::vector<const OperatorRow*> rows(trace_.names.size());
        std::vector<bool> known(trace_.names.size());
        for (std::uint32_t e = 0; e < trace_.size(); ++e) {
            const EventId event{e};
            if (!is_operator(trace_, event)) continue;
            const std::size_t name = index_of(trace_.name[e]);
            if (!known[name]) {
                rows[name] = find_operator_row(trace_.name_text(event));
                known[name] = true;
            }
            if (rows[name]) candidates_.push_back({event, trace_.order[e], rows[name]});
        }
        std::ranges::sort(candidates_, {}, &Candidate::order);  // as the texts lie
    }

    void read(std::size_t index, Piece& piece) {
        RecentTexts recent = trace_.recent_texts();
        std::unordered_map<const OperatorRow*, std::uint32_t> without_values;
        std::unordered_map<std::string, std::uint32_t> class_of;
        const std::size_t first = index * kCallsPerPiece;
        const std::size_t last = std::min(first + kCallsPerPiece, candidates_.size());
        for (std::size_t i = first; i < last && !job_.cancelled(); ++i) {
            const Candidate& candidate = candidates_[i];
            const auto text_of = [&](const SparseColumn<NameId>& column) {
                const NameId* const text = column.find(candidate.event);
                return text ? *text : kNoName;
            };
            Piece::Class c{.name = trace_.name[index_of(candidate.event)],
                           .sizes = text_of(sizes_),
                           .types = text_of(types_),
                           .row = candidate.row,
                           .values = {},
                           .strides = {}};
            std::uint32_t& without = without_values[c.row];
            if (c.sizes != kNoName && c.row->rule != FlopRule::Opaque && without < kCallsWithoutValues) {
                ++without;
                if (const Result<EventText> text = trace_.event_text(candidate.event, recent)) {
                    c.values = find_json_member(text->arguments, "Concrete Inputs");
                    c.strides = find_json_member(text->arguments, "Input Strides");
                    if (!c.values.empty() || !c.strides.empty()) without = 0;
                }
            }
            const auto [at, is_new] = class_of.try_emplace(key_of(c), static_cast<std::uint32_t>(piece.classes.size()));
            if (is_new) piece.classes.push_back(std::move(c));
            piece.class_of_call.push_back(at->second);
        }
    }

    void put_together(std::vector<Piece>& pieces, ListedCalls& found) {
        std::unordered_map<std::string, std::uint32_t> class_of;
        const auto text_of = [&](NameId id) { return id == kNoName ? std::string_view() : trace_.text(id); };
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            std::vector<std::uint32_t> global;
            for (const Piece::Class& c : pieces[p].classes) {
                const auto [at, is_new] =
                    class_of.try_emplace(key_of(c), static_cast<std::uint32_t>(found.classes.size()));
                if (is_new)
                    found.classes.push_back({c.name, c.sizes, c.types, c.row,
                                             OperatorArguments({.sizes = text_of(c.sizes),
                                                                .types = text_of(c.types),
                                                                .values = c.values,
                                                                .strides = c.strides})});
                global.push_back(at->second);
            }
            for (std::size_t i = 0; i < pieces[p].class_of_call.size(); ++i)
                found.calls.push_back({candidates_[p * kCallsPerPiece + i].event, global[pieces[p].class_of_call[i]]});
        }
        std::ranges::sort(found.calls, {}, &ListedCall::event);
    }

    const RankTrace& trace_;
    const JobContext& job_;
    SparseColumn<NameId> sizes_, types_;
    std::vector<Candidate> candidates_;
};

}  // namespace

ListedCalls collect_listed_calls(const RankTrace& trace, const JobContext& job) { return Collector(trace, job).run(); }

}  // namespace core
