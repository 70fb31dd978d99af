// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

/// A fake of a vendor's service, with people in it.
struct VendorBed: PeerBed {
    let name: String
    let connector: any Connector
    let sending = FaultySending()
    let peer: PeerProcess
    /// RevenueCat's first interface.
    private let isFirst: Bool

    /// - Parameters:
    ///   - clock: Seconds since 1970, where it is not always the same time.
    ///   - key: Another key than the one that sees everything.
    init(_ kind: String, clock: Guarded<Double>? = nil, key: String? = nil, _ edit: (inout SystemPlan) -> Void = { _ in }) throws {
        peer = try PeerProcess.vendors.get()
        name = kind
        var system = SystemPlan(name: kind, kind: kind)
        let endpoint = "\(try peer.text("endpoint"))/\(kind)"
        system.settings["endpoint"] = endpoint
        system.secrets["key"] = .environment("VENDOR_KEY")
        switch kind {
        case "supabase-auth": system.settings["endpoint"] = endpoint + "/auth/v1"
        case "supabase-storage":
            system.settings["endpoint"] = endpoint + "/storage/v1"
            system.settings["bucket"] = "photos"
            system.settings["prefix"] = "{person}/"
        case "revenuecat": system.settings["project"] = "proj1"
        case "apple":
            system.secrets = ["private_key": .environment("APPLE_KEY")]
            system.settings.merge(["client": "app", "team": "TEAM", "key_id": "KEY"]) { $1 }
        default: break
        }
        edit(&system)
        isFirst = system.settings["api"] == "v1"
        var world = ConnectorWorld.hurried(
            sending, environment: ["VENDOR_KEY": try key ?? peer.text("key"), "APPLE_KEY": try peer.text("apple")])
        if let clock { world.now = { clock.withLock { $0 } } }
        let plan = Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system])
        connector = try #require(try ConnectorKinds.connectors(of: plan, world: world)[kind])
    }

    /// RevenueCat by its first interface; the project has the customer `other`.
    static func first(key: String? = nil) throws -> VendorBed {
        try VendorBed("revenuecat", key: key) { $0.settings = ["api": "v1", "known": "other", "endpoint": $0.settings["endpoint"] ?? ""] }
    }

    func settle() async throws -> [String] {
        try await settle(more: 0)
    }

    /// With so many entries more of the person's.
    func settle(more: Int) async throws -> [String] {
        try await settle(saying: more > 0 ? "\(more)" : "")
    }

    func entries(of names: [String], in census: [String: String]) -> Set<String> {
        let person = (names.first ?? "").plain
        return Set(
            census.keys.filter { entry in
                switch name {
                case "supabase-storage": entry.utf8.starts(with: "\(person)/".utf8)
                case "stripe": entry == person || entry.hasPrefix("sub_\(person)_")
                case "supabase-auth": entry == person.lowercased()
                default: entry == person
                }
            })
    }

    func misled(_ how: ConnectorMisleading) async throws -> (any Connector)? {
        switch (how, name) {
        case (.wrongPlace, "revenuecat") where isFirst: try VendorBed.first(key: "elsewhere").connector
        case (.blindCredential, "revenuecat") where isFirst: try VendorBed.first(key: "blind").connector
        case (.wrongPlace, "supabase-storage"): try VendorBed(name) { $0.settings["bucket"] = "photo" }.connector
        case (.wrongPlace, "revenuecat"): try VendorBed(name) { $0.settings["project"] = "other" }.connector
        case (.wrongPlace, "stripe"): try VendorBed(name) { $0.settings["mode"] = "live" }.connector
        case (_, "apple"): try VendorBed(name) { $0.settings["team"] = "ANOTHER" }.connector
        default: try VendorBed(name, key: "blind").connector
        }
    }

    func settleStrangely() async throws -> [String]? {
        let person = ["stripe": "cus_Ada_%C3%A9", "apple": "r.Ada_%C3%A9"][name] ?? "Ada_%C3%A9"
        // A user of Supabase is a UUID.
        let query = name == "supabase-auth" ? "strange=yes" : "person=\(person)"
        return try await peer.control("POST", "/settle/\(name)", query: query).array?.compactMap(\.string)
    }

    var secrets: [String] { ["canary", "PRIVATE KEY"] }
}
