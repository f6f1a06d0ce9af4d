#include "core/export/report/run_facts.hpp"

#include "core/base/format.hpp"
#include "core/export/json.hpp"
#include "core/export/text_table.hpp"

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
    facts.events = trace.size();
    facts.gpu_events = trace.gpu_events.size();
    for (const Track& track : trace.tracks) {
        facts.streams += track.kind == TrackKind::Stream ? 1 : 0;
        facts.threads += track.kind == TrackKind::Thread ? 1 : 0;
    }
    facts.steps = step_numbers(trace);
    if (trace.size() > 0) facts.start = rank.clock.to_run(trace.window.begin) - run.origin();
    facts.span = trace.window.length();
    facts.gpu_span = rank.index->gpu_window().length();
    facts.records = trace.info.records;
    facts.devices = trace.info.devices;
    return facts;
}

void count_categories(const RankTrace& trace, std::map<std::string, std::uint64_t>& sum) {
    std::vector<std::uint64_t> counts(trace.categories.size());
    for (const std::uint16_t category : trace.category) ++counts[category];
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) sum[std::string(trace.text(trace.categories[i].text))] += counts[i];
    }
}

std::string describe_ranks(const RunFacts& facts) {
    std::vector<std::int64_t> numbers;
    for (const RankFacts& rank : facts.ranks) numbers.push_back(rank.key.number);
    std::string text = std::to_string(facts.ranks.size()) + " (" + format_ranges(join_numbers(numbers)) + ")";
    if (facts.world_size) text += ", world size " + std::to_string(*facts.world_size);
    if (!facts.missing.empty()) text += ", missing " + format_ranges(facts.missing);
    for (const std::string& duplicate : facts.duplicates) text += ", again " + duplicate;
    return text;
}

std::string describe_devices(const std::vector<RankFacts>& ranks) {
    std::map<std::string, std::size_t> counts;
    for (const RankFacts& rank : ranks) {
        std::set<std::string> names;
        for (const Device& device : rank.devices) names.insert(device.name);
        for (const std::string& name : names) ++counts[name];
    }
    std::string text;
    for (const auto& [name, count] : counts) {
        text +=
            (text.empty() ? "" : ", ") + name + " (in " + std::to_string(count) + (count == 1 ? " rank)" : " ranks)");
    }
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

// Enough of a long text to know it by; JSON has it whole.
std::string beginning(std::string text) {
    constexpr std::size_t kMost = 240;
    if (text.size() <= kMost) return text;
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
    return text.substr(0, end) + " ...";
}

std::string joined(const std::set<std::string>& values) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : " | ") + value;
    return beginning(std::move(text));
}

// Values are JSON texts; strings are shown without their quotes.
std::string describe_environment(const std::set<std::string>& values) {
    std::set<std::string> plain;
    for (const std::string& value : values) {
        const nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
        plain.insert(json.is_string() ? json.get<std::string>() : value);
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
    if (report.findings.empty()) return "doctor: all is well: " + report.vitals.text() + "\n";
    std::string text = "doctor: " + report.vitals.text() + "\n";
    for (const DoctorFinding& finding : report.findings) {
        text += "  " + std::string(name_of(finding.severity)) + ": " + std::string(finding.rule->id) +
                (finding.ranks.empty() ? "" : " on " + format_ranks(finding.ranks)) + "\n    " + finding.text + "\n";
        if (!finding.example.text.empty()) text += "    example: " + beginning(finding.example.text) + "\n";
        text += "    means: " + std::string(finding.rule->means) +
                "\n    remedy: " + std::string(finding.rule->remedy) + "\n";
    }
    return text;
}

std::string rank_json(RankKey key) {
    return key.capture == 0 ? std::to_string(key.number) : json_text(format_rank(key));
}

template <class Values, class Text>
std::string json_list(const Values& values, const Text& text_of) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + text_of(value);
    return "[" + text + "]";
}

std::string records_json(const RecordCounts& records) {
    return "{\"total\": " + std::to_string(records.total) + ", \"complete\": " + std::to_string(records.complete) +
           ", \"begin_end\": " + std::to_string(records.paired) +
           ", \"instants\": " + std::to_string(records.instants) +
           ", \"counters\": " + std::to_string(records.counters) + ", \"flows\": " + std::to_string(records.flows) +
           ", \"metadata\": " + std::to_string(records.metadata) + ", \"dropped\": " + std::to_string(records.dropped) +
           "}";
}

std::string rank_facts_json(const RankFacts& rank) {
    const auto device_json = [](const Device& device) {
        return "{\"id\": " + std::to_string(device.id) + ", \"name\": " + json_text(device.name) +
               ", \"memory\": " + std::to_string(device.memory_bytes) + "}";
    };
    return "{\"rank\": " + rank_json(rank.key) + ", \"rank_from\": " + json_text(rank.source) +
           ", \"file\": " + json_text(rank.file) + ", \"host\": " + json_text(rank.host) +
           ", \"events\": " + std::to_string(rank.events) + ", \"gpu_events\": " + std::to_string(rank.gpu_events) +
           ", \"streams\": " + std::to_string(rank.streams) + ", \"threads\": " + std::to_string(rank.threads) +
           ", \"steps\": " + json_list(rank.steps, [](std::int64_t step) { return std::to_string(step); }) +
           ",\n   \"start\": " + std::to_string(rank.start.count()) +
           ", \"span\": " + std::to_string(rank.span.count()) +
           ", \"gpu_span\": " + std::to_string(rank.gpu_span.count()) + ", \"records\": " + records_json(rank.records) +
           ", \"devices\": " + json_list(rank.devices, device_json) + "}";
}

