// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellPlan
import FarewellTesting
import Foundation
import InteropProgram
import Testing

@Suite("Vendors' services, as their documentation describes them", .serialized, .contracts)
struct VendorTests {
    private static let kinds = ["stripe", "supabase-auth", "supabase-storage", "revenuecat", "apple"]

    @Test("every kind is tested for the promises of connectors")
    func complete() {
        let held = Self.kinds + ["cognito", "dynamodb", "s3", "webhook"] + FirebaseBed.Place.allCases.map(\.kind)
        #expect(Set(held) == Set(ConnectorKinds.names))
    }

    @Test(
        "Items 46, 48, F10-F16 every promise of a connector holds, with every failure",
        arguments: kinds)
    func promises(_ kind: String) async throws {
        let bed = try VendorBed(kind)
        // Two users of Supabase are two UUIDs.
        try await bed.requireEveryRow(except: kind == "supabase-auth" ? Set(NameDifference.allCases) : [])
        try await ConnectorConformance(bed).run()
    }

    @Test("Items 46, 48, F10-F16 RevenueCat's first API: the promises of connectors, with every failure")
    func firstAPI() async throws {
        let bed = try VendorBed.first()
        try await bed.requireEveryRow()
        try await ConnectorConformance(bed).run()
    }

    @Test("RevenueCat's first API creates each user that a call names: no count runs, and a created user does not remain")
    func asked() async throws {
        let bed = try VendorBed.first()
        let request = ConnectorRequest(key: "run/revenuecat", names: try await bed.settle())
        let before = try await bed.census()
        #expect(try await bed.connector.count(request) == nil)
        #expect(try await bed.connector.verify(request) == .left(1))
        #expect(try await bed.census() == before)
        let stranger = ConnectorRequest(key: "run/revenuecat", names: ["nobody"])
        #expect(try await bed.connector.verify(stranger) == .gone)
        #expect(try await bed.census() == before)
        #expect(try await bed.connector.erase(stranger) == .nothingThere)
        #expect(try await bed.connector.erase(request) == .erased(1))
        #expect(try await bed.connector.verify(request) == .gone)
        #expect(try await bed.census().count == before.count - 1)
    }

    @Test("P3 a repeated call to Stripe carries the same idempotency key, and one for another customer another key")
    func idempotency() async throws {
        let bed = try VendorBed("stripe")
        let person = try await bed.settle()
        await bed.inject(.lateBefore, at: 3, lasting: true)
        _ = try? await bed.connector.erase(.init(key: "run/step", names: person))
        let first = await bed.sending.sent.compactMap { call in call.headers.first { $0.name == "Idempotency-Key" }?.value }
        await bed.inject(nil, at: 0, lasting: false)
        _ = try await bed.connector.erase(.init(key: "run/step", names: person))
        let second = await bed.sending.sent.compactMap { call in call.headers.first { $0.name == "Idempotency-Key" }?.value }
        #expect(!first.isEmpty && second.starts(with: first) && Set(second).count == second.count)
    }

    @Test("Storage is listed and emptied page by page, whole folders deep")
    func pages() async throws {
        let bed = try VendorBed("supabase-storage")
        let person = try await bed.settle(more: 1_005)
        #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .erased(1_007))
        #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
    }

    @Test("a customer with an open invoice is refused where the plan says so, before any cancellation")
    func unpaid() async throws {
        let bed = try VendorBed("stripe") { $0.settings["unpaid"] = "refuse" }
        let person = try await bed.settle()
        let neighbour = person[0] + "1"
        let before = try await bed.census()
        do {
            _ = try await bed.connector.erase(.init(key: "k", names: [neighbour]))
            Issue.record("A customer who owes was erased.")
        } catch let fault as ConnectorFault {
            #expect(fault.error.code == "connector.refused" && fault.error.message.contains("not paid"), "\(fault)")
        }
        #expect(try await bed.census() == before)
    }

    @Test("SV-8 Apple's 200 proves nothing: a token that still works after it is not reported as revoked")
    func apple() async throws {
        let bed = try VendorBed("apple")
        let person = try await bed.settle()
        await bed.sending.answer { call, _ in call.path.hasSuffix("/auth/revoke") ? SystemReply(status: 200) : nil }
        #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .erased(1))
        #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .left(1))
        let driver = try VendorBed("apple") { $0.settings["team"] = "ANOTHER" }
        await #expect(throws: ConnectorFault.credentials("apple", needs: "a key for Sign in with Apple")) {
            try await driver.connector.verify(.init(key: "k", names: person))
        }
    }

    @Test("SV-8 the call to Apple names the client that got the token, where the token's name says so")
    func appleClients() async throws {
        let bed = try VendorBed("apple")
        let asked = Guarded<[String]>([])
        await bed.sending.answer { call, _ in
            let form = String(decoding: call.body, as: UTF8.self).split(separator: "&")
            let told = form.filter { $0.hasPrefix("client_id=") || $0.hasPrefix("token=") }.sorted().joined(separator: " ")
            asked.withLock { $0.append(told) }
            return call.path.hasSuffix("/auth/revoke") ? SystemReply(status: 200) : nil
        }
        _ = try await bed.connector.erase(.init(key: "k", names: ["org.example.web r1", "r2"]))
        #expect(asked.withLock { $0 } == ["client_id=org.example.web token=r1", "client_id=app token=r2"])
    }

    @Test("SV-8 the system in the operators' guide for Apple revokes the tokens that the sign-in keeps")
    func appleGuide() throws {
        let guide = try String(contentsOf: InteropProgram.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let block = try #require(guide.components(separatedBy: "    systems:\n      apple:\n").dropFirst().first)
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }.map { $0.dropFirst(4) }
        let head = "farewell: 1\nsubject: {table: people, key: id}\ntables: {people: {rule: erase, columns: [id]}}\n"
        let text = head + "systems:\n  apple:\n" + lines.joined(separator: "\n")
        let plan = try PlanFile.read(Array(text.utf8), path: "operations.md")
        let tokens = ColumnName(TableName(schema: "auth", "provider_credentials"), "sealed_refresh_token")
        #expect(plan.systems.map(\.person) == [.column(tokens)])
        #expect(try ConnectorKinds.connectors(of: plan, world: .hurried(FaultySending())).keys.sorted() == ["apple"])
    }

    @Test("a setting or a secret unknown to its kind refuses the plan", arguments: ConnectorKinds.names)
    func strict(_ kind: String) throws {
        let plan = Plan(
            subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [],
            systems: [SystemPlan(name: "it", kind: kind, settings: ["regoin": "eu-west-1"])])
        #expect(throws: FarewellError.self) {
            try ConnectorKinds.connectors(of: plan, world: .hurried(FaultySending()))
        }
    }
}
