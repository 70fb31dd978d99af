// SPDX-License-Identifier: Apache-2.0
import Foundation

extension StateFolder {
    /// Where the tokens are if the app names no store: on Apple platforms the Keychain, sealed, under the app's bundle
    /// identifier; elsewhere an encrypted file of this folder.
    var defaultStore: any TokenStore {
        #if canImport(Security)
        let service = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return keychainStore(KeychainTokenStore(service: service))
        #else
        return FileTokenStore(in: self)
        #endif
    }

    /// A sealed place in the Keychain; earlier versions kept the record in a file of this folder, which moves there.
    func keychainStore(_ keychain: KeychainTokenStore) -> any TokenStore {
        SucceedingTokenStore(
            store: SealedTokenStore(keychain, keyIn: self), earlier: FileTokenStore(in: self))
    }

    /// Excludes the folder from backups: its contents are useless on another device. Its files can be read and written
    /// after the first unlock, as the Keychain's item, whatever the app's own default: a sign-out ends and is delivered
    /// while the screen is locked.
    func protect() {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // Files that are made in a folder have its protection.
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
        #endif
        #if canImport(Darwin)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        var url = URL(fileURLWithPath: path, isDirectory: true)
        // On a file system without backups, or a full one, the folder still works.
        try? url.setResourceValues(values)
        #endif
    }
}
