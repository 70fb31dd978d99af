// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import LinearGrowth
import NIOCore
import Testing

@Suite("Bodies, and the time limit of a call")
struct CallBodyTests {
    /// A body that counts how often it was begun, and never ends.
    private struct Endless: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        let begun: Guarded<Int>

        struct Iterator: AsyncIteratorProtocol {
            let begun: Guarded<Int>

            mutating func next() async throws -> ByteBuffer? {
                begun.withLock { $0 += 1 }
                return ByteBuffer(string: "{")
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(begun: begun) }
    }

    private func request(_ route: Route, _ token: String?, _ begun: Guarded<Int>) -> Request {
        let path = route.path.replacing("{id}", with: UUID().uuidString)
        var fields: HTTPFields = [.contentLength: "1000"]
        fields[.authorization] = token.map { "Bearer \($0)" }
        fields[.idempotencyKey] = "k"
        let head = HTTPRequest(method: route.method, scheme: "http", authority: "localhost", path: path, headerFields: fields)
        return Request(head: head, body: RequestBody(asyncSequence: Endless(begun: begun)))
    }

    @Test("SRV-06 every route that needs a token refuses a call without one before it reads a byte of the body")
    func unread() async throws {
        try await ErasureMount.with { mount in
            let runner = mount.server.runner
            let routes = mount.server.routes.filter { ![.none, .personOrTicket].contains($0.operation.authority) }
            #expect(routes.count > 10)
            for route in routes {
                for token in [nil, "", "a.b.c", String(repeating: "x", count: 9_000)] {
                    let begun = Guarded(0)
                    let arrival = Arrival(address: nil, parameters: ["id": UUID().uuidString], log: mount.server.log, connection: nil)
                    let response = await runner.answer(request(route, token, begun), route, arrival)
                    #expect([401, 403].contains(response.status.code), "\(route.path): \(response.status)")
                    #expect(begun.withLock { $0 } == 0, "\(route.path)")
                }
            }
        }
    }

