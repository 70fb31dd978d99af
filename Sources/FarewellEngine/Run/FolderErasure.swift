// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Erases a person's files in one folder of the plan, as a step of the run.
struct FolderErasure: Sendable {
    let context: ErasureContext
    let folder: FolderPlan

    /// What the counts of a folder's step are called in the control store.
    enum Count: String { case files, bytes, left }

    /// Erases and reads back. What was counted before the first file went is the step's number, so that a run
    /// resumed half-way still tells all of it.
    ///
    /// - Parameter others: Those of the group whose turn was before: a file that only they name as well goes now, with
    ///   the last of them.
    func apply(to member: ErasureMember, after others: [ErasureMember] = []) async throws -> [String: Int] {
        let step = folder.step
        let target = Self.target(folder, member.subject)
        let eraser = FolderEraser(root: folder.root)
        return try await context.keepingLease([member]) {
            let before = try await steps.progress(of: step, of: member)?.counts
            let planned = if let before { before } else { try await count(eraser, target, member) }
            var counts = planned
            counts[Count.left.rawValue] = try await erase(target, eraser, besides: others + [member])
            try await steps.finish(step, counts: counts, of: member)
            return counts
        }
    }

    /// Looks again, when the rows are gone, at files that stayed because somebody else's row named them: what only
    /// those named who have left since goes now. Of two who leave at the same moment each sees the other's row; whose
    /// rows go last finds none.
    ///
    /// - Parameter counts: What the step counted.
    /// - Returns: The same, as it is now.
    func lookAgain(for member: ErasureMember, after counts: [String: Int]) async throws -> [String: Int] {
        guard case .column = folder.location, counts[Count.left.rawValue] ?? 0 > 0 else { return counts }
        return try await context.keepingLease([member]) {
            try await steps.requireLease(of: member, in: .verifying)
            var looked = counts
            looked[Count.left.rawValue] = try await erase(
                Self.target(folder, member.subject), FolderEraser(root: folder.root), besides: [member])
            if looked != counts { try await steps.finish(folder.step, counts: looked, of: member, in: .verifying) }
            return looked
        }
    }

    /// What is there that erasing would remove: the person's alone, and named by what is a file's path.
    func found(of subject: SealedSubject) async throws -> FolderCount {
        try await FolderEraser(root: folder.root).preview(Self.target(folder, subject), isShared: sharing([subject]))
    }

    /// Erases and reads back.
    ///
    /// - Returns: How many files stay: somebody else's as well, or named by what is no path.
    private func erase(
        _ target: FolderTarget, _ eraser: FolderEraser, besides members: [ErasureMember]
    ) async throws -> Int {
        let outcome = try await eraser.erase(target, isShared: sharing(members.map(\.subject)))
        let left = try await eraser.verify(target).files
        guard left <= outcome.shared + outcome.refused.count else {
            throw FarewellError(
                "folder.leftovers", .tryAgain, "\(left) files are still there in \(folder.name) after erasing it.",
                remedy: "See who writes there, and resume the erasure.")
        }
        return left
    }

    static func target(_ folder: FolderPlan, _ subject: SealedSubject) -> FolderTarget {
        switch folder.location {
        case .folder(let template): .folder(template: template, subject: subject.key.text)
        case .column: .files(subject.files[folder.name] ?? [])
        }
    }

    private func count(
        _ eraser: FolderEraser, _ target: FolderTarget, _ member: ErasureMember
    ) async throws -> [String: Int] {
        let found = try await eraser.preview(target)
        let counts = [Count.files.rawValue: found.files, Count.bytes.rawValue: Int(clamping: found.bytes)]
        try await steps.store(StepProgress(effect: 1, counts: counts), folder.step, of: member)
        return counts
    }

    private var steps: StepRecording { StepRecording(context: context) }

    /// A file that a row of somebody else names as well stays: its sole owner is not the person.
    private func sharing(_ people: [SealedSubject]) -> FolderEraser.SharedFile? {
        guard case .column(let column) = folder.location else { return nil }
        let names = SharedNames(context: context, column: column)
        return { path in try await names.isShared(path, besides: people) }
    }
}

extension FolderPlan {
    /// What the folder's step is called.
    package var step: String { "files: \(name)" }
}
