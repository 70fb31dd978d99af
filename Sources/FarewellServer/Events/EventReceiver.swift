// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellVerifier
import Foundation

/// An external receiver of events.
struct EventReceiver: Sendable {
    let name: String
    let kind: Kind
    let url: String
    /// The secrets that sign a webhook's messages, the newest first.
    let secrets: [[UInt8]]
    /// The audience of a token.
    let audience: String

    enum Kind: String, Sendable, CaseIterable {
        /// Standard Webhooks: every event, nothing personal.
        case webhook
        /// CAEP 1.0 `session-revoked`, pushed according to RFC 8935: when an erasure begins, and when a session ends.
        case caep
        /// RISC 1.0 `account-purged`, pushed according to RFC 8935.
        case risc
        /// OpenID Connect Back-Channel Logout 1.0: when an erasure begins, and when a session ends.
        case logout
    }

    /// The erasure events that it receives.
    var endpoint: EventEndpoint {
        switch kind {
        case .webhook: EventEndpoint(name: name, kinds: ErasureEventKind.allCases)
        case .caep, .logout: EventEndpoint(name: name, kinds: [.begun], needsSubject: true)
        case .risc: EventEndpoint(name: name, kinds: [.done], needsSubject: true)
        }
    }

    /// HTTPS, or HTTP on the loopback interface; without credentials in it, and no numeric address of the internal
    /// network.
    ///
    /// - Throws: `settings.wrong`.
    static func check(_ address: String) throws {
        let loopback: Set<String> = ["127.0.0.1", "localhost", "::1"]
        guard let url = URL(string: address), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.user == nil,
            url.password == nil, url.fragment == nil, SafeAddress.hasPossiblePort(url),
            url.scheme == "https" || url.scheme == "http" && loopback.contains(host), !host.hasPrefix("169.254."),
            host != "metadata.google.internal"
        else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "The address of an endpoint is not a plain HTTPS address.",
                remedy: "Write https://host/path; HTTP works only on this machine.")
        }
    }
}
