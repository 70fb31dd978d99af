// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

extension ErasureRun {
    /// Checks again, after the rows are deleted, files that stayed because other subjects' rows named them.
    ///
    /// - Parameter counts: The counts, by subject and step; corrected for files that are deleted since.
    func lookAgainForFiles(
        of members: [ErasureMember], _ counts: inout [UUID: [String: [String: Int]]]
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
