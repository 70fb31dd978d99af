// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Systems with a separate entry for each of the subject's names are called name by name.
extension ConnectorRequest {
    /// How many of the names the system has.
    func count(_ isThere: (_ name: String) async throws -> Bool) async throws -> Int {
        var count = 0
        for name in names where try await isThere(name) { count += 1 }
        return count
    }

    /// Erases one name after the other, each under a key of its own.
    ///
    /// - Parameter act: Returns whether an entry of that name existed.
    func erase(_ act: (_ name: String, _ key: String) async throws -> Bool) async throws -> ConnectorAnswer {
        var erased = 0
        for name in names where try await act(name, "\(key)/\(name)") { erased += 1 }
        return erased > 0 ? .erased(erased) : .nothingThere
    }
}

extension ConnectorReading {
    /// The reading for a count.
    init(left: Int) { self = left == 0 ? .gone : .left(left) }
}
