#include "core/export/report/run_facts.hpp"

#include "core/analysis/memory/memory_words.hpp"
#include "core/analysis/telemetry/rank_samples.hpp"
#include "core/base/format.hpp"
#include "core/base/join_text.hpp"
#include "core/base/small_json.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/utf8.hpp"
#include "core/diff/align/run_parts.hpp"
#include "core/export/envelope.hpp"
#include "core/export/text_table.hpp"
#include "core/graphs/graph_list.hpp"
#include "core/index/rank_count.hpp"
#include "core/index/summary_rank.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {
namespace {

std::string_view name_of(RankSource source) {
    switch (source) {
        case RankSource::DistributedInfo:
            return "file";
        case RankSource::FileName:
            return "file name";
        case RankSource::FolderName:
            return "folder name";
        default:
            return "order of names";
    }
}

std::string counted(std::uint64_t count) { return format_count(static_cast<std::int64_t>(count)); }

std::vector<std::int64_t> step_numbers(const RankTrace& trace) {
    std::set<std::int64_t> numbers;
    for (const Step& step : trace.steps) numbers.insert(step.number);
    return {numbers.begin(), numbers.end()};
}

RankFacts facts_of(const Run& run, const RankSlot& rank) {
    const RankTrace& trace = rank.trace();
    RankFacts facts;
    facts.key = rank.key;
    facts.source = name_of(rank.source);
    facts.file = trace.info.path.string();
    facts.host = trace.info.host;
    facts.events = count_events(trace);
    facts.gpu_events = count_gpu_events(trace);
    for (const Track& track : trace.tracks) {
        facts.streams += track.kind == TrackKind::Stream ? 1 : 0;
        facts.threads += track.kind == TrackKind::Thread ? 1 : 0;
    }
    facts.steps = step_numbers(trace);
    facts.step_marks = trace.info.step_marks;
    if (trace.size() > 0) facts.start = rank.to_run(trace.window.begin) - run.origin();
    facts.span = trace.window.length();
    facts.gpu_span = rank.index->gpu_window().length();
    facts.records = trace.info.records;
    facts.devices = trace.info.devices;
    return facts;
}

void count_categories(const RankTrace& trace, std::map<std::string, std::uint64_t>& sum) {
    const std::vector<std::uint64_t> counts = count_by_category(trace);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) sum[std::string(trace.text(trace.categories[i].text))] += counts[i];
    }
}

std::string describe_ranks(const RunFacts& facts) {
    std::vector<std::int64_t> numbers;
    std::vector<RankKey> keys;
    for (const RankFacts& rank : facts.ranks) {
        if (numbers.empty() || numbers.back() != rank.key.number) numbers.push_back(rank.key.number);
        keys.push_back(rank.key);
    }
    const RankCount count = count_ranks(std::move(keys));
    std::string text = count.captures == count.ranks ? std::to_string(count.ranks) : format_rank_count(count);
    text += " (" + format_ranges(join_numbers(numbers)) + ")";
    if (facts.world_size) text += ", world size " + std::to_string(*facts.world_size);
    if (!facts.missing.empty()) text += ", missing " + format_ranges(facts.missing);
    for (const std::string& duplicate : facts.duplicates) text += ", again " + duplicate;
    return text;
}

// One line, which a terminal wraps.
std::string describe_losses(const Losses& losses) {
    constexpr std::size_t kMostTold = 32;
    std::string text;
    for (std::size_t i = 0; i < std::min(losses.entries.size(), kMostTold); ++i)
        text += (i > 0 ? " | " : "") + losses.entries[i].text();
    if (losses.entries.size() > kMostTold) text += " | and " + counted(losses.entries.size() - kMostTold) + " more";
    return text;
}

// Losses that the doctor found and find_losses does not know, also for the first lines.
std::string describe_unrecorded(const DoctorReport& doctor) {
    std::string text;
    for (const DoctorFinding& finding : doctor.findings) {
        const bool is_known =
            finding.rule->id == "launches-without-kernel" || find_diagnostic_kind(finding.rule->id) != nullptr;
        if (!is_loss(*finding.rule) || is_known) continue;
        text += (text.empty() ? "" : " | ") + (finding.ranks.empty() ? "" : format_ranks(finding.ranks) + ": ") +
                finding.text;
    }
    return text;
}

