// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Stands between a client and a server, and can stop carrying anything: to either the other side is still there, and
/// silent.
final class StallingRelay: Sendable {
    private struct State: Sendable {
        var isStalled = false
        var isOver = false
    }

    let port: UInt16
    private let state: Guarded<State>

    /// - Parameter server: The port on loopback that is spoken to.
    init(to server: UInt16) throws {
        let listening = Self.stream()
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) == 0 && listen(listening, 64) == 0 && getsockname(listening, $0, &length) == 0
            }
        }
        guard isListening else { throw TestDatabase.Missing() }
        port = UInt16(bigEndian: address.sin_port)
        let state = Guarded(State())
        self.state = state
        Thread.detachNewThread { Self.carry(from: listening, to: server, state) }
    }

    deinit { state.withLock { $0.isOver = true } }

    /// From now on it forwards nothing, silently.
    func stall() { state.withLock { $0.isStalled = true } }

    func goOn() { state.withLock { $0.isStalled = false } }

    /// One thread for all connections: it looks, and carries what is there.
    private static func carry(from listening: Int32, to server: UInt16, _ state: Guarded<State>) {
        var peers: [Int32: Int32] = [:]
        while !state.withLock({ $0.isOver }) {
            var waited = ([listening] + peers.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let isStalled = state.withLock { $0.isStalled }
            let ready = isStalled ? poll(nil, 0, 20) : poll(&waited, nfds_t(waited.count), 20)
            guard ready > 0, !state.withLock({ $0.isStalled }) else { continue }
            for one in waited where one.revents != 0 {
                if one.fd == listening {
                    accept(from: listening, to: server, &peers)
                } else if let peer = peers[one.fd], !carry(from: one.fd, to: peer) {
                    for ended in [one.fd, peer] {
                        peers[ended] = nil
                        close(ended)
                    }
                }
            }
        }
        for socket in [listening] + peers.keys { close(socket) }
    }

    private static func accept(from listening: Int32, to server: UInt16, _ peers: inout [Int32: Int32]) {
        let client = Foundation.accept(listening, nil, nil)
        guard client >= 0 else { return }
        let other = stream()
        var address = loopback(server)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(other)
            return
        }
        peers[client] = other
        peers[other] = client
    }

    /// - Returns: Whether both sides are still there.
    private static func carry(from source: Int32, to target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(source, &buffer, buffer.count, 0)
        var sent = 0
        while sent < count {
            let more = buffer.withUnsafeBytes { bytes in
                bytes.baseAddress.map { send(target, $0 + sent, count - sent, noSignal) } ?? -1
            }
            guard more > 0 else { return false }
            sent += more
        }
        return count > 0
    }

    #if os(Linux)
    private static func stream() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static func stream() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }
    private static let noSignal: Int32 = 0
    #endif

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }
}
