// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Ended sessions that the server does not know of yet. Survives restarts; holds only one-purpose tickets.
struct Outbox: Sendable {
    private let place: SealedTokenStore
    private let lock: StateLock
    private let environment: ClientEnvironment

    struct Entry: Sendable, Equatable {
        /// The departure that it belongs to. An entry that is added twice is stored once.
        let id: String
        let provider: String
        let revocation: SessionRevocation
        /// The session that this device may still hold, because the sign-in that replaces it is incomplete. The entry
        /// is not delivered before that sign-in is complete.
        var replaced: String?
    }

    init(in folder: StateFolder, _ environment: ClientEnvironment) {
        place = SealedTokenStore(file: "outbox", in: folder)
        lock = StateLock(folder, "outbox.lock")
        self.environment = environment
    }

    var entries: [Entry] {
        get throws {
            switch place.read() {
            case .absent: []
            // Sealed under a key that no longer exists: it cannot be opened.
            case .unknown(.recordForeign): []
            case .unknown(let error): throw error
            case .present(let data): try Self.decode(data)
            }
        }
    }

    func put(_ entry: Entry) async throws {
        try await change {
            $0.removeAll { $0.id == entry.id }; $0.append(entry)
        }
    }

    func remove(_ id: String) async throws {
        try await change { $0.removeAll { $0.id == id } }
    }

    private func change(_ body: (inout [Entry]) -> Void) async throws {
        try await lock.hold(environment) {
            let before = try readable
            var after = before ?? []
            body(&after)
            guard after != before else { return }
            if after.isEmpty { try place.remove() } else { try place.write(try Self.encode(after)) }
        }
    }

    /// The entries; `nil` if the file is damaged, which no later attempt mends: the next message replaces it.
    private var readable: [Entry]? {
        get throws {
            do {
                return try entries
            } catch let error as FarewellError where error.family == .ours {
                environment.log(error)
                return nil
            }
        }
    }

    private struct Form: Codable {
        let id, provider, ticket: String
        let scope: SignOutScope
        let replaced: String?
    }

    private static func encode(_ entries: [Entry]) throws -> Data {
        try JSONEncoder().encode(
            entries.map {
                Form(
                    id: $0.id, provider: $0.provider, ticket: $0.revocation.ticket.reveal { $0 },
                    scope: $0.revocation.scope, replaced: $0.replaced)
            })
    }

    private static func decode(_ data: Data) throws -> [Entry] {
        guard let forms = try? JSONDecoder().decode([Form].self, from: data) else {
            throw FarewellError("device.record-unreadable", .ours, "This version cannot read the outbox.")
        }
        return forms.map {
            Entry(
                id: $0.id, provider: $0.provider,
                revocation: SessionRevocation(ticket: Token($0.ticket), scope: $0.scope), replaced: $0.replaced)
        }
    }
}
