// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// A session with what decides about its refresh token.
struct SessionRow: Sendable {
    let session: Session
    let tokenHash: [UInt8]
    let counter: Int64
    /// `nil` if the active token was requested without a nonce.
    let nonceHash: [UInt8]?

    static let columnCount = 17
    static let columns =
        "s.id, s.user_id, s.created_at, s.refreshed_at, s.last_seen_at, s.not_after, s.aal, s.amr, s.device_name, "
        + "s.platform, s.app_version, s.user_agent, s.ip, s.refresh_token_hash, s.refresh_token_counter, "
        + "s.refresh_nonce_hash, s.updated_at"

    /// Always reads all columns; `nil` when they are null because nothing was joined.
    init?(_ reader: inout RowReader) throws {
        guard let id = try reader.identifier() else {
            for _ in 1..<Self.columnCount { _ = try reader.value() }
            return nil
        }
        let userID = try reader.requiredIdentifier()
        let (created, refreshed) = (try reader.requiredDate(), try reader.requiredDate())
        let (seen, notAfter) = (try reader.requiredDate(), try reader.date())
        let assurance = try reader.requiredText()
        let methods = try reader.methods()
        let device = SessionDevice(
            name: try reader.text(), platform: try reader.text(), appVersion: try reader.text(),
            userAgent: try reader.text(), address: try reader.text())
        session = Session(
            id: id, userID: userID, device: device, createdAt: created, lastSeenAt: seen, refreshedAt: refreshed,
            notAfter: notAfter, assurance: assurance, methods: methods)
        tokenHash = try reader.requiredBytes()
        counter = try reader.requiredInteger()
        nonceHash = try reader.bytes()
        _ = try reader.value()
    }
}
