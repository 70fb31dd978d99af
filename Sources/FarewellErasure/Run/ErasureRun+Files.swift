// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

extension ErasureRun {
    /// Makes sure, before anything is deleted, that each folder is the right place for the subjects without files
    /// there. An earlier try may have deleted the evidence.
    ///
    /// - Throws: `folder.unproved`; errors of the disk.
    func requireFolders(of members: [OpenedErasure], after done: [UUID: [StepRecord]]) async throws {
        let fresh = members.filter { member in
            !(done[member.id] ?? []).contains { $0.state == .done || $0.progress != nil }
        }
        for folder in context.prepared.plan.folders {
            let proof = FolderProof(context: context, folder: folder)
            for member in fresh {
                try await proof.require(for: member.subject, in: member.id)
                try await Turn.give(after: 0)
            }
        }
    }

    /// Checks again, after the rows are deleted, files that stayed because other subjects' rows named them.
    ///
    /// - Parameter counts: The counts, by subject and step; corrected for files that are deleted since.
    func lookAgainForFiles(
        of members: [OpenedErasure], _ counts: inout [UUID: [String: [String: Int]]]
    ) async throws {
        for folder in context.prepared.plan.folders {
            let erasure = FolderErasure(context: context, folder: folder)
            for member in members {
                guard let counted = counts[member.id]?[folder.step] else { continue }
                let looked = try await erasure.lookAgain(for: member, after: counted)
                counts[member.id]?[folder.step] = looked
            }
        }
    }
}
