#include "core/graphs/graph_attribution.hpp"

#include "core/graphs/graph_captures.hpp"
#include "core/graphs/join_traces.hpp"
#include "core/index/graph_sources.hpp"
#include "core/store/event_above.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace core {
namespace {

constexpr std::array<std::string_view, 6> kAttributionNames = {"launched",          "annotated", "captured",
                                                               "captured by order", "around",    "none"};
constexpr std::string_view kModule = "nn.Module: ";
// Steps of comparing a replay's nodes with a capture's calls, after which no more captures are tried.
constexpr std::uint64_t kMostWork = 400'000'000;
constexpr std::size_t kMostMissing = 8;  // that are named

// A capture of one of the sources.
struct Candidate {
    const RankTrace* trace;
    GraphCapture capture;
    std::vector<NodeName> names;
    bool in_own_trace = false;
    bool is_own = true;  // of the rank, not borrowed from another one
};

EventId find_above(const RankTrace& trace, EventId e, const auto& accepts) {
    for (EventId at = event_above(trace, e); at != kNoEvent; at = event_above(trace, at))
        if (accepts(at)) return at;
    return kNoEvent;
}

EventId operator_around(const RankTrace& trace, EventId call) {
    return find_above(trace, call, [&](EventId e) {
        return trace.category_kind(e) == Category::CpuOp && !trace.has(e, kStepMark) && !trace.has(e, kInstant);
    });
}

EventId module_around(const RankTrace& trace, EventId call) {
    return find_above(trace, call, [&](EventId e) {
        return trace.category_kind(e) == Category::PythonFunction && trace.name_text(e).starts_with(kModule);
    });
}

// "layers.0.attention.wq": the path of a module as its program names it.
bool is_module_path(std::string_view text) {
    if (text.find('.') == std::string_view::npos) return false;
    bool begins = true;
    for (const char c : text) {
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!is_word && (c != '.' || begins)) return false;
        begins = c == '.';
    }
    return !begins;
}

class Attributing {
public:
    Attributing(const RankIndex& rank, const JobContext& job)
        : trace_(rank.trace()), sources_(graph_sources_of(rank)), job_(job), join_(trace_) {}

    std::shared_ptr<const GraphAttribution> run() && {
        auto made = std::make_shared<GraphAttribution>(trace_, find_replays(trace_, job_));
        replays_ = &made->replays;
        if (!replays_->replays.empty()) {
            collect_candidates();
            number_nodes();
            count_launches();
            for (std::uint32_t r = 0; r < replays_->replays.size(); ++r) {
                if (job_.checkpoint()) return nullptr;
                made->template_of.push_back(template_of(r));
            }
            collect_creations();
            place_captures();
            fill_templates();
            attach(made->template_of);
        }
        if (job_.checkpoint()) return nullptr;
        if (!join_.empty()) {
            RankTracePtr joined = std::move(join_).build(job_);
            if (!joined && job_.checkpoint()) return nullptr;
            made->set_joined(std::move(joined));
        }
        made->templates = std::move(templates_);
        return made;
    }

private:
    struct Creation {
        EventId event;
        std::optional<std::int64_t> original;  // absent: created in a capture
    };

    // Everything that decides a replay; equal ones share a template.
    struct Choice {
        std::uint32_t nodes = 0;  // class of its names
        std::vector<std::uint32_t> fits{};  // candidates
        std::string reason{};
        auto operator<=>(const Choice&) const = default;
    };

    void collect_candidates() {
        const auto add = [&](const RankTrace& trace, bool in_own, bool is_own) {
            for (GraphCapture& capture : find_captures(trace, KernelNames::Read, job_))
                candidates_.push_back({.trace = &trace,
                                       .capture = std::move(capture),
                                       .names = {},
                                       .in_own_trace = in_own,
                                       .is_own = is_own});
        };
        add(trace_, true, true);
        if (sources_)
            for (const RankIndexPtr& capture : sources_->captures) add(capture->trace(), false, sources_->are_own);
        for (Candidate& one : candidates_)
            for (const Dispatch& dispatch : one.capture.dispatches)
                one.names.push_back(
                    {.name = dispatch.kernel.empty() ? 0 : number_of(dispatch.kernel), .kind = dispatch.kind});
    }

