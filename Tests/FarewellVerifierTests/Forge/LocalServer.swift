// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOCore
import NIOPosix

/// An HTTP server on the loopback interface that answers what a test says, byte by byte.
final class LocalServer: Sendable {
    enum Answer: Sendable {
        /// These bytes, and the end.
        case bytes([UInt8])
        /// These bytes, then a byte at a time for as long as a client reads.
        case drip([UInt8])
        /// The elements of the stream, until it ends.
        case stream(AsyncStream<[UInt8]>)
        case nothing

        static func text(_ status: Int, _ body: String, fields: String = "Content-Type: application/json\r\n") -> Answer {
            .bytes(Array("HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8))
        }
    }

    private struct State: Sendable {
        var connections = 0
        var requests: [String] = []
    }

    let port: Int
    private let state = Guarded(State())
    private let answer: @Sendable (String) -> Answer

    var connections: Int { state.withLock { $0.connections } }
    /// The heads of the requests so far.
    var requests: [String] { state.withLock { $0.requests } }

    private init(port: Int, answer: @escaping @Sendable (String) -> Answer) {
        self.port = port
        self.answer = answer
    }

    static func with<Value: Sendable>(
        _ answer: @escaping @Sendable (String) -> Answer, _ use: @Sendable (LocalServer) async throws -> Value
    ) async throws -> Value {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let server = LocalServer(port: listener.channel.localAddress?.port ?? 0, answer: answer)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await server.serve(listener) }
            defer { group.cancelAll() }
            return try await use(server)
        }
    }

    private func serve(_ listener: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { clients in
                for try await client in clients {
                    state.withLock { $0.connections += 1 }
                    group.addTask { try? await self.speak(with: client) }
                }
            }
        }
    }

    private func speak(with client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await client.executeThenClose { inbound, outbound in
            var pieces = inbound.makeAsyncIterator()
            var head = ""
            while !head.contains("\r\n\r\n"), let piece = try await pieces.next() { head += String(buffer: piece) }
            let request = head
            state.withLock { $0.requests.append(request) }
            switch answer(request) {
            case .nothing: while try await pieces.next() != nil {}
            case .bytes(let bytes): try await outbound.write(ByteBuffer(bytes: bytes))
            case .stream(let pieces):
                for await bytes in pieces { try await outbound.write(ByteBuffer(bytes: bytes)) }
            case .drip(let bytes):
                try await outbound.write(ByteBuffer(bytes: bytes))
                let clock = ContinuousClock()
                while !Task.isCancelled {
                    try await outbound.write(ByteBuffer(bytes: [0x20]))
                    try await clock.sleep(for: .milliseconds(20))
                }
            }
        }
    }
}
