// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Where the next call of a connector begins, as the text that a run stores between two calls.
protocol ConnectorCursor: Sendable, Codable {
    /// The beginning.
    init()
    /// Whether a connector may have written these values: a text may come from another program.
    var isPlausible: Bool { get }
}

extension ConnectorCursor {
    init(cursor: String?, system: String) throws {
        self.init()
        guard let cursor else { return }
        guard let found = try? JSONDecoder().decode(Self.self, from: Data(cursor.utf8)), found.isPlausible else {
            throw ConnectorFault.garbled(system, "the cursor is not from Farewell")
        }
        self = found
    }

    /// The same text for the same place.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
