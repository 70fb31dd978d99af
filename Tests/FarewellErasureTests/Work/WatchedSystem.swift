// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A system in memory that lets a test do something during each call, before it answers.
actor WatchedSystem: Connector {
    private let name: String
    /// How many entries of each person there are.
    private var entries: [String: Int]
    private let manner: Manner
    private let watch: @Sendable (_ call: String) async throws -> Void
    private var troubled: Set<String> = []
    private var returned: Set<String> = []
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    enum Manner: Sendable {
        case sound
        /// The first erasing call fails temporarily, and an entry reappears once all are verified as gone.
        case restless
    }

    init(
        _ name: String, _ entries: [String: Int], _ manner: Manner, watch: @escaping @Sendable (String) async throws -> Void
    ) {
        self.name = name
        self.entries = entries
        self.manner = manner
        self.watch = watch
    }

    var left: [String: Int] { entries }

    func count(_ request: ConnectorRequest) async throws -> Int? {
        try await watch("\(name) count")
        return number(request)
    }

    /// One entry at a time.
    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        try await watch("\(name) erase")
        if manner == .restless, troubled.insert(request.key).inserted { throw ConnectorFault.passing(name, "status 503") }
        guard let person = request.names.first, let number = entries[person] else { return .nothingThere }
        entries[person] = number > 1 ? number - 1 : nil
        return .more(1, cursor: "\(number)")
    }

    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        try await watch("\(name) verify")
        let left = number(request)
        guard left == 0 else { return .left(left) }
        if manner == .restless, returned.insert(request.key).inserted, let person = request.names.first { entries[person] = 1 }
        return .gone
    }

    private func number(_ request: ConnectorRequest) -> Int { request.names.compactMap { entries[$0] }.reduce(0, +) }
}
