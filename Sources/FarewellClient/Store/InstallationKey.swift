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
        guard let data = try folder.read(Self.file) else { return nil }
        guard data.count == 32 else {
            throw FarewellError("device.key-damaged", .ours, "The key of this installation is damaged.")
        }
        return Secret(data: data)
    }

    /// The key, created if there is none. The caller holds the folder's lock.
    func made() throws -> Secret {
        if let key = try existing() { return key }
        let key = try DeviceCrypto.makeSecret(count: 32)
        try folder.replace(Self.file, with: key.withUnsafeBytes { Data($0) })
        return key
    }
}
