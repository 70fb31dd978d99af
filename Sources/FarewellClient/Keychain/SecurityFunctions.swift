// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// The functions of the Security framework that the Keychain store calls, each with the status that it returns.
/// `LiveSecurityFunctions` on Apple platforms.
package protocol SecurityFunctions: Sendable {
    /// `SecItemCopyMatching` for the item's data; of several matching items, one.
    func copy(_ item: KeychainItem) -> (status: SecurityStatus, data: Data?)
    /// `SecItemCopyMatching` for the access groups that hold the item.
    func groups(of item: KeychainItem) -> (status: SecurityStatus, groups: [String])
    /// `SecItemAdd`, readable after the first unlock and on this device only.
    func add(_ item: KeychainItem, _ data: Data) -> SecurityStatus
    /// `SecItemUpdate` of the data and of when it is readable.
    func update(_ item: KeychainItem, _ data: Data) -> SecurityStatus
    /// `SecItemDelete` of every matching item.
    func delete(_ item: KeychainItem) -> SecurityStatus
}
