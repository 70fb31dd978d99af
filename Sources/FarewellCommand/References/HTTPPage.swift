// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellServer

/// `docs/http.md`: every route, from the server's own description (OpenAPI).
enum HTTPPage {
    @available(macOS 15, *)
    static func lines(in folder: String) async throws -> [String] {
        let document = try await ServerDescription.openAPI(in: folder)
        let routes = HTTPRoute.all(in: document)
        var lines = introduction + refusals.lines
        let known = Set(tags.map(\.name))
        let others = Set(routes.map(\.tag)).subtracting(known).sorted().map { (name: $0, title: $0) }
        for tag in tags + others {
            lines += ["", "## \(tag.title)"] + routes.filter { $0.tag == tag.name }.flatMap(section)
        }
        lines += ["", "## Bodies", "", "Bodies are JSON. A member that is not required may be absent."]
        let schemas = document["components"]?["schemas"]?.object ?? [:]
        for (name, schema) in schemas.sorted(by: { $0.key < $1.key }) { lines += body(name, schema) }
        return lines
    }

    private static let tags = [
        (name: "auth", title: "Sign-in and users"), (name: "sessions", title: "Sessions"),
        (name: "erasures", title: "Erasures"), (name: "exports", title: "Exports of one's own data"),
        (name: "contracts", title: "Deletion by routes that apps already call"),
        (name: "events", title: "Messages from other services"), (name: "admin", title: "Administration"),
        (name: "operation", title: "Operation"),
    ]

    private static let introduction = [
        "# HTTP", "",
        "The server describes itself at `/openapi.json` (OpenAPI 3.1), and this page is made from that description. A",
        "server without `erasures.plan` has no routes for erasures. [Pages and console](operations/pages.md) are for",
        "browsers and not described here.", "",
        "## Refusals", "",
        "A refusal has a JSON body with the code and the message. [Errors](errors.md) explains every code. A route",
        "lists the statuses of its refusals; this table lists the codes that each status can have.", "",
    ]

    private static var refusals: MarkdownTable {
        let codes = Dictionary(grouping: ServerDescription.errors, by: \.status)
        let rows = ServerDescription.refusals.map { refusal -> [String] in
            let here = (codes[refusal.status] ?? []).map { name(of: $0.code).asCode }
            return ["\(refusal.status)", refusal.meaning, here.joined(separator: ", ")]
        }
        return MarkdownTable(["status", "meaning", "codes"], rows: rows)
    }

    /// A code as callers see it.
    private static func name(of code: String) -> String {
        if code == "auth.bad_jwt.subject" { return "bad_jwt" }
        return code.hasPrefix("auth.") ? String(code.dropFirst("auth.".count)) : code
    }

    // MARK: Routes

    private static func section(_ route: HTTPRoute) -> [String] {
        var lines = ["", "### `\(route.method) \(route.path)`", "", "\(route.summary). Callers: \(route.callers)."]
        if !route.parameters.isEmpty {
            let headings = ["parameter", "in", "required", "type", "meaning"]
            lines += [""] + MarkdownTable(headings, rows: route.parameters).lines
        }
        if let body = route.body { lines += ["", "Request body: \(body)."] }
        lines += [""] + MarkdownTable(["status", "body", "meaning"], rows: route.answers).lines
        return lines + ["", "[Refusals](#refusals): \(route.refusals.map(String.init).joined(separator: ", "))."]
    }

    // MARK: Bodies

    private static func body(_ name: String, _ schema: JSONValue) -> [String] {
        let shapes = schema["anyOf"]?.array ?? [schema]
        var lines = ["", "### \(name)"]
        for (index, shape) in shapes.enumerated() {
            lines += index == 0 ? [""] : ["", "Or:", ""]
            lines += members(of: shape).lines
        }
        return lines
    }

    private static func members(of schema: JSONValue) -> MarkdownTable {
        let required = Set(schema["required"]?.array?.compactMap(\.string) ?? [])
        let members = (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }
        let rows = members.map { name, type in
            [name.asCode, required.contains(name) ? "yes" : "", HTTPRoute.type(type)]
        }
        return MarkdownTable(["member", "required", "type"], rows: rows)
    }
}
