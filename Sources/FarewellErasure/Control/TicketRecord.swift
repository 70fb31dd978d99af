// SPDX-License-Identifier: Apache-2.0

/// A ticket as it is kept: nothing that opens anything.
struct TicketRecord: Sendable, Hashable {
    var hash: String
    var keyHash: String?
    var bodyHash: String
}
