// SPDX-License-Identifier: Apache-2.0

@testable import FarewellKeys
@testable import FarewellServer
@testable import FarewellSessions

/// Every type that lists purposes of keys; a house rule finds a missing one.
enum KeyPurposes {
    static let types: [any KeyPurpose.Type] = [
        InstallationKey.self, SealPurpose.self, AuthorityKeyPurpose.self, LookupPurpose.self, CounterPurpose.self,
        PageKeys.Purpose.self,
    ]

    /// The label of each purpose, and a code by its key.
    static func codes(_ keys: KeyStore) -> [(label: String, code: [UInt8])] {
        types.flatMap { codes($0, keys) }
    }

    private static func codes<Purpose: KeyPurpose>(_: Purpose.Type, _ keys: KeyStore) -> [(label: String, code: [UInt8])] {
        Purpose.allCases.map { ($0.label, keys.purposeKey($0).code(["123456"])) }
    }
}
