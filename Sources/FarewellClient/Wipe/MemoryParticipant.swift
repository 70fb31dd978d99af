// SPDX-License-Identifier: Apache-2.0

/// A cache in memory: `NSCache`, a list of conversations, the pictures of Kingfisher or another library, which need not
/// be known here.
///
/// ```swift
/// MemoryParticipant("messages", clear: { await messages.removeAll() }, count: { await messages.count })
/// ```
public struct MemoryParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    public var place: WipePlace { .memory }
    private let clearing: @Sendable () async throws -> Void
    private let count: @Sendable () async throws -> Int

    /// - Parameter count: The number of entries; 0 for caches that do not report it.
    public init(
        _ name: String, holds: String = "entries in memory", clears: Clearing = .onSignOut,
        clear: @escaping @Sendable () async throws -> Void, count: @escaping @Sendable () async throws -> Int = { 0 }
    ) {
        self.name = name
        self.holds = holds
        self.clears = clears
        clearing = clear
        self.count = count
    }

    public func clear(_ occasion: WipeOccasion) async throws { try await clearing() }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        let count = try await count()
        return count == 0 ? [] : ["\(count) entries"]
    }
}
