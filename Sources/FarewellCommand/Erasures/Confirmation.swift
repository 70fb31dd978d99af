// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Asks whether it shall be done, after showing what would be.
struct Confirmation {
    let session: ErasureSession

    /// Up to this number of subjects each is shown.
    private static let shown = 10

    /// - Throws: `command.unconfirmed` if no user can answer; `ExitStatus.findings` if something would stop the
    ///   erasure; `ExitStatus.unusable` if the answer is no.
    func ask(_ subjects: [String]) async throws {
        let terminal = Terminal.error
        guard isatty(FileHandle.standardInput.fileDescriptor) == 1, terminal.isInteractive else {
            throw misuse(
                "command.unconfirmed", "There is no terminal for the confirmation. Nothing was erased.",
                remedy: "Check with farewell preview, then add --yes.")
        }
        let engine = try await session.looking()
        var isBlocked = false
        for subject in subjects.prefix(Self.shown) {
            let preview = try await session.installation.namingUnfinished(
                of: subject, under: session.plan, in: session.database
            ) { try await engine.preview(subject) }
            if subjects.count > 1 { terminal.line(terminal.bold(Terminal.printable(subject))) }
            PreviewText(preview).say(on: terminal)
            terminal.line()
            isBlocked = isBlocked || !preview.blockers.isEmpty
        }
        guard !isBlocked else { throw ExitStatus.findings }
        if subjects.count > Self.shown {
            terminal.line("… and \(Words.count(subjects.count - Self.shown, "more subject")).")
        }
        let wanted = subjects.count == 1 ? subjects[0] : "erase \(subjects.count)"
        let what = subjects.count == 1 ? "the subject's key" : "“\(wanted)”"
        terminal.write("This cannot be undone. Type \(what) to continue: ")
        guard readLine()?.trimmingCharacters(in: .whitespaces) == wanted else {
            terminal.line("The text does not match. Nothing was erased.")
            throw ExitStatus.unusable
        }
    }
}
