// SPDX-License-Identifier: Apache-2.0
public import FarewellClient
public import Foundation

/// The token store of a Linux app: the Secret Service if there is one, otherwise an encrypted file.
///
/// Chosen at the first launch and kept: a keyring that is not there one day makes the session `unknown`, and not a new
/// one in a file.
public struct DesktopTokenStore: TokenStore {
    private enum Place: String { case keyring, file }

    private let store: any TokenStore

    /// - Parameters:
    ///   - service: The app's identifier.
    ///   - folder: The folder of the device's state.
    /// - Throws: `device.storage` when the choice cannot be kept.
    public init(service: String, in folder: StateFolder) throws {
        let place = try folder.decided("place") {
            (SecretServiceTokenStore.isAvailable ? Place.keyring : .file).rawValue
        }
        store =
            place == Place.file.rawValue
            ? FileTokenStore(in: folder)
            : SealedTokenStore(SecretServiceTokenStore(service: service), keyIn: folder)
    }

    public var name: String { store.name }
    public func read() -> StoreReading { store.read() }
    public func write(_ record: Data) throws { try store.write(record) }
    public func remove() throws { try store.remove() }
}
