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
        try await eachName { name in
            if try await act(name, "\(key)/\(name)") { erased += 1 }
        }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    /// Does something with each name. A refused name does not keep the others.
    ///
    /// - Throws: The first refusal, after the last name; any other fault at once.
    func eachName(_ act: (_ name: String) async throws -> Void) async throws { try await oneByOne(names, act) }

    /// The places of the names that can have one, and the fault of the first that cannot: it is reported after the
    /// others are erased.
    func places<Place>(_ place: (_ name: String) throws -> Place) throws -> (fit: [Place], refused: ConnectorFault?) {
        var fit: [Place] = []
        var refused: ConnectorFault?
        for name in names {
            do {
                fit.append(try place(name))
            } catch let fault as ConnectorFault where fault.isRefusal {
                refused = refused ?? fault.anew
            }
        }
        return (fit, refused)
    }
}

/// Does something with each of several things. A refused one does not keep the others.
///
/// - Throws: The first refusal, after the last of them; any other fault at once.
func oneByOne<Item>(_ items: [Item], _ act: (Item) async throws -> Void) async throws {
    var refused: ConnectorFault?
    for item in items {
        do {
            try await act(item)
        } catch let fault as ConnectorFault where fault.isRefusal {
            refused = refused ?? fault
        }
    }
    if let refused { throw refused }
}

extension ConnectorFault {
    /// The system refuses this one thing; another may succeed.
    var isRefusal: Bool { error.code == "connector.refused" }
}

extension ConnectorFault {
    /// The answer has more bytes than the call reads.
    static func tooLong(_ system: String) -> ConnectorFault { .garbled(system, "it is too long") }

    var isTooLong: Bool { error.code == "connector.garbled" && error.message.hasByteSuffix(": it is too long.") }
}

extension ConnectorReading {
    /// The reading for a count.
    init(left: Int) { self = left == 0 ? .gone : .left(left) }
}
