#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/hangs/hang_analyses.hpp"
#include "core/analysis/hangs/hang_labels.hpp"
#include "core/analysis/hangs/record_job.hpp"
#include "core/base/small_json.hpp"
#include "core/store/flight_names.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace core::hangs {

std::vector<Column> columns();  // of the row

namespace {

constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kFramesInRow = 3;

struct Frame {
    std::string function, file;
    std::optional<std::int64_t> line;
};

std::string text_at(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Stack frames of an entry, innermost first; empty if the dump has none.
std::vector<Frame> read_frames(const RankTrace& trace, EventId event) {
    const Result<EventText> text = trace.event_text(event);
    if (!text) return {};
    const Result<nlohmann::json> entry = parse_small_json(text->arguments);
    if (!entry || !entry->is_object()) return {};
    const auto list = entry->find("frames");
    if (list == entry->end() || !list->is_array()) return {};
    std::vector<Frame> frames;
    for (const nlohmann::json& one : *list) {
        if (frames.size() == kMostFrames || !one.is_object()) break;
        Frame frame{.function = text_at(one, "name"), .file = text_at(one, "filename"), .line = {}};
        if (const auto line = one.find("line"); line != one.end() && line->is_number_integer())
            frame.line = line->get<std::int64_t>();
        frames.push_back(std::move(frame));
    }
    return frames;
}

std::string format_frame(const Frame& frame) {
    const std::size_t slash = frame.file.rfind('/');
    std::string text = frame.function + " (" + (slash == std::string::npos ? frame.file : frame.file.substr(slash + 1));
    if (frame.line) text += ":" + std::to_string(*frame.line);
    return text + ")";
}

std::string join_frames(const std::vector<Frame>& frames) {
    std::string text;
    for (std::size_t i = 0; i < std::min(frames.size(), kFramesInRow); ++i)
        text.append(i > 0 ? " < " : "").append(format_frame(frames[i]));
    return text;
}

std::string_view describe_entering(const GroupState& state) {
    if (!state.all_entered) return "not entered by all";
    return state.no_dump.empty() ? "entered by all" : "entered by all with a dump";
}

std::vector<Column> group_columns() {
    return {
        {"group", Unit::Text, Role::Key, Facet::Group, "its description and name"},
        {"operation", Unit::Text, Role::Info, Facet::None, "the collective in question"},
        {"number", Unit::Count, Role::Info, Facet::None,
         "of the first collective that not everyone entered; else of the first that is pending"},
        {"state", Unit::Text, Role::Info, Facet::None, "entered by all (with a dump), or not"},
        {"entered", Unit::Text, Role::Info, Facet::None, "ranks that entered it"},
        {"missing", Unit::Text, Role::Info, Facet::None, "ranks with a dump that did not"},
        {"behind", Unit::Text, Role::Info, Facet::None, "ranks that have not completed what another one has completed"},
        {"without_dump", Unit::Text, Role::Info, Facet::None, "members whose dump is not there"},
        {"since",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "when the first rank entered it, from the start of the run",
         false,
         {},
         Better::Neither},
        {"waiting", Unit::Count, Role::Measure, Facet::None, "ranks that entered it"}};
}

std::vector<Column> frame_columns() {
    return {{"group", Unit::Text, Role::Key, Facet::Group, "the process group"},
            {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"depth", Unit::Count, Role::Key, Facet::None, "0: innermost"},
            {"function", Unit::Text, Role::Info, Facet::None, "as recorded with its last call"},
            {"file", Unit::Text, Role::Info, Facet::None, "where it is"},
            {"line", Unit::Count, Role::Info, Facet::None, "in the file"}};
}

std::vector<Column> kernel_columns() {
    return {{"group", Unit::Text, Role::Key, Facet::Group, "the process group"},
            {"rank", Unit::Rank, Role::Key, Facet::Rank, "the trace that has the kernel"},
            {"event", Unit::Event, Role::Key, Facet::None, "the kernel"},
            {"operation", Unit::Text, Role::Info, Facet::None, "of the collective in question"},
            {"number", Unit::Count, Role::Info, Facet::None, "of that collective in its group"},
            {"start",
             Unit::Ns,
             Role::Measure,
             Facet::None,
             "of the kernel, from the start of the run",
             false,
             {},
             Better::Neither},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "of the kernel"}};
}

Cell count_cell(std::optional<std::int64_t> value) { return value ? Cell{*value} : Cell{}; }

class HangTables {
public:
    HangTables(const Run& run, const RecordedRun& recorded, const Hangs& hangs)
        : run_(run), recorded_(recorded), hangs_(hangs), labels_(label_groups(recorded.job.groups)) {}

