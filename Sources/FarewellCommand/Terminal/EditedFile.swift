// SPDX-License-Identifier: Apache-2.0

import Farewell
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

    /// Replaces the file as a whole: it is written beside it, with the same mode, and renamed.
    ///
    /// - Throws: `plan.changed-meanwhile` where the file no longer holds what was read.
    mutating func replace(by changed: String) throws {
        guard changed != text else { return }
        guard try Self.read(path) == text else {
            throw misuse(
                "plan.changed-meanwhile",
                "Another program changed \(Terminal.printable(path)) meanwhile; the file was not changed.",
                remedy: "Run the command again.")
        }
        // A link stays, and its target is replaced.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let beside = "\(target).\(ProcessInfo.processInfo.processIdentifier).new"
        do {
            let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
            try Data(changed.utf8).write(to: URL(fileURLWithPath: beside), options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: mode ?? 0o644], ofItemAtPath: beside)
            guard rename(beside, target) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(beside)
            throw misuse(
                "plan.unwritable", "The plan cannot be written to \(Terminal.printable(path)).",
                remedy: "Allow writing to it and to its folder.")
        }
        text = changed
    }
}