    // One number for equal texts of all traces, from 1.
    std::uint32_t number_of(std::string_view text) {
        const auto known = numbers_.find(text);
        if (known != numbers_.end()) return known->second;
        return numbers_.emplace(std::string(text), static_cast<std::uint32_t>(numbers_.size() + 1)).first->second;
    }

    void number_nodes() {
        std::vector<std::uint32_t> known(trace_.names.size(), 0);
        std::map<std::vector<std::pair<std::uint32_t, NodeKind>>, std::uint32_t> classes;
        for (const GraphReplay& replay : replays_->replays) {
            std::vector<std::pair<std::uint32_t, NodeKind>> key;
            for (const EventId e : replays_->nodes_of(replay)) {
                std::uint32_t& number = known[index_of(trace_.name[index_of(e)])];
                if (number == 0) number = number_of(trace_.name_text(e));
                key.emplace_back(number, node_kind_of(trace_.category_kind(e), trace_.name_text(e)));
            }
            const auto [at, is_new] = classes.try_emplace(std::move(key), static_cast<std::uint32_t>(classes.size()));
            class_of_.push_back(at->second);
            if (!is_new) continue;
            std::vector<NodeName> names;
            for (const auto& [name, kind] : at->first) names.push_back({.name = name, .kind = kind});
            classes_.push_back(std::move(names));
        }
        matches_.resize(classes_.size());
    }

    // The range that marks the step of a launch with its size, or none.
    EventId mark_of(const GraphReplay& replay) const {
        if (replay.call == kNoEvent) return kNoEvent;
        return find_above(trace_, replay.call, [&](EventId e) {
            return trace_.category_kind(e) == Category::UserAnnotation &&
                   parse_step_mark(trace_.name_text(e)).size >= 0;
        });
    }

    void count_launches() {
        for (const GraphReplay& replay : replays_->replays) {
            marks_.push_back(mark_of(replay));
            ordinals_.push_back(marks_.back() == kNoEvent ? 0 : launches_[marks_.back()]++);
        }
    }

    const CaptureMatch& match_of(std::uint32_t nodes, std::uint32_t candidate) {
        const auto [at, is_new] = matches_[nodes].try_emplace(candidate);
        if (!is_new) return at->second;
        const Candidate& one = candidates_[candidate];
        const std::uint64_t work = classes_[nodes].size() + one.names.size();
        work_ += work;
        if (work_ > kMostWork)
            at->second.reason = "too many captures to try";
        else
            at->second = match_capture(classes_[nodes], one.names, one.capture.has_children);
        return at->second;
    }

    // Candidates that fit best: certain ones, else those that leave the fewest nodes undecided.
    std::vector<std::uint32_t> find_fits(std::uint32_t nodes, std::string& reason) {
        const auto known = fits_.find(nodes);
        if (known != fits_.end()) {
            reason = known->second.second;
            return known->second.first;
        }
        std::vector<std::uint32_t> fits;
        std::tuple<Certainty, std::uint32_t> best{Certainty::Undecided, 0};
        for (std::uint32_t c = 0; c < candidates_.size(); ++c) {
            const CaptureMatch& match = match_of(nodes, c);
            if (match.certainty == Certainty::Undecided) {
                if (reason.empty()) reason = match.reason;
                continue;
            }
            const std::tuple rank(match.certainty, match.decided);
            if (rank < best) continue;
            if (best < rank) fits.clear();
            best = rank;
            fits.push_back(c);
        }
        if (candidates_.empty()) reason = "no capture is here";
        if (!fits.empty()) reason.clear();
        fits_[nodes] = {fits, reason};
        return fits;
    }

