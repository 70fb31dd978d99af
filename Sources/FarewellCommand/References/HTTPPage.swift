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
        (name: "erasures", title: "Erasures"), (name: "exports", title: "Exports"),
        (name: "contracts", title: "Deletion by routes that apps already call"),
        (name: "events", title: "Messages from other services"), (name: "admin", title: "Administration"),
        (name: "operation", title: "Operation"),
    ]

    private static let introduction = [
        "# HTTP", "",
        "The server describes itself at `/openapi.json` (OpenAPI 3.1), and this page is made from that description. A",
        "server without `erasures.plan` has no routes for erasures, and one without `export.offering: on` none for",
        "exports; their paths are then answered 404. [Pages and console](operations/pages.md) are for browsers and not",
        "described here.", "",
        "## Refusals", "",
        "A refusal has a JSON body with the code and the message, and a header `X-Sb-Error-Code`. [Errors](errors.md)",
        "explains every code. A route lists its codes, as `x-error-codes` does in the description. Any route can also",
        "refuse a request with the codes of this table, which concern the request and the server:", "",
    ]

    private static var refusals: MarkdownTable {
        let rows = ServerDescription.refusals.map { refusal in
            ["\(refusal.status)", refusal.meaning, refusal.general.map(\.asCode).joined(separator: ", ")]
        }
        return MarkdownTable(["status", "meaning", "codes of any route"], rows: rows)
    }

    /// The codes of a route, without those of any route.
    private static func refusals(of route: HTTPRoute) -> String {
        let general = Dictionary(uniqueKeysWithValues: ServerDescription.refusals.map { ($0.status, Set($0.general)) })
        let own = route.refusals.compactMap { status, codes -> String? in
            let others = codes.filter { !(general[status]?.contains($0) ?? false) }
            return others.isEmpty ? nil : "\(status) " + others.map(\.asCode).joined(separator: ", ")
        }
        let any = "[those of any route](#refusals)"
        return own.isEmpty ? "Refusals: \(any)." : "Refusals: \(own.joined(separator: "; ")); and \(any)."
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
        return lines + ["", refusals(of: route)]
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
