// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Answers that are not from the server of the app")
struct OddAnswerTests {
    private static let root = URL(fileURLWithPath: "/")
    private static let session = DeviceSession(
        id: "s1", user: DeviceUser(id: "u1", email: "a@b.co"), accessToken: Token("access-1"), refreshToken: Token("refresh-1"),
        signOutTicket: Token("ticket-1"), expiresAt: VirtualTime.start, lifetime: 3_600)
    private static let order = SessionRevocation(ticket: Token("ticket-1"), scope: .local)
    private static let intent = DeletionIntent(key: "key-1", ticket: Token("erasure-ticket"))
    private static let endpoint = DeletionEndpoint("POST", root)

    /// Each call whose success changes what the device tells its user or keeps.
    private enum Call: String, CaseIterable {
        case deliver, signOut, endSession, mailCode, deleteByEndpoint, removeExport
        case cognitoDelete, cognitoRevoke, cognitoEndpoint, firebaseDelete, firebaseEnd, firebaseEndpoint

        func make(_ transport: ScriptedTransport) async throws(ProviderFailure) {
            let (session, intent, root, endpoint) = (session, intent, root, endpoint)
            let farewell = FarewellProvider(root, deletingBy: endpoint, transport: transport)
            let ending = SignOutEndpoint(root)
            switch self {
            case .deliver: try await farewell.deliver(order)
            case .signOut: try await farewell.signOut(session, scope: .global)
            case .endSession: try await farewell.end("s2", of: session)
            case .mailCode: try await farewell.mailCode(to: session.user)
            case .deleteByEndpoint: _ = try await farewell.requestDeletion(of: session, intent)
            case .removeExport: try await farewell.removeExport("e1", of: session)
            case .cognitoDelete:
                _ = try await CognitoProvider(root, clientID: "c", transport: transport).requestDeletion(of: session, intent)
            case .cognitoRevoke: try await CognitoProvider(root, clientID: "c", transport: transport).signOut(session, scope: .local)
            case .cognitoEndpoint:
                _ = try await CognitoProvider(root, clientID: "c", deletingBy: endpoint, transport: transport)
                    .requestDeletion(of: session, intent)
            case .firebaseDelete:
                _ = try await FirebaseProvider(apiKey: "k", identity: root, transport: transport).requestDeletion(of: session, intent)
            case .firebaseEnd: try await FirebaseProvider(apiKey: "k", endingBy: ending, transport: transport).deliver(order)
            case .firebaseEndpoint:
                _ = try await FirebaseProvider(apiKey: "k", deletingBy: endpoint, transport: transport)
                    .requestDeletion(of: session, intent)
            }
        }
    }

    @Test("AD-6 SO-7 a page or half an answer with the status 200 is no success: neither a sign-out nor a deletion has happened")
    func pages() async {
        let endpoints: [Call] = [.deleteByEndpoint, .cognitoEndpoint, .firebaseEnd, .firebaseEndpoint]
        for call in Call.allCases {
            let isOwn = endpoints.contains(call)
            for body in ["<!doctype html><title>Welcome</title>", #"{"success":true,"mess"#] + (isOwn ? [] : ["OK"]) {
                let found = await failure { () async throws(ProviderFailure) in try await call.make(ScriptedTransport([(200, body)])) }
                #expect(found?.kind == "unavailable", "\(call.rawValue): \(body)")
            }
            for body in ["", " \r\n", "{}"] + (isOwn ? ["OK", "deleted\n"] : []) {
                let found = await failure { () async throws(ProviderFailure) in try await call.make(ScriptedTransport([(200, body)])) }
                #expect(found == nil, "\(call.rawValue): \(body)")
            }
        }
    }

    @Test("AD-6 SO-7 a line of text that a framework calls HTML is an endpoint's success, and a page is none")
    func textCalledHTML() async {
        let html = ["content-type": "text/html; charset=utf-8"]
        for call in [Call.deleteByEndpoint, .firebaseEnd] {
            for (body, kind) in [("OK", nil), ("Welcome <b>", "unavailable"), ("<p>OK", "unavailable")] as [(String, String?)] {
                let found = await failure { () async throws(ProviderFailure) in
                    try await call.make(ScriptedTransport([(200, body)], fields: html))
                }
                #expect(found?.kind == kind, "\(call.rawValue): \(body)")
            }
        }
    }

    @Test("AD-6 a success whose body has an error is no deletion")
    func errorsWithStatus200() async {
        for (status, body) in [(200, #"{"error":"boom"}"#), (202, #"{"error":{"code":"x"}}"#), (200, #"{"data":null,"error":"x"}"#)] {
            let found = await failure { () async throws(ProviderFailure) in
                try await Call.deleteByEndpoint.make(ScriptedTransport([(status, body)]))
            }
            #expect(found?.kind == "unavailable", "\(body)")
        }
        let found = await failure { () async throws(ProviderFailure) in
            try await Call.deleteByEndpoint.make(ScriptedTransport([(200, #"{"data":{"success":true},"error":null}"#)]))
        }
        #expect(found == nil)
        for body in [#"{"error":false}"#, #"{"error":""}"#, #"{"error":0}"#, #"{"error":[]}"#, #"{"error":{}}"#] {
            let found = await failure { () async throws(ProviderFailure) in
                try await Call.deleteByEndpoint.make(ScriptedTransport([(200, body)]))
            }
            #expect(found == nil, "\(body)")
        }
    }

    @Test("SO-7 only the server's own refusal ends the delivery of a sign-out; one of something in between is tried again")
    func ticketRefusals() async {
        let refusals = [
            (400, #"{"code":"validation_failed"}"#, "refused"), (400, #"{"error_code":"bad_json"}"#, "refused"),
            (400, "<html>", "unavailable"), (401, #"{"message":"Invalid API key"}"#, "unavailable"), (403, "<html>", "unavailable"),
            (404, #"{"code":"not_found"}"#, "unavailable"), (404, "", "unavailable"), (421, "{}", "unavailable"),
        ]
        for (status, body, kind) in refusals {
            let found = await failure { () async throws(ProviderFailure) in
                try await Call.deliver.make(ScriptedTransport([(status, body)]))
            }
            #expect(found?.kind == kind, "\(status) \(body)")
        }
        for (status, kind) in [(400, "refused"), (410, "refused"), (422, "refused"), (401, "unavailable"), (404, "unavailable")] {
            let found = await failure { () async throws(ProviderFailure) in
                try await Call.firebaseEnd.make(ScriptedTransport([(status, "{}")]))
            }
            #expect(found?.kind == kind, "\(status)")
        }
    }

    @Test("SO-7 a sign-out that met a missing route and then a page is still delivered")
    func delivered() async throws {
        try await World.with { world in
            let transport = ScriptedTransport([(404, "<html>"), (200, "<html>"), (200, "{}")])
            let device = try world.device(FarewellProvider(Self.root, transport: transport))
            try await device.queue(.init(id: "1", provider: "farewell", revocation: Self.order))
            #expect(await [device.deliver(), device.deliver(), device.deliver()] == [false, false, true])
            #expect(try await device.outbox.entries.isEmpty && transport.asked.withLock { $0.count } == 3)
        }
    }
}
