#include "app/options.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/efficiency/operator_table.hpp"
#include "core/analysis/engine/link_speeds.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/analysis/operators/flame_graph.hpp"
#include "core/base/nearest.hpp"
#include "core/base/small_file.hpp"
#include "core/base/terminal_text.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/graphs/capture_folders.hpp"
#include "core/query/filter_option.hpp"
#include "core/telemetry/log_time.hpp"
#include "core/telemetry/read_telemetry.hpp"
#include "core/telemetry/telemetry_settings.hpp"
#include "ui/commands/key_map.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace app {
namespace {

constexpr Option kFilterOptions[] = {
    {"--ranks", "0-3,8", "only these ranks"},
    {"--steps", "2-4|complete|all", "only events of these steps; complete: everything launched before the last step"},
    {"--streams", "7,20-22", "only these GPU streams"},
    {"--classes", "compute,communication,memory", "only these kernel classes"},
    {"--name", "TEXT|/REGEX/", "only events whose name contains the text or matches the expression"},
    {"--time", "1.5s..2s", "only this time range, from the run's earliest event"},
    {"--filter", "'TEXT'", "the text form of the filter bar: 'rank:0-3 -name:memcpy dur:>10us'"},
};
constexpr Option kOutputOptions[] = {
    {"--format", "table|csv|json", "how results are written (table)"},
    {"--csv", "guarded|raw",
     "guarded: texts that a spreadsheet would take for formulas get a leading ', control\n"
     "                                characters are ?; raw: as in the trace (guarded)"},
    {"--out", "FILE", "write results to FILE instead of standard output", "-o"},
    {"--quiet", "", "no progress and no diagnostics on standard error"},
};
constexpr Option kLoadingOptions[] = {
    {"--jobs", "N", "threads to use (all cores)"},
    {"--no-cache", "", "neither use nor write index files; the window keeps no state either"},
    {"--step-marks", "NAME",
     "take ranges of this name, apart from digits, as steps; without it ProfilerStep#N or, in\n"
     "                                traces of Nsight Systems, the repeating range that covers most GPU time"},
    {"--capture-folder", "DIR",
     "where traces of captured graphs are, if not among those of the run: their operators and shapes\n"
     "                                are those of the replayed kernels; may be repeated"},
    {"--nsys-export", "",
     "have nsys, which must be installed here, export reports (.nsys-rep) to .sqlite beside them first"},
    {"--strict", "", "fail if anything of the run could not be read, instead of exit status 5 or a warning"},
    {"--peak", "[NAME:]bf16=989,…",
     "what a device can do, in TFLOP/s (fp64 fp32 tf32 bf16 fp16 fp8 int8 fp4) and GB/s (bandwidth), for\n"
     "                                devices whose name contains NAME or for all; may be repeated"},
    {"--limit", "ID=NUMBER,…", "limits of verdict and health, as ratios: host.warn=0.2; may be repeated"},
    {"--links", "FILE",
     "bandwidth of links between GPUs, lines DEVICE = GB/s: what `efficiency` of bandwidth is a share of;\n"
     "                                may be repeated"},
    {"--telemetry", "FILE", "a log of GPU clocks, power or errors besides those in the run's folders; may be repeated"},
    {"--telemetry-utc", "+02:00", "what logs' times without a zone are ahead of UTC; without it found by the traces"},
    {"--telemetry-columns", "A,B,…", "columns of logs without a header, as nvidia-smi --query-gpu names them"},
    {"--gpu-map", "FILE", "which GPU is which rank: CSV with the columns host, rank or local_rank, uuid, bus or index"},
};
constexpr Option kParamOptions[] = {
    {"--param", "KEY=VALUE", "a parameter of the analysis; may be repeated"},
};
constexpr Option kClockOptions[] = {
    {"--clocks", "auto|aligned|recorded",
     "clocks of the ranks: aligned by their collectives if that is reliable and needed, whenever\n"
     "                                it is reliable, or as recorded (auto)"},
};
constexpr Option kHelp = {"--help", "", "this text", "-h"};

const Option* find_option(std::span<const Option> known, std::string_view word) {
    if (word == kHelp.name || word == kHelp.letter) return &kHelp;
    const auto it = std::ranges::find_if(known, [&](const Option& option) {
        return option.name == word || (!option.letter.empty() && option.letter == word);
    });
    return it == known.end() ? nullptr : &*it;
}

core::Error unknown_option(std::span<const Option> known, std::string_view word) {
    std::vector<std::string_view> names = {kHelp.name};
    for (const Option& option : known) names.push_back(option.name);
    return core::bad_input("unknown option " + std::string(word) + core::nearest_hint(word, names));
}

// False for a query that begins with a comment: "-- busiest" and "--busiest" followed by a line break.
bool looks_like_option(std::string_view word) {
    if (word.size() < 2 || word[0] != '-') return false;
    return word[1] != '-' || word.size() == 2 ||
           word.substr(2, word.find('=') - 2).find_first_of(" \t\r\n") == std::string_view::npos;
}

constexpr Option kStatisticsOptions[] = {
    {"--warmup", "N|auto", "leading steps of each capture that verdicts leave out; auto: until steps are steady (1)"},
    {"--tolerance", "X%", "changes up to this share of the baseline's mean count as none (1%)"},
    {"--noise", "X%", "run-to-run noise of such runs: smaller changes count as none, too"},
    {"--paired", "", "steps of equal number did the same work: compare them pair by pair"},
    {"--test", "welch|permutation",
     "permutation: also compare mean, median and 95th percentile of the steps by reassigning\n"
     "                                them to the runs; verdicts stay those of Welch's interval (welch)"},
};

core::Result<double> read_percent(const Options& options, std::string_view name, double standard) {
    if (!options.has(name)) return standard;
    core::Result<double> share = core::parse_percent(options.last(name));
    if (!share) return std::move(share).error().within(name);
    return share;
}

std::string quote_word(const std::string& word) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "-_./=,:+@%") == std::string::npos;
    if (plain) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::vector<std::string> Options::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [given, value] : given_) {
        if (given == name) values.push_back(value);
    }
    return values;
}

