// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Erases a subject's files in one folder of the plan, as a step of the run.
struct FolderErasure: Sendable {
    let context: ErasureContext
    let folder: FolderPlan

    /// The names of the counts in a folder's step in the control store.
    enum Count: String {
        case files, bytes, left, leftBytes
        /// Of what is left: names that lead to no file of the folder, or to several, or that are not followed.
        case unresolved
    }

    /// Erases and reads back. The step's number is what was erased: now, and before a run that is resumed half-way
    /// was interrupted, which is what was there when it began and no longer is.
    ///
    /// - Parameter others: Those of the group whose turn was before: a file that only they name as well goes now, with
    ///   the last of them.
    func apply(to erasure: OpenedErasure, after others: [OpenedErasure] = []) async throws -> [String: Int] {
        let step = folder.step
        let target = Self.target(folder, erasure.subject)
        let eraser = FolderEraser(root: folder.root)
        return try await context.keepingLease([erasure]) {
            let (there, refused) = try await eraser.examine(target)
            // The address of a file that was deleted before the interruption leads nowhere now.
            let (begun, elsewhere) = try await begun(
                with: there, elsewhere: refused.count { $0 == .elsewhere }, erasure)
            var (erased, left, unresolved) = try await erase(target, eraser, besides: others + [erasure])
            unresolved += elsewhere
            left.files += unresolved
            let gone = FolderCount(
                files: max(begun.files - there.files, 0) + erased.files,
                bytes: max(begun.bytes - there.bytes, 0) + erased.bytes)
            let counts = Self.counts(gone, left: left, unresolved: unresolved)
            let place = place(after: gone.files + left.files - unresolved)
            try await steps.finish(step, counts: counts, place: place, of: erasure)
            return counts
        }
    }

    /// Checks again, after the rows are deleted, files that stayed because another subject's row named them: files that
    /// only erased subjects named are deleted now. Of two subjects who are erased at once each sees the other's row;
    /// the run whose rows are deleted last finds none. A file that stayed and is deleted now is counted, whichever run
    /// deleted it.
    ///
    /// - Parameter counts: The counts of the step.
    /// - Returns: The present counts.
    func lookAgain(for erasure: OpenedErasure, after counts: [String: Int]) async throws -> [String: Int] {
        guard case .column = folder.location, counts[Count.left.rawValue] ?? 0 > 0 else { return counts }
        return try await context.keepingLease([erasure]) {
            try await steps.requireLease(of: erasure, in: .verifying)
            let (before, former) = (Self.count(counts, .files, .bytes), Self.count(counts, .left, .leftBytes))
            var (_, left, _) = try await erase(
                Self.target(folder, erasure.subject), FolderEraser(root: folder.root), besides: [erasure])
            let unresolved = counts[Count.unresolved.rawValue] ?? 0
            left.files += unresolved
            let gone = FolderCount(
                files: before.files + max(former.files - left.files, 0),
                bytes: before.bytes + max(former.bytes - left.bytes, 0))
            let looked = Self.counts(gone, left: left, unresolved: unresolved)
            if looked != counts {
                let place = place(after: gone.files + left.files - unresolved)
                try await steps.finish(folder.step, counts: looked, place: place, of: erasure, in: .verifying)
            }
            return looked
        }
    }

    /// The files that an erasure would delete, the subject's alone, and the number of names without exactly one file.
    func found(of subject: SealedSubject) async throws -> (count: FolderCount, unresolved: Int) {
        let (count, refused) = try await FolderEraser(root: folder.root).examine(
            Self.target(folder, subject), isShared: sharing([subject]))
        return (count, refused.count { $0 != .empty })
    }

    /// Erases and reads back.
    ///
    /// - Returns: The deleted files; the files that stay because they also belong to another subject; and the number of
    ///   names that are not followed, besides those that lead elsewhere.
    private func erase(
        _ target: FolderTarget, _ eraser: FolderEraser, besides erasures: [OpenedErasure]
    ) async throws -> (erased: FolderCount, left: FolderCount, unresolved: Int) {
        let outcome = try await eraser.erase(target, isShared: sharing(erasures.map(\.subject)))
        var left = try await eraser.verify(target)
        guard left.files <= outcome.shared + outcome.refused.count else {
            throw FarewellError(
                "folder.leftovers", .tryAgain,
                "Files that are still present in \(folder.name) after its erasure: \(left.files).",
                remedy: "Find the program that writes there, then resume the erasure.")
        }
        left.files = outcome.shared
        return (outcome.erased, left, outcome.refused.count { $0.reason != .empty && $0.reason != .elsewhere })
    }

    static func target(_ folder: FolderPlan, _ subject: SealedSubject) -> FolderTarget {
        switch folder.location {
        case .folder(let template): .folder(template: template, subject: subject.key.text)
        case .column: .files((subject.files[folder.name] ?? []).exactlyDistinct)
        }
    }

    /// The counts before the first deletion.
    private func begun(
        with there: FolderCount, elsewhere: Int, _ erasure: OpenedErasure
    ) async throws -> (count: FolderCount, elsewhere: Int) {
        if let begun = try await steps.progress(of: folder.step, of: erasure) {
            return (Self.count(begun.counts, .files, .bytes), begun.counts[Count.unresolved.rawValue] ?? elsewhere)
        }
        let counts = Self.counts(there, left: FolderCount(), unresolved: elsewhere)
        try await steps.store(StepProgress(effect: 1, counts: counts), folder.step, of: erasure)
        return (there, elsewhere)
    }

    /// The place that the step's record names if files were found there.
    private func place(after files: Int) -> String? {
        files > 0 ? FolderProof(context: context, folder: folder).place : nil
    }

    private static func counts(_ files: FolderCount, left: FolderCount, unresolved: Int) -> [String: Int] {
        [
            Count.files.rawValue: files.files, Count.bytes.rawValue: min(files.bytes, FolderCount.mostBytes),
            Count.left.rawValue: left.files, Count.leftBytes.rawValue: left.bytes,
            Count.unresolved.rawValue: unresolved,
        ]
    }

    private static func count(_ counts: [String: Int], _ files: Count, _ bytes: Count) -> FolderCount {
        FolderCount(files: counts[files.rawValue] ?? 0, bytes: counts[bytes.rawValue] ?? 0)
    }

    private var steps: StepRecording { StepRecording(context: context) }

    /// A file that a row of another person names as well stays, in whichever way it is written.
    func sharing(_ people: [SealedSubject]) -> FolderEraser.SharedFile? {
        guard case .column(let column) = folder.location else { return nil }
        let names = SharedNames(context: context, column: column)
        let root = folder.root
        return { path in
            if try await names.isShared([path, "./" + path, "/" + path, path + "/"], besides: people) { return true }
            return try await names.isShared(like: FilePattern(path), besides: people) { written in
                FileAddress.mayName(path, as: written, root: root)
            }
        }
    }
}

extension FolderPlan {
    /// The name of the folder's step.
    package var step: String { "files: \(name)" }
}
