// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Foundation
import Testing

/// A kind of service of AWS with people in it, played by moto and looked at by boto3.
struct AWSBed: PeerBed {
    let name: String
    let connector: any Connector
    let sending: FaultySending
    let peer: PeerProcess

    /// - Parameter kind: Its name in the program of `Interop`.
    init(_ kind: String, _ edit: (inout SystemPlan) -> Void = { _ in }) throws {
        peer = try PeerProcess.aws.get()
        name = kind
        sending = FaultySending()
        let system = try Self.system(kind, peer, edit)
        connector = try #require(
            try ConnectorKinds.connectors(
                of: Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system]),
                world: .hurried(
                    sending, environment: ["AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "canary-secret-key"])
            )[kind])
    }

    static func system(
        _ kind: String, _ peer: PeerProcess, _ edit: (inout SystemPlan) -> Void = { _ in }
    ) throws -> SystemPlan {
        var system = SystemPlan(name: kind, kind: "dynamodb")
        system.settings = ["region": "eu-west-1", "endpoint": try peer.text("endpoint")]
        switch kind {
        case "cognito", "subject":
            system.kind = "cognito"
            system.settings["pool"] = try peer.text("pool")
            if kind == "subject" { system.settings["by"] = "sub" }
        case "photos", "locked", "strange", "held", "plain":
            system.kind = "s3"
            system.settings["bucket"] = kind
            system.settings["prefix"] = "users/{person}/"
        case "binary", "single":
            system.settings["table"] = kind
            system.settings["key"] = "pk"
            system.settings[kind == "single" ? "value" : "binary"] = kind == "single" ? "USER#{person}" : "uuid"
        case "orders":
            system.settings["table"] = kind
            system.settings["key"] = "buyer"
            system.settings["index"] = "by_buyer"
        default:
            system.settings["table"] = kind
            system.settings["key"] = "user_id"
        }
        edit(&system)
        return system
    }

    func settle() async throws -> [String] { try await settle("") }

    func settle(_ person: String) async throws -> [String] {
        try await settle(saying: person)
    }

    func entries(of names: [String], in census: [String: String]) -> Set<String> {
        let person = (names.first ?? "").plain
        return Set(
            census.filter { entry, text in
                switch name {
                case "cognito": entry == person
                case "subject": text.contains(#""Value": "\#(person)""#)
                case "photos", "locked", "strange", "held", "plain": entry.utf8.starts(with: "users/\(person)/".utf8)
                case "single": entry.contains(#""pk": {"S": "USER#\#(person)"}"#)
                case "binary": entry.contains(#""of": {"S": "\#(person)"}"#)
                case "orders": entry.contains(#""buyer": {"N": "\#(person)"}"#)
                default: entry.contains(#""user_id": {"S": "\#(person)"}"#)
                }
            }.keys)
    }

    func misled(_ how: ConnectorMisleading) async throws -> (any Connector)? {
        guard how == .blindCredential else {
            return try AWSBed(name) { system in
                for place in ["pool", "table", "bucket"] where system.settings[place] != nil {
                    system.settings[place] = "eu-west-1-missing"
                }
            }.connector
        }
        // moto lets every key read; this is AWS's answer to a key without the right.
        let bed = try AWSBed(name)
        await bed.sending.answer { call, _ in
            call.headers.contains { $0.name == "x-amz-target" }
                ? .json(400, #"{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized"}"#)
                : .xml(403, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
        }
        return bed.connector
    }

    /// A buyer is a number, and a subject one that the pool gives.
    func settleStrangely() async throws -> [String]? {
        ["orders", "subject"].contains(name) ? nil : try await settle("Ada_\u{e9}")
    }

    /// A buyer is a number.
    var nobody: String { name == "orders" ? "999999999" : "nobody-there" }

    var secrets: [String] { ["canary-secret-key", "AKIDEXAMPLE"] }
}
