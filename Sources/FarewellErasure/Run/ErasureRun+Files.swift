// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

extension ErasureRun {
    /// Makes sure, before anything is deleted, that each folder is the right place for the subjects without files
    /// there. An earlier try may have deleted the evidence.
    ///
    /// - Throws: `folder.unproved`; errors of the disk.
    func requireFolders(of erasures: [OpenedErasure], after done: [UUID: [StepRecord]]) async throws {
        let fresh = erasures.filter { erasure in
            !(done[erasure.id] ?? []).contains { step in
                step.state == .done || step.progress.map { $0.isUncounted != true } ?? false
            }
        }
        for folder in context.prepared.plan.folders {
            let proof = FolderProof(context: context, folder: folder)
            for erasure in fresh {
                try await proof.require(for: erasure.subject, in: erasure.id)
                try await Turn.give(after: 0)
            }
        }
    }

    /// Checks again, after the rows are deleted, files that stayed because other subjects' rows named them.
    ///
    /// - Parameter counts: The counts, by subject and step; corrected for files that are deleted since.
    func lookAgainForFiles(
        of erasures: [OpenedErasure], _ counts: inout [UUID: [String: [String: Int]]]
    ) async throws {
        for folder in context.prepared.plan.folders {
            let folderErasure = FolderErasure(context: context, folder: folder)
            for erasure in erasures {
                guard let counted = counts[erasure.id]?[folder.step] else { continue }
                let looked = try await folderErasure.lookAgain(for: erasure, after: counted)
                counts[erasure.id]?[folder.step] = looked
            }
        }
    }
}
