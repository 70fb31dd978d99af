// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// `/openapi.json`: the routes as a description for programs (OpenAPI 3.1).
enum OpenAPIDocument {
    static func text(_ routes: [Route]) -> String {
        let document: DocumentValue = [
            "openapi": "3.1.0",
            "info": [
                "title": "Farewell", "version": .text(FarewellVersion.current),
                "description": "Sessions that end when they are ended. Under /auth/v1 the Supabase Auth contract.",
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "paths": .object(paths(routes)),
            "components": components,
        ]
        return document.json
    }

    private static var components: DocumentValue {
        [
            "schemas": .object(APISchemas.all.map { ($0, $1.document) }),
            "responses": .object(RouteRefusals.meanings.map { (name(of: $0.status), refusal($0.status, $0.meaning)) }),
            "securitySchemes": [
                "person": bearer("An access token of a person."),
                "administrator": bearer("A token whose role is an administrator's."),
                "follower": bearer("The key of services that follow revocations."),
            ],
        ]
    }

    private static func bearer(_ meaning: String) -> DocumentValue {
        ["type": "http", "scheme": "bearer", "description": .text(meaning)]
    }

    private static func paths(_ routes: [Route]) -> [(String, DocumentValue)] {
        var order: [String] = []
        var byPath: [String: [Route]] = [:]
        for route in routes {
            if byPath[route.path] == nil { order.append(route.path) }
            byPath[route.path, default: []].append(route)
        }
        return order.map { path in
            (path, .object((byPath[path] ?? []).map { ($0.method.rawValue.lowercased(), operation($0)) }))
        }
    }

    private static func operation(_ route: Route) -> DocumentValue {
        let operation = route.operation
        var parts: [(String, DocumentValue)] = [
            ("operationId", .text(operation.id)), ("summary", .text(operation.summary)),
            ("tags", .list([.text(operation.tag)])),
        ]
        if let scheme = scheme(operation.authority) {
            let token = DocumentValue.object([(scheme, DocumentValue.list([]))])
            // An empty requirement beside it makes the token optional (OpenAPI 3.1, 4.8.30).
            let nothing = operation.authority == .personOrTicket ? [DocumentValue.object([])] : []
            parts.append(("security", .list([token] + nothing)))
        }
        if !operation.parameters.isEmpty { parts.append(("parameters", .list(operation.parameters.map(parameter)))) }
        if let body = operation.body {
            parts.append(
                (
                    "requestBody",
                    [
                        "required": .flag(body.isRequired),
                        "content": ["application/json": ["schema": body.schema.document]],
                    ]
                ))
        }
        parts.append(("responses", .object(answers(route))))
        return .object(parts)
    }

    private static func scheme(_ authority: RouteOperation.Authority) -> String? {
        switch authority {
        case .none: nil
        case .person, .personOrTicket: "person"
        case .administrator: "administrator"
        case .follower: "follower"
        }
    }

    private static func parameter(_ parameter: RouteOperation.Parameter) -> DocumentValue {
        [
            "name": .text(parameter.name), "in": .text(parameter.place.rawValue),
            "required": .flag(parameter.isRequired || parameter.place == .path),
            "description": .text(parameter.meaning), "schema": parameter.schema.document,
        ]
    }

    /// Every status by its number: whoever is answered with another one has found a fault.
    private static func answers(_ route: Route) -> [(String, DocumentValue)] {
        route.statuses.sorted().map { status in
            guard let own = route.operation.answers[status] else { return (String(status), reference(status)) }
            return (String(status), answer(own, route.operation.links))
        }
    }

    private static func name(of refusal: Int) -> String { "Refusal\(refusal)" }

    private static func reference(_ refusal: Int) -> DocumentValue {
        ["$ref": .text("#/components/responses/\(name(of: refusal))")]
    }

    /// In the shape asked for; in the first one where nothing could be read.
    private static func refusal(_ status: Int, _ meaning: String) -> DocumentValue {
        answer(RouteOperation.Answer(meaning: meaning, schema: .named("Refusal")), [])
    }

    private static func answer(_ answer: RouteOperation.Answer, _ links: [RouteOperation.Link]) -> DocumentValue {
        var parts: [(String, DocumentValue)] = [("description", .text(answer.meaning))]
        if let schema = answer.schema {
            parts.append(("content", .object([(answer.type, DocumentValue.object([("schema", schema.document)]))])))
        }
        if !links.isEmpty {
            parts.append(
                (
                    "links",
                    .object(
                        links.map { link in
                            (
                                link.operation,
                                [
                                    "operationId": .text(link.operation),
                                    "parameters": .object([(link.parameter, .text("$response.body#\(link.pointer)"))]),
                                ]
                            )
                        })
                ))
        }
        return .object(parts)
    }
}
