// SPDX-License-Identifier: Apache-2.0

/// Names one item of the data-protection Keychain: a generic password of this device, never synchronised.
package struct KeychainItem: Sendable, Hashable {
    /// `kSecAttrService`.
    package let service: String
    /// `kSecAttrAccount`.
    package let account: String
    /// `kSecAttrAccessGroup`; `nil` names the item in whichever of the app's groups it is.
    package let group: String?

    package init(service: String, account: String, group: String?) {
        self.service = service
        self.account = account
        self.group = group
    }

    /// The same item in another group, or in any.
    func within(_ group: String?) -> KeychainItem { KeychainItem(service: service, account: account, group: group) }
}
