// SPDX-License-Identifier: Apache-2.0

/// How strictly a transaction is isolated from others (SQL:2016, 4.41.4). SQLite is always serializable.
public enum SQLIsolation: String, Sendable, Hashable, CaseIterable {
    case readCommitted = "read committed"
    case repeatableRead = "repeatable read"
    case serializable
}
