// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

@Suite("Customers of RevenueCat with several names")
struct MergedCustomerTests {
    private static let anonymous = "$RCAnonymousID:0c6f6b1d2e3f4a5b"

    /// A project with one customer. Every name finds the customer, and one of the names is the identifier.
    private static func project(_ id: String, _ names: [String], isPaged: Bool = false) -> AnsweringService {
        let isThere = Guarded(true)
        return AnsweringService { call in
            let parts = call.path.split(separator: "/").map(String.init)
            let customer = #"{"object":"customer","id":"\#(id)"}"#
            guard parts.count > 4 else { return .json(200, #"{"object":"list","items":[]}"#) }
            guard isThere.withLock({ $0 }), (names + [id]).contains(parts[4]) else {
                return .json(404, #"{"object":"error","type":"resource_missing","message":"Resource not found."}"#)
            }
            if call.method == "DELETE" {
                isThere.withLock { $0 = false }
                return .json(200, #"{"object":"customer","id":"\#(id)","deleted_at":1}"#)
            }
            guard parts.count == 6 else { return .json(200, customer) }
            let start = call.query.first { $0.name == "starting_after" }.flatMap { names.firstIndex(of: $0.value) }.map { $0 + 1 } ?? 0
            let page = isPaged ? Array(names[start...].prefix(1)) : names
            let next = isPaged && start + 1 < names.count ? #""\#(call.path)?starting_after=\#(PercentEncoding.text(page[0]))""# : "null"
            let items = page.map { #"{"object":"customer.alias","id":"\#($0)"}"# }.joined(separator: ",")
            return .json(200, #"{"object":"list","items":[\#(items)],"next_page":\#(next)}"#)
        }
    }

    @Test("SY-1 SY-2 a customer of RevenueCat who was anonymous first is found, erased and read back by the app's name")
    func anonymousFirst() async throws {
        for isPaged in [false, true] {
            let service = Self.project(Self.anonymous, [Self.anonymous, "u1"], isPaged: isPaged)
            let connector = try service.connector("revenuecat", ["project": "p"])
            let request = ConnectorRequest(key: "k", names: ["u1"])
            #expect(try await connector.count(request) == 1)
            #expect(try await connector.verify(request) == .left(1))
            #expect(try await connector.erase(request) == .erased(1))
            #expect(try await connector.verify(request) == .gone)
            #expect(service.sent.count { $0.method == "DELETE" } == 1)
        }
    }

    @Test("SY-2 a customer of RevenueCat with another user's name stays, and one with two names of the user is erased")
    func ofTwo() async throws {
        let service = Self.project("u2", ["u2", "u1", Self.anonymous])
        let connector = try service.connector("revenuecat", ["project": "p"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.refused" && error?.message.contains("further names") == true, "\(String(describing: error))")
        #expect(error?.description.contains("u2") == false)
        #expect(!service.sent.contains { $0.method == "DELETE" })
        #expect(try await connector.verify(.init(key: "k", names: ["u1"])) == .left(1))
        #expect(try await connector.erase(.init(key: "k", names: ["u1", "u2"])) == .erased(1))
    }

    @Test("SY-2 a customer of RevenueCat whose identifier is the app's name stays if another user's name was added")
    func firstOfTwo() async throws {
        for names in [["u1", "u2"], ["u2", Self.anonymous]] {
            let service = Self.project("u1", names)
            let connector = try service.connector("revenuecat", ["project": "p"])
            for request in [ConnectorRequest(key: "k", names: ["u1"]), .init(key: "k", names: ["u1", "u3"])] {
                // The count has seen the customer before.
                _ = try? await connector.count(request)
                let error = await fault { _ = try await connector.erase(request) }
                #expect(
                    error?.code == "connector.refused" && error?.message.contains("further names") == true,
                    "\(String(describing: error))")
                let reader = try #require(connector as? any ReadingConnector)
                #expect(await fault { try await reader.read(request, into: CollectingSink()) }?.code == "connector.refused")
            }
            #expect(!service.sent.contains { $0.method == "DELETE" })
        }
        let own = Self.project("u1", ["u1", "u2", Self.anonymous])
        #expect(try await own.connector("revenuecat", ["project": "p"]).erase(.init(key: "k", names: ["u1", "u2"])) == .erased(1))
    }

    @Test("SY-2 RevenueCat's first API: a customer whose first name is another user's stays")
    func firstInterface() async throws {
        for (first, isOwn) in [("u2", false), ("u1", true), (Self.anonymous, true)] {
            let isThere = Guarded(true)
            let service = AnsweringService { call in
                if call.method == "DELETE" { isThere.withLock { $0 = false } }
                let isNew = !isThere.withLock { $0 }
                return .json(isNew ? 201 : 200, #"{"subscriber":{"original_app_user_id":"\#(first)"},"deleted":true}"#)
            }
            let connector = try service.connector("revenuecat", ["api": "v1", "known": "team"])
            let error = await fault {
                let answer = try await connector.erase(.init(key: "k", names: ["u1"]))
                #expect(answer == .erased(1))
            }
            #expect((error == nil) == isOwn && isThere.withLock { $0 } != isOwn, "\(first): \(String(describing: error))")
        }
    }

    @Test("SY-1 an answer about a customer without the requested name does not count")
    func another() async throws {
        let service = AnsweringService { call in
            call.path.hasSuffix("/aliases")
                ? .json(200, #"{"object":"list","items":[{"object":"customer.alias","id":"u2"}]}"#)
                : .json(200, #"{"object":"customer","id":"u2"}"#)
        }
        let connector = try service.connector("revenuecat", ["project": "p"])
        for act in 0...2 {
            let error = await fault {
                switch act {
                case 0: _ = try await connector.count(.init(key: "k", names: ["u1"]))
                case 1: _ = try await connector.erase(.init(key: "k", names: ["u1"]))
                default: _ = try await connector.verify(.init(key: "k", names: ["u1"]))
                }
            }
            #expect(error?.code == "connector.garbled")
        }
        #expect(!service.sent.contains { $0.method == "DELETE" })
    }
}