    // Narrows what fits by the size that the step states and by the position of the launch in the step.
    void narrow_by_size(std::uint32_t r, Choice& choice) {
        if (marks_[r] == kNoEvent) return;
        const std::int64_t size = parse_step_mark(trace_.name_text(marks_[r])).size;
        std::int64_t chosen = -1;
        bool any_size = false;
        for (const Candidate& one : candidates_) {
            any_size = any_size || one.capture.size >= 0;
            if (one.capture.size >= size && (chosen < 0 || one.capture.size < chosen)) chosen = one.capture.size;
        }
        if (!any_size) return;
        if (chosen < 0) {
            choice.fits.clear();
            choice.reason = "no capture of size \xe2\x89\xa5 " + std::to_string(size);
            return;
        }
        const std::uint32_t launches = launches_.at(marks_[r]);
        const CaptureMode mode = launches == 1 ? CaptureMode::Full : CaptureMode::Piecewise;
        std::vector<std::uint32_t> of_size, of_mode;
        for (std::uint32_t c = 0; c < candidates_.size(); ++c) {
            if (candidates_[c].capture.size != chosen) continue;
            of_size.push_back(c);
            if (candidates_[c].capture.mode == mode) of_mode.push_back(c);
        }
        const std::vector<std::uint32_t>& pool = of_mode.empty() ? of_size : of_mode;
        const auto in_pool = [&](std::uint32_t c) { return std::ranges::find(pool, c) != pool.end(); };
        std::vector<std::uint32_t> left;
        std::ranges::copy_if(choice.fits, std::back_inserter(left), in_pool);
        if (left.empty() && !choice.fits.empty())
            choice.reason = "the capture of size " + std::to_string(chosen) + " does not fit";
        choice.fits = std::move(left);
        if (choice.fits.size() > 1 && pool.size() == launches &&
            std::ranges::find(choice.fits, pool[ordinals_[r]]) != choice.fits.end())
            choice.fits = {pool[ordinals_[r]]};
    }

    std::uint32_t template_of(std::uint32_t r) {
        Choice choice{.nodes = class_of_[r]};
        choice.fits = find_fits(choice.nodes, choice.reason);
        if (!choice.fits.empty()) narrow_by_size(r, choice);
        const auto [at, is_new] =
            templates_by_choice_.try_emplace(std::move(choice), static_cast<std::uint32_t>(templates_.size()));
        if (is_new) {
            templates_.emplace_back();
            choices_.push_back(&at->first);
            judge(*choices_.back(), templates_.back());
        }
        return at->second;
    }

    std::string text_around(const Candidate& one, EventId e) const {
        return e == kNoEvent ? std::string() : std::string(one.trace->name_text(e));
    }

    std::string shapes_around(const Candidate& one, EventId call) const {
        const EventId above = operator_around(*one.trace, call);
        if (above == kNoEvent) return {};
        return std::string(one.trace->argument(Arg::InputDims, above).value_or("")) + ' ' +
               std::string(one.trace->argument(Arg::InputTypes, above).value_or(""));
    }

    // Whether captures agree on the operator and the module of a node; false shapes are noted.
    bool agree(const Choice& choice, std::size_t node, bool& same_shapes) {
        std::optional<std::tuple<std::string, std::string, std::string>> first;
        for (const std::uint32_t c : choice.fits) {
            const std::uint32_t d = match_of(choice.nodes, c).dispatches[node];
            if (d == kNoDispatch) return false;
            const Candidate& one = candidates_[c];
            const EventId call = one.capture.dispatches[d].call;
            std::tuple own(text_around(one, operator_around(*one.trace, call)),
                           text_around(one, module_around(*one.trace, call)), shapes_around(one, call));
            if (!first)
                first = std::move(own);
            else if (std::get<0>(*first) != std::get<0>(own) || std::get<1>(*first) != std::get<1>(own))
                return false;
            else if (std::get<2>(*first) != std::get<2>(own))
                same_shapes = false;
        }
        return true;
    }