    Answer build() {
        Answer answer{.tables = {{"main", Table(columns())},
                                 {"groups", Table(group_columns())},
                                 {"frames", Table(frame_columns())},
                                 {"held-up", Table(columns())},
                                 {"kernels", Table(kernel_columns())}},
                      .series = {},
                      .marks = {},
                      .excluded = {}};
        for (const Suspect& suspect : hangs_.suspects) add_suspect(suspect, answer);
        for (const GroupState& state : hangs_.groups) {
            add_group(state, answer.tables[1].table);
            wanted_[{recorded_.job.groups[state.group].name, state.number}].push_back(&state);
        }
        for (std::size_t slot = 0; slot < run_.ranks().size(); ++slot) add_kernels(slot, answer.tables[4].table);
        return answer;
    }

private:
    // The cell of a rank: the capture that is its dump, else the rank itself.
    std::int64_t key_of(std::int32_t number) const {
        const std::uint32_t slot = recorded_.find_slot(number);
        return slot == kNoSlot ? RankKey{number, 0}.packed() : run_.rank(slot).key.packed();
    }

    void add_suspect(const Suspect& suspect, Answer& answer) {
        const std::uint32_t slot = recorded_.find_slot(suspect.rank);
        std::vector<Frame> frames;
        if (slot != kNoSlot && suspect.event) frames = read_frames(run_.rank(slot).trace(), EventId{*suspect.event});
        const std::string& label = labels_[suspect.group];
        const std::string stack = join_frames(frames);
        const bool is_main = suspect.verdict != Verdict::HeldUp;
        answer.tables[is_main ? 0 : 3].table.add_row(
            {std::string_view(label), key_of(suspect.rank), name_of(suspect.verdict),
             suspect.operation.empty() ? Cell{} : Cell{suspect.operation}, suspect.number, count_cell(suspect.last),
             suspect.mismatch.empty() ? Cell{} : Cell{std::string_view(suspect.mismatch)},
             stack.empty() ? Cell{} : Cell{std::string_view(stack)}, since_cell(suspect.since_ns), suspect.waiting});
        if (!is_main) return;
        for (std::size_t depth = 0; depth < frames.size(); ++depth)
            answer.tables[2].table.add_row({std::string_view(label), key_of(suspect.rank),
                                            static_cast<std::int64_t>(depth), std::string_view(frames[depth].function),
                                            std::string_view(frames[depth].file), count_cell(frames[depth].line)});
        if (slot != kNoSlot && suspect.event)
            answer.marks.push_back({{slot, EventId{*suspect.event}}, std::string(name_of(suspect.verdict))});
    }

    // Dumps of a job share the clock of their writers' hosts; that of the first stands for all.
    Cell since_cell(std::int64_t since_ns) const {
        if (since_ns == 0 || recorded_.slots.empty()) return {};
        return (run_.rank(recorded_.slots.front()).to_run(rank_time(since_ns)) - run_.origin()).count();
    }

    void add_group(const GroupState& state, Table& table) const {
        const std::string entered = join_ranks(state.entered), missing = join_ranks(state.missing);
        const std::string behind = join_ranks(state.behind), without = join_ranks(state.no_dump);
        const auto text = [](const std::string& ranks) {
            return ranks.empty() ? Cell{} : Cell{std::string_view(ranks)};
        };
        table.add_row({std::string_view(labels_[state.group]), state.operation.empty() ? Cell{} : Cell{state.operation},
                       state.number, describe_entering(state), text(entered), text(missing), text(behind),
                       text(without), since_cell(state.since_ns), static_cast<std::int64_t>(state.entered.size())});
    }

    // The kernels of the collectives in question in the traces of their ranks: by group and number.
    void add_kernels(std::size_t slot, Table& table) const {
        const RankSlot& rank = run_.rank(slot);
        const MemberTable& members = rank.index->members();
        for (const MemberEvent& member : members.events()) {
            const MemberGroup* const group = members.group_of(member);
            if (!group || group->name == kNoName || member.number == kNoNumber) continue;
            const auto wanted = wanted_.find({std::string(rank.trace().text(group->name)), member.number});
            if (wanted == wanted_.end()) continue;
            for (const GroupState* state : wanted->second) {
                const std::vector<std::int32_t>& ranks = recorded_.job.groups[state->group].members;
                if (std::ranges::find(ranks, rank.key.number) == ranks.end()) continue;
                table.add_row({std::string_view(labels_[state->group]), rank.key.packed(),
                               static_cast<std::int64_t>(index_of(member.event)),
                               state->operation.empty() ? Cell{} : Cell{state->operation}, state->number,
                               (rank.to_run(member.start) - run_.origin()).count(), member.duration.count()});
            }
        }
    }

    const Run& run_;
    const RecordedRun& recorded_;
    const Hangs& hangs_;
    std::map<std::pair<std::string, std::int64_t>, std::vector<const GroupState*>> wanted_;
    std::vector<std::string> labels_;
};

}  // namespace

