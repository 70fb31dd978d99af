// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of plans, schemas, folders and exports.
extension ErrorMeaning {
    static let plan: [ErrorMeaning] = [
        .init("export.busy", .tryAgain, "Another process is writing the same export.", "Wait for it to finish."),
        .init(
            "export.count", .ours, "The number of exported rows differs from the counted rows.",
            "Export again; if it happens again, report it."),
        .init(
            "export.erasing", .yoursToFix, "An erasure of the account was requested, so it is not exported.",
            "Cancel the erasure first, if it can be cancelled."),
        .init(
            "export.exists", .yoursToFix, "The output of the export exists already.",
            "Name another output, or remove the existing one."),
        .init(
            "export.foreign", .yoursToFix, "The hidden folder beside the output is another user's, or not a folder.",
            "Remove it, or name another output."),
        .init(
            "export.live", .yoursToFix, "The account has an export already.",
            "Read it with GET /v1/exports, or remove it to request another one."),
        .init(
            "export.malformed", .yoursToFix, "The manifest of the export cannot be read by this version.",
            "Use the version that made the export, or a newer one."),
        .init(
            "export.missing", .yoursToFix, "There is no folder at the path of the export.",
            "Name the folder that farewell export made."),
        .init(
            "export.name", .ours, "A file of the export has no safe name.", "Report it: it is a defect of Farewell."),
        .init(
            "export.not-found", .yoursToFix, "The caller has no such export here; it may have expired.",
            "Request a new export."),
        .init(
            "export.not-ready", .yoursToFix, "The archive of the export is not complete.",
            "Read the export until its state is ready."),
        .init(
            "export.nothing", .yoursToFix, "The database has no data of the account.",
            "Check the plan's subject and the token's subject."),
        .init(
            "export.not-one", .yoursToFix, "The folder is not a complete export.",
            "Name the folder that farewell export made."),
        .init(
            "export.output", .yoursToFix, "The output of the export is not possible at this path.",
            "Name a new folder outside the subject's files."),
        .init(
            "export.system", .tryAgain, "A third-party system of the plan cannot be read for the export now.",
            "Read the system's message; then export again."),
        .init(
            "export.too-large", .yoursToFix, "The export has more bytes than export.bytes allows.",
            "Raise export.bytes, or export the subject with farewell export."),
        .init(
            "folder.leftovers", .tryAgain, "Files of the subject still exist after the erasure.",
            "Find the program that writes them, then resume the erasure."),
        .init(
            "folder.other-file-system", .yoursToFix, "Another disk is mounted below the root of a folder.",
            "Make that disk a folder of its own in the plan, or unmount it."),
        .init(
            "folder.read-only", .yoursToFix, "The root of a folder cannot be changed by this user.",
            "Grant the right to write there, or run Farewell as another user."),
        .init(
            "folder.root-missing", .yoursToFix, "The root of a folder does not exist.",
            "Mount it, or correct root in the plan."),
        .init(
            "folder.root-not-a-folder", .yoursToFix, "The root of a folder is a link or a file.",
            "Name the real folder as root in the plan."),
        .init(
            "folder.subject", .yoursToFix, "The subject's key cannot be the name of a folder.",
            "Name the subject's files by a column instead."),
        .init(
            "folder.template", .yoursToFix, "The template of a folder does not name one folder for each subject.",
            "Write a relative path with {subject}, such as {subject}/."),
        .init(
            "folder.through-link", .yoursToFix, "A folder on the path to the subject's folder is a link or a file.",
            "Put a real folder in its place."),
        .init(
            "folder.unproved", .yoursToFix,
            "A person has no file in a folder of the plan, and nothing shows that this is the right place.",
            "Mount the volume, correct the folder in the plan, or write empty: allowed there."),
        .init(
            "plan.answer-unplaced", .yoursToFix,
            "The layout of a question in the plan file allows no automatic edit.",
            "Write answer: beside the question yourself."),
        .init(
            "plan.changed-meanwhile", .yoursToFix, "Another program changed the plan file during the command.",
            "Run the command again."),
        .init(
            "plan.exists", .yoursToFix, "There is a plan at this path already.",
            "Add new tables with --merge, or replace the plan with --force."),
        .init(
            "plan.key-unsupported", .yoursToFix, "The subject's key holds bytes and cannot be written as text.",
            "Name another unique column as the subject's key."),
        .init(
            "plan.link-shape", .yoursToFix, "A link names different numbers of columns on its two sides.",
            "Name the same number of columns on both sides."),
        .init(
            "plan.merge-unplaced", .yoursToFix,
            "The layout of the plan file allows no insertion of tables, questions and systems.",
            "Write a draft with farewell init --plan, and copy the new entries."),
        .init(
            "plan.missing", .yoursToFix, "There is no plan file at the path.",
            "Write one with farewell init, or name it with --plan."),
        .init(
            "plan.no-connector", .yoursToFix, "No connector for a system of the plan is available.",
            "Use a kind that Farewell knows, or pass a connector."),
        .init(
            "plan.no-link", .yoursToFix, "A table with personal rows has no link to the subject.",
            "Add a link, or declare the table not personal."),
        .init(
            "plan.subject-ambiguous", .yoursToFix, "Several tables could be the subject's table.",
            "Name the table and its key with --subject."),
        .init(
            "plan.subject-unknown", .yoursToFix, "The subject's table or key does not exist, or none was found.",
            "Name the table and its key with --subject."),
        .init(
            "plan.system", .yoursToFix,
            "A system of the plan has an unknown kind, or settings that its kind does not accept.",
            "Correct systems in the plan; docs/plan.md lists the kinds."),
        .init(
            "plan.unaccepted", .yoursToFix, "The fingerprint of the schema could not be written into the plan.",
            "Write the line that the message shows."),
        .init(
            "plan.unaccounted", .yoursToFix, "The plan does not fit the database.",
            "Run farewell check, then correct the plan or the database."),
        .init(
            "plan.unknown-name", .yoursToFix, "The plan names a table or column that does not exist.",
            "Run farewell check and correct the plan."),
        .init(
            "plan.unreadable", .yoursToFix, "The plan file is not a valid plan. The message names each line.",
            "Correct the lines."),
        .init(
            "plan.unwritable", .yoursToFix, "The plan file cannot be written.",
            "Allow writing to it and to its folder."),
        .init(
            "rehearsal.read-only", .tryAgain, "The server or role accepts no writes, so nothing can be rehearsed.",
            "Connect to the primary server, or to a writable copy."),
        .init(
            "schema.marks", .yoursToFix, "A name or definition in the database has too many combining characters.",
            "Rename it."),
        .init(
            "schema.unreadable", .ours, "The database's catalog answered in an unknown form.",
            "Report it with the version of the database."),
        .init(
            "subject.key-given-again", .yoursToFix,
            "Another row has the key of a subject whose own row the erasure has deleted. It has none of the subject's "
                + "identifiers, so nothing under the key is touched and the erasure waits.",
            "If it is another person's, give that row another key; if it is the same person's, delete it. Then release "
                + "the erasure."),
        .init(
            "subject.malformed", .yoursToFix, "The subject's key is not a valid value for the key's column.",
            "Give the key as it is stored in that column."),
        .init(
            "subject.stands-in", .yoursToFix, "The subject stands for deleted users, so it cannot be erased.",
            "Name another subject, or another value for set."),
        .init(
            "subject.unknown", .yoursToFix, "The database holds no data of this subject.",
            "Check the key and the database."),
        .init(
            "table-name.malformed", .yoursToFix, "A table name is not valid.",
            "Write schema.table, with double quotes around unusual names."),
    ]
}
