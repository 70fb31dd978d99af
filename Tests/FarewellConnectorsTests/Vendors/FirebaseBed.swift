// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

/// A fake of one of Firebase's services, with people in it.
struct FirebaseBed: PeerBed {
    /// The service of Firebase, and how the subject is found there.
    enum Place: String, Sendable, CaseIterable {
        case account, tenant, document, collection, field, number, group, objects, tree

        var kind: String {
            switch self {
            case .account, .tenant: "firebase-auth"
            case .document, .collection, .field, .number, .group: "firestore"
            case .objects: "firebase-storage"
            case .tree: "realtime-database"
            }
        }

        var settings: [String: String] {
            switch self {
            case .account: ["project": "farewell-test"]
            case .tenant: ["project": "farewell-test", "tenant": "farewell-tenant"]
            case .document: ["project": "farewell-test", "path": "users/{person}"]
            case .collection: ["project": "farewell-test", "path": "diaries/{person}/days"]
            case .field: ["project": "farewell-test", "collection": "orders", "field": "owner"]
            case .number: ["project": "farewell-test", "collection": "orders", "field": "number", "type": "integer"]
            case .group: ["project": "farewell-test", "collection": "orders", "field": "owner", "scope": "group"]
            case .objects: ["bucket": "farewell-test.appspot.com", "prefix": "users/{person}/"]
            case .tree: ["path": "users/{person}"]
            }
        }
    }

    let place: Place
    let name: String
    let connector: any Connector
    let sending = FaultySending()
    let peer: PeerProcess

    init(_ place: Place, _ edit: (inout SystemPlan) -> Void = { _ in }) throws {
        peer = try PeerProcess.vendors.get()
        self.place = place
        name = place.kind
        var system = SystemPlan(name: name, kind: name, settings: place.settings)
        system.settings["endpoint"] = "\(try peer.text("endpoint"))/\(name)"
        system.secrets["service_account"] = .environment("SERVICE_ACCOUNT")
        edit(&system)
        let world = ConnectorWorld.hurried(sending, environment: ["SERVICE_ACCOUNT": try peer.text("service_account")])
        let plan = Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system])
        connector = try #require(try ConnectorKinds.connectors(of: plan, world: world)[name])
    }

    func settle() async throws -> [String] { try await settle(more: 0) }

    /// With so many entries more of the person's.
    func settle(more: Int) async throws -> [String] {
        let names = try await settle(saying: more > 0 ? "\(more)" : "")
        return place == .number ? names.map { String($0.dropFirst("test".count)) } : names
    }

    func entries(of names: [String], in census: [String: String]) -> Set<String> {
        let person = (names.first ?? "").plain
        return Set(
            census.filter { entry, text in
                switch place {
                case .account: entry == person
                case .tenant: entry == "farewell-tenant/\(person)"
                case .document: entry == "users/\(person)" || entry.hasPrefix("users/\(person)/")
                case .collection: entry.hasPrefix("diaries/\(person)/days/")
                case .field, .number: entry == "orders/of-\(of(person))" || entry.hasPrefix("orders/of-\(of(person))/")
                case .group: ["orders/of-", "shops/s/orders/at-"].contains { entry == $0 + person || entry.hasPrefix("\($0)\(person)/") }
                case .objects: entry.hasPrefix("users/\(person)/")
                case .tree: entry == "users/\(person)"
                }
            }.keys)
    }

    private func of(_ person: String) -> String { place == .number ? "test\(person)" : person }

    func misled(_ how: ConnectorMisleading) async throws -> (any Connector)? {
        guard how == .blindCredential else {
            return try FirebaseBed(place) { system in
                switch place {
                case .account, .field, .number, .group: system.settings["project"] = "another"
                case .tenant: system.settings["tenant"] = "another"
                case .objects: system.settings["bucket"] = "another"
                case .document, .tree: system.settings["path"] = "user/{person}"
                case .collection: system.settings["path"] = "diary/{person}/days"
                }
            }.connector
        }
        let bed = try FirebaseBed(place)
        await bed.sending.answer { call, _ in
            call.path.hasSuffix("/token")
                ? nil : .json(403, #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"Missing permissions."}}"#)
        }
        return bed.connector
    }

    func settleStrangely() async throws -> [String]? {
        guard place != .number else { return nil }
        return try await peer.control("POST", "/settle/\(name)", query: "person=Ada_%C3%A9").array?.compactMap(\.string)
    }

    var secrets: [String] { ["canary", "PRIVATE KEY"] }

    /// A token that is refused is renewed.
    var overcome: Set<InjectedFault> { [.unknownKey] }
}
