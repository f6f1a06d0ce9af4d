#include "core/analysis/run/answer_bytes.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::uint64_t kUnits = static_cast<std::uint64_t>(Unit::FlopPerByte) + 1;
constexpr std::uint64_t kRoles = static_cast<std::uint64_t>(Role::Info) + 1;
constexpr std::uint64_t kFacets = static_cast<std::uint64_t>(Facet::Annotation) + 1;
constexpr std::uint64_t kBetters = static_cast<std::uint64_t>(Better::Neither) + 1;

template <class Enum>
void write_enum(ByteWriter& out, Enum value) {
    out.unsigned_number(static_cast<std::uint64_t>(value));
}

// Texts of a table, each once. Writer and reader begin with what an empty pool holds.
class Texts {
public:
    Texts() {
        for (; written_ < pool_.size(); ++written_)
            known_.push_back(pool_.text(NameId{static_cast<std::uint32_t>(written_)}));
    }
    void write(ByteWriter& out, std::string_view text) {
        const NameId id = pool_.intern(text);
        const bool fresh = index_of(id) == written_;
        out.unsigned_number(index_of(id));
        if (!fresh) return;
        out.text(text);
        ++written_;
    }
    std::string_view read(ByteReader& in) {
        const auto id = static_cast<std::size_t>(in.below(known_.size() + 1));
        if (id == known_.size()) known_.push_back(in.text());
        return known_[id];
    }

private:
    StringPool pool_;
    std::size_t written_ = 0;
    std::vector<std::string_view> known_;
};

// A bit per row, the lowest first; nothing where no cell is absent.
void write_absent(ByteWriter& out, const Table& table, std::size_t column) {
    std::string bits((table.rows() + 7) / 8, '\0');
    bool any = false;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!table.absent(row, column)) continue;
        bits[row / 8] = static_cast<char>(static_cast<unsigned char>(bits[row / 8]) | 1U << (row % 8));
        any = true;
    }
    out.text(any ? bits : std::string_view());
}

// Empty where no cell is absent.
std::string_view read_absent(ByteReader& in, std::size_t rows) {
    const std::string_view bits = in.text();
    if (!bits.empty() && bits.size() != (rows + 7) / 8) in.fail();
    return bits;
}

bool is_absent(std::string_view bits, std::size_t row) {
    return !bits.empty() && (static_cast<unsigned char>(bits[row / 8]) >> (row % 8) & 1U) != 0;
}

void write_table(ByteWriter& out, const Table& table) {
    Texts texts;
    out.unsigned_number(table.rows());
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const Unit unit = table.columns()[c].unit;
        write_absent(out, table, c);
        for (std::size_t row = 0; row < table.rows(); ++row) {
            if (table.absent(row, c)) continue;
            if (unit == Unit::Text)
                texts.write(out, table.text(row, c));
            else if (is_integer(unit))
                out.number(table.integer(row, c));
            else
                out.real(table.number(row, c));
        }
    }
}

void write_series(ByteWriter& out, const Series& series) {
    out.text(series.name);
    out.unsigned_number(series.slot);
    write_enum(out, series.unit);
    out.unsigned_number(series.time.size());
    for (const RunTime time : series.time) out.number(ns_of(time));
    out.unsigned_number(series.value.size());
    for (const double value : series.value) out.real(value);
}

Series read_series(ByteReader& in) {
    Series series;
    series.name = in.text();
    series.slot = static_cast<std::uint32_t>(in.below(std::uint64_t{1} << 32));
    series.unit = static_cast<Unit>(in.below(kUnits));
    series.time.resize(in.items(1));
    for (RunTime& time : series.time) time = run_time(in.number());
    series.value.resize(in.items(8));
    for (double& value : series.value) value = in.real();
    return series;
}

void write_mark(ByteWriter& out, const Mark& mark) {
    out.unsigned_number(mark.event.slot);
    out.unsigned_number(index_of(mark.event.event));
    out.text(mark.label);
    out.flag(mark.place.has_value());
    if (!mark.place) return;
    out.number(ns_of(mark.place->begin));
    out.number(ns_of(mark.place->end));
}

Mark read_mark(ByteReader& in) {
    constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
    Mark mark;
    mark.event.slot = static_cast<std::uint32_t>(in.below(kEnd));
    mark.event.event = EventId{static_cast<std::uint32_t>(in.below(kEnd))};
    mark.label = in.text();
    if (!in.flag()) return mark;
    const RunTime begin = run_time(in.number());
    mark.place = RunRange{begin, run_time(in.number())};
    return mark;
}

}  // namespace

