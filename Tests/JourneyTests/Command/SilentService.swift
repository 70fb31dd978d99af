// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A service on this machine that takes connections and never answers: a caller waits until it is stopped.
final class SilentService: Sendable {
    private let listener: Int32
    /// Connections stay open, for a closed one would be an answer.
    private let calls = Guarded<[Int32]>([])
    let port: Int

    init() throws {
        let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(raw, pointer, length) == 0 && listen(raw, 16) == 0 && getsockname(raw, pointer, &length) == 0
            }
        }
        listener = raw
        port = Int(UInt16(bigEndian: address.sin_port))
        guard raw >= 0, isBound else {
            throw FarewellError("test.socket", .ours, "No port was free: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        for call in calls.withLock({ $0 }) + [listener] { close(call) }
    }

    /// Whether a further caller has connected; that one is counted.
    func isCalled() -> Bool {
        var state = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 0) == 1 else { return false }
        let call = accept(listener, nil, nil)
        guard call >= 0 else { return false }
        calls.withLock { $0.append(call) }
        return true
    }
}
