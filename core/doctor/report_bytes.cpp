#include "core/doctor/report_bytes.hpp"

#include "core/cluster/bytes.hpp"

#include <algorithm>

namespace core {
namespace {

void write_ranges(ByteWriter& out, const std::vector<NumberRange>& ranges) {
    out.unsigned_number(ranges.size());
    for (const NumberRange& range : ranges) {
        out.number(range.first);
        out.number(range.last);
    }
}

std::vector<NumberRange> read_ranges(ByteReader& in) {
    std::vector<NumberRange> ranges(in.items(2));
    for (NumberRange& range : ranges) {
        range.first = in.number();
        range.last = in.number();
        // Whoever counts them adds up their lengths.
        constexpr std::int64_t kFar = std::int64_t{1} << 40;
        if (range.first > range.last || range.first < -kFar || range.last > kFar) in.fail();
    }
    return ranges;
}

void write_vitals(ByteWriter& out, const DoctorVitals& vitals) {
    out.unsigned_number(vitals.files);
    write_ranges(out, vitals.present);
    write_ranges(out, vitals.missing);
    out.flag(vitals.world_size.has_value());
    out.number(vitals.world_size.value_or(0));
    write_ranges(out, vitals.common_steps);
    out.flag(vitals.overlap.has_value());
    out.real(vitals.overlap.value_or(0));
    out.unsigned_number(static_cast<std::uint64_t>(vitals.clocks));
    out.flag(vitals.clock_spread.has_value());
    out.number(vitals.clock_spread.value_or(Duration{}).count());
    out.number(vitals.clock_residual.count());
    out.unsigned_number(vitals.collectives);
}

DoctorVitals read_vitals(ByteReader& in) {
    DoctorVitals vitals;
    vitals.files = static_cast<std::size_t>(in.unsigned_number());
    vitals.present = read_ranges(in);
    vitals.missing = read_ranges(in);
    const bool has_world = in.flag();
    const std::int64_t world = in.number();
    if (has_world) vitals.world_size = world;
    vitals.common_steps = read_ranges(in);
    const bool has_overlap = in.flag();
    const double overlap = in.real();
    if (has_overlap) vitals.overlap = overlap;
    vitals.clocks = static_cast<ClockState>(in.below(static_cast<std::uint64_t>(ClockState::Aligned) + 1));
    const bool has_spread = in.flag();
    const Duration spread{in.number()};
    if (has_spread) vitals.clock_spread = spread;
    vitals.clock_residual = Duration{in.number()};
    vitals.collectives = static_cast<std::size_t>(in.unsigned_number());
    return vitals;
}

}  // namespace

std::string encode_report(const DoctorReport& report) {
    ByteWriter out;
    write_vitals(out, report.vitals);
    out.unsigned_number(report.findings.size());
    for (const DoctorFinding& finding : report.findings) {
        out.text(finding.rule->id);
        out.unsigned_number(static_cast<std::uint64_t>(finding.severity));
        out.unsigned_number(finding.ranks.size());
        for (const RankKey rank : finding.ranks) out.number(rank.packed());
        out.unsigned_number(finding.count);
        out.text(finding.text);
        out.text(finding.example.text);
    }
    return std::move(out).take();
}

Result<DoctorReport> decode_report(std::string_view bytes) {
    ByteReader in(bytes);
    DoctorReport report;
    report.vitals = read_vitals(in);
    constexpr std::size_t kLeastBytesOfFinding = 6;
    for (std::size_t left = in.items(kLeastBytesOfFinding); left > 0 && in.ok(); --left) {
        DoctorFinding finding;
        const std::string_view id = in.text();
        const auto rule = std::ranges::find(all_doctor_rules(), id, &DoctorRule::id);
        if (rule == all_doctor_rules().end()) return bad_input("the doctor's report is damaged");
        finding.rule = &*rule;
        finding.severity = static_cast<DoctorSeverity>(in.below(static_cast<std::uint64_t>(DoctorSeverity::Error) + 1));
        finding.ranks.resize(in.items(1));
        for (RankKey& rank : finding.ranks) rank = RankKey::unpacked(in.number());
        finding.count = in.unsigned_number();
        finding.text = in.text();
        finding.example.text = in.text();
        report.findings.push_back(std::move(finding));
    }
    if (!in.ok() || !in.at_end()) return bad_input("the doctor's report is damaged");
    return report;
}

}  // namespace core