std::string describe_devices(const std::vector<RankFacts>& ranks) {
    std::map<std::string, std::vector<RankKey>> keys;
    for (const RankFacts& rank : ranks) {
        std::set<std::string> names;
        for (const Device& device : rank.devices) names.insert(device.name);
        for (const std::string& name : names) keys[name].push_back(rank.key);
    }
    std::string text;
    for (const auto& [name, of] : keys)
        text += (text.empty() ? "" : ", ") + name + " (in " + format_rank_count(count_ranks(of)) + ")";
    return text;
}

std::string describe_categories(const RunFacts& facts) {
    std::vector<std::pair<std::string, std::uint64_t>> kinds(facts.categories.begin(), facts.categories.end());
    std::ranges::stable_sort(kinds, std::ranges::greater{}, &std::pair<std::string, std::uint64_t>::second);
    std::string text;
    for (const auto& [name, count] : kinds) {
        text += (text.empty() ? "" : ", ") + (name.empty() ? "(no category)" : name) + " " + counted(count);
    }
    return text;
}

RecordCounts sum_of_records(const std::vector<RankFacts>& ranks) {
    RecordCounts sum;
    for (const RankFacts& rank : ranks) {
        sum.total += rank.records.total;
        sum.complete += rank.records.complete;
        sum.paired += rank.records.paired;
        sum.instants += rank.records.instants;
        sum.counters += rank.records.counters;
        sum.flows += rank.records.flows;
        sum.metadata += rank.records.metadata;
        sum.dropped += rank.records.dropped;
    }
    return sum;
}

std::string describe_records(const RecordCounts& records) {
    return counted(records.total) + ": complete " + counted(records.complete) + ", begin/end " +
           counted(records.paired) + ", instants " + counted(records.instants) + ", counters " +
           counted(records.counters) + ", flows " + counted(records.flows) + ", metadata " + counted(records.metadata) +
           ", dropped " + counted(records.dropped);
}

// Names of a trace may hold line breaks: each text of one stays on its line.
std::string one_line(std::string_view text) { return terminal_text(text); }

// A recognisable prefix of a long text; JSON has all of it.
std::string beginning(std::string_view text) {
    constexpr std::size_t kMost = 240;
    return one_line(shorten_utf8(text, kMost, " ..."));
}

std::string joined(const std::set<std::string>& values) { return beginning(join_text(values, " | ")); }

// Values are JSON texts; strings are shown unquoted.
std::string describe_step_marks(const std::set<std::string>& marks) {
    return marks.empty() ? "" : "ranges named " + joined(marks) + ", # for numbers; --step-marks NAME takes others";
}

std::string describe_environment(const std::set<std::string>& values) {
    std::set<std::string> plain;
    for (const std::string& value : values) {
        const Result<nlohmann::json> json = parse_small_json(value);
        plain.insert(json && json->is_string() ? json->get<std::string>() : value);
    }
    return joined(plain);
}

std::string rank_table(const RunFacts& facts, std::size_t most_columns) {
    constexpr auto kRight = true;
    const TextColumn columns[] = {{"rank", kRight},     {"events", kRight},  {"gpu events", kRight},
                                  {"streams", kRight},  {"threads", kRight}, {"steps", false},
                                  {"start", kRight},    {"span", kRight},    {"gpu span", kRight},
                                  {"rank from", false}, {"file", false}};
    std::vector<std::vector<std::string>> rows;
    for (const RankFacts& rank : facts.ranks) {
        const std::string steps = format_ranges(join_numbers(rank.steps));
        rows.push_back({format_rank(rank.key), counted(rank.events), counted(rank.gpu_events), counted(rank.streams),
                        counted(rank.threads), steps.empty() ? "-" : steps, format_duration(rank.start),
                        format_duration(rank.span), format_duration(rank.gpu_span), rank.source, rank.file});
    }
    return layout_text_table(columns, rows, most_columns);
}

std::string describe_diagnostics(const Diagnostics& diagnostics) {
    if (diagnostics.empty()) return "diagnostics: none\n";
    std::string text = "diagnostics\n";
    for (const Diagnostic& entry : diagnostics.entries()) {
        text += "  " + std::string(name_of(entry.kind->severity)) + ": " + std::string(entry.kind->id) + " x " +
                counted(entry.count) + "\n    first: " + beginning(entry.first) + "\n    " +
                std::string(entry.kind->meaning) + "\n";
    }
    return text;
}

