// SPDX-License-Identifier: Apache-2.0
#if canImport(Security)
import Foundation
import Security

/// The Security framework of this system.
struct LiveSecurityFunctions: SecurityFunctions {
    func copy(_ item: KeychainItem) -> (status: SecurityStatus, data: Data?) {
        var query = Self.query(item)
        query[kSecReturnData] = true
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        return (SecurityStatus(rawValue: status), found as? Data)
    }

    func groups(of item: KeychainItem) -> (status: SecurityStatus, groups: [String]) {
        var query = Self.query(item)
        query[kSecReturnAttributes] = true
        query[kSecMatchLimit] = kSecMatchLimitAll
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        let items = found as? [[String: Any]] ?? []
        return (SecurityStatus(rawValue: status), items.compactMap { $0[kSecAttrAccessGroup as String] as? String })
    }

    func add(_ item: KeychainItem, _ data: Data) -> SecurityStatus {
        let attributes = Self.query(item).merging(Self.change(data)) { _, new in new }
        return SecurityStatus(rawValue: SecItemAdd(attributes as CFDictionary, nil))
    }

    func update(_ item: KeychainItem, _ data: Data) -> SecurityStatus {
        let status = SecItemUpdate(Self.query(item) as CFDictionary, Self.change(data) as CFDictionary)
        return SecurityStatus(rawValue: status)
    }

    func delete(_ item: KeychainItem) -> SecurityStatus {
        SecurityStatus(rawValue: SecItemDelete(Self.query(item) as CFDictionary))
    }

    private static func query(_ item: KeychainItem) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
            kSecUseDataProtectionKeychain: true, kSecAttrSynchronizable: false,
        ]
        if let group = item.group { query[kSecAttrAccessGroup] = group }
        return query
    }

    private static func change(_ data: Data) -> [CFString: Any] {
        [kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
    }
}
#endif
