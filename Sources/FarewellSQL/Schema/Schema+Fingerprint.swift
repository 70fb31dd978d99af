// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell

extension Schema {
    /// `v2:sha256:` and 64 hexadecimal digits over everything that decides the result of a change of rows.
    ///
    /// It does not depend on the session: neither on its `search_path` and other settings nor on its role. It leaves
    /// out parts without effect (indexes that are not unique, names of indexes, row estimates, comments, the labels of
    /// enums, publications that refuse nothing) and partitions that add nothing to their parent, so that next month's
    /// partition is no drift. Equal fingerprints mean no `differences(to:)`, and the other way round.
    public var fingerprint: String {
        var text = CanonicalText()
        text.add("farewell schema 2")
        text.add(dialect.rawValue)
        text.add(tables.filter(\.countsForPlans)) { $0.add($1) }
        return Self.fingerprintVersion + "sha256:" + SHA256.hash(data: text.bytes).hexadecimal
    }

    /// With what fingerprints of this form begin.
    package static let fingerprintVersion = "v2:"
}

extension SchemaTable {
    /// Whether it is more than a partition that only holds its parent's rows.
    var countsForPlans: Bool {
        kind != .partition || !foreignKeys.isEmpty || !triggers.isEmpty || rowSecurity.isEnabled
            || !changesRefusedForReplication.isEmpty
    }

    /// The unique constraints and indexes, without names and in an order of their own.
    var unique: [String] {
        let keys = uniqueKeys.map { $0.map(TableName.written).joined(separator: ", ") }
        return Set(keys + indexes.compactMap(\.peculiarity)).sorted()
    }
}
