// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Remembers for a minute that a place was proved, and until the process ends that the credential has seen something
/// in it.
///
/// "Nothing there" counts only with this proof: a wrong bucket, project or mode, or a key that sees nothing, answers
/// like an empty place.
struct PlaceProof: Sendable {
    private let state = Guarded(State())
    private let uptime: @Sendable () -> Double
    /// Seconds for which a proof is not repeated.
    private static let lifetime = 60.0

    private struct State {
        var provedAt: Double?
        var hasSeen = false
    }

    init(_ world: ConnectorWorld) { uptime = world.uptime }

    /// Something in the place was seen: it exists, and the credential sees into it.
    func sawSomething() { state.withLock { $0.hasSeen = true } }

    var hasSeenSomething: Bool { state.withLock { $0.hasSeen } }

    /// Proves the place, unless the last proof is less than a minute old.
    func require(_ prove: () async throws -> Void) async throws {
        if let at = state.withLock({ $0.provedAt }), uptime() - at < Self.lifetime { return }
        try await prove()
        let now = uptime()
        state.withLock { $0.provedAt = now }
    }
}

extension ConnectorFault {
    /// The next page of a list begins where this one began: it would be read for ever.
    static func samePage(_ system: String) -> ConnectorFault { .garbled(system, "the same page of a list again") }
}

/// Applies an act to many items at once. If one item makes the system refuse all, halves are tried, and at last each
/// item alone, so that one unusual item does not block the others.
///
/// - Returns: Those that are refused alone, and why.
func itemByItem<Item: Sendable>(
    _ items: [Item], _ act: ([Item]) async throws -> Void
) async throws -> [(item: Item, fault: ConnectorFault)] {
    var open = items.isEmpty ? [] : [items]
    var refused: [(item: Item, fault: ConnectorFault)] = []
    var hasDone = false
    while let some = open.popLast() {
        do {
            try await act(some)
            hasDone = true
        } catch let fault as ConnectorFault where fault.isRefusal {
            if some.count > 1 {
                let half = some.count / 2
                open += [Array(some[half...]), Array(some[..<half])]
            } else {
                refused.append((some[0], fault))
                // The cause is not in the items.
                if !hasDone, refused.count == 8 { throw fault }
            }
        }
    }
    return refused
}
