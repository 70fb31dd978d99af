// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellTesting
import Testing

extension ConnectorBed {
    /// Every row of the matrix is there to be gone through: a wrong place, a blind credential, a strange name with
    /// neighbours that differ from it by as little as can be.
    ///
    /// - Parameter impossible: Differences that two names of the system cannot have.
    func requireEveryRow(except impossible: Set<NameDifference> = []) async throws {
        for how in ConnectorMisleading.allCases {
            try #require(try await misled(how) != nil, "\(name) has no row \(how.rawValue)")
        }
        _ = try await requireStrangeName(except: impossible)
    }

    /// Creates a subject with a strange name, and requires a neighbour of every kind.
    func requireStrangeName(except impossible: Set<NameDifference> = []) async throws -> (names: [String], own: Set<String>) {
        let names = try #require(try await settleStrangely(), "\(name) has no row strange name")
        let census = try await census()
        let own = entries(of: names, in: census)
        try #require(!own.isEmpty && census.count > own.count + 1, "\(name) has no strange neighbours")
        let subject = try #require(names.first)
        for difference in NameDifference.allCases where !impossible.contains(difference) {
            let neighbours = difference.names(like: subject).map { entries(of: [$0], in: census).subtracting(own) }
            try #require(neighbours.contains { !$0.isEmpty }, "\(name) has no neighbour that differs by \(difference)")
        }
        return (names, own)
    }

    /// Erases a subject with a strange name; every neighbour stays, byte for byte.
    func eraseStrangeName() async throws {
        let (names, own) = try await requireStrangeName()
        let before = try await census()
        let driver = ConnectorDriver(name, connector, sleep: { _ in }, chance: { 0.5 })
        _ = try await driver.run(.init(key: "run/strange", names: names), from: nil) { _ in }
        #expect(try await connector.verify(.init(key: "run/strange", names: names)) == .gone)
        #expect(try await census() == before.filter { !own.contains($0.key) }, "\(name): another subject's entries changed")
    }
}
