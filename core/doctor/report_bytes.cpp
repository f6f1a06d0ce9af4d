#include "core/doctor/report_bytes.hpp"

#include "core/cluster/byte_codec.hpp"

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

void write_rank_stats(ByteWriter& out, const DoctorStats& rank_stats) {
    out.unsigned_number(rank_stats.files);
    write_ranges(out, rank_stats.present);
    write_ranges(out, rank_stats.missing);
    out.flag(rank_stats.world_size.has_value());
    out.number(rank_stats.world_size.value_or(0));
    write_ranges(out, rank_stats.common_steps);
    out.flag(rank_stats.overlap.has_value());
    out.real(rank_stats.overlap.value_or(0));
    out.unsigned_number(static_cast<std::uint64_t>(rank_stats.clocks));
    out.flag(rank_stats.clock_spread.has_value());
    out.number(rank_stats.clock_spread.value_or(Duration{}).count());
    out.number(rank_stats.clock_residual.count());
    out.unsigned_number(rank_stats.collectives);
}

DoctorStats read_rank_stats(ByteReader& in) {
    DoctorStats rank_stats;
    rank_stats.files = static_cast<std::size_t>(in.unsigned_number());
    rank_stats.present = read_ranges(in);
    rank_stats.missing = read_ranges(in);
    const bool has_world = in.flag();
    const std::int64_t world = in.number();
    if (has_world) rank_stats.world_size = world;
    rank_stats.common_steps = read_ranges(in);
    const bool has_overlap = in.flag();
    const double overlap = in.real();
    if (has_overlap) rank_stats.overlap = overlap;
    rank_stats.clocks = static_cast<ClockState>(in.below(static_cast<std::uint64_t>(ClockState::Aligned) + 1));
    const bool has_spread = in.flag();
    const Duration spread{in.number()};
    if (has_spread) rank_stats.clock_spread = spread;
    rank_stats.clock_residual = Duration{in.number()};
    rank_stats.collectives = static_cast<std::size_t>(in.unsigned_number());
    return rank_stats;
}

}  // namespace

std::string encode_report(const DoctorReport& report) {
    ByteWriter out;
    write_rank_stats(out, report.rank_stats);
    out.unsigned_number(report.findings.size());
    for (const DoctorFinding& finding : report.findings) {
        out.text(finding.rule->id);
        out.unsigned_number(static_cast<std::uint64_t>(finding.severity));
        out.unsigned_number(finding.ranks.size());
        for (const RankKey rank : finding.ranks) out.number(rank.packed());
        out.unsigned_number(finding.count);
        out.text(finding.text);
        out.text(finding.example.text);
        out.text(finding.remedy);
    }
    return std::move(out).take();
}

Result<DoctorReport> decode_report(std::string_view bytes) {
    ByteReader in(bytes);
    DoctorReport report;
    report.rank_stats = read_rank_stats(in);
    constexpr std::size_t kLeastBytesOfFinding = 7;
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
        finding.remedy = in.text();
        report.findings.push_back(std::move(finding));
    }
    if (!in.ok() || !in.at_end()) return bad_input("the doctor's report is damaged");
    return report;
}

}  // namespace core