    @Test("SRV-06 where a ticket can replace a token, and where a form is read, an unauthenticated body has a low limit")
    func bounded() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let runner = mount.server.runner
            let routes = (mount.server.routes + mount.server.pageRoutes).filter {
                $0.method == .post && ($0.page != nil || $0.operation.authority == .personOrTicket)
            }
            #expect(routes.count > 3)
            for route in routes {
                let begun = Guarded(0)
                let arrival = Arrival(address: nil, parameters: [:], log: mount.server.log, connection: nil)
                let response = await runner.answer(request(route, nil, begun), route, arrival)
                #expect(response.status == .contentTooLarge, "\(route.path): \(response.status)")
                #expect(begun.withLock { $0 } <= 66 << 10, "\(route.path)")
            }
        }
    }

    /// A body in parts of so many bytes each.
    private func parts(_ count: Int, of bytes: Int) -> AsyncStream<ByteBuffer> {
        AsyncStream { continuation in
            for _ in 0..<count { continuation.yield(ByteBuffer(repeating: 1, count: bytes)) }
            continuation.finish()
        }
    }

    @Test("SC-2 SRV-06 every route reads a short unauthenticated body, and routes for a few words read a few thousand bytes")
    func short() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let open = (mount.server.routes + mount.server.pageRoutes).filter {
                $0.method != .get && [.none, .personOrTicket].contains($0.operation.authority)
            }
            #expect(open.count > 20)
            // A system signs what it sends, and says how much.
            for route in open where route.path != "/v1/systems/{name}/messages" {
                let most = try #require(route.bodyBytes, "\(route.path)")
                #expect(most <= 64 << 10, "\(route.path)")
            }
            let words =
                ["/v1/sign-out", "/v1/erasures"] + ["verify", "recover", "resend", "otp", "magiclink"].map { AuthRoutes.root + "/" + $0 }
            for path in words {
                let route = try #require(open.first { $0.path == path }, "\(path)")
                #expect(route.bodyBytes == 4 << 10, "\(path)")
                let long = try await mount.ask(.post, path, json: "{\"a\":\"\(String(repeating: "a", count: 4 << 10))\"}")
                #expect([413, 422].contains(long.status), "\(path) \(long)")
            }
        }
    }

    @Test("SC-2 SRV-06 the number of a body's parts is limited as well as its bytes, so tiny chunks cost no more than large ones")
    func tinyParts() async throws {
        let collection = BodyCollection(limit: 1 << 20)
        for (count, bytes) in [(0, 1), (1, 1 << 20), (4_096, 1), (20_000, 32), (1 << 16, 16)] {
            let whole = try await collection.collected(parts(count, of: bytes))
            #expect(whole.readableBytes == count * bytes)
        }
        for (count, bytes) in [(4_500, 1), (1 << 20, 1), (1 << 18, 4), (1, 1 + 1 << 20), ((1 << 16) + 1, 16), (10_000, 0)] {
            let refused = await #expect(throws: FarewellError.self) {
                try await collection.collected(parts(count, of: bytes))
            }
            #expect(refused?.code == "auth.request_entity_too_large", "\(count) of \(bytes)")
        }
    }

    @Test("a body is collected once, at its first use")
    func once() async throws {
        let count = Guarded(0)
        let body = CallBody {
            count.withLock { $0 += 1 }
            return ByteBuffer(string: "{}")
        }
        #expect(!body.isRead && body.here.readableBytes == 0)
        #expect(try await body.bytes().readableBytes == 2)
        #expect(try await body.bytes().readableBytes == 2)
        #expect(body.isRead && body.here.readableBytes == 2 && count.withLock { $0 } == 1)
    }

    /// JSON that is slow to read: of small members, of nested lists, of one text, of escapes, of numbers.
    private static let slowBodies: [[UInt8]] = {
        let size = 128 << 10
        let members = (0..<size / 12).map { "\"\(100_000 + $0)\":1" }.joined(separator: ",")
        let lists = String(repeating: "[[]],", count: size / 5)
        let letters = String(repeating: "é", count: size / 2)
        let escapes = String(repeating: "\\u00e9", count: size / 6)
        let numbers = String(repeating: "-1.5e3,", count: size / 7)
        let inner = [
            members, "\"a\":[\(lists)1]", "\"a\":\"\(letters)\"", "\"a\":\"\(escapes)\"", "\"a\":[\(numbers)1]",
        ]
        return inner.map { Array("{\($0)}".utf8) }
    }()

    private struct Looks: Sendable {
        var count = 0
        var last = LinearGrowth.spent()
        var longest = 0.0
    }

    @Test("SC-2 a call looks at its deadline after less than 100 ms of reading JSON, and reads no further past it")
    func looks() throws {
        for bytes in Self.slowBodies {
            // A busy machine's caches make a difference, the least of two tries does not.
            let tries = try (0..<2).map { _ in
                let looks = Guarded(Looks())
                let deadline = CallDeadline(due: .seconds(1)) {
                    looks.withLock { looks in
                        let now = LinearGrowth.spent()
                        looks = Looks(count: looks.count + 1, last: now, longest: max(looks.longest, now - looks.last))
                    }
                    return .zero
                }
                _ = try JSONMembers(bytes, depth: 32, deadline: deadline)
                _ = deadline.isPast
                return looks.withLock { $0 }
            }
            #expect(tries.allSatisfy { $0.count >= bytes.count / (20 << 10) }, "\(tries)")
            #expect(tries.contains { $0.longest < 0.1 }, "\(tries)")

            let looked = Guarded(0)
            let late = #expect(throws: FarewellError.self) {
                let deadline = CallDeadline(due: .seconds(2)) {
                    looked.withLock { looked in
                        looked += 1
                        return .seconds(looked)
                    }
                }
                _ = try JSONMembers(bytes, depth: 32, deadline: deadline)
            }
            // The second look is past it; `check` looks once more.
            #expect(late?.code == "auth.request_timeout" && looked.withLock { $0 } == 3)
        }
    }

    @Test("SC-2 every route that reads JSON behind a token looks at the deadline of its call while it reads")
    func lookingRoutes() async throws {
        let looks = Guarded(0)
        try await ErasureMount.with(
            isWorking: .off,
            changing: { _, world in
                let elapsed = world.elapsed
                world.elapsed = {
                    looks.withLock { $0 += 1 }
                    return elapsed()
                }
            }
        ) { mount in
            let (person, other) = (try await mount.person(), try await mount.person())
            let erasure = try await mount.asked(by: other).id
            let long = "{\"data\":{\"a\":\"\(String(repeating: "a", count: 200_000))\"}}"
            let routes = mount.server.routes.filter {
                $0.operation.body != nil && ![.none, .personOrTicket].contains($0.operation.authority)
            }
            #expect(routes.count >= 6)
            for route in routes {
                let id = route.path.hasPrefix(ErasureRoutes.root) ? erasure : UUID().uuidString.lowercased()
                let path = route.path.replacing("{id}", with: id)
                let token = route.operation.authority == .administrator ? ErasureMount.operatorToken : person.token
                var spent: [Int] = []
                for json in ["{}", long] {
                    looks.withLock { $0 = 0 }
                    _ = try await mount.ask(route.method, path, token: token, json: json)
                    spent.append(looks.withLock { $0 })
                }
                #expect(spent[1] - spent[0] >= 8, "\(route.method) \(path): \(spent)")
            }
        }
    }

    @Test("SC-2 a call that computes past its time limit gets 504 at its next check, without any timer")
    func computing() async throws {
        let clock = Guarded(Duration.zero)
        var world = ServerWorld.live()
        world.elapsed = { clock.withLock { $0 } }
        // The timer never comes: every thread computes.
        world.sleep = { _ in try await ContinuousClock().sleep(for: .seconds(3_600)) }
        let timeouts = CallTimeouts(limit: .seconds(10), world: world)
        let late = await #expect(throws: FarewellError.self) {
            try await timeouts.run { _ in clock.withLock { $0 += .seconds(10) } }
        }
        #expect(late?.code == "auth.request_timeout")
        let steps = Guarded(0)
        let checked = await #expect(throws: FarewellError.self) {
            try await timeouts.run { deadline in
                while true {
                    try deadline.check()
                    steps.withLock { $0 += 1 }
                    clock.withLock { $0 += .seconds(3) }
                }
            }
        }
        #expect(checked?.code == "auth.request_timeout" && steps.withLock { $0 } == 4)
        #expect(
            try await timeouts.run { deadline in
                try deadline.check()
                return 7
            } == 7)
    }
}