std::string example_json(const DoctorFinding& finding, const Run& run) {
    const DoctorExample& example = finding.example;
    if (example.text.empty()) return "null";
    std::string text = "{\"text\": " + json_text(example.text);
    if (example.event.valid()) {
        const RankSlot& rank = run.rank(example.event.slot);
        const RunTime start = rank.clock.to_run(rank.trace().start[index_of(example.event.event)]);
        text += ", \"rank\": " + rank_json(rank.key) +
                ", \"event\": " + json_text(rank.trace().name_text(example.event.event)) +
                ", \"start\": " + std::to_string((start - run.origin()).count());
    }
    return text + "}";
}

std::string finding_json(const DoctorFinding& finding, const Run& run) {
    return "{\"id\": " + json_text(finding.rule->id) + ", \"severity\": " + json_text(name_of(finding.severity)) +
           ", \"ranks\": " + json_list(finding.ranks, rank_json) + ", \"count\": " + std::to_string(finding.count) +
           ",\n   \"text\": " + json_text(finding.text) + ",\n   \"example\": " + example_json(finding, run) +
           ",\n   \"means\": " + json_text(finding.rule->means) +
           ",\n   \"remedy\": " + json_text(finding.rule->remedy) + "}";
}

std::string missing_json(const RunFacts& facts) {
    return json_list(facts.missing, [](const NumberRange& range) {
        return "[" + std::to_string(range.first) + ", " + std::to_string(range.last) + "]";
    });
}

}  // namespace

RunFacts collect_facts(const Run& run, DoctorReport doctor) {
    RunFacts facts;
    facts.name = run.name();
    facts.span = run.window().length();
    facts.events = run.event_count();
    for (const RankSlot& rank : run.ranks()) {
        const RankTrace& trace = rank.trace();
        facts.ranks.push_back(facts_of(run, rank));
        if (rank.key.capture > 0) facts.duplicates.push_back(format_rank(rank.key));
        if (trace.info.world_size) facts.world_size = std::max(facts.world_size.value_or(0), *trace.info.world_size);
        count_categories(trace, facts.categories);
        for (const auto& [key, value] : trace.info.environment) facts.environment[key].insert(value);
    }
    facts.missing = doctor.vitals.missing;
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
        {"span", format_duration(facts.span) + ", first event to last end"},
        {"events", counted(facts.events) + ": " + describe_categories(facts)},
        {"records", describe_records(sum_of_records(facts.ranks))},
        {"devices", describe_devices(facts.ranks)},
        {"hosts", joined(hosts)},
    };
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
        const std::size_t width = std::max<std::size_t>(display_width(row[0]), 9);
        text += row[0] + std::string(width - display_width(row[0]) + 2, ' ') + row[1] + "\n";
    }
    return text + "\n" + rank_table(facts, most_columns) + "\n" + describe_doctor(facts.doctor) + "\n" +
           describe_diagnostics(facts.diagnostics);
}

std::string facts_to_json(const RunFacts& facts, const Run& run) {
    std::string categories;
    for (const auto& [name, count] : facts.categories) {
        categories += (categories.empty() ? "" : ", ") + json_text(name) + ": " + std::to_string(count);
    }
    std::string environment;
    for (const auto& [key, values] : facts.environment) {
        environment +=
            (environment.empty() ? "" : ", ") + json_text(key) + ": " + json_list(values, [](const std::string& value) {
                return nlohmann::json::accept(value) ? value : json_text(value);
            });
    }
    std::string ranks;
    for (const RankFacts& rank : facts.ranks) ranks += (ranks.empty() ? "\n  " : ",\n  ") + rank_facts_json(rank);
    std::string findings;
    for (const DoctorFinding& finding : facts.doctor.findings)
        findings += (findings.empty() ? "\n  " : ",\n  ") + finding_json(finding, run);
    return "{\"schema\": " + std::to_string(kJsonSchema) + ", \"version\": " + json_text(LOCKSTEP_VERSION) +
           ", \"run\": " + json_text(facts.name) +
           ",\n \"world_size\": " + (facts.world_size ? std::to_string(*facts.world_size) : "null") +
           ", \"missing_ranks\": " + missing_json(facts) + ", \"span\": " + std::to_string(facts.span.count()) +
           ", \"events\": " + std::to_string(facts.events) + ",\n \"categories\": {" + categories +
           "},\n \"environment\": {" + environment + "},\n \"ranks\": [" + ranks + "],\n \"doctor\": [" + findings +
           "],\n " + json_diagnostics(facts.diagnostics, true) + "}\n";
}

}  // namespace core