std::string describe_doctor(const DoctorReport& report) {
    if (report.findings.empty()) return "doctor: all is well: " + one_line(report.rank_stats.text()) + "\n";
    std::string text = "doctor: " + one_line(report.rank_stats.text()) + "\n";
    for (const DoctorFinding& finding : report.findings) {
        text += "  " + std::string(name_of(finding.severity)) + ": " + std::string(finding.rule->id) +
                (finding.ranks.empty() ? "" : " on " + format_ranks(finding.ranks)) + "\n    " + finding.text + "\n";
        if (!finding.example.text.empty()) text += "    example: " + beginning(finding.example.text) + "\n";
        text += "    means: " + std::string(finding.rule->means) +
                "\n    remedy: " + std::string(finding.what_to_do()) + "\n";
    }
    return text;
}

SmallJson records_json(const RecordCounts& records) {
    return {{"total", records.total},       {"complete", records.complete}, {"begin_end", records.paired},
            {"instants", records.instants}, {"counters", records.counters}, {"flows", records.flows},
            {"metadata", records.metadata}, {"dropped", records.dropped}};
}

SmallJson rank_facts_json(const RankFacts& rank) {
    SmallJson devices = SmallJson::array();
    for (const Device& device : rank.devices)
        devices.push_back({{"id", device.id}, {"name", device.name}, {"memory", device.memory_bytes}});
    return {{"rank", json_rank(rank.key)},
            {"rank_from", rank.source},
            {"file", rank.file},
            {"host", rank.host},
            {"events", rank.events},
            {"gpu_events", rank.gpu_events},
            {"streams", rank.streams},
            {"threads", rank.threads},
            {"steps", rank.steps},
            {"step_marks", rank.step_marks},
            {"start", rank.start.count()},
            {"span", rank.span.count()},
            {"gpu_span", rank.gpu_span.count()},
            {"records", records_json(rank.records)},
            {"devices", std::move(devices)}};
}

SmallJson example_json(const DoctorFinding& finding, const Run& run) {
    const DoctorExample& example = finding.example;
    if (example.text.empty()) return nullptr;
    SmallJson object = SmallJson::object({{"text", example.text}});
    if (example.event.valid()) {
        const RankSlot& rank = run.rank(example.event.slot);
        object["rank"] = json_rank(rank.key);
        object["event"] = rank.trace().name_text(example.event.event);
        object["start"] = (rank.start_of(example.event.event) - run.origin()).count();
    }
    return object;
}

SmallJson finding_json(const DoctorFinding& finding, const Run& run) {
    SmallJson ranks = SmallJson::array();
    for (const RankKey& rank : finding.ranks) ranks.push_back(json_rank(rank));
    return {{"id", finding.rule->id},       {"severity", name_of(finding.severity)},
            {"ranks", std::move(ranks)},    {"count", finding.count},
            {"text", finding.text},         {"example", example_json(finding, run)},
            {"means", finding.rule->means}, {"remedy", finding.what_to_do()}};
}

SmallJson losses_json(const Losses& losses) {
    SmallJson list = SmallJson::array();
    for (const Loss& loss : losses.entries) {
        SmallJson entry = SmallJson::object();
        if (loss.rank) entry["rank"] = json_rank(*loss.rank);
        entry["text"] = loss.text();
        list.push_back(std::move(entry));
    }
    return list;
}

// Values are JSON texts of the trace where they parse as such.
SmallJson environment_json(const RunFacts& facts) {
    SmallJson object = SmallJson::object();
    for (const auto& [key, values] : facts.environment) {
        SmallJson list = SmallJson::array();
        for (const std::string& value : values) {
            Result<nlohmann::json> parsed = parse_small_json(value);
            list.push_back(parsed ? SmallJson(*parsed) : SmallJson(value));
        }
        object[key] = std::move(list);
    }
    return object;
}

}  // namespace

RunFacts collect_facts(const Run& run, DoctorReport doctor) {
    RunFacts facts;
    facts.name = run.name();
    facts.span = run.window().length();
    facts.events = run.event_count();
    const bool windows = are_windows(run);
    const std::map<std::int32_t, std::int32_t> first = find_first_captures(run);
    for (const RankSlot& rank : run.ranks()) {
        const RankTrace& trace = rank.trace();
        facts.ranks.push_back(facts_of(run, rank));
        if (rank.key.capture > first.at(rank.key.number) && !windows) facts.duplicates.push_back(format_rank(rank.key));
        if (trace.info.world_size) facts.world_size = std::max(facts.world_size.value_or(0), *trace.info.world_size);
        count_categories(trace, facts.categories);
        for (const auto& [key, value] : trace.info.environment) facts.environment[key].insert(value);
        if (!trace.info.step_marks.empty()) facts.step_marks.insert("\"" + trace.info.step_marks + "\"");
    }
    if (const std::string captures = describe_captures(run); !captures.empty())
        facts.captures = captures +
                         "; compare them: lockstep diff PATH --a capture:a --b capture:b; or choose one: "
                         "--filter capture:a";
    if (const std::optional<Duration> resolution = run.summary_resolution())
        facts.summary = "of a run, to " + format_resolution(*resolution) +
                        "; collectives and steps as they were; single events are in its traces and index files";
    facts.graphs = describe_graphs(run);
    if (Result<std::string> memory = describe_memory_peak(run, {})) facts.memory = *std::move(memory);
    if (may_have_telemetry(run))
        for (const JoinedLog& log : telemetry_of(run)->logs) facts.telemetry.push_back(describe_log(log));
    facts.missing = doctor.rank_stats.missing;
    facts.losses = find_losses(run);
    facts.doctor = std::move(doctor);
    facts.diagnostics = run.all_diagnostics();
    return facts;
}

