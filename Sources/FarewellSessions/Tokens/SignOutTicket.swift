// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import Foundation

/// A value of 256 bits that only the installation's key makes. Its holder can sign out the user of a session, and do
/// nothing else. It is not stored.
///
/// The scope is the holder's choice: a device that signed out everywhere while it had no network delivers that later by
/// its ticket.
enum SignOutTicket {
    private static let version: UInt8 = 2

    static func text(for session: UUID, _ keys: AuthorityKeys) -> String {
        Base64URL.text([version] + session.bytes + mark(session, keys))
    }

    /// The session of a ticket made here; `nil` for any other text.
    static func session(of text: String, _ keys: AuthorityKeys) -> UUID? {
        guard text.utf8.count <= 200, let bytes = Base64URL.bytes(text), bytes.count == 49, bytes[0] == version else {
            return nil
        }
        let session = UUID(bytes: bytes[1..<17])
        return ConstantTime.isEqual(bytes[17...], mark(session, keys)) ? session : nil
    }

    private static func mark(_ session: UUID, _ keys: AuthorityKeys) -> [UInt8] {
        keys.ticket.bytes(for: [version] + session.bytes)
    }
}
