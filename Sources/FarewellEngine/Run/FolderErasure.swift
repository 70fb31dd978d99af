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
    func apply(
        to member: ErasureMember, step: String, after others: [ErasureMember] = []
    ) async throws -> [String: Int] {
        let target = Self.target(folder, member.subject)
        let eraser = FolderEraser(root: folder.root)
        return try await context.keepingLease([member]) {
            let before = try await steps.progress(of: step, of: member)?.counts
            let planned = if let before { before } else { try await count(eraser, target, member, step) }
            let outcome = try await eraser.erase(target, isShared: sharing(others + [member]))
            let left = try await eraser.verify(target).files
            let kept = outcome.shared + outcome.refused.count
            guard left <= kept else {
                throw FarewellError(
                    "folder.leftovers", .tryAgain, "\(left) files are still there in \(folder.name) after erasing it.",
                    remedy: "See who writes there, and resume the erasure.")
            }
            var counts = planned
            counts[Count.left.rawValue] = left
            try await steps.finish(step, counts: counts, of: member)
            return counts
        }
    }

    static func target(_ folder: FolderPlan, _ subject: SealedSubject) -> FolderTarget {
        switch folder.location {
        case .folder(let template): .folder(template: template, subject: subject.key.text)
        case .column: .files(subject.files[folder.name] ?? [])
        }
    }

    private func count(
        _ eraser: FolderEraser, _ target: FolderTarget, _ member: ErasureMember, _ step: String
    ) async throws -> [String: Int] {
        let found = try await eraser.preview(target)
        let counts = [Count.files.rawValue: found.files, Count.bytes.rawValue: Int(clamping: found.bytes)]
        try await steps.store(StepProgress(effect: 1, counts: counts), step, of: member)
        return counts
    }

    private var steps: StepRecording { StepRecording(context: context) }

    /// A file that a row of somebody else names as well stays: its sole owner is not the person.
    private func sharing(_ members: [ErasureMember]) -> FolderEraser.SharedFile? {
        guard case .column(let column) = folder.location else { return nil }
        let names = SharedNames(context: context, column: column)
        return { path in try await names.isShared(path, besides: members) }
    }
}
