// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Systems that know each of the person's names by itself are asked name by name.
extension ConnectorRequest {
    /// How many of the names the system has.
    func count(_ isThere: (_ name: String) async throws -> Bool) async throws -> Int {
        var count = 0
        for name in names where try await isThere(name) { count += 1 }
        return count
    }

    /// Erases one name after the other, each under a key of its own.
    ///
    /// - Parameter act: Answers whether there was somebody of that name.
    func erase(_ act: (_ name: String, _ key: String) async throws -> Bool) async throws -> ConnectorAnswer {
        var erased = 0
        for name in names where try await act(name, "\(key)/\(name)") { erased += 1 }
        return erased > 0 ? .erased(erased) : .nothingThere
    }
}

extension ConnectorReading {
    /// What a count means.
    init(left: Int) { self = left == 0 ? .gone : .left(left) }
}
