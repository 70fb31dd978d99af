// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Keeps the record in an encrypted file (AES-256-GCM) with mode 0600, replaced as a whole and synced to the disk.
///
/// For systems without a place of their own for secrets; on Apple platforms `KeychainTokenStore` is that place. A
/// program that can read all files of the user can read this one too, because the key is beside it; a copy of the file
/// alone, or for another user, is useless. The folder is excluded from the system's backups.
public struct FileTokenStore: TokenStore {
    private let sealed: SealedTokenStore

    public init(in folder: StateFolder) { sealed = SealedTokenStore(file: "session", in: folder) }

    public let name = "encrypted file"
    public func read() -> StoreReading { sealed.read() }
    public func write(_ record: Data) throws { try sealed.write(record) }
    public func remove() throws { try sealed.remove() }
}
