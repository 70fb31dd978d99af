// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOCore
import NIOPosix

/// Whether a server could listen where it is told to, and in words why not.
enum ListeningProbe {
    /// Listens for a moment and stops.
    ///
    /// - Returns: The address of the network at which it listened, as text.
    /// - Throws: what `refusal` says.
    static func address(_ settings: ServerSettings) async throws -> String? {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
                .bind(host: settings.host, port: settings.port).get()
            let address = channel.localAddress?.ipAddress
            try await channel.close().get()
            return address
        } catch {
            throw refusal(error, settings)
        }
    }

    /// An error of listening as `serve.port-taken`, `serve.forbidden` or `serve.no-address`; others as they are.
    static func refusal(_ error: any Error, _ settings: ServerSettings) -> any Error {
        switch error {
        case let error as IOError: ofSystem(error.errnoCode, settings)
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost: noAddress(settings)
        default: error
        }
    }

    private static func ofSystem(_ code: CInt, _ settings: ServerSettings) -> FarewellError {
        let place = "\(settings.host):\(settings.port)"
        switch code {
        case EADDRINUSE:
            return FarewellError(
                "serve.port-taken", .yoursToFix, "Another program listens on \(place) already.",
                remedy: "Stop it, or give another port: --port or http.port.")
        case EACCES:
            return FarewellError(
                "serve.forbidden", .yoursToFix, "This user may not listen on \(place).",
                remedy: "Ports below 1024 need CAP_NET_BIND_SERVICE; or give another port.")
        default: return noAddress(settings)
        }
    }

    private static func noAddress(_ settings: ServerSettings) -> FarewellError {
        FarewellError(
            "serve.no-address", .yoursToFix, "\(settings.host) is no address of this machine.",
            remedy: "Give one it has: 127.0.0.1, 0.0.0.0 or ::1.")
    }
}