FactRows summary_rows(const RunFacts& facts) {
    std::set<std::string> hosts;
    for (const RankFacts& rank : facts.ranks) {
        if (!rank.host.empty()) hosts.insert(rank.host);
    }
    FactRows rows = {
        {"run", facts.name},
        {"ranks", describe_ranks(facts)},
        {"captures", facts.captures},
        {"summary", facts.summary},
        {"lost", describe_losses(*facts.losses)},
        {"missing", describe_unrecorded(facts.doctor)},
        {"span", format_duration(facts.span) + ", first event to last end"},
        {"events", counted(facts.events) + (facts.events > 0 ? ": " + describe_categories(facts) : "")},
        {"records", describe_records(sum_of_records(facts.ranks))},
        {"devices", describe_devices(facts.ranks)},
        {"hosts", joined(hosts)},
        {"steps", describe_step_marks(facts.step_marks)},
        {"graphs", facts.graphs},
        {"memory", facts.memory},
    };
    for (const std::string& log : facts.telemetry) rows.push_back({"telemetry", log});
    std::erase_if(rows, [](const std::vector<std::string>& row) { return row[1].empty(); });
    return rows;
}

FactRows environment_rows(const RunFacts& facts) {
    FactRows rows;
    for (const auto& [key, values] : facts.environment) rows.push_back({key, describe_environment(values)});
    std::erase_if(rows, [](const std::vector<std::string>& row) { return row[1].empty(); });
    return rows;
}

std::string format_facts(const RunFacts& facts, std::size_t most_columns) {
    std::string text;
    FactRows rows = summary_rows(facts);
    for (std::vector<std::string>& row : environment_rows(facts)) rows.push_back(std::move(row));
    for (const std::vector<std::string>& row : rows) {
        const std::string title = one_line(row[0]);
        const std::size_t width = std::max<std::size_t>(display_width(title), 9);
        text += title + std::string(width - display_width(title) + 2, ' ') + one_line(row[1]) + "\n";
    }
    return text + "\n" + rank_table(facts, most_columns) + "\n" + describe_doctor(facts.doctor) + "\n" +
           describe_diagnostics(facts.diagnostics);
}

std::string facts_to_json(const RunFacts& facts, const Run& run, const JsonOrigin& origin) {
    SmallJson object = json_header(origin, "lockstep.info/1");
    object["run"] = facts.name;
    object["world_size"] = facts.world_size ? SmallJson(*facts.world_size) : SmallJson(nullptr);
    object["missing_ranks"] = SmallJson::array();
    for (const NumberRange& range : facts.missing)
        object["missing_ranks"].push_back(SmallJson::array({range.first, range.last}));
    object["losses"] = losses_json(*facts.losses);
    object["span"] = facts.span.count();
    object["events"] = facts.events;
    object["categories"] = SmallJson::object();
    for (const auto& [name, count] : facts.categories) object["categories"][std::string(name)] = count;
    object["environment"] = environment_json(facts);
    object["ranks"] = SmallJson::array();
    for (const RankFacts& rank : facts.ranks) object["ranks"].push_back(rank_facts_json(rank));
    if (!facts.memory.empty()) object["memory"] = facts.memory;
    object["telemetry"] = facts.telemetry;
    object["doctor"] = SmallJson::array();
    for (const DoctorFinding& finding : facts.doctor.findings) object["doctor"].push_back(finding_json(finding, run));
    object["diagnostics"] = json_diagnostics(facts.diagnostics, true);
    const EnvelopeRun sources[] = {{.run = run, .doctor = facts.doctor, .side = {}}};
    add_sources(object, sources);
    return "{" + json_members(object) + "}\n";
}

}  // namespace core
