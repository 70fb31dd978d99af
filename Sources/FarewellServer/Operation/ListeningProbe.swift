// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOCore
import NIOPosix

/// An address at which a server can listen.
struct ListeningPlace: Sendable {
    /// The address of the network, as text.
    let address: String?
    /// The port: the system's choice, if it was left to the system.
    let port: Int
    /// Listens at the port that the system chose, so that no other process gets it before the server listens there.
    fileprivate let keeper: (any Channel)?

    /// Makes room for the server itself.
    func leave() async {
        try? await keeper?.close().get()
    }
}

/// Whether a server can listen at its configured address, and if not, why.
enum ListeningProbe {
    /// Listens for a moment and stops; at a port that the system chose, it stops when the place is released.
    ///
    /// - Throws: the error of `refusal`.
    static func place(_ settings: ServerSettings) async throws -> ListeningPlace {
        try await place(settings.host, settings.port, setting: mainSetting)
    }

    /// Whether the operators' address can be listened on, if there is one.
    ///
    /// - Throws: the error of `refusal`.
    static func checkOperations(_ settings: ServerSettings) async throws {
        guard let port = settings.operationsPort else { return }
        try await place(settings.operationsHost, port, setting: operationsSetting).leave()
    }

    static let mainSetting = "--port or http.port"
    static let operationsSetting = "operations.port"

    private static func place(_ host: String, _ port: Int, setting: String) async throws -> ListeningPlace {
        do {
            // The probe answers no calls, so it accepts none.
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(ChannelOptions.autoRead, value: false)
                .bind(host: host, port: port).get()
            let address = channel.localAddress
            let isChosen = port == 0
            if !isChosen { try await channel.close().get() }
            return ListeningPlace(
                address: address?.ipAddress, port: address?.port ?? port, keeper: isChosen ? channel : nil)
        } catch {
            throw refusal(error, host, port, setting: setting)
        }
    }

    /// An error of listening as `serve.port-taken`, `serve.forbidden` or `serve.no-address`; others as they are.
    ///
    /// - Parameter setting: Where another port is given.
    static func refusal(_ error: any Error, _ host: String, _ port: Int, setting: String) -> any Error {
        switch error {
        case let error as IOError: ofSystem(error.errnoCode, host, port, setting)
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost: noAddress(host)
        default: error
        }
    }

    private static func ofSystem(_ code: CInt, _ host: String, _ port: Int, _ setting: String) -> FarewellError {
        let place = "\(host):\(port)"
        switch code {
        case EADDRINUSE:
            return FarewellError(
                "serve.port-taken", .yoursToFix, "Another program already listens on \(place).",
                remedy: "Stop it, or give another port: \(setting).")
        case EACCES:
            return FarewellError(
                "serve.forbidden", .yoursToFix, "This user may not listen on \(place).",
                remedy: "Ports below 1024 need CAP_NET_BIND_SERVICE; grant it or give another port.")
        default: return noAddress(host)
        }
    }

    private static func noAddress(_ host: String) -> FarewellError {
        FarewellError(
            "serve.no-address", .yoursToFix, "\(host) is not an address of this machine.",
            remedy: "Give one it has: 127.0.0.1, 0.0.0.0 or ::1.")
    }
}
