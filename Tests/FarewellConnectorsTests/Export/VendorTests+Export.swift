// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

// One after the other with the other tests of the same fakes.
extension VendorTests {
    @Suite("The data of vendors' services in an export")
    struct ExportTests {
        private func put(_ file: String) async throws {
            _ = try await PeerProcess.vendors.get().control("POST", "/put/supabase-storage", file)
        }

        @Test("EX-1 EX-3 a user of Supabase Auth is read as the Admin API describes them, without secrets")
        func user() async throws {
            let bed = try VendorBed("supabase-auth")
            let person = try await bed.settle()
            let read = try await Reading.of(person, by: bed)
            let user = try RawJSON(Array(try read.text("user.json").utf8))
            #expect(read.items.count == 1 && user["id"]?.string == person[0] && user["recovery_sent_at"] != nil)
            let metadata = try #require(user["user_metadata"])
            #expect(metadata["caf\u{e9}"]?.value == 1 && metadata["cafe\u{301}"]?.value == .number(2.5))
            #expect(metadata["tokens"]?.value == 7 && metadata["push_token"] == nil && read.withheld == ["push_token"])
        }

        @Test("EX-1 EX-2 every file of Supabase Storage is read, also those that the database lists, and no file of a neighbour")
        func files() async throws {
            let bed = try VendorBed("supabase-storage")
            let person = try await bed.settle()
            let folder = person[0]
            for name in ["film.long", "nothing.empty", "deep//er/c d.jpg"] { try await put("\(folder)/\(name)") }
            // Of this one only the entry is left.
            try await put("?\(folder)/lost.jpg")
            let own = bed.entries(of: person, in: try await bed.census())
            let elsewhere = "copies/\(folder)/a.jpg"
            let read = try await Reading.of(person, by: bed, items: [elsewhere, "\(folder)/a.jpg"])
            let expected = own.union([elsewhere]).subtracting(["\(folder)/lost.jpg"])
            #expect(Set(read.items.map(\.name)) == expected && read.items.count == expected.count)
            #expect(read.unreadable == 1)
            for item in read.items { #expect(item.bytes == contents(item.name), "\(item.name)") }
        }

        @Test("EX-1 a file of Supabase Storage that an interrupted export has read is not read again, but a replaced one is")
        func continuedFiles() async throws {
            let bed = try VendorBed("supabase-storage")
            let person = try await bed.settle()
            func gets() async -> Int { await bed.sending.sent.count { $0.path.contains("/authenticated/") } }
            await bed.inject(nil, at: 0, lasting: false)
            let first = try await Reading.of(person, by: bed)
            let before = await gets()
            #expect(first.items.count == 2 && first.items.allSatisfy { $0.mark != nil })
            await bed.inject(nil, at: 0, lasting: false)
            let again = try await Reading.of(person, by: bed, after: Array(first.items.dropFirst()))
            #expect(again.items.map(\.name) == [first.items[0].name] && again.taken == [first.items[1].name])
            #expect(await gets() == before - 1)
            try await put(first.items[1].name)
            let changed = try await Reading.of(person, by: bed, after: first.items)
            #expect(changed.items.map(\.name) == [first.items[1].name])
        }

        @Test(
            "EX-1 EX-2 EX-3 RevenueCat's customer and all the customer's lists are read page by page, without secrets",
            arguments: ["v2", "v1"])
        func purchaser(_ api: String) async throws {
            let bed = try VendorBed("revenuecat") { $0.settings["api"] = api }
            let person = try await bed.settle()
            let read = try await Reading.of(person, by: bed)
            #expect(read.withheld == ["$fcmTokens"])
            if api == "v1" {
                #expect(read.items.map(\.name) == ["subscriber.json"])
                let text = try read.text("subscriber.json")
                #expect(text.contains("\(person[0])@example.org") && text.contains("app_store") && !text.contains("hidden"))
                // The request for a customer who is not there creates one, who is deleted at once.
                #expect(try await Reading.of(["nobody-there"], by: bed).items.isEmpty)
                return
            }
            let names = ["subscriptions.json", "purchases.json", "aliases.json", "attributes.json", "customer.json"]
            #expect(read.items.map(\.name) == names)
            let subscriptions = try read.elements("subscriptions.json")
            #expect(subscriptions.count == 3 && subscriptions.allSatisfy { $0["customer_id"]?.string == person[0] })
            #expect(try read.elements("attributes.json").compactMap { $0["name"]?.string } == ["$email", "team"])
            #expect(try RawJSON(Array(try read.text("customer.json").utf8))["id"]?.string == person[0])
        }

        @Test("EX-1 a RevenueCat key that may not read subscriptions reads nothing, and the manifest lists the system")
        func purchaserUnread() async throws {
            let bed = try VendorBed("revenuecat")
            let person = try await bed.settle()
            await bed.sending.answer { call, _ in
                guard call.path.hasSuffix("/subscriptions") else { return nil }
                return .json(403, #"{"object":"error","type":"authorization_error","message":"The key lacks a permission."}"#)
            }
            let sink = CollectingSink()
            let connector = try #require(bed.connector as? any ReadingConnector)
            let fault = await #expect(throws: ConnectorFault.self) {
                try await connector.read(.init(key: "export", names: person), into: sink)
            }
            #expect(fault?.error.code == "connector.credentials" && sink.items.isEmpty)
        }

        @Test("EX-1 EX-2 Stripe's customer, all subscriptions and all invoices are read page by page, and no other customer's")
        func customer() async throws {
            let bed = try VendorBed("stripe")
            let person = try await bed.settle()
            let read = try await Reading.of(person, by: bed)
            let names = ["customer.json", "subscriptions.json", "invoices.json", "invoices.lines.json"]
            #expect(read.items.map(\.name) == names)
            #expect(try RawJSON(Array(try read.text("customer.json").utf8))["id"]?.string == person[0])
            let subscriptions = try read.elements("subscriptions.json")
            // One of them has ended.
            #expect(subscriptions.count == 3 && subscriptions.contains { $0["status"]?.string == "canceled" })
            let invoices = try read.elements("invoices.json")
            #expect(invoices.count == 3 && (subscriptions + invoices).allSatisfy { $0["customer"]?.string == person[0] })
            // An invoice has the first of its lines; the rest is read from their own list.
            let lines = try read.elements("invoices.lines.json")
            #expect(lines.count == 3 && lines.allSatisfy { $0["invoice"]?.string == invoices[1]["id"]?.string })
            #expect(!(try read.text("invoices.json")).contains("hidden"))
            #expect(read.withheld == ["confirmation_secret", "confirmation_secret", "confirmation_secret"])
        }

        @Test("EX-2 another customer's invoice in an answer about this customer stops the export")
        func stranger() async throws {
            let bed = try VendorBed("stripe")
            let person = try await bed.settle()
            await bed.sending.answer { call, _ in
                guard call.path.hasSuffix("/v1/invoices") else { return nil }
                return .json(200, #"{"object":"list","has_more":false,"data":[{"id":"in_1","customer":"cus_other"}]}"#)
            }
            await #expect(throws: ConnectorFault.garbled("stripe", "another customer's data")) {
                _ = try await Reading.of(person, by: bed)
            }
        }

        @Test(
            "EX-1 a wrong location and a key without rights fail an export, and never leave an empty part in it",
            arguments: ["supabase-auth", "supabase-storage", "stripe", "revenuecat"], [ConnectorMisleading.wrongPlace, .blindCredential])
        func misleading(_ kind: String, _ how: ConnectorMisleading) async throws {
            let bed = try VendorBed(kind)
            let person = try await bed.settle()
            let connector = try #require(try await bed.misled(how) as? any ReadingConnector)
            await #expect(throws: ConnectorFault.self) {
                try await connector.read(.init(key: "export", names: person), into: CollectingSink())
            }
        }

        @Test("EX-1 every request of an export is one of Stripe's own client")
        func contract() async throws {
            let bed = try VendorBed("stripe")
            let requests = try await VendorContract.reading(of: bed, kind: "stripe") { await bed.sending.sent }
            let operations = try await VendorContract.check(requests)["operations"]?["stripe"]?.array
            #expect(operations?.count == 4, "\(operations ?? [])")
        }
    }
}
