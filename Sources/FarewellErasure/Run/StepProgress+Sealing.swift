// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

extension StepProgress {
    /// The same with its cursor sealed, because it may name the subject.
    func sealed(under seal: RunSeal) throws -> StepProgress {
        var progress = self
        progress.cursor = try cursor.map { try seal.seal(Data($0.utf8)).base64EncodedString() }
        return progress
    }

    func opened(under seal: RunSeal) throws -> String? {
        guard let cursor, let data = Data(base64Encoded: cursor) else { return nil }
        return String(decoding: try seal.open(data), as: UTF8.self)
    }

    /// The same with the key of the last row that is done.
    func reaching(_ key: [SQLValue], under seal: RunSeal) throws -> StepProgress {
        var progress = self
        progress.cursor = String(decoding: try JSONEncoder().encode(key.map { StoredValue($0) }), as: UTF8.self)
        return try progress.sealed(under: seal)
    }

    /// The key of the last row that is done; `nil` at the first.
    func reached(under seal: RunSeal) throws -> [SQLValue]? {
        guard let text = try opened(under: seal) else { return nil }
        return try JSONDecoder().decode([StoredValue].self, from: Data(text.utf8)).map(\.value)
    }
}
