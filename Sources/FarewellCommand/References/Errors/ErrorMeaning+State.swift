// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of keys, ledger, audit log, receipts and files.
extension ErrorMeaning {
    static let state: [ErrorMeaning] = [
        .init(
            "audit.broken", .yoursToFix, "The audit log differs from what Farewell wrote.",
            "Compare it with a back-up or an export; an entry was changed."),
        .init("audit.empty", .yoursToFix, "The audit log is empty.", "It begins with the first erasure."),
        .init(
            "audit.malformed", .yoursToFix, "An entry or the signed head of the audit log cannot be read.",
            "Export it again; if it is the same, it was changed."),
        .init(
            "audit.unreadable", .yoursToFix, "The file with the signed head cannot be read.",
            "Name a file that farewell audit head wrote."),
        .init("clock.unreadable", .tryAgain, "The clock of the database could not be read.", "Try again."),
        .init(
            "control.foreign-table", .yoursToFix,
            "A table that Farewell did not make has the name of a table of the control store.",
            "Move or rename the table."),
        .init(
            "control.newer", .yoursToFix, "A newer version of Farewell has changed the control store.",
            "Use that version or a newer one."),
        .init(
            "control.right-missing", .yoursToFix, "The role lacks a right on the control store.",
            "Grant the right that the message names."),
        .init(
            "control.unreadable", .ours, "A row of the control store cannot be read.",
            "Restore the table: it was changed by hand or by another version."),
        .init("file.busy", .tryAgain, "A file is in use, or something is mounted there.", "Try again later."),
        .init(
            "file.failed", .tryAgain, "The system reports an error for a file.",
            "Look up the system's error number, which the message contains."),
        .init("file.input-output", .tryAgain, "The disk reports an error.", "Check the disk."),
        .init("file.missing", .yoursToFix, "A file does not exist.", "Check the path."),
        .init("file.name-too-long", .yoursToFix, "A file name is too long.", "Shorten it."),
        .init("file.no-space", .tryAgain, "The disk is full.", "Free some space."),
        .init("file.not-a-folder", .yoursToFix, "A part of a path is not a folder.", "Check the path."),
        .init("file.permission", .yoursToFix, "This user may not use a file.", "Grant the right, then try again."),
        .init("file.read-only", .yoursToFix, "The disk is read-only.", "Mount it for writing."),
        .init("file.too-many", .tryAgain, "Too many files are open.", "Raise the limit of open files."),
        .init(
            "keys.corrupt", .yoursToFix, "keys.json differs from what Farewell wrote.",
            "Restore it from its back-up."),
        .init(
            "keys.malformed", .yoursToFix, "The file is no list of public keys.",
            "Use the list that the issuer publishes: farewell receipt keys, or farewell export --public-key."),
        .init(
            "keys.missing", .yoursToFix, "The state directory has no keys.json.",
            "Restore it from its back-up, or name the right state directory."),
        .init(
            "keys.not-here", .yoursToFix, "The state directory lacks the keys to which the database belongs.",
            "Restore the state directory; if the keys are lost, see farewell keys adopt."),
        .init(
            "keys.other", .yoursToFix, "The keys of the state directory are not those to which the database belongs.",
            "Use the right state directory; if its keys are lost, see farewell keys adopt."),
        .init(
            "keys.private", .yoursToFix, "The list of public keys contains a private key.",
            "Publish public keys only, and replace that key."),
        .init(
            "keys.unreadable", .yoursToFix, "The file of public keys cannot be read.",
            "Name a file that farewell receipt keys or farewell export --public-key wrote."),
        .init(
            "keys.version", .yoursToFix, "keys.json has a format that this version cannot read.",
            "Use the version that wrote it, or a newer one."),
        .init("ledger.busy", .tryAgain, "Too many processes write to the ledger.", "Look for stopped workers."),
        .init(
            "ledger.newer", .yoursToFix, "The ledger has a line that this version does not know.",
            "Use the newer version that wrote it."),
        .init(
            "ledger.tampered", .yoursToFix, "A line of the ledger differs from what Farewell wrote.",
            "Restore the ledger from its back-up, or move the file away so that it is written again."),
        .init("receipt.malformed", .yoursToFix, "The text is no receipt.", "Name a receipt of Farewell."),
        .init(
            "receipt.missing", .yoursToFix, "There is no receipt at the path or for the erasure.",
            "Name a file, or an identifier that farewell status shows, and the database."),
        .init(
            "receipt.other", .yoursToFix, "The copy under an erasure's identifier is another erasure's receipt.",
            "Name the database; farewell doctor compares its receipts with the files."),
        .init("receipt.none-yet", .yoursToFix, "The erasure has no receipt yet.", "See farewell status."),
        .init(
            "receipt.unwritable", .yoursToFix,
            "Receipts cannot be written into the state directory; the database keeps them.",
            "Free space or allow writing; the next command writes them."),
        .init(
            "receipt.version", .yoursToFix, "The receipt has a newer format than this version reads.",
            "Use a newer version of Farewell."),
        .init(
            "seal.unreadable", .ours, "Sealed data cannot be opened with the present keys, or is missing.",
            "Use the state directory with which it was sealed."),
        .init(
            "signature.malformed", .yoursToFix, "The text is not signed in the form that Farewell uses.",
            "Name a file that Farewell signed."),
        .init(
            "signature.unknown-key", .yoursToFix, "The signing key is not in the list of keys.",
            "Use the key list that the issuer publishes."),
        .init(
            "signature.wrong", .yoursToFix, "The signature does not match: the text was changed or is not genuine.",
            "Ask the issuer for the original."),
        .init(
            "state.busy", .tryAgain, "Another process holds the lock of the state directory.",
            "Look for a stopped farewell; continue or end it."),
        .init(
            "state.corrupt", .yoursToFix, "A key file in the state directory holds no key.",
            "Restore it from its back-up, or remove it so that a new one is made."),
        .init(
            "state.foreign-owner", .yoursToFix, "A file of the state directory belongs to another user.",
            "Run as its owner, or change the owner."),
        .init(
            "state.link", .yoursToFix, "A file of the state directory is a symbolic link.",
            "Put the real file in its place."),
        .init(
            "state.missing", .yoursToFix, "The state directory does not exist.",
            "Name the folder with keys.json, usually .farewell beside the plan."),
        .init("state.not-a-folder", .yoursToFix, "The state directory is a link or a file.", "Name a real folder."),
        .init(
            "state.readable-by-others", .yoursToFix, "Other users can read or change a file of the state directory.",
            "Set mode 700 for folders and 600 for files; consider its keys as disclosed."),
        .init(
            "state.too-large", .yoursToFix, "A file of the state directory is too large to be Farewell's.",
            "Restore it from its back-up."),
        .init(
            "state.wrong-kind", .yoursToFix, "A file of the state directory is no ordinary file or folder.",
            "Put the right kind in its place."),
    ]
}
