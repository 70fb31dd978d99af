// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The reason why no connection to a server exists.
package enum ConnectionFailure: Error, Sendable, Hashable, CaseIterable {
    /// The host name does not resolve.
    case unresolved
    /// The host is there, and nothing listens at the port.
    case refused
    /// The network has no route to the host.
    case unreachable
    /// The host does not answer: often a firewall that drops packets.
    case silent
    /// The server does not speak TLS.
    case unprotected
    /// The certificate belongs to another host.
    case misnamed
    /// The certificate comes from an unknown authority, or is not valid now.
    case untrusted
    /// TLS failed for another reason: versions, ciphers or a client certificate.
    case handshake

    /// - Returns: `nil` if the error does not concern the connection.
    package init?(_ error: any Error) {
        switch error {
        case let failure as ConnectionFailure: self = failure
        case let error as NIOSSLExtraError:
            let names: [NIOSSLExtraError] = [.failedToValidateHostname, .serverHostnameImpossibleToMatch]
            self = names.contains(error) ? .misnamed : .handshake
        case let error as NIOSSLError:
            // An answer may end with its connection, after the system has acted.
            if case .uncleanShutdown = error { return nil }
            self = Self.handshake(error)
        case let error as NIOConnectionError:
            let causes = Set(error.connectionErrors.compactMap { ConnectionFailure($0.error) })
            let order: [ConnectionFailure] = [.refused, .silent, .unreachable]
            let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError ?? error.dnsAAAAError) != nil
            self = order.first(where: causes.contains) ?? (isUnknown ? .unresolved : .unreachable)
        case let error as IOError where error.errnoCode == ECONNREFUSED: self = .refused
        case let error as IOError where [EHOSTUNREACH, ENETUNREACH, ENETDOWN].contains(error.errnoCode):
            self = .unreachable
        case let error as IOError where error.errnoCode == ETIMEDOUT: self = .silent
        case ChannelError.connectTimeout: self = .silent
        case let error as HTTPClientError where error == .connectTimeout: self = .silent
        case let error as HTTPClientError where error == .tlsHandshakeTimeout: self = .handshake
        default: return nil
        }
    }

    /// The description of an error in a log: the failure of the connection, or else the error's type.
    package static func words(_ error: any Error) -> String {
        ConnectionFailure(error)?.words ?? "\(type(of: error))"
    }

    /// Part of a sentence: "no answer: …".
    package var words: String {
        switch self {
        case .unresolved: "its host name cannot be resolved"
        case .refused: "its host refuses the connection, because no server listens at that port"
        case .unreachable: "the network has no route to its host"
        case .silent: "its host does not answer, so no connection was made"
        case .unprotected: "it does not speak TLS"
        case .misnamed: "its certificate is another host's"
        case .untrusted: "its certificate is not trusted here, or not valid now"
        case .handshake: "the TLS handshake failed"
        }
    }

    private static func handshake(_ error: NIOSSLError) -> ConnectionFailure {
        switch error {
        case .unableToValidateCertificate, .noCertificateToValidate: return .untrusted
        case .handshakeFailed(let reason):
            let words = String(describing: reason)
            if words.contains("CERTIFICATE_VERIFY_FAILED") { return .untrusted }
            return ["WRONG_VERSION_NUMBER", "HTTP_REQUEST"].contains { words.contains($0) } ? .unprotected : .handshake
        default: return .handshake
        }
    }
}
