#include "app/mcp/tools.hpp"

#include "app/mcp/open_runs.hpp"
#include "app/mcp/run_child.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/collectives/nccl_choices.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/nearest.hpp"
#include "core/base/platform/files.hpp"
#include "core/base/small_file.hpp"
#include "core/base/utf8.hpp"
#include "core/doctor/doctor.hpp"
#include "core/export/envelope.hpp"
#include "core/export/report/run_facts.hpp"
#include "core/query/filter_text.hpp"
#include "core/query/find_events.hpp"
#include "core/sql/sql_text.hpp"
#include "ui/model/session/saved_session.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

namespace app::mcp {
namespace {

namespace fs = std::filesystem;
using Arguments = nlohmann::json;

constexpr std::int64_t kUsualRows = 50;
constexpr std::int64_t kMostRows = 1000;
constexpr std::size_t kMostChildBytes = std::size_t{64} << 20;
constexpr std::size_t kMostTextBytes = 100'000;
constexpr std::size_t kMostPictureBytes = std::size_t{16} << 20;
constexpr std::size_t kMostQueryBytes = 20'000;
constexpr std::int64_t kUsualQuerySeconds = 30, kMostQuerySeconds = 300;
constexpr std::uint64_t kQueryMemoryBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kQueryResultBytes = std::uint64_t{64} << 20;

Json text_type(std::string_view meaning) { return {{"type", "string"}, {"description", meaning}}; }
Json count_type(std::string_view meaning, std::int64_t least, std::int64_t most, std::int64_t standard) {
    return {
        {"type", "integer"}, {"minimum", least}, {"maximum", most}, {"default", standard}, {"description", meaning}};
}

Json object_type(Json properties, std::initializer_list<const char*> needed) {
    Json required = Json::array();
    for (const char* const name : needed) required.push_back(name);
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

void add_filter(Json& properties) {
    properties["ranks"] = text_type("only these ranks, such as 0-3,8");
    properties["steps"] = text_type("only these steps: 2-4, complete, or all");
    properties["filter"] = text_type("the filter's text form, such as 'name:gemm dur:>10us class:communication'");
}

void add_analysis_arguments(Json& properties) {
    add_filter(properties);
    properties["params"] = {{"type", "object"},
                            {"description", "parameters of the analysis by name; the tool analyses lists them"},
                            {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
    properties["table"] = text_type("name of one of the analysis' further tables; main if absent");
    properties["limit"] = count_type("most rows in the answer", 1, kMostRows, kUsualRows);
}

Json analyses_schema() {
    return object_type(
        {{"id", text_type("one analysis: its definition, parameters and columns; all in a line each if absent")}}, {});
}
Json info_schema() { return object_type({{"path", text_type("folder or file of the run")}}, {"path"}); }
Json analyze_schema() {
    Json properties = {
        {"id", text_type("id of the analysis, such as findings, stragglers, temporal-breakdown, kernels")},
        {"path", text_type("folder or file of the run")}};
    add_analysis_arguments(properties);
    return object_type(std::move(properties), {"id", "path"});
}
Json diff_schema() {
    Json properties = {
        {"baseline", text_type("folder or file of the run to compare with")},
        {"candidate", text_type("folder or file of the run that is compared")},
        {"analysis", text_type("id of the analysis to compare; temporal-breakdown if absent; waterfall explains "
                               "the change of the mean step by parts; op-by-op aligns the operators of a step")}};
    add_analysis_arguments(properties);
    return object_type(std::move(properties), {"baseline", "candidate"});
}
Json events_schema() {
    Json properties = {
        {"path", text_type("folder or file of the run")},
        {"find", text_type("text of the name, /regular expression/, or arg:KEY=VALUE; all events if absent")},
        {"limit", count_type("most events in the answer", 1, kMostRows, kUsualRows)},
        {"arguments", {{"type", "boolean"}, {"description", "with the arguments of each event"}}}};
    add_filter(properties);
    return object_type(std::move(properties), {"path"});
}
Json sql_schema() {
    Json properties = {
        {"path", text_type("folder or file of the run")},
        {"query", text_type("one SELECT in the dialect of SQLite, over tables such as kernels, events, operators, "
                            "collectives, members and steps, and every analysis as a function; if absent, the answer "
                            "is a list of all tables and columns")},
        {"limit", count_type("most rows in the answer", 1, kMostRows, kUsualRows)},
        {"seconds", count_type("time after which the query is stopped", 1, kMostQuerySeconds, kUsualQuerySeconds)}};
    add_filter(properties);
    return object_type(std::move(properties), {"path"});
}
Json shot_schema() {
    Json properties = {
        {"path", text_type("folder or file of the run")},
        {"candidate", text_type("a second run, compared with the first")},
        {"panel", text_type("the panel to show, such as findings, breakdown, communication, kernels")},
        {"goto", text_type("the place to show: rank=3,t=1.2345s or step=12; span=2ms sets the visible time")},
        {"size", text_type("WIDTHxHEIGHT in pixels; 1280x720 if absent")}};
    add_filter(properties);
    return object_type(std::move(properties), {"path"});
}

// Refuses arguments that the schema lacks and values of another type, naming each.
core::Result<bool> check_arguments(const Json& schema, const Arguments& given) {
    const Json& properties = schema["properties"];
    for (const auto& [name, value] : given.items()) {
        if (!properties.contains(name)) {
            std::vector<std::string> known;
            for (const auto& [each, ignored] : properties.items()) known.push_back(each);
            const std::vector<std::string_view> names(known.begin(), known.end());
            return core::bad_input("unknown argument " + core::shorten_utf8(name, 100) +
                                   core::nearest_hint(name, names));
        }
        const std::string type = properties[name]["type"].get<std::string>();
        const bool fits = type == "string"    ? value.is_string()
                          : type == "integer" ? value.is_number_integer()
                          : type == "boolean" ? value.is_boolean()
                                              : value.is_object();
        if (!fits) return core::bad_input("argument " + name + ": must be of type " + type);
    }
    for (const Json& name : schema["required"])
        if (!given.contains(name.get<std::string>()))
            return core::bad_input("argument " + name.get<std::string>() + " is missing");
    return true;
}

std::string text_of(const Arguments& arguments, const char* name, std::string standard = {}) {
    const auto found = arguments.find(name);
    return found == arguments.end() ? std::move(standard) : found->get<std::string>();
}

core::Result<std::int64_t> count_of(const Arguments& arguments, const char* name, std::int64_t standard,
                                    std::int64_t most) {
    const auto found = arguments.find(name);
    if (found == arguments.end()) return standard;
    const bool is_huge = found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    const std::int64_t count = is_huge ? most + 1 : found->get<std::int64_t>();
    if (count < 1 || count > most)
        return core::bad_input("argument " + std::string(name) + ": must be from 1 to " + std::to_string(most));
    return count;
}

core::Result<std::int64_t> limit_of(const Arguments& arguments) {
    return count_of(arguments, "limit", kUsualRows, kMostRows);
}

// Adds the command-line words for these arguments, as `--name=value` so that a value is never read as an option.
void add_filter_words(std::vector<std::string>& words, const Arguments& arguments) {
    for (const char* const name : {"ranks", "steps", "filter"})
        if (arguments.contains(name)) words.push_back("--" + std::string(name) + "=" + text_of(arguments, name));
}

core::Result<bool> add_param_words(std::vector<std::string>& words, const Arguments& arguments) {
    const auto params = arguments.find("params");
    if (params == arguments.end()) return true;
    for (const auto& [name, value] : params->items()) {
        if (value.is_structured() || value.is_null())
            return core::bad_input("params: " + name + " is not a number or a text");
        words.push_back("--param=" + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return true;
}

core::Result<Options> parse_words(std::span<const Option> known, const std::vector<std::string>& words) {
    const std::vector<std::string_view> views(words.begin(), words.end());
    return parse_options(known, views);
}

core::Result<core::Filter> filter_of(const Arguments& arguments) {
    std::vector<std::string> words;
    add_filter_words(words, arguments);
    const core::Result<Options> options = parse_words(filter_options(), words);
    return options ? read_filter(*options) : options.error();
}

Content answer_of(Json envelope) {
    Content content;
    content.text = envelope.dump(-1, ' ', false, Json::error_handler_t::replace);
    content.structured = std::move(envelope);
    return content;
}

unsigned thread_count(const Loading& loading) {
    return loading.threads ? loading.threads : std::max(1u, std::thread::hardware_concurrency());
}

// A temporary folder that is removed with the object.
class ScratchFolder {
public:
    ScratchFolder() {
        std::error_code error;
        const fs::path parent = fs::temp_directory_path(error);
        if (!error) path_ = core::create_private_folder(parent, "lockstep-");
    }
    ~ScratchFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const fs::path& path() const { return path_; }  // empty: it could not be made

private:
    fs::path path_;
};

}  // namespace

struct Tools::Impl {
    Impl(const std::vector<fs::path>& roots, const Loading& how, std::vector<std::string> words)
        : runs(roots, how), loading(how), option_words(std::move(words)) {}

    core::Result<Content> list(const Arguments& arguments) const;
    core::Result<Content> info(const Arguments& arguments, const std::stop_token& stop);
    core::Result<Content> analyze(const Arguments& arguments, const std::stop_token& stop);
    core::Result<Content> diff(const Arguments& arguments, const std::stop_token& stop);
    core::Result<Content> events(const Arguments& arguments, const std::stop_token& stop);
    core::Result<Content> sql(const Arguments& arguments, const std::stop_token& stop);
    core::Result<Content> shot(const Arguments& arguments, const std::stop_token& stop);
    core::Result<core::DoctorReport> examine(const core::RunPtr& run, const std::stop_token& stop);

    // The command line that repeats an answer from any folder. A query follows "--", because it may begin with a
    // comment.
    std::string command_of(std::vector<std::string> words, const std::vector<std::string>& narrowing,
                           const fs::path& path, const std::string& query = {}) const {
        if (query.empty()) words.push_back(path.string());
        words.insert(words.end(), narrowing.begin(), narrowing.end());
        words = with_options(std::move(words));
        words.emplace_back("--format=json");
        if (!query.empty()) words.insert(words.end(), {"--", path.string(), query});
        return format_command(words);
    }
    // Appends the options of this server: child processes and the commands that repeat an answer need them.
    std::vector<std::string> with_options(std::vector<std::string> words) const {
        words.insert(words.end(), option_words.begin(), option_words.end());
        return words;
    }

    OpenRuns runs;
    Loading loading;
    std::vector<std::string> option_words;
    core::DoctorMemory doctor;
    std::vector<Tool> tools;
};

core::Result<core::DoctorReport> Tools::Impl::examine(const core::RunPtr& run, const std::stop_token& stop) {
    return core::examine_run(*run, thread_count(loading), {.stop = stop}, &doctor);
}

core::Result<Content> Tools::Impl::list(const Arguments& arguments) const {
    std::vector<std::string> words = {"analyses"};
    const std::string id = text_of(arguments, "id");
    if (id.empty()) {
        Json all = Json::array();
        for (const core::Analysis& analysis : core::all_analyses())
            all.push_back({{"id", analysis.id}, {"title", analysis.title}, {"summary", analysis.summary}});
        return answer_of(
            {{"schema", "lockstep.analyses/1"}, {"lockstep", LOCKSTEP_VERSION}, {"analyses", std::move(all)}});
    }
    const core::Result<const core::Analysis*> analysis = read_analysis(id);
    if (!analysis) return analysis.error();
    Json params = Json::array();
    for (const core::Param& param : (*analysis)->params) {
        Json one = {{"name", param.name}, {"unit", name_of(param.unit)}, {"meaning", param.summary}};
        if (param.choices.empty())
            one.update({{"default", param.standard}, {"least", param.least}, {"most", param.most}});
        else
            one["choices"] = param.choices;
        params.push_back(std::move(one));
    }
    Json columns = Json::array();
    for (const core::Column& column : (*analysis)->columns())
        columns.push_back({{"id", column.name},
                           {"unit", name_of(column.unit)},
                           {"role", name_of(column.role)},
                           {"meaning", column.meaning}});
    return answer_of({{"schema", "lockstep.analysis/1"},
                      {"lockstep", LOCKSTEP_VERSION},
                      {"id", (*analysis)->id},
                      {"title", (*analysis)->title},
                      {"definition", (*analysis)->definition.join_lines()},
                      {"params", std::move(params)},
                      {"columns", std::move(columns)}});
}

core::Result<Content> Tools::Impl::info(const Arguments& arguments, const std::stop_token& stop) {
    const core::Result<core::RunPtr> run = runs.open(text_of(arguments, "path"), stop);
    if (!run) return run.error();
    core::Result<core::DoctorReport> report = examine(*run, stop);
    if (!report) return std::move(report).error();
    const core::RunFacts facts = core::collect_facts(**run, *std::move(report));
    Content content;
    content.text = core::format_facts(facts, 0);
    if (content.text.size() > kMostTextBytes) content.text = core::shorten_utf8(content.text, kMostTextBytes);
    return content;
}

core::Result<Content> Tools::Impl::analyze(const Arguments& arguments, const std::stop_token& stop) {
    const core::Result<std::int64_t> limit = limit_of(arguments);
    if (!limit) return limit.error();
    std::vector<std::string> narrowing;
    add_filter_words(narrowing, arguments);
    if (core::Result<bool> added = add_param_words(narrowing, arguments); !added) return added.error();
    const std::vector<Option> known = join_options({filter_options(), param_options()});
    const core::Result<Options> options = parse_words(known, narrowing);
    if (!options) return options.error();
    const core::Result<const core::Analysis*> analysis = read_analysis(text_of(arguments, "id"));
    if (!analysis) return analysis.error();
    const core::Result<core::Filter> filter = read_filter(*options);
    if (!filter) return filter.error();
    const core::Result<core::Params> params = read_params(**analysis, *options);
    if (!params) return params.error();
    const core::Result<fs::path> path = runs.confine(text_of(arguments, "path"));
    if (!path) return path.error();
    const core::Result<core::RunPtr> run = runs.open(path->string(), stop);
    if (!run) return run.error();
    const core::Result<core::Answer> answer =
        core::run_analysis(**analysis, **run, *filter, *params, thread_count(loading), {.stop = stop});
    if (!answer) return answer.error();
    const std::string name = text_of(arguments, "table", "main");
    const auto table = std::ranges::find(answer->tables, name, &core::NamedTable::name);
    if (table == answer->tables.end()) {
        std::string names;
        for (const core::NamedTable& each : answer->tables) names += (names.empty() ? "" : ", ") + each.name;
        return core::bad_input("argument table: there is no " + core::shorten_utf8(name, 100) + "; known are " + names);
    }
    const core::Result<core::DoctorReport> report = examine(*run, stop);
    if (!report) return report.error();
    const std::string command = command_of({"analyze", std::string((*analysis)->id)}, narrowing, *path);
    return answer_of(core::table_envelope({.analysis = **analysis,
                                           .run = **run,
                                           .filter = *filter,
                                           .params = *params,
                                           .answer = *answer,
                                           .table = table->table,
                                           .command = command},
                                          *report, {.rows = static_cast<std::size_t>(*limit)}));
}

// Cuts texts to the length that tables of analyses allow, and lists to the number of rows. True if anything was cut.
bool shorten_parts(Json& value) {
    if (value.is_string()) {
        const std::string text = value.get<std::string>();
        if (text.size() > core::EnvelopeLimits{}.cell_bytes)
            value = core::shorten_utf8(text, core::EnvelopeLimits{}.cell_bytes);
        return false;
    }
    bool is_cut = value.is_array() && value.size() > kMostRows;
    if (is_cut) value.erase(value.begin() + kMostRows, value.end());
    if (value.is_structured())
        for (Json& part : value) is_cut = shorten_parts(part) || is_cut;
    return is_cut;
}

// Number of leading rows that fit into the size limit of an answer.
std::size_t count_fitting(const Json& rows, std::size_t most) {
    std::size_t count = 0, bytes = 0;
    while (count < std::min(most, rows.size()) && bytes < kMostTextBytes)
        bytes += rows[count++].dump(-1, ' ', false, Json::error_handler_t::replace).size();
    return count;
}

void keep_first(Json& rows, std::size_t count) {
    if (rows.is_array() && rows.size() > count)
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
}

// Keeps that many rows with their statistics, and states how many there are.
void bound_comparison(Json& object, std::size_t most) {
    const std::string command = object.value("command", std::string());
    Json rows = std::move(object["rows"]);
    object["rows"] = Json::array();
    const std::size_t total = rows.size();
    keep_first(rows, most);
    shorten_parts(rows);
    keep_first(rows, count_fitting(rows, most));
    if (object.contains("statistics")) keep_first(object["statistics"]["rows"], rows.size());
    object["truncated"] = shorten_parts(object) || rows.size() < total;
    object["total_rows"] = total;
    object["rows"] = std::move(rows);
    object["command"] = command;
}

core::Result<Content> Tools::Impl::diff(const Arguments& arguments, const std::stop_token& stop) {
    const core::Result<std::int64_t> limit = limit_of(arguments);
    if (!limit) return limit.error();
    std::vector<std::string> words = {"diff"};
    for (const char* const side : {"baseline", "candidate"}) {
        const core::Result<fs::path> path = runs.confine(text_of(arguments, side));
        if (!path) return path.error();
        words.push_back("--" + std::string(side) + "=" + path->string());
    }
    const std::string analysis = text_of(arguments, "analysis", "temporal-breakdown");
    words.push_back(analysis == "waterfall" ? "--waterfall" : "--analysis=" + analysis);
    if (arguments.contains("table")) words.push_back("--table=" + text_of(arguments, "table"));
    add_filter_words(words, arguments);
    if (core::Result<bool> added = add_param_words(words, arguments); !added) return added.error();
    words = with_options(std::move(words));
    words.insert(words.end(), {"--format=json", "--quiet"});
    const core::Result<std::string> text = run_self(words, kMostChildBytes, stop);
    if (!text) return text.error();
    Json parsed = Json::parse(*text, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("rows") || !parsed["rows"].is_array())
        return core::Error{core::ErrorCode::Internal, "the comparison is not a table in JSON"};
    bound_comparison(parsed, static_cast<std::size_t>(*limit));
    return answer_of(std::move(parsed));
}

core::Result<Content> Tools::Impl::events(const Arguments& arguments, const std::stop_token& stop) {
    const core::Result<std::int64_t> limit = limit_of(arguments);
    if (!limit) return limit.error();
    const core::Result<core::Filter> filter = filter_of(arguments);
    if (!filter) return filter.error();
    const core::Result<core::RunPtr> opened = runs.open(text_of(arguments, "path"), stop);
    if (!opened) return opened.error();
    const core::Run& run = **opened;
    const core::Result<core::FoundEventsPtr> found =
        core::FoundEvents::search({.run = *opened,
                                   .text = core::parse_find_text(text_of(arguments, "find")),
                                   .filter = *filter,
                                   .selections = {}},
                                  {.stop = stop});
    if (!found) return found.error();
    const bool with_arguments = arguments.contains("arguments") && arguments["arguments"].get<bool>();
    Json rows = Json::array();
    std::size_t bytes = 0;
    core::EventRef event = (*found)->count() == 0 ? core::EventRef{} : (*found)->first_from(run.origin());
    const std::size_t most = std::min((*found)->count(), static_cast<std::size_t>(*limit));
    while (rows.size() < most && bytes < kMostTextBytes) {
        const core::RankSlot& rank = run.rank(event.slot);
        const core::RankTrace& trace = rank.trace();
        Json row = {{"rank", core::json_rank(rank.key)},
                    {"name", core::shorten_utf8(trace.name_text(event.event), 500)},
                    {"begin", (run.start_of(event) - run.origin()).count()},
                    {"duration", trace.duration[core::index_of(event.event)].count()},
                    {"category", trace.category_text(event.event)},
                    {"row", core::shorten_utf8(trace.text(trace.track_of(event.event).name), 200)}};
        if (const core::Step* const step = trace.step_of(event.event)) row["step"] = step->number;
        if (const std::optional<core::NcclChoice> choice = core::find_nccl_choice(run, event)) {
            row["nccl_algorithm"] = choice->algorithm;
            row["nccl_protocol"] = choice->protocol;
        }
        if (with_arguments)
            if (const core::Result<core::EventText> text = trace.event_text(event.event))
                row["arguments"] = core::shorten_utf8(text->arguments, 2000);
        bytes += row.dump(-1, ' ', false, Json::error_handler_t::replace).size();
        rows.push_back(std::move(row));
        event = (*found)->next_after(event);
    }
    Json envelope = {{"schema", "lockstep.events/1"},
                     {"lockstep", LOCKSTEP_VERSION},
                     {"run", run.name()},
                     {"units", {{"begin", "ns from the run's first event"}, {"duration", "ns"}}},
                     {"total_duration", (*found)->total().count()},
                     {"total_rows", (*found)->count()},
                     {"truncated", rows.size() < (*found)->count()}};
    envelope["rows"] = std::move(rows);
    const core::Result<core::DoctorReport> report = examine(*opened, stop);
    if (!report) return report.error();
    const core::EnvelopeRun sources[] = {{.run = run, .doctor = *report, .side = {}}};
    core::add_sources(envelope, sources);
    return answer_of(std::move(envelope));
}

core::Result<Content> Tools::Impl::sql(const Arguments& arguments, const std::stop_token& stop) {
    const core::Result<std::int64_t> limit = limit_of(arguments);
    if (!limit) return limit.error();
    const core::Result<std::int64_t> seconds = count_of(arguments, "seconds", kUsualQuerySeconds, kMostQuerySeconds);
    if (!seconds) return seconds.error();
    if (!arguments.contains("query")) return Content{.text = core::list_sql_tables(), .structured = {}, .png = {}};
    const std::string query = text_of(arguments, "query");
    if (query.size() > kMostQueryBytes)
        return core::bad_input("argument query: longer than " + std::to_string(kMostQueryBytes) + " bytes");
    const core::Result<core::Filter> filter = filter_of(arguments);
    if (!filter) return filter.error();
    if (const core::Result<bool> checked = core::check_sql(query); !checked) return checked.error();
    const core::Result<fs::path> path = runs.confine(text_of(arguments, "path"));
    if (!path) return path.error();
    const core::Result<core::RunPtr> run = runs.open(path->string(), stop);
    if (!run) return run.error();
    const core::SqlOptions how{.limits = {.time = std::chrono::seconds(*seconds),
                                          .memory_bytes = kQueryMemoryBytes,
                                          .result_bytes = kQueryResultBytes},
                               .threads = thread_count(loading),
                               .with_units = true};
    const core::Result<core::SqlAnswer> answer = core::run_sql(**run, *filter, query, how, {stop, nullptr});
    if (!answer) return answer.error();
    const core::Result<core::DoctorReport> report = examine(*run, stop);
    if (!report) return report.error();
    std::vector<std::string> narrowing;
    add_filter_words(narrowing, arguments);
    Json envelope = {{"schema", core::kTableSchema},
                     {"lockstep", LOCKSTEP_VERSION},
                     {"command", command_of({"sql"}, narrowing, *path, query)},
                     {"query", query},
                     {"run", (*run)->name()},
                     {"filter", core::format_filter(*filter)}};
    core::add_rows(envelope, answer->table, {.rows = static_cast<std::size_t>(*limit)}, answer->numbers);
    envelope["notes"] = Json::array();
    const core::EnvelopeRun sources[] = {{.run = **run, .doctor = *report, .side = {}}};
    core::add_sources(envelope, sources);
    return answer_of(std::move(envelope));
}

core::Result<Content> Tools::Impl::shot(const Arguments& arguments, const std::stop_token& stop) {
    const ScratchFolder scratch;
    if (scratch.path().empty())
        return core::Error{core::ErrorCode::Io, "cannot create a temporary folder for the picture"};
    std::vector<std::string> words = {"shot"};
    for (const auto& [name, option] : {std::pair("path", "--baseline="), std::pair("candidate", "--candidate=")}) {
        if (!arguments.contains(name)) continue;
        const core::Result<fs::path> path = runs.confine(text_of(arguments, name));
        if (!path) return path.error();
        if (ui::is_session_file(*path))  // a session names runs anywhere on the disk
            return core::bad_input(path->string() + ": is a session: name its runs as path and candidate");
        words.push_back(option + path->string());
    }
    for (const char* const name : {"panel", "goto"})
        if (arguments.contains(name)) words.push_back("--" + std::string(name) + "=" + text_of(arguments, name));
    words.push_back("--size=" + text_of(arguments, "size", "1280x720"));
    add_filter_words(words, arguments);
    words = with_options(std::move(words));
    std::vector<std::string> shown = words;
    shown.push_back("--out=shot.png");
    const fs::path file = scratch.path() / "shot.png";
    words.push_back("--out=" + file.string());
    const core::Result<std::string> done = run_self(words, kMostTextBytes, stop);
    if (!done) return done.error();
    core::Result<std::string> picture = core::read_small_file(file, kMostPictureBytes);
    if (!picture) return std::move(picture).error();
    return Content{.text = format_command(shown), .structured = {}, .png = *std::move(picture)};
}

Tools::Tools(const std::vector<fs::path>& roots, const Loading& loading, std::vector<std::string> option_words)
    : impl_(std::make_unique<Impl>(roots, loading, std::move(option_words))) {
    Impl& impl = *impl_;
    const auto add = [&](std::string_view name, std::string_view title, std::string_view description, Json (*schema)(),
                         auto call) {
        impl.tools.push_back(
            {.name = name,
             .title = title,
             .description = description,
             .schema = schema,
             .call = [schema, call](const Arguments& arguments, const std::stop_token& stop) -> core::Result<Content> {
                 if (core::Result<bool> checked = check_arguments(schema(), arguments); !checked)
                     return std::move(checked).error();
                 return call(arguments, stop);
             }});
    };
    add("info", "What a run is",
        "Ranks, devices, steps, events and versions of a run, what of it is missing, and what could mislead.",
        info_schema, [&impl](const Arguments& a, const std::stop_token& s) { return impl.info(a, s); });
    add("analyses", "What can be asked",
        "Every analysis in a line, or one with its definition, parameters and columns.", analyses_schema,
        [&impl](const Arguments& a, const std::stop_token&) { return impl.list(a); });
    add("analyze", "Run an analysis",
        "The table of one analysis of a run, with units, meanings, warnings and the command that repeats it.",
        analyze_schema, [&impl](const Arguments& a, const std::stop_token& s) { return impl.analyze(a, s); });
    add("diff", "Compare two runs",
        "One analysis on two runs: what changed, by how much, and whether the difference is more than noise.",
        diff_schema, [&impl](const Arguments& a, const std::stop_token& s) { return impl.diff(a, s); });
    add("events", "List events", "Events of a run by name, argument and filter, in order of time.", events_schema,
        [&impl](const Arguments& a, const std::stop_token& s) { return impl.events(a, s); });
    add("sql", "Query a run",
        "One SELECT over events, kernels, operators, collectives, steps and every analysis of a run: what no analysis "
        "answers. It only reads; time and memory are limited.",
        sql_schema, [&impl](const Arguments& a, const std::stop_token& s) { return impl.sql(a, s); });
    add("shot", "Picture of the window", "The window with the run, at a place, with a panel, as a picture.",
        shot_schema, [&impl](const Arguments& a, const std::stop_token& s) { return impl.shot(a, s); });
}

Tools::~Tools() = default;

std::span<const Tool> Tools::all() const { return impl_->tools; }

std::string_view instructions() {
    return "Lockstep reads GPU training traces: a folder with one file per rank is a run. Begin with info, then "
           "analyze findings: it "
           "names the rank, step, kernel or collective to look at. analyses says what else can be asked. Cite rank, "
           "step and time, "
           "repeat a number only with its unit and scope, and say so where a cell is null or a warning touches the "
           "number.";
}

}  // namespace app::mcp