std::string Options::last(std::string_view name, std::string_view otherwise) const {
    const std::vector<std::string> values = all(name);
    return values.empty() ? std::string(otherwise) : values.back();
}

core::Result<std::int64_t> Options::integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                                            std::int64_t most) const {
    if (!has(name)) return otherwise;
    const std::string text = last(name);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
        return core::bad_input(std::string(name) + ": '" + text + "' is not a whole number from " +
                               std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

core::Result<Options> parse_options(std::span<const Option> known, Arguments args) {
    Options options;
    options.arguments_.assign(args.begin(), args.end());
    for (std::size_t i = 0; i < args.size(); ++i) {
        std::string_view word = args[i];
        if (word == "--") {
            options.words_.insert(options.words_.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
            break;
        }
        if (!looks_like_option(word)) {
            options.words_.emplace_back(word);
            continue;
        }
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
        const std::string_view name = word.substr(0, equals);
        const Option* const option = find_option(known, name);
        if (!option) return unknown_option(known, name);
        if (option->value.empty()) {
            if (equals != std::string_view::npos) return core::bad_input(std::string(name) + " takes no value");
            options.given_.emplace_back(option->name, "");
        } else if (equals != std::string_view::npos) {
            options.given_.emplace_back(option->name, word.substr(equals + 1));
        } else if (i + 1 < args.size()) {
            options.given_.emplace_back(option->name, args[++i]);
        } else {
            return core::bad_input(std::string(name) + " needs a value: " + std::string(option->value));
        }
    }
    return options;
}

std::span<const Option> filter_options() { return kFilterOptions; }
std::span<const Option> output_options() { return kOutputOptions; }
std::span<const Option> loading_options() { return kLoadingOptions; }
std::span<const Option> clock_options() { return kClockOptions; }
std::span<const Option> param_options() { return kParamOptions; }

std::vector<std::string> collect_words(const Options& options, std::span<const Option> known) {
    std::vector<std::string> words;
    for (const Option& option : known)
        for (const std::string& value : options.all(option.name))
            words.push_back(std::string(option.name) + (option.value.empty() ? "" : "=" + value));
    return words;
}

std::vector<Option> join_options(std::initializer_list<std::span<const Option>> parts) {
    std::vector<Option> joined;
    for (const std::span<const Option> part : parts) joined.insert(joined.end(), part.begin(), part.end());
    return joined;
}

core::Result<core::Filter> read_filter(const Options& options) {
    core::Filter filter;
    for (const Option& option : kFilterOptions) {
        for (const std::string& value : options.all(option.name)) {
            core::Result<core::Filter> part = core::filter_of_option(option.name.substr(2), value);
            if (!part) return std::move(part).error().within(option.name);
            filter = core::joined_filters(std::move(filter), *part);
        }
    }
    // Formats and parses the filter again, because filter_of_option also limits the number of words.
    core::Result<core::Filter> whole = core::filter_of_option("filter", core::format_filter(filter));
    if (!whole) return std::move(whole).error().within("--filter");
    return whole;
}

std::string format_command(std::span<const std::string> words) {
    std::string text = "lockstep";
    for (const std::string& word : words) text += " " + quote_word(word);
    return text;
}

std::span<const Option> statistics_options() { return kStatisticsOptions; }

core::Result<std::uint64_t> read_memory(const Options& options, std::string_view otherwise) {
    const std::string text = options.last("--memory", otherwise);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
    if (error != std::errc() || shift < 0 || number < 1 || number > (std::uint64_t{1} << 53 >> shift) ||
        number << shift < (std::uint64_t{1} << 20))
        return core::bad_input("--memory: '" + text + "' is not a size of at least 1M, such as 512M or 2G");
    return number << shift;
}

core::Result<core::StatisticsOptions> read_statistics(const Options& options) {
    core::StatisticsOptions statistics;
    core::Result<std::int64_t> warmup = core::parse_warmup(options.last("--warmup", "1"));
    if (!warmup) return std::move(warmup).error().within("--warmup");
    statistics.warmup = *warmup;
    const core::Result<double> tolerance = read_percent(options, "--tolerance", statistics.tolerance);
    if (!tolerance) return tolerance.error();
    statistics.tolerance = *tolerance;
    const core::Result<double> noise = read_percent(options, "--noise", 0);
    if (!noise) return noise.error();
    if (options.has("--noise")) statistics.noise = *noise;
    statistics.paired = options.has("--paired");
    const std::string test = options.last("--test", "welch");
    if (test != "welch" && test != "permutation")
        return core::bad_input("--test: '" + test + "' is not welch or permutation");
    statistics.permutation = test == "permutation";
    if (statistics.paired && statistics.permutation)
        return core::bad_input("--test permutation reassigns steps, which --paired keeps together: leave out one");
    return statistics;
}

std::vector<std::filesystem::path> find_read_files(const Options& options) {
    std::vector<std::filesystem::path> files;
    for (const std::string_view option : {"--links", "--pairs", "--telemetry", "--gpu-map"})
        for (const std::string& file : options.all(option)) files.emplace_back(file);
    const std::filesystem::path settings = ui::settings_file();
    if (settings.empty()) return files;
    files.push_back(settings);
    for (const std::string_view name : {"peaks.json", "operators.json", "limits.json", "links.txt"})
        files.push_back(settings.parent_path() / name);
    return files;
}

core::Result<Output> read_output(const Options& options, std::string_view command) {
    Output output;
    std::vector<std::string> words{std::string(command)};
    words.insert(words.end(), options.arguments().begin(), options.arguments().end());
    output.command = format_command(words);
    const std::string format = options.last("--format", "table");
    if (format == "csv")
        output.format = Format::Csv;
    else if (format == "json")
        output.format = Format::Json;
    else if (format != "table")
        return core::bad_input("--format: '" + format + "' is not table, csv or json");
    if (options.has("--out") && options.last("--out").empty()) return core::bad_input("--out needs the name of a file");
    const std::string cells = options.last("--csv", "guarded");
    if (cells == "raw")
        output.cells = core::CsvCells::Raw;
    else if (cells != "guarded")
        return core::bad_input("--csv: '" + cells + "' is not guarded or raw");
    output.file = options.last("--out");
    output.quiet = options.has("--quiet");
    output.read_files = find_read_files(options);
    return output;
}

static core::Result<core::ClockChoice> read_clocks(const Options& options) {
    const std::string given = options.last("--clocks", "auto");
    const std::optional<core::ClockChoice> choice = core::find_clock_choice(given);
    if (!choice) return core::bad_input("--clocks: '" + given + "' is not auto, aligned or recorded");
    return *choice;
}

// Peaks of devices from the settings folder, overridden by --peak.
static std::optional<core::Error> read_peaks(const Options& options) {
    core::GivenPeaks of_file, of_options;
    if (const std::filesystem::path settings = ui::settings_file(); !settings.empty()) {
        const std::filesystem::path file = settings.parent_path() / "peaks.json";
        const core::Result<std::string> text = core::read_small_file(file);
        std::optional<core::Error> wrong;
        if (text)
            wrong = of_file.add_json(*text);
        else if (text.error().code != core::ErrorCode::NotFound)
            wrong = text.error();
        if (wrong) say(file.string() + ": not used: " + wrong->message);
    }
    for (const std::string& value : options.all("--peak"))
        if (std::optional<core::Error> wrong = of_options.add(value)) return std::move(*wrong).within("--peak");
    core::set_given_peaks(std::move(of_file), std::move(of_options));
    return std::nullopt;
}

// The user's own operators, from the settings folder.
static void read_operators() {
    const std::filesystem::path settings = ui::settings_file();
    if (settings.empty()) return;
    const std::filesystem::path file = settings.parent_path() / "operators.json";
    const core::Result<std::string> text = core::read_small_file(file);
    std::optional<core::Error> wrong;
    if (text)
        wrong = core::add_operator_rows(*text);
    else if (text.error().code != core::ErrorCode::NotFound)
        wrong = text.error();
    if (wrong) say(file.string() + ": not used: " + wrong->message);
}

// Limits of verdicts and checks from the settings folder, overridden by --limit.
static std::optional<core::Error> read_limits(const Options& options) {
    core::Limits of_file, of_options;
    if (const std::filesystem::path settings = ui::settings_file(); !settings.empty()) {
        const std::filesystem::path file = settings.parent_path() / "limits.json";
        const core::Result<std::string> text = core::read_small_file(file);
        std::optional<core::Error> wrong;
        if (text)
            wrong = of_file.add_json(*text);
        else if (text.error().code != core::ErrorCode::NotFound)
            wrong = text.error();
        if (wrong) say(file.string() + ": not used: " + wrong->message);
        if (wrong) of_file = core::Limits();
    }
    for (const std::string& value : options.all("--limit"))
        if (std::optional<core::Error> wrong = of_options.add(value)) return std::move(*wrong).within("--limit");
    core::set_limits(of_file, of_options);
    return std::nullopt;
}

// Link speeds from the settings folder, overridden by --links.
static std::optional<core::Error> read_links(const Options& options) {
    core::LinkSpeeds of_file, of_options;
    const auto add = [](const std::filesystem::path& file, core::LinkSpeeds& to) -> std::optional<core::Error> {
        const core::Result<std::string> text = core::read_small_file(file);
        if (!text) return text.error();
        const core::Result<core::LinkSpeeds> given = core::LinkSpeeds::parse(*text);
        if (!given) return core::Error(given.error()).within(file.string());
        to.add(*given);
        return std::nullopt;
    };
    if (const std::filesystem::path settings = ui::settings_file(); !settings.empty()) {
        const std::optional<core::Error> wrong = add(settings.parent_path() / "links.txt", of_file);
        if (wrong && wrong->code != core::ErrorCode::NotFound) say(wrong->message + ": not used");
    }
    for (const std::string& file : options.all("--links"))
        if (std::optional<core::Error> wrong = add(file, of_options)) return std::move(*wrong).within("--links");
    core::set_link_speeds(of_file, std::move(of_options));
    return std::nullopt;
}

// Logs of GPUs, and what the user says of them.
static std::optional<core::Error> read_telemetry(const Options& options) {
    core::TelemetrySettings settings;
    for (const std::string& file : options.all("--telemetry")) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error))
            return core::bad_input("--telemetry: " + file + ": is not a file");
        if (!core::recognise_telemetry_file(file))
            return core::bad_input("--telemetry: " + file + ": is not a log of GPU clocks, power or errors");
        settings.files.emplace_back(file);
    }
    if (const std::string given = options.last("--telemetry-utc"); !given.empty()) {
        settings.utc_offset = core::parse_utc_offset(given);
        if (!settings.utc_offset) return core::bad_input("--telemetry-utc: '" + given + "' is not like +02:00");
    }
    settings.columns = options.last("--telemetry-columns");
    for (const std::string& file : options.all("--gpu-map")) {
        const core::Result<std::string> text = core::read_small_file(file);
        if (!text) return core::Error(text.error()).within("--gpu-map");
        core::Result<std::vector<core::MappedGpu>> map = core::parse_gpu_map(*text);
        if (!map) return std::move(map).error().within("--gpu-map: " + file);
        settings.map.insert(settings.map.end(), map->begin(), map->end());
    }
    core::set_telemetry_settings(std::move(settings));
    return std::nullopt;
}

