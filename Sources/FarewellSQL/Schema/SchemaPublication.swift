// SPDX-License-Identifier: Apache-2.0

/// A publication of PostgreSQL that sends a table's changes to other servers.
///
/// Not part of the fingerprint: only whether it makes the server refuse a change counts
/// (`SchemaTable.changesRefusedForReplication`).
public struct SchemaPublication: Sendable, Hashable, Codable {
    public var name: String
    public var publishesUpdates: Bool
    public var publishesDeletes: Bool

    public init(name: String, publishesUpdates: Bool, publishesDeletes: Bool) {
        self.name = name
        self.publishesUpdates = publishesUpdates
        self.publishesDeletes = publishesDeletes
    }
}
