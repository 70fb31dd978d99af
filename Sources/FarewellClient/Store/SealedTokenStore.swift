// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Seals the record of another store under the key of this installation, so that a record of an earlier one is not read
/// as a session of this one.
///
/// Reading changes nothing. A record under another key is `unknown` (`device.record-foreign`): it may belong to the
/// app, if this is an extension with a folder of its own. Only an explicit sign-in replaces it.
public struct SealedTokenStore: TokenStore {
    private let place: any TokenStore
    private let seal: Seal

    /// - Parameters:
    ///   - place: Where the sealed record is kept, such as the Keychain, which outlives the app.
    ///   - folder: Where the installation's key is kept, in the app's own container.
    public init(_ place: any TokenStore, keyIn folder: StateFolder) {
        self.init(place, Seal(key: InstallationKey(folder: folder), purpose: "session"))
    }

    private init(_ place: any TokenStore, _ seal: Seal) {
        self.place = place
        self.seal = seal
    }

    /// A sealed file of the state folder.
    init(file name: String, in folder: StateFolder) {
        self.init(
            StateFile(folder: folder, file: name), Seal(key: InstallationKey(folder: folder), purpose: name))
    }

    public var name: String { place.name }

    public func read() -> StoreReading {
        let reading = place.read()
        guard case .present(let sealed) = reading else { return reading }
        do {
            switch try seal.open(sealed) {
            case .opened(let record): return .present(record)
            case .foreign: return .unknown(.recordForeign)
            }
        } catch {
            return .unknown(.of(error))
        }
    }

    public func write(_ record: Data) throws { try place.write(try seal.seal(record)) }
    public func remove() throws { try place.remove() }
}

extension SealedTokenStore: MovingTokenStore {
    func removeEarlier() throws { try (place as? any MovingTokenStore)?.removeEarlier() }
}

extension FarewellError {
    /// The record is sealed under another installation's key.
    static let recordForeign = FarewellError(
        "device.record-foreign", .yoursToFix,
        "The stored session was sealed by another installation of the app, or under the key of another folder.",
        remedy: "Sign in again. In an extension, use the folder of the app group, as the app does.")

    /// A record was written, and the place reports that there is none.
    static let recordMissing = FarewellError(
        "device.record-missing", .tryAgain, "A session was stored on this device, but is not found now.",
        remedy: "The next call reads it again. In an extension, name the access group, as the app does.")

    /// A record was written, and stays not found.
    static let recordLost = FarewellError(
        "device.record-lost", .yoursToFix, "A session was stored on this device, but no longer exists.",
        remedy: "Sign in again.")
}

extension FarewellError {
    /// The error as a `FarewellError`; for a foreign error only its type is reported, because its text may hold
    /// anything.
    static func of(_ error: any Error) -> FarewellError {
        error as? FarewellError ?? FarewellError("device.unexpected", .ours, "An error of kind \(type(of: error)).")
    }
}
