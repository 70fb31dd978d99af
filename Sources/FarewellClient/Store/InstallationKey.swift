// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The key of this installation of the app, kept in its container and nowhere else.
///
/// It is deleted when the app is removed. Records of an earlier installation in a place that outlives it, such as the
/// Keychain, are sealed under another key and recognised by that.
struct InstallationKey: Sendable {
    static let file = "installation.key"
    let folder: StateFolder

    /// The key; `nil` only if it is certain that this installation has none yet.
    func existing() throws -> Secret? {
        try folder.read(Self.file).map(Self.key)
    }

    /// The key, created if there is none. Of several processes that create it at once, all get the same one. A damaged
    /// key opens nothing and is replaced: otherwise no user could sign in any more.
    func made() throws -> Secret {
        try Self.key(
            folder.made(Self.file, isUsable: { $0.count == Self.length }) {
                try DeviceCrypto.makeSecret(count: Self.length).withUnsafeBytes { Data($0) }
            })
    }

    private static let length = 32

    private static func key(_ data: Data) throws -> Secret {
        guard data.count == length else {
            throw FarewellError("device.key-damaged", .ours, "The key of this installation is damaged.")
        }
        return Secret(data: data)
    }
}
