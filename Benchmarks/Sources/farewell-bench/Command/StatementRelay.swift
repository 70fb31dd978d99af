// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Synchronization

/// Passes bytes between the command and PostgreSQL, and notes when the first statement is sent.
final class StatementRelay: Sendable {
    /// The database's address through the relay.
    let address: String
    private let listener: Int32
    private let server: sockaddr_in
    private let statements: AsyncStream<ContinuousClock.Instant>
    private let sent: AsyncStream<ContinuousClock.Instant>.Continuation

    /// - Parameter address: The address of a database on loopback.
    init(to address: String) throws {
        guard var parts = URLComponents(string: address), let port = parts.port else {
            throw FarewellError("bench.relay", .ours, "\(address) names no port.")
        }
        server = Self.loopback(port: UInt16(port))
        listener = Self.makeSocket()
        var own = Self.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listener
        let isListening = Self.withAddress(&own) { pointer in
            bind(socket, pointer, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, pointer, &size) == 0
        }
        guard isListening else { throw FarewellError("bench.relay", .ours, "The relay cannot listen.") }
        parts.port = Int(UInt16(bigEndian: own.sin_port))
        self.address = parts.string ?? address
        (statements, sent) = AsyncStream.makeStream()
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                relay(client)
            }
        }
    }

    /// When the first statement was sent; `nil` if the relay was closed before.
    func firstStatement() async -> ContinuousClock.Instant? {
        for await instant in statements { return instant }
        return nil
    }

    /// Accepts no other connection.
    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
        sent.finish()
    }

    private func relay(_ client: Int32) {
        let database = Self.makeSocket()
        var place = server
        let isOpen = Self.withAddress(&place) {
            connect(database, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        guard isOpen else {
            Foundation.close(client)
            Foundation.close(database)
            return
        }
        let ends = RelayEnds(client: client, database: database)
        Thread.detachNewThread { [sent] in
            // Packets before a session begin with their length; each later message begins with its letter.
            ends.copy(from: client, to: database) { if $0 != 0 { sent.yield(ContinuousClock.now) } }
        }
        Thread.detachNewThread { ends.copy(from: database, to: client) { _ in } }
    }

    private static func makeSocket() -> Int32 {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var isOn: Int32 = 1
        setsockopt(made, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return made
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress<Value>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Value
    ) -> Value {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}

/// The two sockets of one connection: closed when both directions have ended.
private final class RelayEnds: Sendable {
    private let client: Int32
    private let database: Int32
    private let open = Mutex(2)

    init(client: Int32, database: Int32) {
        self.client = client
        self.database = database
    }

    func copy(from source: Int32, to target: Int32, _ noteFirst: (UInt8) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            noteFirst(bytes[0])
            var start = 0
            while start < count {
                let written = bytes.withUnsafeBytes {
                    send(target, $0.baseAddress.map { $0 + start }, count - start, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { break }
                start += written
            }
        }
        shutdown(target, Int32(SHUT_WR))
        let left = open.withLock { open in
            open -= 1
            return open
        }
        guard left == 0 else { return }
        close(client)
        close(database)
    }
}
