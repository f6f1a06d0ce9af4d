#include "ui/kept_marks.hpp"

#include <utility>

namespace ui {
namespace {

constexpr std::uint64_t kOfMarks = std::uint64_t{1}
                                   << 62;  // gestures of filters are numbered from below, of views above

Marks without_notes(Marks marks) {
    for (Mark& mark : marks.kept) mark.note.clear();
    for (std::optional<Bookmark>& bookmark : marks.bookmarks)
        if (bookmark) bookmark->note.clear();
    return marks;
}

// The one whose note differs, counted through marks and bookmarks; nullopt if more than one note does.
std::optional<std::size_t> find_typed_note(const Marks& before, const Marks& now) {
    if (!(without_notes(before) == without_notes(now))) return std::nullopt;
    std::optional<std::size_t> found;
    const auto compare = [&](std::size_t at, const std::string& a, const std::string& b) {
        if (a == b) return true;
        return !std::exchange(found, at).has_value();
    };
    for (std::size_t i = 0; i < now.kept.size(); ++i)
        if (!compare(i, before.kept[i].note, now.kept[i].note)) return std::nullopt;
    for (std::size_t i = 0; i < kBookmarks; ++i)
        if (now.bookmarks[i] && !compare(kMostMarks + i, before.bookmarks[i]->note, now.bookmarks[i]->note))
            return std::nullopt;
    return found;
}

}  // namespace

std::uint64_t KeptMarksKeeper::number_of(const Marks& marks) {
    known_[++last_] = marks;
    return last_;
}

void KeptMarksKeeper::follow(core::Session& session, States states) {
    if (session.marks() == noted_) return;
    noted_ = session.marks();
    typed_.reset();
    for (const core::Side side : core::kSides)
        if (const auto marks = known_.find(noted_[side]); session.run(side) && marks != known_.end())
            states[side]->marks = marks->second;
}

void KeptMarksKeeper::note(core::Session& session, States states, bool as_steps) {
    if (session.marks() != noted_) return;  // undone or redone just now: the next frame follows
    const bool goes_on = std::exchange(commits_, session.commits()) == session.commits();
    if (!goes_on) typed_.reset();
    core::BySide<std::uint64_t> now = noted_;
    bool stepped = false;
    std::optional<std::size_t> typed;
    for (const core::Side side : core::kSides) {
        if (!session.run(side)) continue;
        const Marks& marks = states[side]->marks;
        const auto before = known_.find(noted_[side]);
        if (before != known_.end() && before->second == marks) continue;
        if (before != known_.end()) {
            stepped = true;
            typed = find_typed_note(before->second, marks);
            if (typed && side == core::Side::Candidate) *typed += kMostMarks + kBookmarks;
            if (goes_on && as_steps && typed && typed == typed_) {  // the same step
                before->second = marks;
                continue;
            }
        }
        now[side] = number_of(marks);
    }
    if (now == noted_) return;
    typed_ = typed;
    session.set_marks(now, as_steps && stepped ? kOfMarks + ++gesture_ : 0);
    noted_ = session.marks();
    commits_ = session.commits();
}

}  // namespace ui