    void judge(const Choice& choice, GraphTemplate& made) {
        made.reason = choice.reason;
        const std::size_t count = classes_[choice.nodes].size();
        std::vector<std::uint32_t> calls(count, kNoDispatch);
        if (!choice.fits.empty()) {
            const CaptureMatch& match = match_of(choice.nodes, choice.fits.front());
            const Candidate& one = candidates_[choice.fits.front()];
            made.certainty = one.is_own ? match.certainty : std::min(match.certainty, Certainty::Probable);
            made.reason = match.reason;
            if (!one.is_own && made.reason.empty()) made.reason = "the capture is of another rank";
            made.capture = choice.fits.front();
            made.size = one.capture.size;
            made.dispatches = static_cast<std::uint32_t>(one.names.size());
            calls = match.dispatches;
            name_missing(one, match, made);
            if (choice.fits.size() == 1) place_missing(match, made);
            if (choice.fits.size() > 1) {
                for (std::size_t i = 0; i < count; ++i)
                    if (!agree(choice, i, made.has_shapes)) calls[i] = kNoDispatch;
                made.size = -1;
                made.reason = std::to_string(choice.fits.size()) + " captures fit";
                if (std::ranges::all_of(calls, [](std::uint32_t d) { return d == kNoDispatch; }))
                    made.certainty = Certainty::Undecided;
            }
        }
        calls_.push_back(std::move(calls));
    }

    static void place_missing(const CaptureMatch& match, GraphTemplate& made) {
        if (!std::ranges::is_sorted(match.dispatches)) return;
        for (const std::uint32_t d : match.missing)
            made.lost_places.push_back(
                static_cast<std::uint32_t>(std::ranges::lower_bound(match.dispatches, d) - match.dispatches.begin()));
    }

    void name_missing(const Candidate& one, const CaptureMatch& match, GraphTemplate& made) const {
        for (const std::uint32_t d : match.missing) {
            if (made.missing.size() == kMostMissing) break;
            const Dispatch& dispatch = one.capture.dispatches[d];
            const EventId above = operator_around(*one.trace, dispatch.call);
            std::string text = dispatch.kernel;
            if (text.empty()) text = one.trace->name_text(dispatch.call);
            if (above != kNoEvent) text += " of " + std::string(one.trace->name_text(above));
            made.missing.push_back(std::move(text));
        }
    }

    // Call trees of the captures in use, each once with its shapes and once without them, as they are needed.
    void place_captures() {
        std::map<std::pair<const RankTrace*, bool>, std::vector<RankRange>> ranges;
        for (std::size_t t = 0; t < templates_.size(); ++t) {
            if (templates_[t].certainty == Certainty::Undecided) continue;
            const Candidate& one = candidates_[choices_[t]->fits.front()];
            if (!is_in_place(one, templates_[t]))
                ranges[{one.trace, templates_[t].has_shapes}].push_back(one.capture.range);
        }
        for (auto& [part, of_part] : ranges) {
            std::ranges::sort(of_part, {}, &RankRange::begin);
            std::vector<RankRange> apart;
            for (const RankRange& range : of_part) {
                if (!apart.empty() && range.begin <= apart.back().end)
                    apart.back().end = std::max(apart.back().end, range.end);
                else
                    apart.push_back(range);
            }
            placed_[part] = join_.add(*part.first, apart, part.second);
        }
    }

    // A capture in the rank's own trace is there already.
    static bool is_in_place(const Candidate& one, const GraphTemplate& made) {
        return one.in_own_trace && made.has_shapes;
    }

    void fill_templates() {
        for (std::size_t t = 0; t < templates_.size(); ++t) {
            GraphTemplate& made = templates_[t];
            made.above.assign(calls_[t].size(), kNoEvent);
            if (made.certainty == Certainty::Undecided) continue;
            const Candidate& one = candidates_[choices_[t]->fits.front()];
            for (std::size_t i = 0; i < calls_[t].size(); ++i) {
                if (calls_[t][i] == kNoDispatch) continue;
                const EventId call = one.capture.dispatches[calls_[t][i]].call;
                made.above[i] =
                    is_in_place(one, made) ? call : placed_.at({one.trace, made.has_shapes})[index_of(call)];
            }
        }
    }

