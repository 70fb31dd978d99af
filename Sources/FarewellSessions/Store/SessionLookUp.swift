// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A user and one of their sessions, as an access token names them.
struct SessionLookUp: Sendable {
    let user: UUID
    let session: UUID?
}
