// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellVerifier
import Foundation
import Yams

/// The file that names the receivers of events.
///
/// ```yaml
/// endpoints:
///   - {name: crm, kind: webhook, url: "https://crm.example.org/hooks", secret-file: crm.secret}
///   - {name: partner, kind: caep, url: "https://partner.example.org/sets", audience: partner}
///   - {name: ledger, kind: risc, url: "https://ledger.example.org/sets", audience: ledger}
///   - {name: forum, kind: logout, url: "https://forum.example.org/backchannel", audience: forum-client}
/// ```
enum WebhookFile {
    /// The receivers that the file names, with their secrets. Makes nothing.
    ///
    /// - Throws: `settings.malformed`, `settings.wrong`, `settings.unreadable`; an error in an endpoint names the line
    ///   and column at which the endpoint begins.
    static func read(_ path: String) throws -> [EventReceiver] {
        let file = URL(fileURLWithPath: path)
        let name = file.lastPathComponent
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
            throw refusal("\(name) cannot be read.")
        }
        if let problem = YAMLText.refused(Array(data)) { throw refusal(problem.told(of: name)) }
        let text = YAMLMarks.divided(String(decoding: data, as: UTF8.self)).rest
        let root: Yams.Node?
        do {
            root = try Yams.Parser(yaml: text).singleRoot()
        } catch {
            throw refusal(PlanProblem(parsing: text, failedBy: error)?.told(of: name) ?? "\(name) is not YAML.")
        }
        guard let entries = root?.mapping?["endpoints"]?.sequence else {
            throw refusal("\(name) has no list of endpoints.")
        }
        let receivers = try entries.map { entry -> EventReceiver in
            do {
                return try receiver(entry, in: file.deletingLastPathComponent())
            } catch let error as FarewellError {
                let problem = PlanProblem(error.message, at: entry)
                throw FarewellError(error.code, error.family, problem.told(of: name), remedy: error.remedy)
            }
        }
        guard Set(receivers.map(\.endpoint.name)).count == receivers.count else {
            throw refusal("An endpoint is named twice in \(name).")
        }
        return receivers
    }

    private static func receiver(_ node: Yams.Node, in folder: URL) throws -> EventReceiver {
        guard let entry = node.mapping else { throw refusal("An endpoint is not a mapping.") }
        let known: Set<String> = ["name", "kind", "url", "secret-file", "former-secret-file", "audience"]
        for (key, _) in entry where !known.contains(key.string ?? "") {
            throw refusal("An endpoint has an unknown member: \(Shown.line(key.string ?? "?", limit: 40)).")
        }
        guard let name = entry["name"]?.string, !name.isEmpty, name.count <= 64,
            let kind = entry["kind"]?.string.flatMap(EventReceiver.Kind.init(rawValue:)),
            let url = entry["url"]?.string
        else { throw refusal("An endpoint needs a name, a url and a kind: webhook, caep, risc or logout.") }
        try EventReceiver.check(url)
        let secrets = try ["secret-file", "former-secret-file"].compactMap { member -> [UInt8]? in
            guard let file = entry[member]?.string else { return nil }
            return try WebhookSignature.secret(SecretFile.text(URL(fileURLWithPath: file, relativeTo: folder).path))
        }
        guard kind != .webhook || !secrets.isEmpty else { throw refusal("A webhook needs a secret-file.") }
        let audience = entry["audience"]?.string
        guard kind == .webhook || audience?.isEmpty == false else {
            throw refusal("An endpoint of the kind \(kind.rawValue) needs an audience.")
        }
        return EventReceiver(name: name, kind: kind, url: url, secrets: secrets, audience: audience ?? "")
    }

    private static func refusal(_ what: String) -> FarewellError {
        FarewellError("settings.malformed", .yoursToFix, what, remedy: "docs/operations/events.md shows such a file.")
    }
}
