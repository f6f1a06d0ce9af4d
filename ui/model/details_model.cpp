#include "ui/model/details_model.hpp"

#include "core/analysis/collectives/nccl_choices.hpp"
#include "core/base/format.hpp"
#include "core/base/small_json.hpp"
#include "core/graphs/describe_node.hpp"
#include "core/store/event_above.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t kMostLaunched = 5;
constexpr std::size_t kMostFrames = 100;

core::EventRef at(core::EventRef near, core::EventId event) { return {near.slot, event}; }

std::string exact_time(core::Duration d) { return core::format_duration_exact(d); }

DetailLine time_line(std::string label, core::Duration d) {
    return {.label = std::move(label), .value = core::format_duration(d), .exact = exact_time(d), .is_number = true};
}

std::string track_name(const core::RankTrace& trace, const core::Track& track) {
    const core::Process& process = trace.processes[track.process];
    const std::string_view name = trace.text(process.name);
    std::string text(name.empty() ? trace.text(process.pid) : name);
    if (const std::string_view labels = trace.text(process.labels); !labels.empty())
        text.append(" (").append(labels).append(")");
    return text.append(" \xC2\xB7 ").append(trace.text(track.name));
}

std::string signed_time(core::Duration d) { return (d.count() >= 0 ? "+" : "") + core::format_duration(d); }

void add_launch_links(const core::RankTrace& trace, core::EventRef ref, EventDetails& details) {
    const core::EventId parent = trace.parent[core::index_of(ref.event)];
    if (trace.has(ref.event, core::kGpuEvent)) {
        if (parent == core::kNoEvent) return;
        const core::Duration delay = trace.start[core::index_of(ref.event)] - trace.end(parent);
        details.links.push_back(
            {"Launched by", std::string(trace.name_text(parent)), signed_time(delay), at(ref, parent)});
        return;
    }
    const std::span<const core::EventId> launched = trace.launched_by(ref.event);
    for (const core::EventId gpu : launched.first(std::min(launched.size(), kMostLaunched)))
        details.links.push_back({"Launches", std::string(trace.name_text(gpu)),
                                 core::format_duration(trace.duration[core::index_of(gpu)]), at(ref, gpu)});
    details.more_links = launched.size() - std::min(launched.size(), kMostLaunched);
}

// Links the enclosing operator; for a GPU event, the innermost operator around its launch.
void add_operator_link(const core::RankTrace& trace, core::EventRef ref, EventDetails& details) {
    core::EventId above = trace.parent[core::index_of(ref.event)];
    const bool gpu = trace.has(ref.event, core::kGpuEvent);
    while (gpu && above != core::kNoEvent && trace.category_kind(above) != core::Category::CpuOp)
        above = core::event_above(trace, above);
    if (above == core::kNoEvent) return;
    details.links.push_back({gpu ? "Operator" : "Within", std::string(trace.name_text(above)),
                             core::format_duration(trace.duration[core::index_of(above)]), at(ref, above)});
}

// Adds the enclosing operators, annotations and Python frames; for a GPU event, those around its launch.
void add_stack(const core::RankTrace& trace, core::EventRef ref, EventDetails& details) {
    for (core::EventId above = core::event_above(trace, ref.event); above != core::kNoEvent;
         above = core::event_above(trace, above)) {
        if (details.stack.size() == kMostFrames) {
            ++details.deeper;
            continue;
        }
        details.stack.push_back({std::string(trace.category_text(above)), std::string(trace.name_text(above)),
                                 core::format_duration(trace.duration[core::index_of(above)]), at(ref, above)});
    }
}

// Nodes of replays: the launch of their graph says nothing of their operator.
void add_node_lines(const core::NodeWords& words, EventDetails& details) {
    details.lines.push_back({"Graph node", words.place, {}});
    if (!words.operator_name.empty()) details.lines.push_back({"Operator", words.operator_name, {}});
    details.lines.push_back({"Known from", words.source, {}});
    if (!words.stack.empty()) details.lines.push_back({"Captured at", words.stack, {}});
}

void add_marks(const core::RankTrace& trace, core::EventId event, EventDetails& details) {
    if (trace.has(event, core::kUnclosed))
        details.lines.push_back({"Note", "its end is missing in the file and was guessed", {}});
    if (trace.has(event, core::kCutInTree))
        details.lines.push_back({"Note", "ends after the event that contains it", {}});
}

// End of the JSON value that begins at i; npos if it is cut.
std::size_t end_of_value(std::string_view json, std::size_t i) {
    int depth = 0;
    bool quoted = false;
    for (; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return i;
            --depth;
        } else if (c == ',' && depth == 0) {
            return i;
        }
    }
    return std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string unquoted(std::string_view literal) {
    const core::Result<nlohmann::json> parsed = core::parse_small_json(literal);
    return parsed && parsed->is_string() ? parsed->get<std::string>() : std::string(literal);
}

std::size_t end_of_key(std::string_view json, std::size_t quote) {
    for (std::size_t i = quote + 1; i < json.size(); ++i) {
        if (json[i] == '\\')
            ++i;
        else if (json[i] == '"')
            return i + 1;
    }
    return std::string_view::npos;
}

}  // namespace

