// SPDX-License-Identifier: Apache-2.0
import Testing

/// An example app, its server, and the files that it may leave on the device.
enum ExampleProfile: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sessions, creator

    var testDescription: String { rawValue }
    var program: String { "\(rawValue)-example" }

    var server: String {
        switch self {
        case .sessions: "Interop/device_server.py"
        case .creator: "Interop/fakes/firebase.py"
        }
    }

    /// After a sign-out: its mark, and the two hashes that know its own person again; `sessions` keeps its database.
    var keptAtSignOut: [String] {
        switch self {
        case .sessions: ["library.sqlite", "library.sqlite-wal", "state.user", "state/person", "state/session"]
        case .creator: ["state.user", "state/person", "state/session"]
        }
    }
}
