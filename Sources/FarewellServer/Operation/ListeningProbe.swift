// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOCore
import NIOPosix

/// Where a server can listen.
struct ListeningPlace: Sendable {
    /// The address of the network, as text.
    let address: String?
    /// The port: the one that the system chose, where it was left to it.
    let port: Int
    /// Listens at a port that the system chose, so that it is given to nobody else before the server listens there.
    fileprivate let keeper: (any Channel)?

    /// Makes room for the server itself.
    func leave() async {
        try? await keeper?.close().get()
    }
}

/// Whether a server could listen where it is told to, and in words why not.
enum ListeningProbe {
    /// Listens for a moment and stops; at a port that the system chose, not before the place is left.
    ///
    /// - Throws: what `refusal` says.
    static func place(_ settings: ServerSettings) async throws -> ListeningPlace {
        do {
            // Nobody is answered here, so nobody is accepted.
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(ChannelOptions.autoRead, value: false)
                .bind(host: settings.host, port: settings.port).get()
            let address = channel.localAddress
            let isChosen = settings.port == 0
            if !isChosen { try await channel.close().get() }
            return ListeningPlace(
                address: address?.ipAddress, port: address?.port ?? settings.port, keeper: isChosen ? channel : nil)
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