core::Result<Loading> read_loading(const Options& options, bool takes_clocks) {
    core::ClockChoice clocks = core::ClockChoice::Recorded;
    if (takes_clocks) {
        const core::Result<core::ClockChoice> given = read_clocks(options);
        if (!given) return given.error();
        clocks = *given;
    }

    core::Result<std::int64_t> jobs = options.integer("--jobs", 0, 1, 1024);
    if (!jobs) return std::move(jobs).error();
    read_operators();
    if (std::optional<core::Error> wrong = read_peaks(options)) return *std::move(wrong);
    if (std::optional<core::Error> wrong = read_limits(options)) return *std::move(wrong);
    if (std::optional<core::Error> wrong = read_links(options)) return *std::move(wrong);
    const std::vector<std::string> folders = options.all("--capture-folder");
    core::set_capture_folders({folders.begin(), folders.end()});
    if (std::optional<core::Error> wrong = read_telemetry(options)) return *std::move(wrong);
    const bool cache = !options.has("--no-cache") && std::getenv("LOCKSTEP_NO_CACHE") == nullptr;
    return Loading{.threads = static_cast<unsigned>(*jobs),
                   .index_files = cache ? core::IndexFiles::Use : core::IndexFiles::Ignore,
                   .strict = options.has("--strict"),
                   .clocks = clocks,
                   .step_marks = options.last("--step-marks"),
                   .nsys_export = options.has("--nsys-export"),
                   .writes_nothing = options.has("--no-cache")};
}

