// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// `/openapi.json`: the routes as a description for programs (OpenAPI 3.1).
enum OpenAPIDocument {
    static func text(_ routes: [Route]) throws -> String {
        let document: JSONValue = [
            "openapi": "3.1.0",
            "info": [
                "title": "Farewell", "version": .string(FarewellVersion.current),
                "description":
                    "Sessions, sign-out and the deletion of accounts. /auth/v1 follows the Supabase Auth contract.",
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "paths": .object(paths(routes)),
            "components": components,
        ]
        return try CanonicalJSON.text(document)
    }

    private static var components: JSONValue {
        [
            "schemas": .object(members(APISchemas.all.map { ($0, $1.document) })),
            "responses": .object(
                members(RouteRefusals.meanings.map { (name(of: $0.status), refusal($0.status, $0.meaning)) })),
            "securitySchemes": [
                "person": bearer("A user, by an access token."),
                "administrator": bearer("An operator, by a token with an administrator's role."),
                "follower": bearer("A service that follows revocations, by its key."),
            ],
        ]
    }

    private static func bearer(_ meaning: String) -> JSONValue {
        ["type": "http", "scheme": "bearer", "description": .string(meaning)]
    }

    private static func paths(_ routes: [Route]) -> [String: JSONValue] {
        Dictionary(grouping: routes, by: \.path).mapValues { routes in
            .object(members(routes.map { ($0.method.rawValue.lowercased(), operation($0)) }))
        }
    }

    /// An object's members; of several of one name the first.
    private static func members(_ members: [(String, JSONValue)]) -> [String: JSONValue] {
        Dictionary(members) { first, _ in first }
    }

    private static func operation(_ route: Route) -> JSONValue {
        let operation = route.operation
        var parts: [String: JSONValue] = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "tags": .array([.string(operation.tag)]), "responses": .object(answers(route)),
            "x-error-codes": .object(codes(route)),
        ]
        if let scheme = scheme(operation.authority) {
            // An empty requirement beside it makes the token optional (OpenAPI 3.1, 4.8.30).
            let nothing: [JSONValue] = operation.authority == .personOrTicket ? [.object([:])] : []
            parts["security"] = .array([.object([scheme: .array([])])] + nothing)
        }
        if !operation.parameters.isEmpty { parts["parameters"] = .array(operation.parameters.map(parameter)) }
        if let body = operation.body {
            parts["requestBody"] = [
                "required": .boolean(body.isRequired),
                "content": ["application/json": ["schema": body.schema.document]],
            ]
        }
        return .object(parts)
    }

    private static func scheme(_ authority: RouteOperation.Authority) -> String? {
        switch authority {
        case .none: nil
        case .person, .subject, .personOrTicket: "person"
        case .administrator: "administrator"
        case .follower: "follower"
        }
    }

    private static func parameter(_ parameter: RouteOperation.Parameter) -> JSONValue {
        [
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
            "required": .boolean(parameter.isRequired || parameter.place == .path),
            "description": .string(parameter.meaning), "schema": parameter.schema.document,
        ]
    }

    /// Every status by its number; any other status in an answer is a defect.
    private static func answers(_ route: Route) -> [String: JSONValue] {
        members(
            route.statuses.map { status in
                guard let own = route.operation.answers[status] else { return (String(status), reference(status)) }
                return (String(status), answer(own, route.operation.links))
            })
    }

    /// The codes of its refusals by status: in `error_code` or `code`, and in the header `X-Sb-Error-Code`.
    private static func codes(_ route: Route) -> [String: JSONValue] {
        members(
            RouteRefusals.codes(of: route).map { status, codes in
                (String(status), .array(codes.sorted().map(JSONValue.string)))
            })
    }

    private static func name(of refusal: Int) -> String { "Refusal\(refusal)" }

    private static func reference(_ refusal: Int) -> JSONValue {
        ["$ref": .string("#/components/responses/\(name(of: refusal))")]
    }

    /// In the requested format; in the first one if nothing could be read.
    private static func refusal(_ status: Int, _ meaning: String) -> JSONValue {
        answer(RouteOperation.Answer(meaning: meaning, schema: .named("Refusal")), [])
    }

    private static func answer(_ answer: RouteOperation.Answer, _ links: [RouteOperation.Link]) -> JSONValue {
        var parts: [String: JSONValue] = ["description": .string(answer.meaning)]
        if let schema = answer.schema { parts["content"] = .object([answer.type: ["schema": schema.document]]) }
        if !links.isEmpty { parts["links"] = .object(members(links.map { ($0.operation, Self.link($0)) })) }
        return .object(parts)
    }

    private static func link(_ link: RouteOperation.Link) -> JSONValue {
        [
            "operationId": .string(link.operation),
            "parameters": .object([link.parameter: .string("$response.body#\(link.pointer)")]),
        ]
    }
}
