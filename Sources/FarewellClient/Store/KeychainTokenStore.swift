// SPDX-License-Identifier: Apache-2.0
#if canImport(Security)
public import Farewell
public import Foundation
import Security

/// Keeps the record in the data-protection Keychain of this device, readable after the first unlock, never in a
/// back-up.
///
/// Wrap it in `SealedTokenStore`: the Keychain outlives the app.
public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let group: String?

    /// - Parameters:
    ///   - service: The app's identifier.
    ///   - group: The access group that the app shares with its extensions; `nil` for the app alone.
    public init(service: String, group: String? = nil) {
        self.service = service
        self.group = group
    }

    public let name = "Keychain"

    public func read() -> StoreReading {
        var query = item
        query[kSecReturnData] = true
        var found: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &found) {
        case errSecSuccess:
            guard let data = found as? Data else { return .unknown(Self.error(errSecDecode)) }
            return .present(data)
        case errSecItemNotFound: return .absent
        case let status: return .unknown(Self.error(status))
        }
    }

    public func write(_ record: Data) throws {
        let change: [CFString: Any] = [
            kSecValueData: record, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(item as CFDictionary, change as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(item.merging(change) { _, new in new } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.error(status) }
    }

    public func remove() throws {
        let status = SecItemDelete(item as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.error(status) }
    }

    private var item: [CFString: Any] {
        var item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "farewell session",
            kSecUseDataProtectionKeychain: true, kSecAttrSynchronizable: false,
        ]
        if let group { item[kSecAttrAccessGroup] = group }
        return item
    }

    private static func error(_ status: OSStatus) -> FarewellError {
        FarewellError("device.keychain", .tryAgain, "The Keychain answered \(status).")
    }
}
#endif