void AnswerWriter::write_columns(ByteWriter& out, const std::vector<Column>& columns) {
    const auto known = std::ranges::find(known_, columns);
    out.unsigned_number(static_cast<std::uint64_t>(known - known_.begin()));
    if (known != known_.end()) return;
    out.unsigned_number(columns.size());
    for (const Column& column : columns) {
        out.text(column.name);
        write_enum(out, column.unit);
        write_enum(out, column.role);
        write_enum(out, column.facet);
        out.text(column.meaning);
        out.flag(column.adds_up);
        out.text(column.counted_by);
        write_enum(out, column.better);
    }
    known_.push_back(columns);
}

const std::vector<Column>* AnswerReader::read_columns(ByteReader& in) {
    const auto place = static_cast<std::size_t>(in.below(known_.size() + 1));
    if (!in.ok()) return nullptr;
    if (place < known_.size()) return &known_[place];
    constexpr std::size_t kLeastBytesOfColumn = 8;
    std::vector<Column> columns(in.items(kLeastBytesOfColumn));
    for (Column& column : columns) {
        column.name = in.text();
        column.unit = static_cast<Unit>(in.below(kUnits));
        column.role = static_cast<Role>(in.below(kRoles));
        column.facet = static_cast<Facet>(in.below(kFacets));
        column.meaning = in.text();
        column.adds_up = in.flag();
        column.counted_by = in.text();
        column.better = static_cast<Better>(in.below(kBetters));
    }
    if (!in.ok()) return nullptr;
    known_.push_back(std::move(columns));
    return &known_.back();
}

Table AnswerReader::read_table(ByteReader& in) {
    const std::vector<Column>* const columns = read_columns(in);
    if (!columns) return {};
    // A cell takes a bit at least, which bounds what damaged bytes can ask for.
    const auto rows = static_cast<std::size_t>(in.below(std::uint64_t{in.left()} * 8 + 1));
    if (!in.ok()) return {};
    Texts texts;
    std::vector<std::vector<Cell>> cells(columns->size());
    for (std::size_t c = 0; c < columns->size() && in.ok(); ++c) {
        const Unit unit = (*columns)[c].unit;
        const std::string_view absent = read_absent(in, rows);
        const bool may_have_rows = !absent.empty() || rows <= in.left();
        if (!may_have_rows) in.fail();
        if (!in.ok()) return {};
        cells[c].resize(rows);
        for (std::size_t row = 0; row < rows && in.ok(); ++row) {
            if (is_absent(absent, row)) continue;
            if (unit == Unit::Text)
                cells[c][row] = texts.read(in);
            else if (is_integer(unit))
                cells[c][row] = in.number();
            else
                cells[c][row] = in.real();
        }
    }
    if (!in.ok()) return {};
    Table table(*columns);
    std::vector<Cell> line(columns->size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t c = 0; c < columns->size(); ++c) line[c] = cells[c][row];
        table.add_row(line);
    }
    return table;
}

void AnswerWriter::write(ByteWriter& out, const Answer& answer) {
    out.unsigned_number(answer.tables.size());
    for (const NamedTable& named : answer.tables) {
        out.text(named.name);
        write_columns(out, named.table.columns());
        write_table(out, named.table);
    }
    out.unsigned_number(answer.series.size());
    for (const Series& series : answer.series) write_series(out, series);
    out.unsigned_number(answer.marks.size());
    for (const Mark& mark : answer.marks) write_mark(out, mark);
    out.unsigned_number(answer.excluded.size());
    for (const Excluded& excluded : answer.excluded) {
        out.text(excluded.what);
        out.unsigned_number(excluded.count);
    }
}

Result<Answer> AnswerReader::read(ByteReader& in) {
    constexpr std::size_t kLeastBytesOfTable = 3, kLeastBytesOfSeries = 5, kLeastBytesOfMark = 4;
    Answer answer;
    for (std::size_t left = in.items(kLeastBytesOfTable); left > 0 && in.ok(); --left) {
        std::string name(in.text());
        answer.tables.push_back({std::move(name), read_table(in)});
    }
    for (std::size_t left = in.items(kLeastBytesOfSeries); left > 0 && in.ok(); --left)
        answer.series.push_back(read_series(in));
    for (std::size_t left = in.items(kLeastBytesOfMark); left > 0 && in.ok(); --left)
        answer.marks.push_back(read_mark(in));
    for (std::size_t left = in.items(2); left > 0 && in.ok(); --left) {
        std::string what(in.text());
        answer.excluded.push_back({std::move(what), in.unsigned_number()});
    }
    if (!in.ok()) return Error{ErrorCode::Internal, "an answer of another process is not whole"};
    return answer;
}

}  // namespace core
