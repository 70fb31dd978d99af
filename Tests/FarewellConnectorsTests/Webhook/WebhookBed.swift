// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Foundation
import Testing

/// The example's service with people on its lists, in one of its ways of working.
struct WebhookBed: PeerBed {
    enum Way: String, Sendable, CaseIterable {
        /// It answers when it has erased.
        case once
        /// It accepts, and is asked again.
        case asked
        /// It accepts, and calls back.
        case told
    }

    let name = "webhook"
    let way: Way
    let connector: any Connector
    let sending = FaultySending()
    let peer: PeerProcess
    private let plan: SystemPlan

    init(_ way: Way, _ edit: (inout SystemPlan) -> Void = { _ in }) throws {
        peer = try PeerProcess.webhooks.get()
        self.way = way
        var system = SystemPlan(name: name, kind: name)
        system.settings = ["endpoint": try peer.text(way.rawValue), "allow": "127.0.0.1"]
        if way == .told { system.settings["callback"] = try peer.text("control") }
        system.secrets = ["secret": .environment("SECRET")]
        edit(&system)
        plan = system
        connector = try WebhookConnector(
            system, world: .hurried(sending, environment: ["SECRET": try peer.text("secret")]))
    }

    var part: String { way.rawValue }

    func settle() async throws -> [String] { try await settle(saying: "") }

    func entries(of names: [String], in census: [String: String]) -> Set<String> {
        Set(census.keys.filter { $0.hasPrefix("\((names.first ?? "").plain)/") })
    }

    func news(of key: String) async throws -> String? {
        guard way == .told, let connector = connector as? any CalledBackConnector else { return nil }
        // Keys of these tests have nothing in them that would be encoded.
        let told = try await peer.control("GET", "/told", query: key).array ?? []
        let message = try #require(told.first)
        let headers = message["headers"]?.object?.compactMapValues(\.string) ?? [:]
        let news = try connector.hear(SystemMessage(headers: headers, body: Array((message["body"]?.string ?? "").utf8)))
        #expect(news.key == key && message["path"]?.string == "/v1/systems/webhook/messages")
        return news.text
    }

    func misled(_ how: ConnectorMisleading) async throws -> (any Connector)? {
        // Another address, where nothing listens for us; and another secret than the service's.
        let nothing = AnsweringService { _ in .json(404, "{}") }
        let other = "whsec_" + Data("another secret of somebody".utf8).base64EncodedString()
        let isPlace = how == .wrongPlace
        let secret = isPlace ? try peer.text("secret") : other
        return try WebhookConnector(
            plan, world: .hurried(isPlace ? nothing : FaultySending(), environment: ["SECRET": secret]))
    }

    func settleStrangely() async throws -> [String]? {
        try await peer.control("POST", "/settle/\(way.rawValue)/Ada_\u{e9}").array?.compactMap(\.string)
    }

    var secrets: [String] { ["whsec_", "canary"] }
}
