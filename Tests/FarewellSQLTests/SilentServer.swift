// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A port that takes connections and never says a word.
final class SilentServer: Sendable {
    let port: UInt16
    let socket: Int32

    init() throws {
        #if os(Linux)
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 8) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isListening else { throw TestDatabase.Missing() }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(socket) }
}