std::vector<Argument> split_object(std::string_view json) {
    const std::string_view text = trimmed(json);
    if (text.empty() || text == "{}") return {};
    std::vector<Argument> whole{{.key = "", .value = std::string(text), .is_text = false}};
    if (text.front() != '{' || text.back() != '}') return whole;
    std::vector<Argument> arguments;
    for (std::size_t i = 1; i < text.size();) {
        const std::size_t key = text.find_first_not_of(" \t\r\n,", i);
        if (key == std::string_view::npos || text[key] == '}') break;
        const std::size_t key_end = text[key] == '"' ? end_of_key(text, key) : std::string_view::npos;
        const std::size_t colon =
            key_end == std::string_view::npos ? key_end : text.find_first_not_of(" \t\r\n", key_end);
        if (colon == std::string_view::npos || text[colon] != ':') return whole;
        const std::size_t end = end_of_value(text, colon + 1);
        if (end == std::string_view::npos) return whole;
        const std::string_view value = trimmed(text.substr(colon + 1, end - colon - 1));
        const bool is_text = value.starts_with('"');
        arguments.push_back(
            {unquoted(text.substr(key, key_end - key)), is_text ? unquoted(value) : std::string(value), is_text});
        i = end;
    }
    return arguments;
}

std::string indent_json(std::string_view value) {
    constexpr std::size_t kMostRead = 4000;
    constexpr std::size_t kMostInline = 40;  // shorter lists of lists stay on one line
    constexpr std::size_t kDeepest = 16;     // levels of indentation
    const std::string_view json = value.substr(0, kMostRead);
    std::string text;
    std::vector<bool> blocks;  // per open container: one member per line
    const auto new_line = [&] { text.append("\n").append(2 * std::min(blocks.size(), kDeepest), ' '); };
    // True if the container that begins at i gets one member per line.
    const auto is_block = [&](std::size_t i) {
        int depth = 0;
        bool nested = false, quoted = false;
        for (std::size_t at = i; at < json.size(); ++at) {
            const char c = json[at];
            if (quoted && c == '\\')
                ++at;
            else if (c == '"')
                quoted = !quoted;
            else if (!quoted && (c == '{' || c == '['))
                nested |= ++depth > 1;
            else if (!quoted && (c == '}' || c == ']') && --depth == 0)
                return at - i > 1 && (at - i > kMostInline ? nested || json[i] == '{' : nested && json[i] == '{');
        }
        return true;
    };
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted) {
            text += c;
            if (c == '\\' && i + 1 < json.size())
                text += json[++i];
            else if (c == '"')
                quoted = false;
            continue;
        }
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
        if ((c == '}' || c == ']') && !blocks.empty()) {
            const bool was_block = blocks.back();
            blocks.pop_back();
            if (was_block) new_line();
        }
        text += c;
        if (c == '"') quoted = true;
        if (c == ':') text += ' ';
        if (c == '{' || c == '[') {
            blocks.push_back(is_block(i));
            if (blocks.back()) new_line();
        }
        if (c != ',') continue;
        if (!blocks.empty() && blocks.back())
            new_line();
        else
            text += ' ';
    }
    return text;
}

EventDetails describe_event(const core::Run& run, core::EventRef ref) {
    const core::RankSlot& rank = run.rank(ref.slot);
    const core::RankTrace& trace = rank.trace();
    const core::Track& track = trace.track_of(ref.event);
    EventDetails details;
    details.name = trace.name_text(ref.event);
    details.kernel_class = rank.index->classes().of(ref.event);
    const core::RunTime start = rank.start_of(ref.event);
    const bool instant = trace.has(ref.event, core::kInstant);
    if (!instant) details.lines.push_back(time_line("Duration", trace.duration[core::index_of(ref.event)]));
    details.lines.push_back(time_line("Start", start - run.origin()));
    details.lines.push_back({"Rank", core::format_rank(rank.key), {}, true});
    details.lines.push_back({"Track", track_name(trace, track), {}});
    details.lines.push_back({"Category", std::string(trace.category_text(ref.event)), {}});
    if (details.kernel_class != core::KernelClass::None)
        details.lines.push_back({"Class", std::string(core::name_of(details.kernel_class)), {}});
    if (const core::Step* step = trace.step_of(ref.event))
        details.lines.push_back({"Step", std::to_string(step->number), {}, true});
    add_marks(trace, ref.event, details);
    add_launch_links(trace, ref, details);
    const std::optional<core::NodeWords> node = core::describe_node(*rank.index, ref.event);
    if (node)
        add_node_lines(*node, details);
    else
        add_operator_link(trace, ref, details);
    add_stack(trace, ref, details);
    return details;
}

std::vector<Argument> read_nccl_choice(const core::Run& run, core::EventRef ref) {
    const std::optional<core::NcclChoice> choice = core::find_nccl_choice(run, ref);
    if (!choice) return {};
    std::vector<Argument> lines{{.key = "algorithm", .value = choice->algorithm, .is_text = true},
                                {.key = "protocol", .value = choice->protocol, .is_text = true}};
    if (const std::string channels = choice->channels(); !channels.empty())
        lines.push_back({.key = "channels", .value = channels, .is_text = true});
    return lines;
}

EventArguments read_arguments(const core::Run& run, core::EventRef ref) {
    EventArguments read;
    read.nccl = read_nccl_choice(run, ref);
    const core::Result<core::EventText> text = run.rank(ref.slot).trace().event_text(ref.event);
    if (!text) {
        if (text.error().code != core::ErrorCode::NotFound) read.error = text.error().message;
        return read;
    }
    read.source_offset = text->source_offset;
    read.arguments = split_object(text->arguments);
    for (Argument& extra : split_object(text->extra)) read.arguments.push_back(std::move(extra));
    for (const Argument& argument : read.arguments) read.all += argument.key + ": " + argument.value + "\n";
    return read;
}

}  // namespace ui
