// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Names the user of the data on this device in a file beside the state folder.
///
/// A back-up contains this file like the app's data, and leaves the state folder out. After a restore, here or on
/// another device, the mark tells whose data came with it. It has a salt and a one-way hash.
struct OwnerMark: Sendable {
    private let file: URL
    private static let saltLength = 16

    init(beside folder: StateFolder) {
        // `URL` leaves out a slash at the end.
        file = URL(fileURLWithPath: URL(fileURLWithPath: folder.path).path + ".user")
    }

    var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Whether the mark names this user; `nil` if there is no mark. A mark that cannot be read names another user.
    func names(_ user: DeviceUser) -> Bool? {
        guard exists else { return nil }
        guard let kept = try? Data(contentsOf: file), kept.count > Self.saltLength else { return false }
        return kept == Self.mark(of: user, salt: Data(kept.prefix(Self.saltLength)))
    }

    /// Replaces the mark. Without one the device works as before, so a folder that cannot be written to is no error; a
    /// former user's mark does not stay.
    func write(_ user: DeviceUser) {
        do {
            let salt = try DeviceCrypto.makeSecret(count: Self.saltLength).withUnsafeBytes { Data($0) }
            try Self.mark(of: user, salt: salt).write(to: file, options: Self.options)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch {
            try? remove()
        }
    }

    /// Removes the mark; one that is not there is fine.
    ///
    /// - Throws: `device.storage`.
    func remove() throws {
        do {
            try FileManager.default.removeItem(at: file)
        } catch {
            guard exists else { return }
            throw FarewellError(
                "device.storage", .tryAgain, "The mark of the user beside the state folder cannot be removed.")
        }
    }

    private static func mark(of user: DeviceUser, salt: Data) -> Data {
        salt + DeviceCrypto.hash(salt + Data(user.id.utf8))
    }

    private static var options: Data.WritingOptions {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        #else
        .atomic
        #endif
    }
}
