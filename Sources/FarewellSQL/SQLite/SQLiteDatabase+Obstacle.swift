// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

extension SQLiteDatabase {
    /// Why the file takes no writes; nil if nothing prevents one.
    func obstacle() async throws -> FarewellError? {
        try await run("SELECT 1")
        let path = path
        let found = try await BlockingWork.run {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let isWritable = [path, folder].allSatisfy { FileManager.default.isWritableFile(atPath: $0) }
            return WriteObstacle.of(DiskVolume(at: path), isWritable: isWritable)
        }
        return found ?? refusedWrites.recent()
    }
}