std::vector<Column> columns() {
    return {
        {"group", Unit::Text, Role::Key, Facet::Group, "the process group in which others wait"},
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank that they wait for"},
        {"verdict", Unit::Text, Role::Info, Facet::None,
         "missing, behind, mismatch, not-started, no-dump or incomplete-dump; see the definition"},
        {"operation", Unit::Text, Role::Info, Facet::None, "of the collective that they wait in"},
        {"number", Unit::Count, Role::Info, Facet::None, "of that collective in its group"},
        {"last", Unit::Count, Role::Info, Facet::None, "number of the last collective of the group in the rank's dump"},
        {"mismatch", Unit::Text, Role::Info, Facet::None, "what differs from the others' calls"},
        {"frames", Unit::Text, Role::Info, Facet::None,
         "where the rank made that call, or its last one; innermost first"},
        {"since",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "when the first rank entered that collective, from the start of the run",
         false,
         {},
         Better::Neither},
        {"waiting", Unit::Count, Role::Measure, Facet::None, "other ranks that wait in it"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    if (!is_flight_dump(view.trace().info)) return partial;
    add_slot(view, partial);
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const RecordedRun recorded = record_job(run, collect_slots(partials));
    const Hangs hangs = find_hangs(recorded.job);
    Answer answer = HangTables(run, recorded, hangs).build();
    if (recorded.older_dumps > 0) answer.excluded.push_back({"older dumps of a rank", recorded.older_dumps});
    if (recorded.without_number > 0)
        answer.excluded.push_back({"entries that their dump does not number", recorded.without_number});
    return answer;
}

constexpr SecondaryTable kTables[] = {
    {"groups", group_columns}, {"frames", frame_columns}, {"held-up", columns}, {"kernels", kernel_columns}};

}  // namespace core::hangs

namespace core {

constinit const Analysis kHangs{
    .id = "hangs",
    .title = "Hangs",
    .summary = "Which ranks a hung job waits for, from the dumps of PyTorch's flight recorder.",
    .definition = R"(
Calls are told apart by process group (name and ranks) and number: collective_seq_id, or p2p_seq_id of sends and
receives. The parts of a coalesced call share a number and count as one, which is completed once a part is. Pending
is what is scheduled or started. Sends and receives of a batch are completed once one of them, or the entry that
closes the batch, is. Terms of the filter other than on rank are not asked.

Per group, the collective in question is the first with a number beyond a member's last that is pending on another
member: the first that not everyone entered. Where everyone did, it is the first pending one.

missing: a member whose dump has no call of that number or a later one. Where the dumps hold pending calls only, a
member without any call of the group is missing in the first pending one. In dumps that hold completed calls it is
missing only if the call could not have been overwritten: the ring lost nothing, or still has a call as old.

behind: a member whose first pending collective another member has completed, although it takes the data of all
(broadcast, reduce, scatter and gather do not count: their root may be through before the others). A member has
completed what is before its first pending collective; without one, all it has, unless dumps hold pending calls
only.

mismatch: a member whose call of the first pending number that differs has another operation, element type or number
of elements than most (than any other, where no value has most). Elements are compared where the operation needs
equal ones: not for all-to-all.

not-started: all entered and some GPUs started, this one has not, although its dump knows starts.

no-dump: a member of a group with pending collectives that has left no dump.

incomplete-dump: a member that would be missing, but later in its dump are entries that could not be read, have no
number, or are of a group that the dump does not describe: the call may be among them. Nobody is missing on that
evidence, and missing ranks that wait for such a member are in held-up.

A rank that waits in a collective waits for those that are missing or behind in it. Missing ranks that wait for
others that way, and for each other in no circle, are in the table held-up instead; so are those that have calls of
the group pending (they issue ahead), ranks with fewer sends or receives pending than the partner that waits in
them, and not-started, unless no rank is named without them. Sends and receives are no evidence where the rank's
ring may have overwritten its own, or, with nothing overwritten, where it has made as many as its partner, completed
or not.

groups has every group with pending collectives, frames the recorded Python frames of each named rank, kernels the
kernels of the collectives in question in traces of the same ranks, found by group and number. Of several dumps of a
rank the latest counts, but none in an older folder: one with a dump of a rank that has a dump in a folder that ends
later (step_10 beside step_20). A rank with older dumps only is no-dump. The moment a dump was written is not in it:
a dump of a healthy job whose ranks were dumped at different moments looks like a short hang.
)",
    .rank = hangs::rank,
    .merge = hangs::merge,
    .columns = hangs::columns,
    .tables = hangs::kTables,
    .lead = "waiting",
    .of_cpu = true,
    .made_of = "flight-recorder dumps with a rank that others wait for",
    .of_run = true,
};

}  // namespace core
