// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Foundation

/// A `PGconn`. The number of its address rather than the pointer, so that it may sit in guarded state; only
/// the holder of that guard may use it.
struct ServerHandle: Sendable {
    private let address: UInt
    /// Has libpq send what it holds, as far as the socket takes it: `PQflush`.
    var flush: @Sendable (OpaquePointer?) -> Int32 = { PQflush($0) }

    init(_ pointer: OpaquePointer) { address = UInt(bitPattern: pointer) }

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }
    var socket: Int32 { PQsocket(pointer) }
    var isDown: Bool { PQstatus(pointer) != CONNECTION_OK }
    var transaction: PGTransactionStatusType { PQtransactionStatus(pointer) }
    /// Whether the socket holds bytes that libpq has not read.
    var hasUnread: Bool {
        var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, 0) > 0
    }
    var message: String { PQerrorMessage(pointer).map { String(cString: $0) } ?? "" }
}

extension ServerHandle {
    /// Calls libpq, and reports whether a write to the socket failed meanwhile.
    ///
    /// libpq hides that: it claims that everything was sent and waits for the server's last words, which never come if
    /// the connection itself is sound (`pqsecure_raw_write`). It leaves the system's error behind, and no other.
    func sending(_ call: (OpaquePointer?) -> Int32) -> (answer: Int32, isLost: Bool) {
        errno = 0
        let answer = call(pointer)
        return (answer, ![0, EINTR, EAGAIN, EWOULDBLOCK].contains(errno))
    }

    /// How many bytes the system has taken to send, of a connection under TLS: there libpq's way to the socket leaves
    /// no error behind either. `nil` if it is plain, or the system does not say.
    var written: UInt64? {
        #if os(Linux)
        guard PQsslInUse(pointer) == 1 else { return nil }
        // `struct tcp_info` of linux/tcp.h, which only grows at its end.
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length >= 216 else { return nil }
        return info.withUnsafeBytes { bytes in
            let sent = bytes.loadUnaligned(fromByteOffset: 200, as: UInt64.self)
            let sentAgain = bytes.loadUnaligned(fromByteOffset: 208, as: UInt64.self)
            return sent &- sentAgain &+ UInt64(bytes.loadUnaligned(fromByteOffset: 144, as: UInt32.self))
        }
        #else
        return nil
        #endif
    }
}

/// A `PGresult`, freed with its last owner. Read only, so any thread may read it.
final class ServerResult: Sendable {
    private let address: UInt

    init(_ pointer: OpaquePointer) { address = UInt(bitPattern: pointer) }

    deinit { PQclear(pointer) }

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }
    var status: ExecStatusType { PQresultStatus(pointer) }

    /// The command tag, such as `DELETE 3` or `COMMIT`.
    var tag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }

    /// One of the `PG_DIAG_` fields of an error.
    func field(_ code: Int32) -> String? {
        PQresultErrorField(pointer, code).map { String(cString: $0) }
    }
}

/// A handle to cancel a connection's statement at the server; usable from any thread at any time.
final class CancelKey: Sendable {
    private let address: UInt

    init?(_ server: ServerHandle) {
        guard let pointer = PQgetCancel(server.pointer) else { return nil }
        address = UInt(bitPattern: pointer)
    }

    deinit { PQfreeCancel(OpaquePointer(bitPattern: address)) }

    /// Blocks until the server has received it. After a failure the statement runs until it ends.
    func cancel() {
        var reason = [CChar](repeating: 0, count: 256)
        _ = PQcancel(OpaquePointer(bitPattern: address), &reason, 256)
    }
}
