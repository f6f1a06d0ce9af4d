#!/usr/bin/env bash
# Writes the man page from what the program says of itself: scripts/make_man.sh LOCKSTEP > lockstep.1
set -euo pipefail
program=${1:?"usage: scripts/make_man.sh LOCKSTEP"}
version=$("$program" --version | awk '{print $2}')

escape() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }

cat <<EOF
.TH LOCKSTEP 1 "" "Lockstep $version" "User Commands"
.SH NAME
lockstep \- shows GPU training traces of every rank at once
.SH SYNOPSIS
.B lockstep
[\fIPATH\fR...]
.br
.B lockstep
\fICOMMAND\fR ...
.SH DESCRIPTION
Without a command, opens the window. A folder or a file is one run, two paths are two runs to compare.
.nf
EOF
"$program" --help | escape
printf '.fi\n.SH COMMANDS\n'
"$program" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p' | while read -r command; do
    printf '.SS %s\n.nf\n' "$command"
    "$program" "$command" --help | escape
    printf '.fi\n'
done
cat <<'EOF'
.SH FILES
Index files lie beside the traces, or in
.IR ~/.cache/lockstep ;
recent runs and unsaved work in
.IR ~/.local/state/lockstep ;
settings in
.IR ~/.config/lockstep .
.SH SEE ALSO
The documents in
.IR /usr/share/doc/lockstep .
EOF