    // Nodes that no capture explains belong to the region that their annotation names, else to nothing. Annotations
    // belong to the graph, so those of its first replay are those of all.
    void attach(std::span<const std::uint32_t> template_of) {
        std::map<std::tuple<std::uint32_t, std::int64_t, bool>, std::vector<EventId>> regions;
        for (std::uint32_t r = 0; r < template_of.size(); ++r) {
            GraphTemplate& made = templates_[template_of[r]];
            const GraphReplay& replay = replays_->replays[r];
            const std::span<const EventId> nodes = replays_->nodes_of(replay);
            if (creations_.empty() && std::ranges::find(made.above, kNoEvent) == made.above.end()) {
                for (std::size_t i = 0; i < nodes.size(); ++i) join_.set_parent(nodes[i], made.above[i]);
                continue;
            }
            const auto [at, is_new] = regions.try_emplace({template_of[r], replay.graph, replay.by_id});
            if (is_new) at->second = find_regions(made, nodes);
            for (std::size_t i = 0; i < nodes.size(); ++i) join_.set_parent(nodes[i], at->second[i]);
        }
    }

    // Records of the creation of nodes, in the capture and again at each instantiation, which names the original.
    void collect_creations() {
        std::vector<bool> creates;
        for (const CategoryEntry& category : trace_.categories)
            creates.push_back(trace_.text(category.text) == "cuda_graph_node");
        if (std::ranges::find(creates, true) == creates.end()) return;
        RecentTexts texts = trace_.recent_texts();
        const SparseColumn<std::int64_t> ids = trace_.integers(Arg::GraphNodeId);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const EventId e = ids.events[i];
            if (!creates[trace_.category[index_of(e)]]) continue;
            creations_.try_emplace(ids.values[i], Creation{.event = e, .original = original_of(e, texts)});
        }
    }

    std::optional<std::int64_t> original_of(EventId creation, RecentTexts& texts) const {
        const Result<EventText> text = trace_.event_text(creation, texts);
        if (!text) return std::nullopt;
        const nlohmann::json arguments = nlohmann::json::parse(text->arguments, nullptr, false);
        if (!arguments.is_object()) return std::nullopt;
        const auto found = arguments.find("original graph node id");
        return found != arguments.end() && found->is_number_integer() ? std::optional(found->get<std::int64_t>())
                                                                      : std::nullopt;
    }

    // The record of the capture; kNoEvent if the chain of originals ends elsewhere.
    EventId creation_of(EventId node) const {
        constexpr int kMostClones = 16;
        std::optional<std::int64_t> id = trace_.integer(Arg::GraphNodeId, node);
        for (int clone = 0; id && clone < kMostClones; ++clone) {
            const auto found = creations_.find(*id);
            if (found == creations_.end()) return kNoEvent;
            if (!found->second.original) return clone > 0 ? found->second.event : kNoEvent;
            id = found->second.original;
        }
        return kNoEvent;
    }

    // True if each node has one.
    bool follow_creations(std::span<const EventId> nodes, std::vector<EventId>& above) const {
        bool all = !creations_.empty();
        for (std::size_t i = 0; all && i < nodes.size(); ++i) all = creation_of(nodes[i]) != kNoEvent;
        for (std::size_t i = 0; all && i < nodes.size(); ++i) above[i] = creation_of(nodes[i]);
        return all;
    }

    // By node: the event above it, be it known from its creation, from a capture or from its annotation.
    std::vector<EventId> find_regions(GraphTemplate& made, std::span<const EventId> nodes) {
        std::vector<EventId> above = made.above;
        if (follow_creations(nodes, above)) {
            made.certainty = Certainty::Certain;
            made.has_shapes = true;
            made.reason.clear();
            return above;
        }
        RecentTexts texts = trace_.recent_texts();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (above[i] != kNoEvent) continue;
            const std::string name = region_of(nodes[i], texts);
            if (name.empty()) continue;
            const auto [at, is_new] = regions_.try_emplace(name, kNoEvent);
            if (is_new) at->second = add_region(name);
            above[i] = at->second;
            made.is_annotated = true;
        }
        return above;
    }

    // The name of the innermost annotation, in the keys of several writers.
    std::string region_of(EventId node, RecentTexts& texts) const {
        if (std::string region = region_in_file(node); !region.empty()) return region;
        const Result<EventText> text = trace_.event_text(node, texts);
        if (!text) return {};
        const nlohmann::json arguments = nlohmann::json::parse(text->arguments, nullptr, false);
        if (!arguments.is_object()) return {};
        for (const char* const key : {"name", "str", "annotation"})
            if (const auto found = arguments.find(key); found != arguments.end() && found->is_string())
                return found->get<std::string>();
        return {};
    }

    std::string region_in_file(EventId node) const {
        if (!sources_ || !sources_->regions) return {};
        const auto key = find_node_key(trace_.integer(Arg::GraphId, node), trace_.integer(Arg::GraphNodeId, node));
        const auto found = key ? sources_->regions->find(*key) : sources_->regions->end();
        return found == sources_->regions->end() ? std::string() : found->second;
    }

    EventId add_region(const std::string& name) {
        if (is_module_path(name)) return join_.add(std::string(kModule) + name, "python_function");
        return join_.add(name, "user_annotation");
    }

    const RankTrace& trace_;
    GraphSourcesPtr sources_;
    const JobContext& job_;
    TraceJoin join_;
    const GraphReplays* replays_ = nullptr;
    std::vector<Candidate> candidates_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<std::vector<NodeName>> classes_;  // replays of equal names
    std::vector<std::uint32_t> class_of_;  // by replay
    std::vector<std::map<std::uint32_t, CaptureMatch>> matches_;  // by class, then candidate
    std::map<std::uint32_t, std::pair<std::vector<std::uint32_t>, std::string>> fits_;  // by class
    std::vector<EventId> marks_;  // by replay
    std::vector<std::uint32_t> ordinals_;  // by replay: of its launch within its mark
    std::map<EventId, std::uint32_t> launches_;  // by mark
    std::uint64_t work_ = 0;
    std::map<Choice, std::uint32_t> templates_by_choice_;
    std::vector<const Choice*> choices_;  // by template
    std::vector<GraphTemplate> templates_;
    std::vector<std::vector<std::uint32_t>> calls_;  // by template: the dispatch of each node
    std::map<std::pair<const RankTrace*, bool>, std::vector<EventId>> placed_;
    std::map<std::string, EventId> regions_;
    std::map<std::int64_t, Creation> creations_;  // by node
};

}  // namespace

