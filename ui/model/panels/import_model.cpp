#include "ui/model/panels/import_model.hpp"

#include "core/index/count_files.hpp"

#include <algorithm>

namespace ui {
namespace {

void add(core::RecordCounts& sum, const core::RecordCounts& more) {
    for (auto count : {&core::RecordCounts::total, &core::RecordCounts::complete, &core::RecordCounts::paired,
                       &core::RecordCounts::instants, &core::RecordCounts::counters, &core::RecordCounts::flows,
                       &core::RecordCounts::metadata, &core::RecordCounts::dropped})
        sum.*count += more.*count;
}

}  // namespace

ImportModel ImportModel::of(const core::Run& run) {
    ImportModel model;
    model.files = core::count_files(run);
    for (const core::RankSlot& rank : run.ranks()) {
        model.bytes += rank.trace().info.file_bytes;
        add(model.records, rank.trace().info.records);
    }
    const core::Diagnostics all = run.all_diagnostics();
    for (const core::Diagnostic& diagnostic : all.entries()) {
        ImportEntry entry{diagnostic, {}};
        for (const core::RankSlot& rank : run.ranks())
            if (rank.trace().diagnostics.count(diagnostic.kind->id) > 0) entry.ranks.push_back(rank.key);
        ++model.kinds[static_cast<std::size_t>(diagnostic.kind->severity)];
        model.entries.push_back(std::move(entry));
    }
    std::ranges::stable_sort(model.entries, std::greater{},
                             [](const ImportEntry& entry) { return entry.diagnostic.kind->severity; });
    return model;
}

bool needs_import(const core::Run& run) {
    struct Needs {
        bool any = false;
    };
    return run.derived()
        .get<Needs>([&] {
            const core::Diagnostics all = run.all_diagnostics();
            return std::make_shared<const Needs>(
                Needs{std::ranges::any_of(all.entries(), [](const core::Diagnostic& diagnostic) {
                    return diagnostic.kind->severity != core::Severity::Note;
                })});
        })
        ->any;
}

}  // namespace ui
