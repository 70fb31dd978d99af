// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import Foundation
import InteropProgram
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing

/// The systems of the example `aws` and fakes of other vendors, each behind a door that can be shut or held.
struct SystemsPeer: Sendable {
    let facts: JSONValue
    /// Held, so that it goes on.
    private let program: InteropProgram

    /// Started once for all tests; it ends with this process.
    static let running = Result { try SystemsPeer() }

    private init() throws {
        program = try InteropProgram("Interop/account_systems.py --vendors")
        facts = try StrictJSON.value(Array(program.word.utf8))
    }

    /// A user who is in all systems.
    struct Person: Sendable {
        let name: String
        let sub: String
        let customer: String
        let token: String
        /// Their names in the fakes of vendors, by kind.
        let vendors: [String: String]
    }

    /// The user's data, by system, and a digest of all other data.
    struct Census: Sendable, Hashable {
        let own: [String: Int]
        let others: String
    }

    func text(_ name: String) throws -> String { try #require(facts[name]?.string, "\(name)") }

    func door(_ name: String) throws -> String { try #require(facts["doors"]?[name]?.string, "\(name)") }

    func ask(_ method: HTTPMethod, _ path: String, body: String = "") async throws -> JSONValue {
        var request = HTTPClientRequest(url: try text("control") + path)
        request.method = method
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        let data = try await response.body.collect(upTo: 1 << 24)
        guard response.status == .ok else {
            throw FarewellError("peer.refused", .ours, "\(path): \(response.status.code) \(String(buffer: data))")
        }
        return try StrictJSON.value(Array(data.readableBytesView), depth: 32)
    }

    /// - Parameter isWide: Whether they are with the other vendors as well.
    func settle(_ name: String, isWide: Bool) async throws -> Person {
        let made = try await ask(.POST, "/person/\(name)\(isWide ? "?wide=1" : "")")
        func text(_ member: String) throws -> String { try #require(made[member]?.string, "\(made)") }
        return Person(
            name: name, sub: try text("sub"), customer: try text("customer"), token: try text("token"),
            vendors: made["vendors"]?.object?.compactMapValues(\.string) ?? [:])
    }

    func census(_ person: Person) async throws -> Census {
        let found = try await ask(.GET, "/census/\(person.name)")
        let own = try #require(found["own"]?.object)
        return Census(own: own.compactMapValues { $0.integer.map { Int($0) } }, others: try #require(found["others"]?.string))
    }

    func shut(_ door: String, _ status: Int) async throws { _ = try await ask(.POST, "/shut/\(door)/\(status)") }

    func held() async throws -> Set<String> { Set(try await ask(.GET, "/held").array?.compactMap(\.string) ?? []) }

    /// A call that changed something.
    struct Change: Sendable, Hashable {
        let door: String
        let what: String
    }

    /// The changes since the `first`-th, in order, each with its idempotency key.
    func changes(from first: Int = 0) async throws -> [(change: Change, key: String?)] {
        let all = try await ask(.GET, "/calls").array ?? []
        return try all.dropFirst(first).map { call in
            let parts = try #require(call.array)
            return (Change(door: try #require(parts[0].string), what: try #require(parts[1].string)), parts[2].string)
        }
    }
}
