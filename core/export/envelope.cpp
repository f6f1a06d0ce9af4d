#include "core/export/envelope.hpp"

#include "core/base/utf8.hpp"
#include "core/query/filter_text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace core {
namespace {

constexpr std::size_t kMostFiles = 16;
constexpr std::size_t kMostWarnings = 20;

SmallJson json_cell(const Table& table, std::size_t row, std::size_t column, std::size_t most,
                    const NumberCells& numbers) {
    if (table.absent(row, column)) return nullptr;
    if (is_number_cell(numbers, row, column)) return SmallJson::parse(table.text(row, column), nullptr, false);
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text) return shorten_utf8(table.text(row, column), most);
    if (unit == Unit::Rank) return json_rank(RankKey::unpacked(table.integer(row, column)));
    if (is_integer(unit)) return table.integer(row, column);
    const double number = table.number(row, column);
    return std::isfinite(number) ? SmallJson(number) : SmallJson(nullptr);
}

void add_files(SmallJson& files, const EnvelopeRun& of) {
    std::size_t count = 0;
    for (const RankSlot& rank : of.run.ranks()) {
        if (count++ == kMostFiles) break;
        const RankInfo& info = rank.trace().info;
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(info.path, unknown);
        SmallJson& file = files.emplace_back(SmallJson{{"rank", json_rank(rank.key)}, {"path", info.path.string()}});
        if (!unknown) file["bytes"] = bytes;
        if (!of.side.empty()) file["side"] = of.side;
    }
}

void add_warnings(SmallJson& warnings, const EnvelopeRun& of) {
    std::size_t count = 0;
    for (const DoctorFinding& finding : of.doctor.findings) {
        if (finding.severity == DoctorSeverity::Note || count == kMostWarnings) continue;
        ++count;
        SmallJson& one = warnings.emplace_back(SmallJson{{"id", finding.rule->id},
                                                         {"severity", name_of(finding.severity)},
                                                         {"text", shorten_utf8(finding.text, 500)},
                                                         {"means", finding.rule->means}});
        if (!finding.ranks.empty()) one["ranks"] = format_ranks(finding.ranks);
        if (!of.side.empty()) one["side"] = of.side;
    }
}

}  // namespace

void add_rows(SmallJson& envelope, const Table& table, const EnvelopeLimits& limits, const NumberCells& numbers) {
    envelope["columns"] = json_columns(table.columns());
    SmallJson rows = SmallJson::array();
    std::size_t bytes = 0;
    for (std::size_t row = 0; row < table.rows() && row < limits.rows && bytes < limits.bytes; ++row) {
        SmallJson cells = SmallJson::array();
        for (std::size_t column = 0; column < table.columns().size(); ++column)
            cells.push_back(json_cell(table, row, column, limits.cell_bytes, numbers));
        bytes += cells.dump(-1, ' ', false, SmallJson::error_handler_t::replace).size();
        rows.push_back(std::move(cells));
    }
    envelope["total_rows"] = table.rows();
    envelope["truncated"] = rows.size() < table.rows();
    envelope["rows"] = std::move(rows);
}

void add_sources(SmallJson& envelope, std::span<const EnvelopeRun> runs) {
    SmallJson files = SmallJson::array(), warnings = SmallJson::array();
    std::size_t total = 0;
    for (const EnvelopeRun& one : runs) {
        total += one.run.ranks().size();
        add_files(files, one);
        add_warnings(warnings, one);
    }
    envelope["files"] = std::move(files);
    envelope["total_files"] = total;
    envelope["warnings"] = std::move(warnings);
}

std::string json_sources(std::span<const EnvelopeRun> runs) {
    SmallJson sources = SmallJson::object();
    add_sources(sources, runs);
    return json_members(sources);
}

SmallJson table_envelope(const EnvelopeOf& of, const DoctorReport& doctor, const EnvelopeLimits& limits) {
    SmallJson envelope = {{"schema", kTableSchema},
                          {"lockstep", LOCKSTEP_VERSION},
                          {"command", of.command},
                          {"analysis", of.analysis.id},
                          {"run", of.run.name()},
                          {"filter", format_filter(of.filter)},
                          {"params", json_params(of.analysis, of.params)}};
    add_rows(envelope, of.table, limits);
    SmallJson others = SmallJson::array();
    for (const NamedTable& named : of.answer.tables)
        if (&named.table != &of.table) others.push_back({{"table", named.name}, {"rows", named.table.rows()}});
    envelope["other_tables"] = std::move(others);
    envelope["notes"] = json_notes(of.analysis, of.run, of.filter, of.answer, of.table);
    const EnvelopeRun runs[] = {{.run = of.run, .doctor = doctor, .side = {}}};
    add_sources(envelope, runs);
    return envelope;
}

}  // namespace core
