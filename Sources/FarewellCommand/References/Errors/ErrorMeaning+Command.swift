// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of the command, its files and the examples.
extension ErrorMeaning {
    static let command: [ErrorMeaning] = [
        .init(
            "command.identifier-short", .yoursToFix,
            "An identifier for a search is so short that it would match almost anything.",
            "Give a longer identifier."),
        .init(
            "command.list-blank", .yoursToFix, "A name in a list is empty, or begins or ends with a blank.",
            "Remove the blank, or give the name with the option itself."),
        .init(
            "command.list-comment", .yoursToFix, "A comment in a list of subjects is also the key of a subject.",
            "Give the key with --subject, or write other words into the comment."),
        .init(
            "command.list-empty", .yoursToFix, "The list of subjects or identifiers is empty.",
            "Write one name on each line; # begins a comment."),
        .init(
            "command.list-unreadable", .yoursToFix, "The list file cannot be read.",
            "Give a text file in UTF-8 of at most 64 MiB, or - for standard input."),
        .init(
            "command.misuse", .yoursToFix, "The arguments of the command are not valid.",
            "Read the message, and the help of the command."),
        .init(
            "command.no-database", .yoursToFix, "No database is named.",
            "Give --database, or set FAREWELL_DATABASE_URL."),
        .init("command.not-text", .yoursToFix, "An argument is not text in UTF-8.", "Write it in UTF-8."),
        .init(
            "command.output-unwritable", .yoursToFix, "The output of the command cannot be written.",
            "Check the destination of the output."),
        .init(
            "command.pooled", .yoursToFix, "FAREWELL_DATABASE_POOLED has a value that is not detect, true or false.",
            "Correct or unset the variable."),
        .init(
            "command.statement-timeout", .yoursToFix,
            "FAREWELL_DATABASE_STATEMENT_TIMEOUT is not a number of seconds from 1 to 86400.",
            "Correct or unset the variable."),
        .init(
            "command.subject-column", .yoursToFix, "--subject does not name a table and its key.",
            "Write table.column or schema.table.column."),
        .init(
            "command.unconfirmed", .yoursToFix, "The command needs a confirmation, and its input is no terminal.",
            "Check the effect first, then add --yes."),
        .init(
            "command.unknown-answer", .yoursToFix, "--answer has a value that is no answer.",
            "Write owner, reference, anonymise or \"not personal\"."),
        .init(
            "demo.folder", .yoursToFix, "The state directory has files, and farewell demo did not make it.",
            "Name another folder with --state."),
        .init(
            "demo.person", .yoursToFix, "All users of the demo are deleted.",
            "Remove the folder of the demo and start it again."),
        .init(
            "doctor.clocks-apart", .yoursToFix,
            "The clock of this machine differs from PostgreSQL's by more than a minute.",
            "Set both clocks by NTP, then confirm."),
        .init(
            "fence.sqlite", .yoursToFix, "The plan is for SQLite, for which there is no fence trigger.",
            "Leave it out. Farewell sweeps once more before the end of the erasure and reads back later."),
        .init(
            "file.not-an-output", .yoursToFix,
            "--output names a file that is no earlier output, such as a database or a plan.",
            "Name another file, or remove this one."),
        .init(
            "file.unwritable", .yoursToFix, "A file that the command writes cannot be written.",
            "Create its folder, or allow writing to it."),
        .init(
            "sample.bad-count", .yoursToFix, "The number of sample users is not valid.",
            "Give a number in the range that the message names."),
        .init(
            "sample.no-examples", .yoursToFix, "The folder Examples was not found.",
            "Run farewell-sample in a checkout of Farewell, or name the folder with --examples."),
        .init("sample.no-photos", .yoursToFix, "The chosen example has no photos.", "Use the profile muse."),
        .init(
            "sample.no-table", .yoursToFix, "A table of the example is missing from the database.",
            "Create the example database again."),
        .init(
            "sample.not-empty", .yoursToFix, "The database already has tables of the example.",
            "Give an empty database."),
        .init(
            "sample.photos-failed", .yoursToFix, "The photos of the example cannot be written.",
            "Give a folder that can be written."),
        .init(
            "serve.forbidden", .yoursToFix, "This user may not listen on the address or port.",
            "Grant CAP_NET_BIND_SERVICE for ports below 1024, or choose another port."),
        .init(
            "serve.no-address", .yoursToFix, "http.host is no address of this machine.",
            "Give an address that it has: 127.0.0.1, 0.0.0.0 or ::1."),
        .init(
            "serve.port-taken", .yoursToFix, "Another program listens on the port.",
            "Stop that program, or choose another port."),
        .init(
            "serve.system", .yoursToFix, "The operating system is too old for the server.",
            "Use macOS 15 or later, or Linux."),
        .init(
            "unexpected", .ours, "An unexpected error ended the command.", "Report it: it is a defect of Farewell."),
        .init(
            "work.no-plan", .yoursToFix, "The worker has no plan, or its concurrency is 0.",
            "Set erasures.plan, and erasures.concurrency to 1 or more."),
        .init(
            "work.sqlite", .yoursToFix, "Separate workers need PostgreSQL.",
            "Let farewell serve do the work, or move to PostgreSQL."),
    ]
}