std::string_view name_of(Attribution attribution) { return kAttributionNames[static_cast<std::size_t>(attribution)]; }

Attribution GraphAttribution::of(EventId gpu) const {
    const EventId call = own_->parent[index_of(gpu)];
    const std::uint32_t replay = replays.replay_of(gpu);
    if (replay == kNoReplay) return call == kNoEvent ? Attribution::None : Attribution::Launched;
    const EventId above = trace().parent[index_of(gpu)];
    if (above == kNoEvent) return call == kNoEvent ? Attribution::None : Attribution::Around;
    const GraphTemplate& made = templates[template_of[replay]];
    if (made.certainty == Certainty::Undecided || trace().category_kind(above) == Category::PythonFunction ||
        trace().category_kind(above) == Category::UserAnnotation)
        return Attribution::Annotated;
    return made.certainty == Certainty::Certain ? Attribution::Captured : Attribution::CapturedByOrder;
}

std::shared_ptr<const GraphAttribution> graph_attribution_of(const RankIndex& rank, const JobContext& job) {
    return derived_with_graphs(rank).get<GraphAttribution>([&] { return Attributing(rank, job).run(); });
}

bool is_mostly_replayed(const RankSlot& rank) {
    const RankTrace& trace = rank.trace();
    const std::shared_ptr<const GraphAttribution> graphs = graph_attribution_of(*rank.index, {});
    const auto is_kernel = [&](EventId e) { return trace.category_kind(e) == Category::Kernel; };
    const auto replayed = std::ranges::count_if(graphs->replays.nodes, is_kernel);
    return replayed > 0 && replayed * 2 >= std::ranges::count_if(trace.gpu_events, is_kernel);
}

bool is_mostly_replayed(const Run& run, std::optional<std::uint32_t> slot) {
    if (slot) return is_mostly_replayed(run.rank(*slot));
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) { return is_mostly_replayed(rank); });
}

}  // namespace core
