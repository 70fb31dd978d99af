// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import Foundation

/// A text file that a command reads, changes and replaces, unless another program changed it in between.
struct EditedFile {
    let path: String
    private(set) var text: String

    init(_ path: String) throws {
        self.path = path
        text = try Self.read(path)
    }

    private static func read(_ path: String) throws -> String {
        guard let text = String(validating: try PlanFile.bytes(path: path), as: UTF8.self) else {
            throw misuse(
                "plan.missing",
                "There is no plan file at \(Terminal.printable(path)) that can be read as text in UTF-8.",
                remedy: "Write one with `farewell init`, or name it with --plan.")
        }
        return text
    }

    /// Replaces the file as a whole: it is written beside it, with the same mode, and renamed. One command at a time
    /// does so in a folder.
    ///
    /// - Throws: `plan.changed-meanwhile` where the file no longer holds what was read; `file.no-space` and others of
    ///   the disk.
    mutating func replace(by changed: String) throws {
        guard changed != text else { return }
        // A link stays, and its target is replaced.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let folder = open(target.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure }
        let turn = Descriptor(folder)
        try turn.waitAndTake()
        guard try Self.read(path) == text else {
            throw misuse(
                "plan.changed-meanwhile",
                "Another program changed \(Terminal.printable(path)) meanwhile; the file was not changed.",
                remedy: "Run the command again.")
        }
        try put(changed, at: target.path)
        text = changed
    }

    /// The name of the new file is the system's choice: the file of a killed command may be there still.
    private func put(_ changed: String, at target: String) throws {
        var status = stat()
        var name = Array("\(target).XXXXXX".utf8CString)
        guard lstat(target, &status) == 0 else { throw failure }
        let number = mkstemp(&name)
        guard number >= 0 else { throw failure }
        let file = Descriptor(number)
        guard file.write(Array(changed.utf8)), fchmod(number, status.st_mode & 0o7777) == 0, fsync(number) == 0,
            rename(name, target) == 0
        else {
            let failure = failure
            unlink(name)
            throw failure
        }
    }

    /// The error of the last call of the system.
    private var failure: FarewellError {
        FileFailure(errno).error("The plan at \(Terminal.printable(path)) cannot be written")
    }
}