core::Result<const core::Analysis*> read_analysis(std::string_view id) {
    if (const core::Analysis* const analysis = core::find_analysis(id)) return analysis;
    // A table of frames, but with a panel of its own, so it is not in the registry.
    if (id == core::flame_graph().id) return &core::flame_graph();
    std::vector<std::string_view> ids{core::flame_graph().id};
    for (const core::Analysis& analysis : core::all_analyses()) ids.push_back(analysis.id);
    const std::string hint = core::nearest_hint(id, ids);
    return core::bad_input("no analysis '" + std::string(id) + "'" +
                           (hint.empty() ? "; lockstep analyses lists them" : hint));
}

core::Result<core::Params> read_params(const core::Analysis& analysis, const Options& options) {
    std::vector<std::pair<std::string, std::string>> given;
    for (const std::string& text : options.all("--param")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) return core::bad_input("--param: '" + text + "' is not KEY=VALUE");
        given.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return core::make_params(analysis, given);
}

std::string format_help(const Command& command, std::span<const Option> options) {
    std::string text = "lockstep " + std::string(command.name) + (command.name.empty() ? "" : " ") +
                       std::string(command.usage) + "\n\n" + std::string(command.summary) + "\n\nOptions\n";
    std::vector<Option> all(options.begin(), options.end());
    all.push_back(kHelp);
    for (const Option& option : all) {
        std::string left =
            "  " + (option.letter.empty() ? "" : std::string(option.letter) + ", ") + std::string(option.name);
        if (!option.value.empty()) left += " " + std::string(option.value);
        left += left.size() < 30 ? std::string(30 - left.size(), ' ') : "\n" + std::string(30, ' ');
        text += left + "  " + std::string(option.help) + "\n";
    }
    return text;
}

int refuse_usage(std::string_view command, std::string_view message) {
    const std::string name = command.empty() ? "" : " " + std::string(command);
    std::fprintf(stderr, "lockstep%s: %s (see lockstep%s --help)\n", name.c_str(), core::terminal_text(message).c_str(),
                 name.c_str());
    return kWrongUsage;
}

const Command* find_command(std::string_view name) {
    const std::span<const Command> commands = all_commands();
    const auto it = std::ranges::find(commands, name, &Command::name);
    return it == commands.end() ? nullptr : &*it;
}

}  // namespace app
