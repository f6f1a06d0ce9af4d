#include "app/command_run.hpp"
#include "app/options.hpp"
#include "core/base/terminal_text.hpp"
#include "core/export/first_page.hpp"
#include "core/export/report/run_facts.hpp"

#include <algorithm>
#include <thread>

namespace app {
namespace {

// Ranks whose files disappear meanwhile are described as gone.
core::Result<std::string> describe(core::RunPtr& run, const Output& output, unsigned threads,
                                   const std::stop_token& stop) {
    const std::size_t columns = output.file.empty() ? terminal_columns() : 0;
    for (;;) {
        core::Result<core::DoctorReport> doctor = core::examine_run(*run, threads, {.stop = stop});
        if (!doctor) return std::move(doctor).error();
        std::string first;
        if (columns > 0 && output.format == Format::Table) {
            const core::Result<core::FirstPage> page = core::read_first_page(*run, threads, {.stop = stop});
            if (!page) return page.error();
            first = core::format_first_page(*page, terminal_style());
        }
        const core::RunFacts facts = core::collect_facts(*run, std::move(*doctor));
        const std::string lines = output.format == Format::Json ? std::string() : core::format_facts(facts, columns);
        std::string text = output.format == Format::Json
                               ? core::facts_to_json(facts, *run, {.command = output.command, .sources = {}})
                               : first + (first.empty() ? lines : core::terminal_lines(lines));
        core::RunPtr present = core::without_gone_ranks(run);
        if (present == run) return text;
        run = std::move(present);
    }
}

}  // namespace

int run_info(Arguments args) {
    const std::vector<Option> known = join_options({output_options(), loading_options()});
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage("info", options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command("info"), known));
    const core::Result<Output> output = read_output(*options, "info");
    if (!output) return refuse_usage("info", output.error().message);
    if (output->format == Format::Csv) return refuse_usage("info", "--format: info supports table and json");
    core::Result<Loading> loading = read_loading(*options);
    if (!loading) return refuse_usage("info", loading.error().message);
    loading->takes_summary = true;
    if (options->words().empty()) return refuse_usage("info", "needs the PATH of a run");

    const Interrupt interrupt;
    const Target target = target_of(*output, options->words());
    if (!check_target(target)) return kFailed;
    core::Result<core::RunPtr> run = open_run(options->words(), *loading, output->quiet, interrupt.token());
    if (!run) return report_failure(run.error());
    const unsigned threads = loading->threads ? loading->threads : std::max(1u, std::thread::hardware_concurrency());
    const core::Result<std::string> text = describe(*run, *output, threads, interrupt.token());
    if (!text) return report_failure(text.error());
    Target written = target;
    if (output->format == Format::Table && output->file.empty() && terminal_columns() > 0)
        written.kind = TextKind::Raw;  // colours; its texts were made safe
    return status_of(write_output(*text, written), {run->get()});
}

}  // namespace app
