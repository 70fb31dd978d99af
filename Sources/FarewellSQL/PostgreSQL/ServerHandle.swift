// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// A `PGconn`. The number of its address rather than the pointer, so that it may sit in guarded state; only
/// the holder of that guard may use it.
struct ServerHandle: Sendable {
    private let address: UInt

    init(_ pointer: OpaquePointer) { address = UInt(bitPattern: pointer) }

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }
    var socket: Int32 { PQsocket(pointer) }
    var isDown: Bool { PQstatus(pointer) != CONNECTION_OK }
    var transaction: PGTransactionStatusType { PQtransactionStatus(pointer) }
    var message: String { PQerrorMessage(pointer).map { String(cString: $0) } ?? "" }
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

/// The right to ask the server to cancel what a connection does; usable from any thread at any time.
final class CancelKey: Sendable {
    private let address: UInt

    init?(_ server: ServerHandle) {
        guard let pointer = PQgetCancel(server.pointer) else { return nil }
        address = UInt(bitPattern: pointer)
    }

    deinit { PQfreeCancel(OpaquePointer(bitPattern: address)) }

    /// Blocks until the server has taken note. A failure leaves the statement running, which then ends by itself.
    func cancel() {
        var reason = [CChar](repeating: 0, count: 256)
        _ = PQcancel(OpaquePointer(bitPattern: address), &reason, 256)
    }
}
