// SPDX-License-Identifier: Apache-2.0
import CLibSecret
import Farewell
public import FarewellClient
public import Foundation

/// Keeps the record in the Secret Service of a Linux desktop (GNOME Keyring, KWallet), by libsecret.
///
/// Never prompts the user: a locked keyring, and a desktop without one, are `unknown`. Without a Secret Service, use
/// `FileTokenStore`: `DesktopTokenStore` chooses. Wrap it in `SealedTokenStore`: the keyring outlives the app.
public struct SecretServiceTokenStore: TokenStore {
    private let service: String

    /// - Parameter service: The app's identifier.
    public init(service: String) { self.service = service }

    public let name = "Secret Service"

    /// Whether a Secret Service answers on this session's bus.
    public static var isAvailable: Bool {
        // Only an opened session counts: a name on the bus may have no owner.
        guard let bus = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, nil, nil) else { return false }
        g_object_unref(bus)
        return true
    }

    public func read() -> StoreReading {
        var text: UnsafeMutablePointer<CChar>?
        var code: Int32 = 0
        switch farewell_secret_read(service, &text, &code) {
        case FAREWELL_SECRET_FOUND:
            guard let text else { return .unknown(Self.failed(0)) }
            defer { secret_password_free(text) }
            guard let record = Data(base64Encoded: String(cString: text)) else { return .unknown(Self.failed(0)) }
            return .present(record)
        case FAREWELL_SECRET_ABSENT: return .absent
        case FAREWELL_SECRET_LOCKED: return .unknown(Self.locked)
        default: return .unknown(Self.failed(code))
        }
    }

    public func write(_ record: Data) throws {
        var code: Int32 = 0
        try Self.check(farewell_secret_write(service, record.base64EncodedString(), &code), code)
    }

    public func remove() throws {
        var code: Int32 = 0
        try Self.check(farewell_secret_remove(service, &code), code)
    }

    private static func check(_ outcome: farewell_secret_outcome, _ code: Int32) throws {
        switch outcome {
        case FAREWELL_SECRET_FOUND, FAREWELL_SECRET_ABSENT: return
        case FAREWELL_SECRET_LOCKED: throw locked
        default: throw failed(code)
        }
    }

    private static let locked = FarewellError(
        "device.keyring-locked", .tryAgain, "The keyring is locked.", remedy: "Unlock it, for instance by signing in.")

    private static func failed(_ code: Int32) -> FarewellError {
        FarewellError("device.keyring", .tryAgain, "The Secret Service does not answer (error \(code)).")
    }
}
