// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

extension ErasureRun {
    /// Looks again, when the rows are gone, at files that stayed because other people's rows named them.
    ///
    /// - Parameter counts: What was counted, by person and step; corrected where something has gone since.
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
